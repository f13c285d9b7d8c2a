//! `search_catalog`: rows, arguments, and walks with cursors.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ono_sendai::cursors::CURSOR_LIFE;
use ono_sendai::tools::registry::ToolName;
use serde_json::{Value, json};
use time::macros::datetime;

use super::samples::{cluster, search};
use super::{Service, Told, set};

const FIX: &str = "Leave cursor out and start the same search again.";

fn find(service: &Service, arguments: Value) -> Told {
    service.call(ToolName::SearchCatalog, arguments)
}

fn cursor(told: &Told) -> Option<String> {
    told.data()["pagination"]["next_cursor"].as_str().map(str::to_owned)
}

fn ids(told: &Told) -> Vec<u64> {
    let rows = told.data()["results"].as_array().expect("rows");
    rows.iter().map(|row| row["master_id"].as_u64().expect("a number")).collect()
}

/// A page of these masters, by a service that says what it says under `pagination`.
fn page(masters: impl IntoIterator<Item = u64>, pagination: Value) -> (u16, String) {
    let rows: Vec<Value> = masters
        .into_iter()
        .map(|id| json!({"master_id": id, "title": format!("Record {id}"), "artist": "X", "year": null, "artist_cluster_id": null}))
        .collect();
    (200, json!({"pagination": pagination, "results": rows}).to_string())
}

fn sampled() -> Value {
    json!({"total_results": 500, "total_results_mode": "approximate_50k_sample"})
}

fn keyset(next: &Value) -> Value {
    json!({"total_results": 500, "total_results_mode": "lower_bound", "next_cursor": next})
}

#[test]
fn rows_hold_the_services_own_values() {
    let told = find(&Service::saying(&search()), json!({"q": "record"}));
    let row = |n: u32, title: &str, artist: &str, year: u32| json!({"master_id": n, "title": title, "artist": artist, "artist_cluster_id": cluster(n), "year": year});
    assert_eq!(
        told.data(),
        &json!({
            "results": [row(101, "First Record", "First", 1992), row(102, "Second Record", "Second (2)", 1993),
                row(103, "Third Record", "Third", 1995)],
            "artists": null, "shown": 3, "listed": 3, "unreadable": 0,
            "pagination": {"mode": "offset_walk", "offset": 0, "total_results": 3, "total_results_mode": "exact",
                "next_cursor": null, "walk_ended_early": null, "note": null},
        })
    );
    assert_eq!((&told.json["ambiguity"], told.units), (&Value::Null, 1));
    assert_eq!(
        told.text,
        format!(
            "3 records of 3 found:\n\
             - First Record by First, year 1992, master 101, cluster_id {}\n\
             - Second Record by Second (2), year 1993, master 102, cluster_id {}\n\
             - Third Record by Third, year 1995, master 103, cluster_id {}\n\
             Data by hosaka (crate.hosaka.fm); sources: Discogs (CC0).",
            cluster(101),
            cluster(102),
            cluster(103)
        )
    );
}

#[test]
fn above_ten_rows_are_compact_and_homonyms_keep_their_own_ids() {
    let mut body = search();
    set(&mut body, "/results/1/artist", json!("First"));
    set(&mut body, "/results/2/artist", json!("First"));
    set(&mut body, "/results/2/artist_cluster_id", json!(cluster(101)));
    let told = find(&Service::saying(&body), json!({"q": "record", "limit": 11}));
    let data = told.data();
    assert_eq!(
        data["results"][0],
        json!({"master_id": 101, "title": "First Record", "artist": "a1", "year": 1992})
    );
    assert_eq!((&data["results"][1]["artist"], &data["results"][2]["artist"]), (&json!("a2"), &json!("a1")));
    assert_eq!(
        data["artists"],
        json!({"a1": {"name": "First", "cluster_id": cluster(101)}, "a2": {"name": "First", "cluster_id": cluster(102)}})
    );
    assert!(told.text.contains("- Third Record by First, year 1995, master 103"), "{}", told.text);
}

#[test]
fn two_artists_of_one_name_without_an_id_are_not_made_one() {
    let mut body = search();
    for (row, id) in [(0, Value::Null), (1, Value::Null), (2, json!("no id"))] {
        set(&mut body, &format!("/results/{row}/artist"), json!("First"));
        set(&mut body, &format!("/results/{row}/artist_cluster_id"), id);
    }
    let told = find(&Service::saying(&body), json!({"q": "record", "limit": 11}));
    let keys: Vec<&Value> =
        told.data()["results"].as_array().expect("rows").iter().map(|row| &row["artist"]).collect();
    assert_eq!(keys, ["a1", "a2", "a3"]);
    assert_eq!(told.data()["artists"]["a1"], json!({"name": "First", "cluster_id": null}));
    assert_eq!(told.data()["artists"]["a1"], told.data()["artists"]["a2"]);
}

#[test]
fn every_filter_is_sent_in_the_services_own_form() {
    let service = Service::saying(&search());
    let told = find(
        &service,
        json!({"q": " aphex  twin ", "genre": ["Electronic", "Rock"], "genre_mode": "AND", "style": "IDM", "style_mode": "or",
            "format": "[\"Vinyl\"]", "country": "UK", "label": ["Warp", "Rephlex"], "year_from": "1990", "year_to": 1995,
            "limit": 5}),
    );
    assert_eq!(told.json["ok"], true, "{}", told.json);
    let sent: Vec<(String, String)> = [
        ("q", "aphex twin"),
        ("genre", "Electronic"),
        ("genre", "Rock"),
        ("genre_mode", "and"),
        ("style", "IDM"),
        ("format", "Vinyl"),
        ("country", "UK"),
        ("label", "Warp"),
        ("label", "Rephlex"),
        ("year_from", "1990"),
        ("year_to", "1995"),
        ("limit", "5"),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .collect();
    assert_eq!(service.asked(), [("/api/v2/search".to_owned(), sent)]);
}

#[test]
fn nothing_found_is_a_gap_with_the_wider_search() {
    let service = Service::script([page([], json!({"total_results": 0, "total_results_mode": "exact"}))]);
    let told = find(&service, json!({"q": "x", "genre": "Polka"}));
    assert_eq!((&told.json["present"], &told.json["reason"]), (&json!(false), &json!("not_found_upstream")));
    assert_eq!(told.json["next_actions"][0]["args"], json!({"q": "x"}));
    assert_eq!(find(&service, json!({"genre": "Polka"})).json["next_actions"], json!([]));
    assert_eq!(told.json["attribution"]["sources"], json!([]));
}

#[test]
fn what_cannot_be_read_is_a_gap_in_its_place_and_counted() {
    let mut body = search();
    set(&mut body, "/results/0/year", json!("1992"));
    set(&mut body, "/results/1/year", json!(null));
    set(&mut body, "/results/2", json!("gone"));
    set(&mut body, "/pagination/total_results", json!("many"));
    let told = find(&Service::saying(&body), json!({"q": "record"}));
    let data = told.data();
    assert_eq!(data["results"][0]["year"], json!({"present": false, "reason": "malformed_upstream"}));
    assert_eq!(data["results"][1]["year"], json!(null));
    assert_eq!((&data["shown"], &data["listed"], &data["unreadable"]), (&json!(2), &json!(3), &json!(1)));
    assert!(told.text.contains("\n1 more could not be read.\n"), "{}", told.text);
    assert_eq!(
        data["pagination"]["total_results"],
        json!({"present": false, "reason": "malformed_upstream"})
    );
    set(&mut body, "/results", json!([7]));
    let told = find(&Service::saying(&body), json!({"q": "record"}));
    assert_eq!(told.json["reason"], "malformed_upstream");
}

#[test]
fn a_walk_over_the_demo_gives_every_row_once() {
    let service = Service::demo();
    let mut seen: Vec<u64> = Vec::new();
    let mut arguments = json!({"genre": "Electronic", "limit": 7});
    let mut pages = 0;
    loop {
        let told = find(&service, arguments.clone());
        seen.extend(ids(&told));
        pages += 1;
        let total = told.data()["pagination"]["total_results"].clone();
        let Some(next) = cursor(&told) else {
            assert_eq!(json!(seen.len()), total);
            break;
        };
        assert!(next.len() <= 1_024);
        assert!(
            told.data()["pagination"]["note"].as_str().is_some_and(|note| note.contains("none comes twice"))
        );
        // The length of a page may change on the way.
        arguments = json!({"genre": "Electronic", "limit": 7 + pages % 5, "cursor": next});
    }
    assert!(pages > 3, "{pages} pages");
    assert_eq!(seen.iter().collect::<BTreeSet<_>>().len(), seen.len(), "a row came twice");
}

#[test]
fn rows_that_move_down_between_pages_do_not_come_twice() {
    let service =
        Service::script([page(1..=10, sampled()), page(8..=17, sampled()), page([18, 3, 19], sampled())]);
    let first = find(&service, json!({"q": "x", "limit": 10}));
    let second = find(&service, json!({"q": "x", "limit": 10, "cursor": cursor(&first)}));
    assert_eq!(ids(&second), (11..=17).collect::<Vec<_>>());
    assert_eq!((&second.data()["shown"], &second.data()["listed"]), (&json!(7), &json!(10)));
    assert_eq!(second.data()["pagination"]["offset"], 10);
    let third = find(&service, json!({"q": "x", "limit": 10, "cursor": cursor(&second)}));
    assert_eq!((ids(&third), cursor(&third)), (vec![18, 19], None));
    let offsets: Vec<Option<String>> = service
        .asked()
        .into_iter()
        .map(|(_, query)| query.into_iter().find_map(|(name, value)| (name == "offset").then_some(value)))
        .collect();
    assert_eq!(offsets, [None, Some("10".to_owned()), Some("20".to_owned())]);
}

#[test]
fn a_service_with_cursors_is_walked_by_them() {
    let service = Service::script([page(1..=8, keyset(&json!("up-1"))), page(9..=15, keyset(&json!(null)))]);
    let first = find(&service, json!({"q": "x"}));
    assert_eq!(
        first.data()["pagination"],
        json!({"mode": "keyset", "offset": null, "total_results": 500, "total_results_mode": "lower_bound",
            "next_cursor": cursor(&first), "walk_ended_early": null, "note": null})
    );
    assert!(!first.raw.contains("up-1"), "the service's cursor is not shown");
    let second = find(&service, json!({"q": "x", "cursor": cursor(&first)}));
    assert_eq!((ids(&second), cursor(&second)), ((9..=15).collect(), None));
    let sent = &service.asked()[1].1;
    assert!(sent.contains(&("cursor".to_owned(), "up-1".to_owned())), "{sent:?}");
    assert!(!sent.iter().any(|(name, _)| name == "offset"), "{sent:?}");
}

#[test]
fn rows_that_are_counted_and_not_sent_are_never_told_as_none() {
    let exact = |total: u64| json!({"total_results": total, "total_results_mode": "exact"});
    let told = find(&Service::script([page([], exact(5_000))]), json!({"q": "x"}));
    assert_eq!(told.json["reason"], "malformed_upstream");
    assert!(told.data()["pagination"]["walk_ended_early"].is_string(), "{}", told.json);
    // Nor is a total told that is smaller than the rows beside it.
    let told = find(&Service::script([page(1..=5, exact(2))]), json!({"q": "x", "limit": 5}));
    let malformed = json!({"present": false, "reason": "malformed_upstream"});
    assert_eq!(told.data()["pagination"]["total_results"], malformed);
    assert_eq!(told.data()["pagination"]["total_results_mode"], malformed);
    assert!(!told.text.contains("of 2"), "{}", told.text);
}

#[test]
fn a_walk_ends_after_ten_thousand_rows() {
    // Of the last page only the ten rows are asked for that are left.
    let rows_of = |n: u64| if n == 333 { 10 } else { 30 };
    let on = |n: u64| page(n * 30 + 1..=n * 30 + rows_of(n), keyset(&json!(format!("on-{n}"))));
    let service = Service::script((0..400).map(on));
    let mut rows = 0;
    let mut arguments = json!({"q": "x", "limit": 30});
    let last = loop {
        let told = find(&service, arguments);
        rows += told.data()["listed"].as_u64().expect("a number");
        match cursor(&told) {
            Some(next) => arguments = json!({"q": "x", "limit": 30, "cursor": next}),
            None => break told,
        }
    };
    assert!((10_000..10_030).contains(&rows), "{rows} rows");
    let asked = service.asked();
    assert!(
        asked[asked.len() - 1].1.contains(&("limit".to_owned(), "10".to_owned())),
        "only the rest is asked for"
    );
    assert_eq!(last.data()["pagination"]["walk_ended_early"], json!(null));
    assert!(last.text.contains("A walk ends after 10000 rows"), "{}", last.text);
}

#[test]
fn a_walk_by_ever_new_cursors_ends_after_three_pages_in_a_row_with_nothing_to_show() {
    let next = |n: usize| keyset(&json!(format!("on-{n}")));
    let unreadable =
        |n: usize| (200, json!({"pagination": next(n), "results": [{"master_id": "x"}, 7]}).to_string());
    // How many rows each page has; what cannot be read shows nothing either.
    for (pages, asked) in [(vec![2, 0, 0, 0], 4), (vec![0, 0, 0], 3), (vec![2, 0, 0, 2, 0, 0, 0], 7)] {
        let script = pages.iter().enumerate().map(|(n, rows)| match rows {
            0 if n % 2 == 0 => unreadable(n),
            0 => page([], next(n)),
            rows => page((0..*rows).map(|row| (n * 10 + row + 1) as u64), next(n)),
        });
        let last = pages.len();
        let service = Service::script(script.chain((last..last + 5).map(|n| page([], next(n)))));
        let mut arguments = json!({"q": "x"});
        let ended = loop {
            let told = find(&service, arguments);
            match cursor(&told) {
                Some(next) => arguments = json!({"q": "x", "cursor": next}),
                None => break told,
            }
        };
        assert_eq!(service.asked().len(), asked, "{pages:?}");
        let why = ended.data()["pagination"]["walk_ended_early"].as_str().expect("a reason");
        assert!(why.contains("3 pages in a row") && ended.text.contains(why), "{}", ended.text);
    }
}

#[test]
fn a_walk_that_cannot_go_on_says_that_there_may_be_more() {
    for next in [json!(5), json!(""), json!("x".repeat(3_000)), json!("a b")] {
        let told = find(&Service::script([page(1..=10, keyset(&next))]), json!({"q": "x"}));
        assert_eq!(cursor(&told), None, "{next}");
        let why = told.data()["pagination"]["walk_ended_early"].as_str().expect("a reason");
        assert!(why.contains("narrower") && told.text.contains(why), "{next}: {}", told.text);
    }
    // The numbers of so many rows, far apart, do not fit the place of a walk.
    let far = |from: u64| page((0..30).map(move |n| (from + n) * 10_000_000_000), sampled());
    let service = Service::script((0..400).map(|n| far(n * 30 + 1)));
    let mut arguments = json!({"q": "x", "limit": 30});
    let mut pages = 0;
    let last = loop {
        let told = find(&service, arguments);
        pages += 1;
        match cursor(&told) {
            Some(next) => arguments = json!({"q": "x", "limit": 30, "cursor": next}),
            None => break told,
        }
    };
    assert!((50..330).contains(&pages), "{pages} pages");
    assert!(last.data()["pagination"]["walk_ended_early"].is_string(), "{}", last.json);
}

fn assert_refused(told: &Told, reason: &str, what: &str) {
    assert_eq!(told.refusal(), ("invalid_argument", "cursor"), "{what}");
    let data = &told.error()["data"];
    assert_eq!((&data["reason"], &data["fix_hint"]), (&json!(reason), &json!(FIX)), "{what}");
    assert_eq!(told.units, 0, "{what}");
    let again = &told.json["suggested_tool_calls"][0];
    assert_eq!((&again["tool"], again["args"].get("cursor")), (&json!("search_catalog"), None), "{what}");
}

#[test]
fn a_cursor_that_is_not_good_is_refused_before_anything_is_asked() {
    let service = Service::script([page(1..=10, sampled())]);
    let good = cursor(&find(&service, json!({"q": "x", "genre": ["A", "B"]}))).expect("a cursor");
    let asked = service.asked().len();
    let same = |cursor: &str| json!({"q": "x", "genre": ["A", "B"], "cursor": cursor});
    let mut edited = good.clone();
    edited.replace_range(3..4, if &good[3..4] == "A" { "B" } else { "A" });
    for (cursor, what) in [(edited.as_str(), "edited"), (&good[..20], "cut"), ("made-up", "made up")] {
        assert_refused(&find(&service, same(cursor)), "not_issued", what);
    }
    assert_refused(
        &service.call_of(2, ToolName::SearchCatalog, same(&good)),
        "not_issued",
        "of another account",
    );
    for other in [
        json!({"q": "y", "genre": ["A", "B"], "cursor": good}),
        json!({"q": "x", "genre": ["A"], "cursor": good}),
        json!({"q": "x", "genre": ["A", "B"], "genre_mode": "and", "cursor": good}),
        json!({"q": "x", "genre": ["A", "B"], "year_from": 1990, "cursor": good}),
    ] {
        assert_refused(&find(&service, other), "other_query", "of another query");
    }
    let long = find(&service, same(&"A".repeat(1_025)));
    assert_eq!(long.refusal(), ("invalid_argument", "cursor"));
    assert_eq!(find(&service, same("<next_cursor>")).refusal(), ("placeholder_detected", "cursor"));
    service.clock.advance(CURSOR_LIFE);
    let old = find(&service, same(&good));
    assert_refused(&old, "expired", "too old");
    assert_eq!(
        old.json["suggested_tool_calls"],
        json!([{"tool": "search_catalog", "args": {"q": "x", "genre": ["A", "B"]}}])
    );
    assert_eq!(service.asked().len(), asked, "nothing was asked");
}

#[test]
fn a_cursor_that_holds_an_offset_was_never_given_out_here_and_no_date_makes_it_good() {
    // Hosted servers gave such out until 2026-10-13 and take them until 2026-11-30; this program never has.
    let service = Service::script([page(1..=10, sampled())]);
    for at in [datetime!(2026-11-29 12:00 UTC), datetime!(2026-12-01 12:00 UTC)] {
        service.clock.step_utc(at);
        for plain in [r#"{"offset":100}"#, r#"{"v":1,"mode":"offset","offset":100,"q":"x"}"#, "offset:100"] {
            let cursor = URL_SAFE_NO_PAD.encode(plain);
            assert_refused(&find(&service, json!({"q": "x", "cursor": cursor})), "not_issued", plain);
        }
    }
    assert!(service.asked().is_empty(), "nothing was asked");
}

#[test]
fn a_cursor_that_the_service_refuses_costs_nothing_and_is_fixed_the_same_way() {
    for answer in [
        (400, r#"{"error":"invalid_cursor"}"#),
        (404, r#"{"error":"not_found"}"#),
        (410, r#"{"error":"gone"}"#),
    ] {
        let service = Service::script([page(1..=8, keyset(&json!("up"))), (answer.0, answer.1.to_owned())]);
        let first = find(&service, json!({"q": "x"}));
        let told = find(&service, json!({"q": "x", "cursor": cursor(&first)}));
        assert_eq!(service.asked().len(), 2, "it was asked");
        assert_eq!(told.refusal(), ("invalid_argument", "cursor"), "{}", answer.0);
        assert_eq!(told.error()["data"]["fix_hint"], FIX);
        assert!(told.units <= u32::from(answer.0 == 404), "{}: {} units", answer.0, told.units);
    }
}

#[test]
fn wrong_arguments_are_refused_for_nothing_with_the_way_out() {
    let service = Service::saying(&search());
    for (arguments, kind, param) in [
        (json!({}), "one_of_required", "-"),
        (json!({"genre": [], "q": " ", "genre_mode": "and"}), "one_of_required", "-"),
        (json!({"limit": 5}), "one_of_required", "-"),
        (json!({"q": "x", "year_from": 2000, "year_to": 1990}), "invalid_argument", "year_from"),
        (json!({"q": "x", "year_from": 1800}), "invalid_argument", "year_from"),
        (json!({"q": "x", "year_to": 3000}), "range_too_large", "year_to"),
        (json!({"q": "x", "limit": 101}), "range_too_large", "limit"),
        (json!({"q": "x", "limit": 0}), "invalid_argument", "limit"),
        (json!({"q": "{{query}}"}), "placeholder_detected", "q"),
        (json!({"genre": "{{genre}}"}), "placeholder_detected", "genre"),
        (json!({"genre": {"is": "Rock"}}), "invalid_argument", "genre"),
        (json!({"genre": (0..21).map(|n| n.to_string()).collect::<Vec<_>>()}), "invalid_argument", "genre"),
        (json!({"genre": "Rock", "genre_mode": "xor"}), "invalid_argument", "genre_mode"),
        (json!({"q": "\u{200b}"}), "invalid_argument", "q"),
        (json!({"q": "x".repeat(201)}), "invalid_argument", "q"),
        (json!({"q": "x", "genres": "Rock"}), "invalid_argument", "arguments"),
    ] {
        let told = find(&service, arguments.clone());
        assert_eq!(told.refusal(), (kind, param), "{arguments}");
        assert!(told.error()["data"]["fix_hint"].is_string(), "{arguments}");
        assert_eq!(told.units, 0, "{arguments}");
    }
    assert_eq!(service.asked(), [], "nothing was asked");
    let meant = find(&service, json!({"genres": "Rock"}));
    assert_eq!(meant.error()["data"]["did_you_mean"], "genre");
    assert_eq!(meant.json["suggested_tool_calls"][0]["args"], json!({"genre": "Rock"}));
}

#[test]
fn records_that_the_demo_invented_are_credited_as_such() {
    let told = find(&Service::demo(), json!({"q": "Invented Homonym"}));
    assert!(told.line().contains("invented for the demo"), "{}", told.line());
    let told = find(&Service::demo(), json!({"genre": "Electronic"}));
    assert!(told.line().ends_with("sources: Discogs (CC0)."), "{}", told.line());
}
