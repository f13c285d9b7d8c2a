//! Similar artists of a service that has them in one list.

use std::time::Instant;

use serde_json::{Value, json};

use super::peer::{Peer, json as json_answer};
use super::{KEY, WIDE, server_with};
use crate::harness::{Demo, Envelope, PATIENCE};
use crate::simulator::Sim;

const WITH_ACCOUNTS: &str = "[deadlines]\ncall_ms = 8000\ntool_ms = 12000\n[issuer]\nenabled = true\n";

fn over(sim: &Sim, switch: &str) -> Demo {
    let port = sim.url.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
    server_with(port, &format!("{WIDE}\nsimilar = \"{switch}\""), WITH_ACCOUNTS)
}

fn similar(server: &Demo, token: &str, limit: u32) -> Envelope {
    let answer = server.call_as(token, "find_similar_artists", json!({"key": "aphex-twin", "limit": limit}));
    assert!(!answer.is_error, "{}", answer.json);
    answer
}

#[test]
fn one_list_says_what_the_dossier_and_the_surfaces_say_for_one_unit_less() {
    let sim = Sim::start("", &["--in-flight", "0", "--per-minute", "0", "--api-key", KEY]);
    let (with, without, by_itself) = (over(&sim, "on"), over(&sim, "off"), over(&sim, "auto"));
    let answers = [&with, &without].map(|server| similar(server, &server.token_of("somebody"), 10));
    let [one, several] = &answers;
    assert_eq!((&one.json["meta"]["units"], &several.json["meta"]["units"]), (&json!(2), &json!(3)));
    // A surface has no column for some names, the list has it and holds no value: the reasons differ, nothing else.
    let rows = |answer: &Envelope| {
        let mut rows = answer.data()["similar"].clone();
        let gaps =
            rows.as_array_mut().expect("rows").iter_mut().filter_map(|row| row["gaps"].as_object_mut());
        gaps.flat_map(|gaps| gaps.values_mut()).for_each(|reason| *reason = Value::Null);
        rows
    };
    assert_eq!(rows(one), rows(several));
    let axes = |answer: &Envelope| {
        let axes = answer.data()["axes"].as_object().expect("axes").clone();
        let there = |(name, axis): (String, Value)| (name, axis["present"].clone(), axis["listed"].clone());
        axes.into_iter().map(there).collect::<Vec<_>>()
    };
    assert_eq!(axes(one), axes(several));
    for (_, axis) in one.data()["axes"].as_object().expect("axes") {
        let said = if axis["present"] == true { &axis["source"] } else { &axis["reason"] };
        assert_eq!(said, if axis["present"] == true { "similar" } else { "not_covered" }, "{}", one.json);
    }
    assert!(one.data()["similar"].as_array().is_some_and(|rows| rows.len() > 3), "{}", one.json);
    let source = |answer: &Envelope| answer.data()["axes"]["festivals"]["source"].clone();
    assert_eq!(source(one), "similar");
    assert_eq!(source(several), "seen.artist_festival_co_appearance");
    // The service's document is read a moment after the start; until then nothing is taken for granted.
    let token = by_itself.token_of("somebody");
    let begun = Instant::now();
    for limit in (1..=10).cycle() {
        let answer = similar(&by_itself, &token, limit);
        if source(&answer) == "similar" {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "the list was not found: {}", answer.json);
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn a_list_that_fails_leaves_the_axes_of_the_dossier_and_names_the_others() {
    let cluster = "ab".repeat(32);
    let peer = Peer::start();
    let related = json!([{"clusterId": "cd".repeat(32), "name": "Beside", "coEventCount": 4}]);
    let dossier = json!({
        "slug": "x", "identity": {"name": "X", "resolvedVia": "discogs", "discogsArtistId": 5, "clusterId": cluster},
        "discography": {"state": "present", "signals": {"total": 0, "overMerge": null, "entries": []}},
        "connections": {"state": "present", "signals": {"related": related}},
    });
    peer.set("/api/v2/artist/x", json_answer(200, &dossier.to_string()));
    let list = format!("/api/v2/artist/{cluster}/similar");
    let server =
        server_with(peer.port, &format!("{WIDE}\nsimilar = \"on\"\nsimilar_kept_s = 0"), WITH_ACCOUNTS);
    let gap = |reason: &str| json!({"present": false, "reason": reason});
    for (n, (said, reason, tier)) in [
        (json_answer(500, "{}"), "upstream_degraded", json!("no_signal")),
        (json_answer(200, r#"{"artists":[{"score":0.9}]}"#), "malformed_upstream", Value::Null),
        (json_answer(404, r#"{"error":"not_found"}"#), "not_found_upstream", Value::Null),
    ]
    .into_iter()
    .enumerate()
    {
        peer.set(&list, said);
        let token = server.token_of(&format!("somebody-{n}"));
        let answer = server.call_as(&token, "find_similar_artists", json!({"key": "x"}));
        assert_eq!(answer.data()["similar"][0]["name"], "Beside", "{}", answer.json);
        let axes = &answer.data()["axes"];
        assert_eq!(axes["co_booking"], json!({"present": true, "source": "connections", "listed": 1}));
        assert_eq!((&axes["festivals"], &axes["radio"]), (&gap(reason), &gap(reason)), "{}", answer.json);
        assert_eq!(answer.json["degraded"]["fallback_tier"], tier, "{}", answer.json);
    }
    // A list says nothing of an axis that none of its rows is on; a row that is lost may be on any.
    let row = json!({"name": "Beside", "cluster_id": "cd".repeat(32), "axes": {"co_booking": {"events": 4}}});
    for (n, (rows, reason)) in
        [(json!([row]), "not_covered"), (json!([row, 7]), "malformed_upstream")].into_iter().enumerate()
    {
        let said = json!({"state": "present", "cluster_id": cluster, "similar": rows});
        peer.set(&list, json_answer(200, &said.to_string()));
        let token = server.token_of(&format!("somebody-else-{n}"));
        let answer = server.call_as(&token, "find_similar_artists", json!({"key": "x"}));
        let axes = &answer.data()["axes"];
        assert_eq!(axes["co_booking"], json!({"present": true, "source": "similar", "listed": 1}));
        for axis in ["festivals", "radio", "dj_champions", "credits"] {
            assert_eq!(axes[axis], gap(reason), "{}", answer.json);
        }
    }
}
