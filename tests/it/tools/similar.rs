//! `find_similar_artists`, and the includes of `get_artist`.

use std::sync::Arc;

use ono_sendai::crate_client::Extension;
use serde_json::{Value, json};

use super::direct;
use crate::harness::{Demo, Direct, Scripted};

const FESTIVALS: &str = "/api/v2/surface/seen.artist_festival_co_appearance";
const RADIO: &str = "/api/v2/surface/seen.radio_co_play";
const DOSSIER: &str = "/api/v2/artist/x";

fn id(n: usize) -> String {
    format!("{n:064x}")
}

fn facet(signals: Value) -> Value {
    json!({"state": "present", "signals": signals})
}

/// The dossier of an artist with cluster 1 and Discogs number 1, with so many neighbours on each axis.
fn dossier(rows: usize) -> Value {
    let related: Vec<Value> = (10..10 + rows)
        .map(|n| {
            json!({"clusterId": id(n), "discogsArtistId": n, "mbid": null, "name": format!("Artist {n}"),
            "slug": "s", "coEventCount": 100 - n, "coVenueCount": 2, "lastCoAt": null})
        })
        .collect();
    let champions = json!([{"djClusterId": id(10), "playCount": 4, "playEventCount": 3},
        {"djClusterId": id(90), "playCount": 9, "playEventCount": 8}]);
    let credit = |n: usize, count: usize| {
        json!({"name": format!("Writer {n}"), "mbid": null,
        "discogsArtistId": n, "clusterId": id(n), "role": "composer@1", "count": count})
    };
    json!({
        "slug": "x",
        "identity": {"name": "X", "resolvedVia": "discogs", "discogsArtistId": 1, "clusterId": id(1)},
        "discography": facet(json!({"total": 1, "entries": [], "overMerge": {"discogsArtistIdCount": 1}})),
        "connections": facet(json!({"count": rows, "related": related})),
        "dj_champion": facet(json!({"topChampions": champions})),
        "credits": facet(json!({"writing": [credit(70, 5), credit(1, 50)], "production": [credit(70, 3)]})),
    })
}

fn festivals(rows: &[(usize, &str)]) -> Value {
    let rows: Vec<Value> = rows
        .iter()
        .map(|(n, name)| {
            json!({"cluster_id_hex": id(1), "co_cluster_id_hex": id(*n), "co_edition_count": 5,
            "co_festival_count": 2, "co_artist_name_display": name, "co_resolved_discogs_artist_id": n,
            "co_resolved_mbid": null})
        })
        .collect();
    json!({"present": true, "state": "present", "rows": rows})
}

fn radio(rows: &[usize]) -> Value {
    let rows: Vec<Value> = rows
        .iter()
        .map(|n| json!({"co_cluster_id_hex": id(*n), "co_play_count": 7, "distinct_stations": 3}))
        .collect();
    json!({"present": true, "state": "present", "rows": rows})
}

fn service(rows: usize) -> Scripted {
    Scripted::catalogue()
        .says(DOSSIER, 200, dossier(rows).to_string())
        .says(FESTIVALS, 200, festivals(&[(11, "Artist 11"), (1, "X"), (60, "Festival Artist")]).to_string())
        .says(RADIO, 200, radio(&[11, 10, 50]).to_string())
}

fn over(service: Scripted) -> Direct {
    Direct::over(Arc::new(service), &[Extension::Gigs])
}

fn names(answer: &Value) -> Vec<String> {
    let rows = answer["similar"].as_array().expect("rows");
    rows.iter().map(|row| row["name"].as_str().unwrap_or("-").to_owned()).collect()
}

#[test]
fn each_axis_keeps_its_own_counts_and_the_order_is_the_documented_one() {
    let service = Arc::new(service(3));
    let answer = direct(
        &Direct::over(Arc::clone(&service), &[]),
        "find_similar_artists",
        json!({"key": "x", "limit": 10}),
    );
    assert_eq!(
        names(answer.data()),
        // Three axes, both first on one: the earlier axis breaks the tie. Then one axis, by the place on it.
        ["Artist 10", "Artist 11", "-", "Writer 70", "Festival Artist", "Artist 12", "-"]
            .map(str::to_owned)
            .into_iter()
            .collect::<Vec<_>>(),
        "{}",
        answer.text
    );
    let rows = &answer.data()["similar"];
    assert_eq!(rows[0]["axes"], json!({"co_booking": 90, "radio": 7, "dj_champions": 4}));
    assert_eq!(rows[1]["axes"], json!({"co_booking": 89, "festivals": 5, "radio": 7}));
    let credited = rows.as_array().expect("rows").iter().find(|row| row["name"] == "Writer 70").expect("one");
    assert_eq!(credited["axes"], json!({"credits": {"works": 5, "recordings": 3}}));
    let nameless =
        rows.as_array().expect("rows").iter().find(|row| row["cluster_id"] == id(50)).expect("one");
    assert_eq!(nameless["gaps"], json!({"name": "not_covered"}));
    assert!(!names(answer.data()).contains(&"X".to_owned()), "never the artist itself");
    assert_eq!((&answer.json["meta"]["units"], service.asked().len()), (&json!(3), 3));
}

#[test]
fn an_axis_that_fails_is_a_named_gap_and_the_others_are_served() {
    for (path, axis) in [(FESTIVALS, "festivals"), (RADIO, "radio")] {
        for (status, body, reason, tier) in [
            (500, json!({}), "upstream_degraded", json!("no_signal")),
            (200, json!({"state": "degraded", "rows": []}), "upstream_degraded", json!("suspect")),
            (200, json!({"state": "honest_gap", "rows": []}), "honest_gap", Value::Null),
            (404, json!({"error": "not_found"}), "honest_gap", Value::Null),
            (403, json!({"error": "forbidden"}), "refused_upstream", Value::Null),
            (200, json!({"state": "odd", "rows": []}), "malformed_upstream", Value::Null),
        ] {
            let served = over(service(3).says(path, status, body.to_string()));
            let answer = direct(&served, "find_similar_artists", json!({"key": "x"}));
            assert_eq!(answer.data()["axes"][axis], json!({"present": false, "reason": reason}));
            assert_eq!(answer.data()["axes"]["co_booking"]["present"], true);
            assert_eq!(
                (&answer.json["present"], &answer.json["degraded"]["fallback_tier"]),
                (&json!(true), &tier)
            );
            let again = answer.json["next_actions"].to_string().contains("find_similar_artists");
            assert_eq!(again, reason == "upstream_degraded", "{}", answer.json["next_actions"]);
        }
    }
    let failed = over(service(3).says(DOSSIER, 500, "{}"));
    assert_eq!(direct(&failed, "find_similar_artists", json!({"key": "x"})).error_type(), "upstream_error");
}

#[test]
fn above_ten_rows_the_axes_are_words_and_above_the_maximum_nothing_is_asked() {
    let answer = direct(&over(service(24)), "find_similar_artists", json!({"key": "x", "limit": 25}));
    assert_eq!(answer.data()["similar"][0]["axes"], json!(["co_booking", "radio", "dj_champions"]));
    assert_eq!((&answer.data()["shown"], &answer.data()["found"]), (&json!(25), &json!(28)));
    let service = Arc::new(service(3));
    let refused = direct(
        &Direct::over(Arc::clone(&service), &[]),
        "find_similar_artists",
        json!({"key": "x", "limit": 26}),
    );
    assert_eq!(refused.error_type(), "range_too_large");
    assert_eq!(service.asked(), [""; 0]);
}

#[test]
fn a_record_that_mixes_people_has_no_similar_artists_and_nothing_more_is_asked() {
    for (merge, state) in [(json!({"discogsArtistIdCount": 2}), "over_merged"), (json!("two"), "unknown")] {
        let mut said = dossier(3);
        said["discography"]["signals"]["overMerge"] = merge;
        let service = Arc::new(service(3).says(DOSSIER, 200, said.to_string()));
        let served = Direct::over(Arc::clone(&service), &[Extension::Gigs]);
        let answer = direct(&served, "find_similar_artists", json!({"key": "x"}));
        assert_eq!((&answer.json["reason"], answer.state()), (&json!("ambiguous_bind"), state));
        assert_eq!((&answer.data()["similar"], service.asked().len()), (&json!([]), 1));
        assert_eq!(answer.json["next_actions"][0]["tool"], "resolve_artist");
        let card = direct(&served, "get_artist", json!({"key": "x", "include": ["similar", "gigs"]}));
        for include in ["similar", "gigs"] {
            assert_eq!(card.data()[include], json!({"present": false, "reason": "ambiguous_bind"}));
        }
        assert_eq!((&card.json["meta"]["units"], service.asked().len()), (&json!(1), 2));
    }
}

#[test]
fn the_similar_artists_of_the_demo_cost_what_they_ask_for() {
    let demo = Direct::demo();
    let resolved = direct(&demo, "resolve_artist", json!({"q": "Aphex Twin"}));
    let key = resolved.data()["cluster_id"].clone();
    let plain = direct(&demo, "find_similar_artists", json!({"key": key}));
    assert_eq!(plain.state(), "none");
    let nobody = direct(&demo, "find_similar_artists", json!({"key": "nobody-77"}));
    assert_eq!(
        (&nobody.json["reason"], &nobody.json["meta"]["units"]),
        (&json!("not_found_upstream"), &json!(1))
    );
    let unverified = direct(&Direct::demo(), "find_similar_artists", json!({"key": key}));
    assert_eq!(unverified.state(), "observed");
    let card =
        direct(&demo, "get_artist", json!({"key": key, "view": "summary", "include": ["similar", "gigs"]}));
    assert_eq!(card.json["meta"]["units"], 3);
}

#[test]
fn an_include_is_served_from_the_dossier_alone_and_never_fails_the_card() {
    let card = |service: Scripted, include: Value| {
        let service = Arc::new(service);
        let served = Direct::over(Arc::clone(&service), &[Extension::Gigs]);
        let card = direct(&served, "get_artist", json!({"key": "x", "view": "summary", "include": include}));
        assert_eq!(card.json["present"], true, "{}", card.text);
        (card, service.asked().len())
    };
    let (plain, asked) = card(service(3), json!([]));
    assert_eq!((plain.data().get("similar"), plain.data().get("gigs"), asked), (None, None, 1));
    let (whole, asked) = card(service(12), json!(["similar"]));
    let similar = &whole.data()["similar"];
    assert_eq!(
        (&similar["present"], &similar["shown"], &similar["found"]),
        (&json!(true), &json!(10), &json!(14))
    );
    assert_eq!((similar["axes"].as_object().map(|axes| axes.len()), asked), (Some(3), 2));
    assert_eq!(whole.json["meta"]["units"], 2);
    // The path of the gigs begins as that of the dossier does, so what is said of it last holds.
    let gigs = format!("/api/v2/artist/{}/gigs", id(1));
    for (status, body, reason) in [
        (500, json!({}), "upstream_degraded"),
        (200, json!({"state": "degraded"}), "upstream_degraded"),
        (200, json!({"state": "honest_gap", "cluster_id": id(1), "gigs": []}), "honest_gap"),
        (404, json!({"error": "not_found"}), "honest_gap"),
        (403, json!({"error": "forbidden"}), "refused_upstream"),
        (200, json!({"state": "present", "cluster_id": id(2), "gigs": []}), "malformed_upstream"),
    ] {
        let (failed, _) = card(service(3).says(&gigs, status, body.to_string()), json!("gigs"));
        assert_eq!(failed.data()["gigs"], json!({"present": false, "reason": reason}));
        let own = json!({"tool": "get_upcoming_gigs", "args": {"key": id(1)},
            "why": "could not be had with the card; ask for it alone"});
        let offered = failed.json["next_actions"].as_array().expect("actions").contains(&own);
        let may_close = ["upstream_degraded", "malformed_upstream"].contains(&reason);
        assert_eq!(offered, may_close, "{reason}: {}", failed.json["next_actions"]);
        assert_eq!(failed.json["degraded"].is_object(), reason == "upstream_degraded");
    }
}

#[test]
fn an_include_about_somebody_else_is_left_out() {
    // The service answers the second question about the same key with another artist.
    let mut other = dossier(3);
    other["identity"]["discogsArtistId"] = json!(2);
    let card = json!({"slug": "x", "identity": {"name": "X", "resolvedVia": "discogs", "discogsArtistId": 1,
        "clusterId": id(1)}});
    let service = Scripted::catalogue().says_then(DOSSIER, &card, &other);
    let answer = direct(&over(service), "get_artist", json!({"key": "x", "include": ["similar"]}));
    assert_eq!(answer.data()["similar"], json!({"present": false, "reason": "ambiguous_bind"}));
}

#[test]
fn everybody_may_ask_for_includes() {
    let card = Demo::shared().call("get_artist", json!({"key": "brian-eno", "include": ["gigs"]}));
    assert_eq!(card.data()["gigs"]["present"], true);
    assert_eq!((&card.json["meta"]["anonymous"], &card.json["meta"]["units"]), (&json!(true), &json!(2)));
}
