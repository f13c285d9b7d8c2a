//! Answers that do without a request that failed, and errors about somebody else's record: what they say fits what
//! happened and what can still be tried.

use serde_json::{Value, json};

use super::peer::{Peer, json as json_answer};
use super::{WIDE, server_with};
use crate::answers::samples;
use crate::harness::Envelope;

const WITH_ACCOUNTS: &str = "[deadlines]\ncall_ms = 8000\ntool_ms = 12000\n[issuer]\nenabled = true\n";

/// What must not be said where asking again does not help.
fn assert_not_later(answer: &Envelope, what: &str) {
    assert_eq!(answer.json["degraded"], Value::Null, "{what}: {}", answer.json);
    for word in ["later", "just now", "ask for it alone", "retry"] {
        assert!(!answer.text.contains(word), "{what} says {word}: {}", answer.text);
    }
}

#[test]
fn what_the_service_refuses_is_never_told_to_be_asked_for_later() {
    let peer = Peer::start();
    let server = server_with(peer.port, &format!("{WIDE}\ncache_mib = 0\ngigs = \"on\""), WITH_ACCOUNTS);
    let cluster = samples::cluster(7);
    let include = "/api/v2/artist/somebody?fields=identity%2Cdiscography";
    let gigs = format!("/api/v2/artist/{cluster}/gigs");
    peer.set("/api/v2/artist/somebody", json_answer(200, &samples::dossier().to_string()));
    let card = json!({"key": "somebody", "include": ["similar", "gigs"]});
    let mut asked = 0;
    let mut call = |tool: &str, arguments: &Value| {
        asked += 1;
        server.call_as(&server.token_of(&format!("somebody-{asked}")), tool, arguments.clone())
    };
    let gap = |reason: &str| json!({"present": false, "reason": reason});
    for status in [400, 401, 402, 403, 410] {
        for path in [include, &gigs] {
            peer.set(path, json_answer(status, r#"{"error":"some_code"}"#));
        }
        let answer = call("get_artist", &card);
        assert_eq!(answer.data()["name"], "Somebody");
        for part in ["similar", "gigs"] {
            assert_eq!(answer.data()[part], gap("refused_upstream"), "{status}: {}", answer.json);
        }
        assert_not_later(&answer, &format!("{status}"));
        assert!(
            answer.text.contains("\nGigs: not present, the data service refused the request"),
            "{}",
            answer.text
        );
        let again = |action: &&Value| action["tool"] == "get_upcoming_gigs";
        let actions = answer.json["next_actions"].as_array().expect("a list");
        assert_eq!(actions.iter().filter(again).count(), 0, "{}", answer.json);
    }
    // What fails may be there later.
    for path in [include, &gigs] {
        peer.set(path, json_answer(500, "{}"));
    }
    let answer = call("get_artist", &card);
    assert_eq!(answer.data()["gigs"], gap("upstream_degraded"));
    assert_eq!(answer.json["degraded"]["recommended_action"], "retry_later");
    // An axis, and the probe for namesakes.
    peer.set(include, json_answer(200, &samples::surroundings().to_string()));
    for surface in ["artist_festival_co_appearance", "radio_co_play"] {
        peer.set(&format!("/api/v2/surface/seen.{surface}"), json_answer(403, r#"{"error":"forbidden"}"#));
    }
    let answer = call("find_similar_artists", &json!({"key": "somebody"}));
    for axis in ["festivals", "radio"] {
        assert_eq!(answer.data()["axes"][axis], gap("refused_upstream"), "{}", answer.json);
    }
    assert_not_later(&answer, "axes");
    peer.set("/api/v2/resolve", json_answer(200, &samples::resolution().to_string()));
    peer.set("/api/v2/search", json_answer(403, r#"{"error":"forbidden"}"#));
    let answer = call("resolve_artist", &json!({"q": "Somebody"}));
    assert_eq!(answer.json["ambiguity"]["reasons"][0], "same_name_probe:unavailable", "{}", answer.json);
    assert_not_later(&answer, "probe");
}

#[test]
fn a_record_of_somebody_else_comes_with_a_hint_to_another_way_than_the_one_that_was_taken() {
    let peer = Peer::start();
    let server = server_with(peer.port, &format!("{WIDE}\ncache_mib = 0"), WITH_ACCOUNTS);
    for (path, body) in [
        ("/api/v2/resolve", samples::resolution()),
        ("/api/v2/artist/", samples::dossier()),
        ("/api/v2/label/", samples::label()),
    ] {
        peer.set(path, json_answer(200, &body.to_string()));
    }
    let token = server.token_of("somebody");
    let other = samples::cluster(99);
    for (tool, arguments, helps, is_the_way) in [
        ("resolve_artist", json!({"q": "Nobody Else"}), "discogs_id", "by name"),
        ("resolve_artist", json!({"cluster_id": other}), "by name", "cluster_id"),
        ("get_artist", json!({"key": "nobody-else"}), "by name", "slug"),
        ("get_artist", json!({"key": other}), "by name", "cluster_id"),
        ("find_similar_artists", json!({"key": "nobody-else"}), "by name", "slug"),
        ("get_label", json!({"key": "another-label"}), "search_catalog", "slug"),
        ("get_label", json!({"key": other}), "slug", "cluster_id"),
    ] {
        let answer = server.call_as(&token, tool, arguments.clone());
        assert_eq!(answer.error_type(), "upstream_error", "{tool} {arguments}");
        let data = &answer.json["error"]["data"];
        assert_eq!(data["reason"], "another_record", "{}", answer.json);
        let hint = data["fix_hint"].as_str().expect("a hint");
        assert!(hint.contains(helps) && !hint.contains(is_the_way), "{tool} {arguments}: {hint}");
        assert!(answer.text.contains(hint), "{}", answer.text);
    }
}
