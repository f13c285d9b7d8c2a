//! Host and Origin over the wire.

use super::raw_http2::{RawHttp2, request};
use super::support::{POST, Protocol, Server, assert_error_json, assert_refused};

fn parts(answer: &str) -> (u16, String) {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head[9..12].parse().unwrap(), body.to_owned())
}

#[tokio::test]
async fn only_configured_hosts_are_answered_on_http_1() {
    let mut server = Server::start();
    for (host, status) in [
        ("Host: localhost", 200),
        ("Host: LOCALHOST:8443", 200),
        ("Host: mcp.example.org", 200),
        ("Host: mcp.example.org.:443", 200),
        ("Host: attacker.com", 421),
        ("Host: 127.0.0.1", 421),
        ("Host: mcp.example.org.attacker.com", 421),
        ("Host: \u{ff}", 421),
        ("Host:", 421),
        ("X: y", 400),
        ("Host: localhost\r\nHost: localhost", 400),
    ] {
        let answer = server.raw().await.request(&format!("POST /mcp HTTP/1.1\r\n{host}"), "x").await;
        let (got, body) = parts(&answer);
        assert_eq!(got, status, "{host}: {answer}");
        if status == 200 {
            server.event().await;
        } else {
            assert_error_json(&body.into(), host);
        }
    }
    let absolute =
        server.raw().await.request("POST https://attacker.com/mcp HTTP/1.1\r\nHost: localhost", "x").await;
    assert_eq!(parts(&absolute).0, 421);
    assert!(server.events.try_recv().is_err(), "the service was asked");
}

#[tokio::test]
async fn only_configured_hosts_are_answered_on_http_2() {
    let mut server = Server::start();
    let client =
        server.client_builder(Protocol::Http2).tls_danger_accept_invalid_certs(true).build().unwrap();
    let url = format!("https://attacker.com:{}/mcp", server.address.port());
    let response = client.post(url).body("x").send().await.unwrap();
    assert_eq!(response.version(), http::Version::HTTP_2);
    assert_refused(response, 421, "attacker.com as authority").await;
    assert!(server.events.try_recv().is_err(), "the service was asked");
}

/// Of an answer over HTTP/2: 200 for one of the service, else the status that goes with its words.
fn status_of(answer: &str) -> u16 {
    let refusals = [
        ("This server does not answer for the host", 421),
        ("The request must name its host exactly once", 400),
        ("Requests from this origin are not allowed", 403),
    ];
    let refused = refusals.into_iter().find(|(words, _)| answer.contains(words));
    refused.map_or_else(|| if answer.contains("\"profile\"") { 200 } else { 0 }, |(_, status)| status)
}

#[tokio::test]
async fn the_authority_and_the_host_of_http_2_are_held_to_the_same_names() {
    let mut server = Server::start();
    for (authority, host, status) in [
        (Some(&b"localhost"[..]), None, 200),
        (Some(b"LOCALHOST:8443"), None, 200),
        (Some(b"mcp.example.org"), None, 200),
        (Some(b"mcp.example.org.:443"), None, 200),
        (Some(b"localhost"), Some(&b"mcp.example.org"[..]), 200),
        (None, Some(b"localhost"), 200),
        (Some(b"attacker.com"), None, 421),
        (Some(b"attacker.com"), Some(b"localhost"), 421),
        (Some(b"localhost"), Some(b"attacker.com"), 421),
        (None, Some(b"attacker.com"), 421),
        (Some(b"127.0.0.1"), None, 421),
        (Some(b"mcp.example.org.attacker.com"), None, 421),
        (None, Some(b"\xff"), 421),
        (None, None, 400),
    ] {
        let what = format!("{authority:?} {host:?}");
        let mut raw = RawHttp2::greet(&server, 65_535).await;
        let fields: Vec<(&[u8], &[u8])> = host.iter().map(|host| (&b"host"[..], *host)).collect();
        raw.send(request(1, authority, &fields, b"x")).await;
        let answer = raw.answer().await.unwrap_or_else(|| panic!("{what}: no answer"));
        assert_eq!(status_of(&answer), status, "{what}: {answer}");
        if status == 200 {
            server.event().await;
        }
    }
    assert!(server.events.try_recv().is_err(), "the service was asked");
}

#[tokio::test]
async fn what_the_preflight_allows_is_allowed_and_nothing_else_over_both_protocols() {
    let mut server = Server::start();
    for (origin, allowed) in [
        ("https://claude.ai", true),
        ("https://chatgpt.com", true),
        ("http://localhost:6274", true),
        ("http://127.0.0.1:6274", true),
        ("https://mcp.example.org", true),
        ("null", false),
        ("file://", false),
        ("http://", false),
        ("http://attacker.com", false),
        ("https://claude.ai.attacker.com", false),
    ] {
        for protocol in Protocol::ALL {
            let what = format!("{protocol:?} {origin}");
            let client = server.client(protocol);
            let preflight = client
                .request(http::Method::OPTIONS, server.url("/mcp"))
                .header("origin", origin)
                .header("access-control-request-method", "POST");
            let preflight = preflight.send().await.unwrap();
            let post =
                client.post(server.url("/mcp")).header("origin", origin).body("x").send().await.unwrap();
            if allowed {
                assert_eq!((preflight.status().as_u16(), post.status().as_u16()), (204, 200), "{what}");
                server.event().await;
            } else {
                assert_refused(preflight, 403, &what).await;
                assert_refused(post, 403, &what).await;
            }
        }
    }
    for origins in [&[&b"\xff\xfe"[..]][..], &[b"https://claude.ai", b"https://claude.ai"]] {
        let mut raw = RawHttp2::greet(&server, 65_535).await;
        let fields: Vec<(&[u8], &[u8])> = origins.iter().map(|origin| (&b"origin"[..], *origin)).collect();
        raw.send(request(1, Some(b"localhost"), &fields, b"x")).await;
        assert_eq!(status_of(&raw.answer().await.unwrap()), 403, "{origins:?}");
    }
    assert!(server.events.try_recv().is_err(), "the service was asked");
}

#[tokio::test]
async fn pages_of_other_origins_are_forbidden_with_json() {
    let mut server = Server::start();
    for (origin, status) in [
        (&b"https://claude.ai"[..], 200),
        (b"https://chatgpt.com", 200),
        (b"http://localhost:6274", 200),
        (b"http://127.0.0.1:6274", 200),
        (b"http://[::1]:6274", 200),
        (b"https://mcp.example.org", 200),
        (b"null", 403),
        (b"file://", 403),
        (b"http://", 403),
        (b"http://attacker.com", 403),
        (b"https://claude.ai.attacker.com", 403),
        (b"\xff\xfe", 403),
        (b"https://claude.ai\r\nOrigin: https://claude.ai", 403),
        (b"https://claude.ai\r\nOrigin: https://attacker.com", 403),
    ] {
        let mut raw = server.raw().await;
        let head = [
            POST.as_bytes(),
            b"\r\nConnection: close\r\nContent-Length: 1\r\nOrigin: ",
            origin,
            b"\r\n\r\nx",
        ]
        .concat();
        raw.send(head).await;
        let answer = raw.rest().await;
        let (got, body) = parts(&answer);
        assert_eq!(got, status, "{}: {answer}", origin.escape_ascii());
        if status == 200 {
            server.event().await;
        } else {
            assert_error_json(&body.into(), "origin");
        }
    }
    let client = server.client(Protocol::Http2);
    let refused = client.post(server.url("/mcp")).header("origin", "https://attacker.com").body("x");
    assert_refused(refused.send().await.unwrap(), 403, "over HTTP/2").await;
    let preflight =
        client.request(http::Method::OPTIONS, server.url("/mcp")).header("origin", "https://attacker.com");
    assert_refused(preflight.send().await.unwrap(), 403, "preflight").await;
    assert!(server.events.try_recv().is_err(), "the service was asked");
}
