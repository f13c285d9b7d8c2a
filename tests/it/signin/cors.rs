//! A page in a browser can read every answer, whatever its status, and may always ask first.

use http::Method;

use super::issuer::{Answers, Issuer, Key};
use super::tokens::PING;
use crate::harness::{Answer, Demo, JSON};

const ORIGIN: (&str, &str) = ("origin", "http://localhost:6274");
const ACCEPT: (&str, &str) = ("accept", "application/json");
const REVISION: (&str, &str) = ("mcp-protocol-version", "2025-11-25");

fn readable(answer: &Answer, status: u16) {
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(answer.header("access-control-allow-origin"), "*", "{status}");
    let exposed = answer.header("access-control-expose-headers");
    for name in ["www-authenticate", "retry-after", "x-request-id"] {
        assert!(exposed.contains(name), "{status}: {exposed}");
    }
    assert!(!answer.headers.contains_key("access-control-allow-credentials"), "{status}");
}

#[test]
fn every_status_can_be_read_from_a_page() {
    let demo = Demo::shared();
    let post = |path: &str, headers: &[(&str, &str)], body: &str| {
        let mut all = vec![ORIGIN];
        all.extend_from_slice(headers);
        demo.send(Method::POST, path, &all, body)
    };
    readable(&post("/mcp", &[JSON, ACCEPT, REVISION], PING), 200);
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    readable(&post("/mcp", &[JSON, ACCEPT, REVISION], initialized), 202);
    readable(&post("/mcp", &[JSON, ACCEPT, REVISION], "{"), 400);
    readable(&post("/mcp", &[JSON, ACCEPT, REVISION, ("authorization", "Bearer x")], PING), 401);
    readable(&post("/mcp/linked", &[JSON, ACCEPT, REVISION], PING), 401);
    readable(&post("/nowhere", &[JSON], PING), 404);
    readable(&demo.send(Method::GET, "/mcp", &[ORIGIN], ""), 405);
    readable(&demo.send(Method::DELETE, "/mcp", &[ORIGIN], ""), 405);
    readable(&post("/mcp", &[JSON, ("accept", "text/html"), REVISION], PING), 406);
    readable(&post("/mcp", &[JSON, ACCEPT, REVISION], &" ".repeat(1_100_000)), 413);
    readable(&post("/mcp", &[("content-type", "text/plain"), ACCEPT, REVISION], PING), 415);
    let long = "x".repeat(40_000);
    readable(&post("/mcp", &[JSON, ACCEPT, REVISION, ("x-long", &long)], PING), 431);
    readable(&post("/mcp/linked", &[JSON, ACCEPT, ("authorization", &format!("Bearer {long}"))], PING), 431);
    readable(&demo.send(Method::GET, "/readyz", &[ORIGIN], ""), 200);
    readable(&demo.send(Method::GET, "/issuer/authorize", &[ORIGIN], ""), 400);
    readable(&post("/issuer/token", &[], ""), 400);
    readable(&post("/issuer/register", &[JSON], "{}"), 400);
}

#[test]
fn a_page_can_read_that_it_is_too_fast_and_that_a_token_cannot_be_checked() {
    let key = Key::es256("k1");
    let issuer = Issuer::with(&[]);
    issuer.answers(Answers::Status(500));
    let sections = format!(
        "[auth]\nissuer = \"{}\"\n[anonymous]\nrequests_per_second = 1\nrequests_burst = 3\n",
        issuer.name
    );
    let server = Demo::serving("", &sections);
    let bearer = format!("Bearer {}", key.sign(&issuer.claims(&server)));
    let headers = [JSON, ACCEPT, REVISION, ORIGIN, ("authorization", bearer.as_str())];
    readable(&server.send(Method::POST, "/mcp", &headers, PING), 503);
    let mut last = None;
    for _ in 0..10 {
        last = Some(server.send(Method::POST, "/mcp", &[JSON, ACCEPT, REVISION, ORIGIN], PING));
        if last.as_ref().is_some_and(|answer| answer.status == 429) {
            break;
        }
    }
    readable(&last.expect("an answer"), 429);
}

#[test]
fn a18_a_preflight_needs_no_token_and_allows_every_header_that_clients_send() {
    let wanted = [
        "authorization",
        "content-type",
        "accept",
        "mcp-protocol-version",
        "mcp-session-id",
        "last-event-id",
        "mcp-method",
        "mcp-name",
    ];
    let asks = wanted.join(",");
    let demo = Demo::shared();
    let paths = [
        "/mcp",
        "/mcp/",
        "/mcp/full",
        "/mcp/linked",
        "/mcp/full/linked",
        "/issuer/token",
        "/issuer/register",
        "/nowhere",
    ];
    for path in paths {
        let headers = [
            ORIGIN,
            ("access-control-request-method", "POST"),
            ("access-control-request-headers", asks.as_str()),
        ];
        for more in [None, Some(("authorization", "Bearer x"))] {
            let mut headers = headers.to_vec();
            headers.extend(more);
            let answer = demo.send(Method::OPTIONS, path, &headers, "");
            readable(&answer, 204);
            let allowed = answer.header("access-control-allow-headers").to_ascii_lowercase();
            for name in wanted {
                assert!(allowed.split(',').any(|of| of.trim() == name), "{path}: {allowed}");
            }
            if path != "/nowhere" {
                assert!(answer.header("access-control-allow-methods").contains("POST"), "{path}");
            }
        }
    }
}

#[test]
fn a_linked_address_asks_for_the_sign_in_before_anything_else_is_looked_at() {
    let demo = Demo::shared();
    let large = " ".repeat(1_100_000);
    for path in ["/mcp/linked", "/mcp/full/linked"] {
        for (headers, body) in [
            (vec![JSON, ("accept", "text/html")], PING),
            (vec![("content-type", "text/plain"), ACCEPT], PING),
            (vec![JSON, ACCEPT], large.as_str()),
            (vec![JSON, ACCEPT], "{"),
            (vec![], ""),
        ] {
            let answer = demo.send(Method::POST, path, &headers, body);
            assert_eq!(answer.status, 401, "{path} {headers:?}");
            assert!(answer.header("www-authenticate").contains("resource_metadata="));
            assert!(!answer.header("www-authenticate").contains("error="), "no credential was wrong");
        }
        // A token that is refused comes before the form of the answer, and on a linked address before the method.
        let bad = ("authorization", "Bearer x");
        let answer = demo.send(Method::POST, path, &[JSON, ("accept", "text/html"), bad], PING);
        assert_eq!(answer.status, 401, "{path}");
        for method in [Method::GET, Method::DELETE] {
            let answer = demo.send(method, path, &[bad], "");
            assert_eq!(answer.status, 401, "{path}");
            assert!(answer.header("www-authenticate").contains("error=\"invalid_token\""));
        }
        // With a good one the rest is looked at in its turn.
        let bearer = format!("Bearer {}", demo.token());
        let good = ("authorization", bearer.as_str());
        assert_eq!(demo.send(Method::POST, path, &[JSON, ("accept", "text/html"), good], PING).status, 406);
        assert_eq!(demo.send(Method::POST, path, &[JSON, ACCEPT, good], large.as_str()).status, 413);
        assert_eq!(demo.send(Method::GET, path, &[good], "").status, 405);
    }
    let answer = demo.send(
        Method::POST,
        "/mcp",
        &[JSON, ("accept", "text/html"), ("authorization", "Bearer x")],
        PING,
    );
    assert_eq!(answer.status, 401);
    assert_eq!(demo.send(Method::GET, "/mcp", &[("authorization", "Bearer x")], "").status, 405);
}
