//! The issuer's keys: turned over, late, missing, false.

use std::path::Path;
use std::time::{Duration, Instant};

use http::Method;
use serde_json::json;

use super::issuer::{Answers, Issuer, Key, key_set, now_s};
use super::tokens::{ping, status};
use crate::harness::{Demo, JSON};

#[test]
fn one_bad_key_never_spoils_the_set() {
    let good = Key::es256("good");
    let issuer = Issuer::with(&[&good]);
    let mut set = key_set(&[&good]);
    let keys = set["keys"].as_array_mut().expect("keys");
    for bad in [
        json!(null),
        json!("x"),
        json!({}),
        json!({"kty": "EC", "crv": "P-521", "kid": "good", "x": "AA", "y": "AA"}),
        json!({"kty": "RSA", "kid": "good", "n": "!", "e": "AQAB"}),
        json!({"kty": "oct", "kid": "good", "k": "c2VjcmV0"}),
        json!({"kty": "EC", "crv": "P-256", "kid": 5, "x": "AA", "y": "AA"}),
        json!({"kty": "OKP", "crv": "Ed25519", "kid": "good", "x": "AA"}),
    ] {
        keys.insert(0, bad);
    }
    issuer.answers(Answers::Document(set));
    let server = issuer.server("", "");
    assert_eq!(status(&server, &good.sign(&issuer.claims(&server))), 200);
}

#[test]
fn a10_a_token_that_cannot_be_checked_is_503_without_a_challenge_until_it_can() {
    for answers in [
        Answers::Status(500),
        Answers::Status(429),
        Answers::Document(json!({"keys": []})),
        Answers::Document(json!([])),
        Answers::Silence,
    ] {
        let key = Key::es256("k1");
        let issuer = Issuer::with(&[]);
        issuer.answers(answers.clone());
        let server = issuer.server("", "");
        let token = key.sign(&issuer.claims(&server));
        let begun = Instant::now();
        let answer = ping(&server, &[&format!("Bearer {token}")]);
        assert_eq!((answer.status, answer.error()["code"].as_i64()), (503, Some(-32603)), "{answers:?}");
        assert!(answer.header("retry-after").parse::<u32>().is_ok_and(|seconds| seconds >= 1));
        assert!(!answer.headers.contains_key("www-authenticate"), "{answers:?}");
        assert!(begun.elapsed() < Duration::from_secs(10), "{answers:?}");
        // What no key could save is refused all the same, and callers without a token are served.
        let mut claims = issuer.claims(&server);
        claims["exp"] = json!(now_s() - 3_600);
        assert_eq!(status(&server, &key.sign(&claims)), 401, "{answers:?}");
        assert_eq!(status(&server, "a.b.c"), 401, "{answers:?}");
        assert_eq!(ping(&server, &[]).status, 200, "{answers:?}");
        let linked = server.send(
            Method::POST,
            "/mcp/linked",
            &[JSON, ("authorization", &format!("Bearer {token}"))],
            "{}",
        );
        assert_eq!(linked.status, 503, "{answers:?}");
    }
}

/// So many requests at once.
const WORKERS: usize = 4;
/// How long a thousand bad tokens may keep the server busy: on one processor they are answered in that time. Other
/// tests share the machine, so the time by the clock is measured apart, with the release build.
const FLOOD_WITHIN: Duration = Duration::from_secs(5);

/// What a flood took.
#[derive(Debug)]
pub struct Took {
    /// By the clock.
    pub time: Duration,
    /// Of the server's processor time, for the good tokens too.
    pub server: Duration,
}

/// A thousand tokens, each of a key that nobody has heard of.
fn strangers(server: &Demo, issuer: &Issuer) -> Vec<String> {
    let stranger = Key::es256("x");
    let claims = issuer.claims(server).to_string();
    let header = |number: u32| json!({"alg": "ES256", "kid": format!("random-{number}")}).to_string();
    (0..1_000).map(|number| stranger.sign_text(&header(number), &claims)).collect()
}

/// Tokens of one key, no two the same, so that none is only remembered.
fn many(server: &Demo, issuer: &Issuer, key: &Key, tokens: u32) -> Vec<String> {
    let mut claims = issuer.claims(server);
    let mut token = |number: u32| {
        claims["jti"] = json!(number);
        key.sign(&claims)
    };
    (0..tokens).map(&mut token).collect()
}

/// All of `bad` answered with `wanted`, cheaply, while every one of `good` is welcome.
fn flood(server: &Demo, bad: &[String], wanted: u16, good: &[String]) -> Took {
    let (begun, before) = (Instant::now(), server.processor_time());
    let time = std::thread::scope(|scope| {
        let mut floods = Vec::new();
        for part in bad.chunks(bad.len().div_ceil(WORKERS)) {
            floods.push(scope.spawn(move || {
                for token in part {
                    assert_eq!(status(server, token), wanted);
                }
                begun.elapsed()
            }));
        }
        for token in good {
            assert_eq!(status(server, token), 200);
        }
        let took = floods.into_iter().map(|flood| flood.join().expect("every answer as it should be"));
        took.max().expect("a flood")
    });
    let took = Took { time, server: server.processor_time() - before };
    assert!(took.server < FLOOD_WITHIN, "{took:?}");
    took
}

#[test]
fn a_flood_of_unknown_keys_asks_the_issuer_twice_at_most_and_disturbs_nobody() {
    let key = Key::es256("k1");
    let issuer = Issuer::with(&[&key]);
    let server = issuer.server("", "");
    let good = key.sign(&issuer.claims(&server));
    assert_eq!(status(&server, &good), 200);
    flood(&server, &strangers(&server, &issuer), 401, &many(&server, &issuer, &key, 100));
    assert!(issuer.asked() <= 2, "asked {} times", issuer.asked());
    issuer.answers(Answers::Status(500));
    assert_eq!(status(&server, &good), 200, "an issuer that is down changes nothing for keys that are known");
}

#[test]
fn the_same_flood_asks_twice_at_most_while_the_set_is_empty_or_fails() {
    for broken in [Answers::Document(json!({"keys": []})), Answers::Status(500)] {
        // Never a key at all.
        let issuer = Issuer::with(&[]);
        issuer.answers(broken.clone());
        let server = issuer.server("", "");
        flood(&server, &strangers(&server, &issuer), 503, &[]);
        assert!(issuer.asked() <= 2, "asked {} times: {broken:?}", issuer.asked());

        // Keys that were known before: they go on, and only they.
        let key = Key::es256("k1");
        let issuer = Issuer::with(&[&key]);
        let server = issuer.server("", "");
        assert_eq!(status(&server, &key.sign(&issuer.claims(&server))), 200);
        issuer.answers(broken.clone());
        let before = issuer.asked();
        flood(&server, &strangers(&server, &issuer), 401, &many(&server, &issuer, &key, 50));
        assert!(issuer.asked() - before <= 2, "asked {} times: {broken:?}", issuer.asked() - before);
    }
}

/// The release build under the same flood; run as the other measurements are.
pub fn measured_flood(binary: &Path) -> Took {
    let key = Key::es256("k1");
    let issuer = Issuer::with(&[&key]);
    let server = issuer.server_of(binary, "");
    assert_eq!(status(&server, &key.sign(&issuer.claims(&server))), 200);
    let took = flood(&server, &strangers(&server, &issuer), 401, &many(&server, &issuer, &key, 100));
    assert!(issuer.asked() <= 2, "asked {} times", issuer.asked());
    assert!(took.time < FLOOD_WITHIN, "{took:?}");
    took
}

#[test]
fn many_first_tokens_at_once_ask_for_the_keys_once() {
    let key = Key::es256("k1");
    let issuer = Issuer::with(&[&key]);
    let server = issuer.server("", "");
    let token = key.sign(&issuer.claims(&server));
    std::thread::scope(|scope| {
        for _ in 0..10 {
            scope.spawn(|| assert_eq!(status(&server, &token), 200));
        }
    });
    assert_eq!(issuer.asked(), 1);
}

#[test]
fn a_server_without_an_issuer_says_nothing_of_a_sign_in() {
    let server = Demo::serving("", "");
    for path in [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
        "/mcp/linked",
        "/issuer/authorize",
    ] {
        assert_eq!(server.send(Method::GET, path, &[], "").status, 404, "{path}");
        assert_eq!(server.send(Method::POST, path, &[JSON], "{}").status, 404, "{path}");
    }
    let refused = ping(&server, &["Bearer x"]);
    assert_eq!(refused.status, 401);
    assert!(!refused.header("www-authenticate").contains("resource_metadata"));
    let answer = server.modern("tools/call", json!({"name": "get_usage", "arguments": {}}));
    assert!(answer.result().pointer("/_meta/mcp~1www_authenticate").is_none());
    let envelope = answer.envelope();
    assert_eq!(
        (envelope.error_type(), &envelope.json["error"]["recoverable"]),
        ("unauthorized", &json!(false))
    );
}
