//! What the client of the data service still knows after `kill -9`.

use serde_json::{Value, json};

use super::peer::{Act, Peer, json as json_answer};
use super::{CALL_MS, WIDE, caller, server_with};
use crate::harness::Demo;

const CLUSTER: &str = "0000000000000000000000000000000000000000000000000000000000000007";

/// A server whose metered answers are on the disk before they are sent, with all that came before them.
fn server(peer: &Peer) -> Demo {
    let rest = format!("[deadlines]\ncall_ms = {CALL_MS}\ntool_ms = 5000\n[issuer]\nenabled = true\n");
    server_with(peer.port, WIDE, &rest)
}

fn resolve(server: &Demo, name: &str) -> Value {
    let token = server.token_of("somebody");
    let answer = server.call_as(&token, "resolve_artist", json!({"q": name}));
    assert!(!answer.is_error, "{}", answer.json);
    answer.json
}

#[test]
fn a_closed_family_stays_closed_over_a_kill() {
    let peer = Peer::start();
    peer.set("/api/v2/artist/", Act::SaysAndWaits(Vec::new()));
    peer.set("/api/v2/resolve", json_answer(200, r#"{"resolved_via":null}"#));
    peer.set("/api/v2/search", json_answer(200, r#"{"results":[]}"#));
    let first = server(&peer);
    for n in [1, 1, 2, 2, 3, 3] {
        first.call_from(caller(n), "get_artist", json!({"key": format!("x-{n}")}));
        resolve(&first, &format!("Name {n}"));
    }
    first.kill();
    let asked = peer.seen("/api/v2/artist/").len();
    let next = first.serving_again();
    let closed = next.call_from(caller(9), "get_artist", json!({"key": "y"}));
    assert_eq!(closed.error_type(), "upstream_degraded", "{}", closed.json);
    let wait = closed.json["error"]["data"]["retry_after_ms"].as_u64().expect("a wait");
    assert!((1..=30_000).contains(&wait), "{wait}");
    assert_eq!(peer.seen("/api/v2/artist/").len(), asked, "nothing more was asked");
    resolve(&next, "Another Name");
}

/// The record of an artist, as the service tells it under a slug or under a cluster id.
fn record(discogs_id: u32, tier: &str) -> Act {
    json_answer(
        200,
        &json!({"slug": "somebody", "identity": {
            "discogsArtistId": discogs_id, "clusterId": CLUSTER, "resolvedVia": tier, "name": "Somebody",
        }, "discography": {"state": "present", "signals": {
            "total": 0, "overMerge": {"discogsArtistIdCount": 1}, "entries": [],
        }}})
        .to_string(),
    )
}

#[test]
fn a_verified_identity_outlives_a_kill_and_is_not_lent_to_whom_its_slug_leads_later() {
    let peer = Peer::start();
    let who = json!({"cluster_id": CLUSTER, "slug": "somebody", "display": "Somebody",
        "resolved_via": "discogs", "resolved_from": "q", "locators": {"discogs": 45}, "candidates": []});
    peer.set("/api/v2/resolve", json_answer(200, &who.to_string()));
    let row = json!({"master_id": 1, "title": "T", "artist": "Somebody", "artist_cluster_id": CLUSTER});
    peer.set("/api/v2/search", json_answer(200, &json!({"results": [row]}).to_string()));
    peer.set("/api/v2/artist/somebody", record(45, "discogs"));
    peer.set(&format!("/api/v2/artist/{CLUSTER}"), record(45, "cluster"));
    let first = server(&peer);
    assert_eq!(resolve(&first, "Somebody")["ambiguity"]["state"], "none");
    first.kill();

    let second = first.serving_again();
    let card = second.call_from(caller(1), "get_artist", json!({"key": CLUSTER}));
    assert_eq!((card.state(), &card.data()["discogs_id"]), ("none", &json!(45)), "{}", card.json);
    second.kill();

    peer.set("/api/v2/artist/somebody", record(99, "discogs"));
    let third = second.serving_again();
    let card = third.call_from(caller(1), "get_artist", json!({"key": CLUSTER}));
    assert_eq!(card.state(), "observed", "{}", card.json);
    let told = (&card.data()["resolved_via"], &card.data()["discogs_id"]);
    assert_eq!(told, (&json!("cluster"), &json!(45)), "{}", card.json);
}
