//! Host and Origin over the wire.

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
