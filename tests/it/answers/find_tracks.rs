//! `find_tracks`.

use ono_sendai::tools::registry::ToolName;
use serde_json::{Value, json};

use super::samples::{cluster, resolution, tracks};
use super::{Service, Told, set};

fn find(service: &Service, arguments: Value) -> Told {
    service.call(ToolName::FindTracks, arguments)
}

fn by_title(body: &Value) -> Told {
    find(&Service::saying(body), json!({"title": "Echo"}))
}

fn by_artist(body: &Value) -> Told {
    find(&Service::saying(body), json!({"artist": "Somebody", "track": "Echo"}))
}

#[test]
fn by_title_the_artists_stand_in_the_services_order_with_its_counts() {
    let told = by_title(&tracks());
    let row = |n: u32, artist: &str, releases: u32, recordings: u32| json!({"artist": artist, "cluster_id": cluster(n), "releases": releases, "recordings": recordings});
    assert_eq!(
        told.data(),
        &json!({
            "mode": "exact", "corpus": "mb", "artist": null,
            "results": [row(1, "First", 40, 3), row(2, "Second (2)", 7, 2), row(3, "Third", 1, 1)],
            "shown": 3, "listed": 3, "truncated": true,
        })
    );
    assert_eq!((&told.json["present"], &told.json["ambiguity"]), (&json!(true), &Value::Null));
    assert_eq!(told.units, 1);
    let id = |n| cluster(n);
    assert_eq!(
        told.text,
        format!(
            "3 artists with a track of exactly this title, those on most releases first:\n\
             - First: releases 40, recordings 3, cluster_id {}\n\
             - Second (2): releases 7, recordings 2, cluster_id {}\n\
             - Third: releases 1, recordings 1, cluster_id {}\n\
             There are more than these: raise limit, or give artist and track.\n\
             Data by hosaka (crate.hosaka.fm); sources: Discogs (CC0), MusicBrainz (CC0).",
            id(1),
            id(2),
            id(3)
        )
    );
}

#[test]
fn what_is_sent_is_the_title_and_nothing_else() {
    let service = Service::saying(&tracks());
    find(&service, json!({"title": " Angel  Ech ", "fuzzy": "true", "limit": "25"}));
    find(&service, json!({"title": "Echo"}));
    let query = |pairs: &[(&str, &str)]| {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect::<Vec<_>>()
    };
    let asked = service.asked();
    assert_eq!(
        asked[0],
        ("/api/v2/tracks".to_owned(), query(&[("title", "Angel Ech"), ("limit", "25"), ("fuzzy", "true")]))
    );
    assert_eq!(asked[1], ("/api/v2/tracks".to_owned(), query(&[("title", "Echo"), ("limit", "10")])));
}

#[test]
fn a_long_list_names_ten_rows_in_the_text_and_says_how_many_more_there_are() {
    let told = find(&Service::demo(), json!({"title": "love", "fuzzy": true, "limit": 25}));
    assert_eq!(told.data()["shown"], 11);
    assert_eq!(told.text.lines().filter(|line| line.starts_with("- ")).count(), 10);
    assert!(told.text.contains("\n1 more stands in the JSON.\n"), "{}", told.text);
    assert!(told.text.contains("whose title contains these words"), "{}", told.text);
}

#[test]
fn no_match_is_a_gap_with_a_wider_search_and_never_an_empty_success() {
    let mut none = tracks();
    set(&mut none, "/results", json!([]));
    set(&mut none, "/truncated", json!(false));
    let told = by_title(&none);
    assert_eq!((&told.json["present"], &told.json["reason"]), (&json!(false), &json!("not_found_upstream")));
    assert_eq!(
        told.json["next_actions"],
        json!([{"tool": "find_tracks", "args": {"title": "Echo", "fuzzy": true}, "why": "finds titles that only contain these words"}])
    );
    assert!(told.text.starts_with("Nobody found with a track of this title.\n"), "{}", told.text);
    assert_eq!(told.json["attribution"]["sources"], json!([]));
    let fuzzy = find(&Service::saying(&none), json!({"title": "Echo", "fuzzy": true}));
    assert_eq!(fuzzy.json["next_actions"], json!([]));
}

#[test]
fn an_empty_list_that_was_cut_is_unreadable_and_never_called_no_match() {
    let mut cut = tracks();
    set(&mut cut, "/results", json!([]));
    let told = by_title(&cut);
    assert_eq!((&told.json["present"], &told.json["reason"]), (&json!(false), &json!("malformed_upstream")));
    assert!(!told.text.contains("Nobody found"), "{}", told.text);
}

#[test]
fn rows_that_cannot_be_read_are_counted_and_never_called_no_match() {
    let mut body = tracks();
    set(&mut body, "/results", json!([7, null, {"artistCredit": 5}]));
    let told = by_title(&body);
    assert_eq!((&told.json["present"], &told.json["reason"]), (&json!(false), &json!("malformed_upstream")));
    let mut body = tracks();
    set(&mut body, "/results/1", json!("gone"));
    set(&mut body, "/results/0/releases", json!("many"));
    set(&mut body, "/results/2/artistCredit", json!(null));
    let told = by_title(&body);
    let data = told.data();
    assert_eq!((&data["shown"], &data["listed"]), (&json!(2), &json!(3)));
    assert_eq!(data["results"][0]["releases"], json!({"present": false, "reason": "malformed_upstream"}));
    assert_eq!(data["results"][1]["artist"], json!(null));
    assert!(told.text.contains("releases not present (malformed_upstream)"), "{}", told.text);
    assert!(told.text.contains("\n1 row could not be read.\n"), "{}", told.text);
}

#[test]
fn a_degraded_search_is_an_error_and_not_an_empty_list() {
    let mut body = tracks();
    set(&mut body, "/state", json!("degraded"));
    set(&mut body, "/results", json!([]));
    let told = by_title(&body);
    assert_eq!(told.refusal(), ("upstream_degraded", "-"));
    assert_eq!(told.json["degraded"]["fallback_tier"], "suspect");
    assert_eq!((told.units, &told.error()["retryable"]), (1, &json!(true)));
}

#[test]
fn by_artist_the_answer_says_who_performs_it_and_how_sure_that_is() {
    let told = by_artist(&resolution());
    assert_eq!(told.data()["mode"], "artist_track");
    assert_eq!(told.data()["artist"]["discogs_id"], 45);
    assert_eq!(told.data()["results"][0]["releases"], json!({"present": false, "reason": "not_covered"}));
    assert_eq!(told.json["ambiguity"]["state"], "none");
    assert_eq!(told.json["next_actions"][0]["args"], json!({"key": "somebody"}));
    let mut observed = resolution();
    set(&mut observed, "/resolved_via", json!("cluster"));
    set(&mut observed, "/locators/discogs", json!(null));
    let told = by_artist(&observed);
    assert_eq!(told.json["ambiguity"]["state"], "observed");
    assert_eq!(told.json["ambiguity"]["candidates"][0]["cluster_id"], cluster(7));
    assert_eq!(told.data()["artist"]["slug"], json!(null));
    assert!(told.text.starts_with("Somebody: observed, not a verified identity.\n"), "{}", told.text);
    assert_eq!(told.json["next_actions"][0]["args"], json!({"key": cluster(7)}));
}

#[test]
fn an_artist_without_that_track_is_a_gap_with_the_title_alone_as_the_next_search() {
    let told = find(&Service::demo(), json!({"artist": "Elvis Presley", "track": "No Such Track 77"}));
    assert_eq!((&told.json["present"], &told.json["reason"]), (&json!(false), &json!("not_found_upstream")));
    assert_eq!(told.json["ambiguity"]["state"], "unresolved");
    assert_eq!(told.json["next_actions"][0]["args"], json!({"title": "No Such Track 77"}));
    assert!(!told.text.contains("77"), "what was typed is not repeated: {}", told.text);
}

#[test]
fn the_demo_has_tracks_by_title_and_by_artist() {
    let title = find(&Service::demo(), json!({"title": "a little less conversation"}));
    assert_eq!(title.data()["results"][0]["artist"], "Elvis Presley");
    assert_eq!(title.line(), "Data by hosaka (crate.hosaka.fm), demo fixtures; sources: Discogs (CC0).");
    let both =
        find(&Service::demo(), json!({"artist": "Elvis Presley", "track": "A Little Less Conversation"}));
    assert_eq!(both.data()["artist"]["discogs_id"], 27518);
    assert_eq!(both.data()["artist"]["cluster_id"], title.data()["results"][0]["cluster_id"]);
}

#[test]
fn wrong_arguments_are_refused_for_nothing_with_the_way_out() {
    let service = Service::saying(&tracks());
    for (arguments, kind, param) in [
        (json!({}), "one_of_required", "-"),
        (json!({"title": "", "artist": null}), "one_of_required", "-"),
        (json!({"artist": "X"}), "invalid_argument", "track"),
        (json!({"track": "X"}), "invalid_argument", "artist"),
        (json!({"title": "X", "track": "Y"}), "invalid_argument", "title"),
        (json!({"title": "X", "artist": "Y"}), "invalid_argument", "title"),
        (json!({"title": "ab", "fuzzy": true}), "invalid_argument", "title"),
        (json!({"artist": "X", "track": "Y", "fuzzy": true}), "invalid_argument", "fuzzy"),
        (json!({"title": "X", "limit": 26}), "range_too_large", "limit"),
        (json!({"title": "X", "limit": 0}), "invalid_argument", "limit"),
        (json!({"title": "X", "limit": "many"}), "invalid_argument", "limit"),
        (json!({"title": "{{title}}"}), "placeholder_detected", "title"),
        (json!({"artist": "{{artist}}", "track": "X"}), "placeholder_detected", "artist"),
        (json!({"title": "\u{200b}"}), "invalid_argument", "title"),
        (json!({"title": ["X"]}), "invalid_argument", "title"),
        (json!({"titel": "X"}), "invalid_argument", "arguments"),
    ] {
        let told = find(&service, arguments.clone());
        assert_eq!(told.refusal(), (kind, param), "{arguments}");
        assert!(told.error()["data"]["fix_hint"].is_string(), "{arguments}");
        assert_eq!(told.units, 0, "{arguments}");
    }
    assert_eq!(service.asked(), [], "nothing was sent");
    let over = find(&service, json!({"title": "X", "limit": 26}));
    assert_eq!(over.error()["data"]["maximum"], 25);
    let meant = find(&service, json!({"titel": "Echo"}));
    assert_eq!(meant.error()["data"]["did_you_mean"], "title");
    assert_eq!(
        meant.json["suggested_tool_calls"],
        json!([{"tool": "find_tracks", "args": {"title": "Echo"}}])
    );
    let both = find(&service, json!({"title": "Echo", "artist": "Somebody"}));
    assert_eq!(
        both.json["suggested_tool_calls"],
        json!([{"tool": "find_tracks", "args": {"artist": "Somebody", "track": "Echo"}}])
    );
    let alone = find(&service, json!({"track": "Echo"}));
    assert_eq!(
        alone.json["suggested_tool_calls"],
        json!([{"tool": "find_tracks", "args": {"title": "Echo"}}])
    );
}

#[test]
fn a_recording_is_on_record_only_where_the_service_says_so_of_the_artist_asked_for() {
    for (place, value, state) in [
        ("/resolved_from", "name", "unknown"),
        ("/display", "Burial", "observed"),
        ("/display", "SOMEBODY (2)", "none"),
    ] {
        let mut body = resolution();
        set(&mut body, place, json!(value));
        let told = by_artist(&body);
        assert_eq!(told.json["ambiguity"]["state"], state, "{value}");
        let is_said = state == "none";
        assert_eq!(told.json["present"], is_said, "{value}");
        assert_eq!(told.text.contains("by this artist is on record"), is_said, "{}", told.text);
        if !is_said {
            assert_eq!(
                (&told.json["reason"], &told.data()["results"]),
                (&json!("ambiguous_bind"), &json!([]))
            );
            assert_eq!(told.json["next_actions"][0]["args"], json!({"title": "Echo"}), "{}", told.json);
        }
    }
}
