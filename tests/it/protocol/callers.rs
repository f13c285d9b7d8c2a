//! Who may ask: pages of known origins, clients without a token, and many at once.

use std::collections::BTreeSet;

use serde_json::json;

use crate::harness::{Demo, JSON, artists};

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

#[test]
fn an_origin_that_the_preflight_admits_may_post_and_others_may_not() {
    for origin in
        ["https://claude.ai", "https://chatgpt.com", "http://localhost:6274", "http://127.0.0.1:3000"]
    {
        let answer = Demo::shared().post(&[JSON, ("origin", origin)], PING);
        assert_eq!(answer.result(), json!({}), "{origin}");
        assert_eq!(answer.header("access-control-allow-origin"), "*", "{origin}");
    }
    for origin in [
        "null",
        "file://",
        "http://",
        "https://attacker.com",
        "https://claude.ai.evil.tld",
        "http://claude.ai",
    ] {
        let answer = Demo::shared().post(&[JSON, ("origin", origin)], PING);
        assert_eq!((answer.refusal(), answer.json().get("id")), ((403, -32600), None), "{origin}");
    }
    let twice = [JSON, ("origin", "https://claude.ai"), ("origin", "https://claude.ai")];
    assert_eq!(Demo::shared().post(&twice, PING).refusal(), (403, -32600));
}

#[test]
fn a_token_that_nobody_can_check_is_refused_on_every_request_whatever_its_body() {
    for token in ["Bearer", "Bearer ", "Bearer x", "Bearer a.b.c", "Basic eA==", "Token x", ""] {
        for body in [PING, "{", "[]", r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#] {
            let answer = Demo::shared().post(&[JSON, ("authorization", token)], body);
            assert_eq!(answer.refusal(), (401, -32600), "{token:?} {body}");
            let challenge = answer.header("www-authenticate");
            assert!(
                challenge.starts_with("Bearer ") && challenge.contains(r#"error="invalid_token""#),
                "{challenge}"
            );
        }
    }
    let answer =
        Demo::shared().post(&[JSON, ("authorization", "Bearer x"), ("authorization", "Bearer x")], PING);
    assert_eq!((answer.refusal(), answer.headers.get("www-authenticate")), ((400, -32600), None));
    let streamed =
        Demo::shared().post(&[JSON, ("accept", "text/event-stream"), ("authorization", "Bearer x")], PING);
    assert_eq!((streamed.status, streamed.header("content-type")), (401, "application/json"));
}

#[test]
fn many_calls_at_once_each_get_their_own_answer() {
    let demo = Demo::shared();
    let found: Vec<(String, String, String)> = std::thread::scope(|scope| {
        let calls: Vec<_> = artists()
            .iter()
            .filter(|artist| artist.cluster_id.is_some())
            .map(|artist| {
                scope.spawn(move || {
                    let envelope = demo.call("get_artist", json!({"key": artist.cluster_id}));
                    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
                    (
                        artist.cluster_id.clone().unwrap_or_default(),
                        text(&envelope.data()["cluster_id"]),
                        text(&envelope.json["meta"]["request_id"]),
                    )
                })
            })
            .collect();
        calls.into_iter().map(|call| call.join().expect("an answer")).collect()
    });
    for (asked, answered, _) in &found {
        assert_eq!(asked, answered);
    }
    let ids: BTreeSet<&String> = found.iter().map(|(_, _, id)| id).collect();
    assert_eq!(ids.len(), found.len(), "request ids repeat");
}
