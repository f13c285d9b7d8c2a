//! What is asked of a real service, and what it is told of those who ask.

use std::time::Duration;

use http::Method;
use serde_json::{Value, json};

use super::peer::{Act, Peer, json as json_answer, whole};
use super::{WIDE, caller, server_over, server_with};
use crate::harness::{JSON, PATIENCE};
use crate::store::support::eventually;

const NOBODY: &str = r#"{"resolved_via":null,"candidates":[]}"#;

#[test]
fn names_reach_the_service_encoded_and_whole() {
    let peer = Peer::start();
    peer.set("/api/v2/resolve", json_answer(200, NOBODY));
    peer.set("/api/v2/search", json_answer(200, r#"{"results":[]}"#));
    let server = server_over(peer.port, WIDE);
    for name in ["AC/DC", "Sigur Rós & friends", "100%", "a+b = c?", "#1", "Nirvana \u{1f3b5}"] {
        let before = peer.seen("/api/v2/resolve").len();
        let answer = server.call_from(caller(1), "resolve_artist", json!({"q": name}));
        assert!(!answer.is_error, "{}", answer.json);
        let seen = peer.seen("/api/v2/resolve");
        assert_eq!(seen.len(), before + 1);
        let target = &seen.last().expect("a request").target;
        let url = url::Url::parse(&format!("http://x{target}")).expect("an address");
        let query: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        assert_eq!(query, [("q".to_owned(), name.to_owned())]);
        assert!(target.bytes().all(|byte| byte.is_ascii_graphic()), "{target}");
    }
}

#[test]
fn an_answer_is_served_again_for_nothing_until_its_time_is_over() {
    let peer = Peer::start();
    peer.set(
        "/api/v2/artist/x",
        json_answer(200, r#"{"slug":"x","identity":{"name":"X","resolvedVia":"discogs"}}"#),
    );
    for (kept, requests) in [("artist_kept_s = 600", 1), ("artist_kept_s = 0", 3), ("cache_mib = 0", 3)] {
        let server = server_over(peer.port, &format!("{WIDE}\n{kept}"));
        let before = peer.seen("/api/v2/artist/x").len();
        let (mut again, mut estimates) = (Vec::new(), Vec::new());
        for nth in 0..3 {
            let answer = server.call_from(caller(nth), "get_artist", json!({"key": "x"}));
            let is_hit = nth > 0 && requests == 1;
            let meta = &answer.json["meta"];
            assert_eq!(
                (&meta["cache_hit"], &meta["units"]),
                (&json!(is_hit), &json!(u8::from(!is_hit))),
                "{kept}"
            );
            assert_eq!(answer.data()["name"], "X");
            let mut whole = answer.json.clone();
            for own in ["request_id", "generated_at"] {
                assert_eq!(whole["meta"][own].take().as_str().map(str::is_empty), Some(false), "{own}");
            }
            // Each id weighs a little more or less.
            let estimate = whole["meta"]["tokens_estimate"].take().as_u64().expect("an estimate");
            again.push((whole, answer.text));
            estimates.push(estimate);
        }
        // The second is made of what is kept; the third is that one given again, which nobody can tell.
        assert_eq!(again[1], again[2], "{kept}");
        assert!(estimates[1].abs_diff(estimates[2]) <= 12, "{estimates:?}");
        assert_eq!(peer.seen("/api/v2/artist/x").len() - before, requests, "{kept}");
    }
}

#[test]
fn a_service_that_fails_does_not_keep_the_server_from_starting_and_is_asked_what_it_has() {
    let peer = Peer::start();
    peer.set("/", json_answer(500, "{}"));
    let server = server_over(peer.port, WIDE);
    let ready = server.send(Method::GET, "/readyz", &[], "");
    assert_eq!(ready.status, 200, "{ready:?}");
    let begun = std::time::Instant::now();
    while peer.seen("/api/v2/openapi.json").is_empty() {
        assert!(begun.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(server.call_from(caller(1), "get_artist", json!({"key": "x"})).error_type(), "upstream_error");
}

#[test]
fn the_service_sees_a_client_go_away_and_what_it_had_been_asked_is_charged() {
    let peer = Peer::start();
    peer.set("/api/v2/artist/x", Act::SaysAndWaits(Vec::new()));
    let server = server_with(
        peer.port,
        WIDE,
        "[deadlines]\ncall_ms = 60000\ntool_ms = 60000\n[issuer]\nenabled = true\n",
    );
    let token = server.token_of("leaves");
    let pem = std::fs::read(&server.certificate).expect("a certificate");
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "get_artist", "arguments": {"key": "x"}}});
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    for http2 in [false, true] {
        let builder = reqwest::Client::builder()
            .tls_certs_only([reqwest::Certificate::from_pem(&pem).expect("PEM")])
            .no_proxy();
        let client = if http2 { builder } else { builder.http1_only() }.build().expect("a client");
        let before = peer.seen("/api/v2/artist/x").len();
        runtime.block_on(async {
            let sending = client
                .post(server.url("/mcp"))
                .header(JSON.0, JSON.1)
                .header("accept", "application/json")
                .header("mcp-protocol-version", "2025-11-25")
                .header("authorization", format!("Bearer {token}"))
                .body(body.to_string())
                .send();
            let asked = async {
                while peer.seen("/api/v2/artist/x").len() == before {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            };
            tokio::select! {
                answer = sending => panic!("{answer:?}"),
                () = asked => {}
            }
        });
        drop(client);
        peer.until_left(before + 1);
    }
    eventually("both requests are charged, each once", || {
        server.call_as(&token, "get_usage", json!({})).json["meta"]["quota"]["used"] == 2
    });
    peer.set(
        "/api/v2/artist/x",
        Act::Says(whole(404, "content-type: application/json\r\n", br#"{"error":"x"}"#)),
    );
    let answer = server.call_from(caller(1), "get_artist", json!({"key": "x"}));
    assert_eq!(answer.json["present"], Value::Bool(false), "the places of those who left are free");
}
