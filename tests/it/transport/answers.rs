//! Routes, methods, forms of an answer, CORS.

use http::Method;
use ono_sendai::transport::{LegalPage, Limits, NotReady, Part, SecurityHeaders};

use super::support::{
    Protocol, Raw, Server, assert_dressed, assert_error_json, assert_refused, certificate, members,
};

#[tokio::test]
async fn an_ordinary_post_is_answered_over_both_protocols() {
    let server = Server::start();
    for (protocol, version) in
        [(Protocol::Http1, http::Version::HTTP_11), (Protocol::Http2, http::Version::HTTP_2)]
    {
        let response = server.client(protocol).post(server.url("/mcp")).body("hello").send().await.unwrap();
        assert_eq!((response.status().as_u16(), response.version()), (200, version));
        assert_dressed(response.headers(), "an answer");
        assert_eq!(response.headers()["content-type"], "application/json");
        assert_eq!(response.headers()["cache-control"], "no-store");
        assert_eq!(response.text().await.unwrap(), r#"{"profile":"Core","bytes":5}"#);
    }
}

#[tokio::test]
async fn every_accept_header_of_real_clients_is_served_in_a_form_it_lists() {
    let server = Server::start();
    let client = server.client(Protocol::Http2);
    for (accept, form) in [
        (Some("application/json, text/event-stream"), "application/json"),
        (Some("text/event-stream, application/json"), "application/json"),
        (Some("application/json;q=0.5, text/event-stream;q=0.9"), "application/json"),
        (Some("*/*"), "application/json"),
        (Some("application/json"), "application/json"),
        (Some("application/*"), "application/json"),
        (Some("application/json, application/mcp+json"), "application/json"),
        (Some("text/event-stream"), "text/event-stream"),
        (Some("application/json;q=0, text/event-stream"), "text/event-stream"),
        (None, "application/json"),
    ] {
        for body in ["now", "later:1"] {
            let mut request = client.post(server.url("/mcp")).body(body).build().unwrap();
            request.headers_mut().remove("accept");
            if let Some(accept) = accept {
                request.headers_mut().insert("accept", accept.parse().unwrap());
            }
            let response = client.execute(request).await.unwrap();
            assert_eq!(response.status(), 200, "{accept:?}");
            assert_eq!(response.headers()["content-type"], form, "{accept:?}");
            let text = response.text().await.unwrap();
            let json = if form == "text/event-stream" {
                text.lines().find_map(|line| line.strip_prefix("data: ")).unwrap()
            } else {
                &text
            };
            serde_json::from_str::<serde_json::Value>(json).unwrap();
        }
    }
}

#[tokio::test]
async fn an_accept_header_that_admits_neither_form_is_refused_in_json() {
    let mut server = Server::start();
    let request =
        server.client(Protocol::Http2).post(server.url("/mcp")).header("accept", "text/html").body("x");
    assert_refused(request.send().await.unwrap(), 406, "text/html").await;
    assert!(server.events.try_recv().is_err(), "the service was asked");
}

#[tokio::test]
async fn refusals_and_empty_answers_of_the_service_stay_plain_even_when_a_stream_is_wanted() {
    let server = Server::start();
    let post = |body| {
        server
            .client(Protocol::Http2)
            .post(server.url("/mcp"))
            .header("accept", "text/event-stream")
            .body(body)
            .send()
    };
    let refused = post("refuse").await.unwrap();
    assert_eq!(refused.status(), 401);
    assert_eq!(refused.headers()["content-type"], "application/json");
    assert_eq!(refused.headers()["www-authenticate"], "Bearer x=\"y\"");
    assert_eq!(refused.text().await.unwrap(), r#"{"refused":true}"#);
    let accepted = post("accepted").await.unwrap();
    assert_eq!(accepted.status(), 202);
    assert_eq!(accepted.headers().get("content-type"), None);
    assert_eq!(accepted.text().await.unwrap(), "");
}

#[tokio::test]
async fn a_trailing_slash_changes_nothing() {
    let server = Server::start();
    let client =
        server.client_builder(Protocol::Http2).redirect(reqwest::redirect::Policy::none()).build().unwrap();
    for (plain, slashed) in
        [("/mcp", "/mcp/"), ("/mcp/full", "/mcp/full/"), ("/mcp", "/mcp?x=1"), ("/mcp", "/mcp/?x=1")]
    {
        for body in ["hello", "refuse", "accepted"] {
            let mut seen = Vec::new();
            for path in [plain, slashed] {
                let response = client.post(server.url(path)).body(body).send().await.unwrap();
                let mut headers = response.headers().clone();
                headers.remove("date");
                seen.push((response.status(), headers, response.text().await.unwrap()));
            }
            assert_eq!(seen[0], seen[1], "{slashed} {body}");
        }
    }
    let full = client.post(server.url("/mcp/full/")).body("x").send().await.unwrap();
    assert!(full.text().await.unwrap().contains("Full"));
}

#[tokio::test]
async fn other_methods_are_refused_at_once_and_name_post() {
    let mut server = Server::start();
    for protocol in Protocol::ALL {
        let client = server.client(protocol);
        for path in ["/mcp", "/mcp/", "/mcp/full", "/mcp/full/"] {
            for method in ["GET", "DELETE", "PUT", "PATCH", "TRACE", "BREW"] {
                for accept in ["text/event-stream", "*/*", "text/html"] {
                    let method = Method::from_bytes(method.as_bytes()).unwrap();
                    let request = client.request(method.clone(), server.url(path));
                    let request = request.header("accept", accept).header("mcp-session-id", "x");
                    let response = request.send().await.unwrap();
                    assert!(members(response.headers(), "allow").contains(&"post".to_owned()));
                    assert!(!response.headers().contains_key("www-authenticate"));
                    assert_refused(response, 405, &format!("{method} {path}")).await;
                }
            }
            let head = client.head(server.url(path)).send().await.unwrap();
            assert_eq!((head.status().as_u16(), &head.headers()["allow"]), (405, &"POST".parse().unwrap()));
            assert_eq!(head.text().await.unwrap(), "");
        }
    }
    assert!(server.events.try_recv().is_err(), "the service was asked");
}

#[tokio::test]
async fn unknown_paths_are_a_json_404_that_pages_may_read() {
    let server = Server::start();
    let client = server.client(Protocol::Http2);
    for path in [
        "//mcp",
        "/MCP",
        "/mcp/x",
        "/mcp//",
        "/mcp/full/x",
        "/mcpx",
        "/%6dcp",
        "/mcp%2ffull",
        "/",
        "/legal",
        "/legal/imprint",
        "/legal/privacy/x",
        "/healthz/x",
        "/.well-known/oauth-authorization-server",
        "/.well-known/openid-configuration",
        "/mcp/.well-known/oauth-protected-resource",
        "/register",
    ] {
        for method in [Method::GET, Method::POST] {
            let request = client.request(method, server.url(path)).header("origin", "http://localhost:6274");
            assert_refused(request.send().await.unwrap(), 404, path).await;
        }
        let head = client.head(server.url(path)).send().await.unwrap();
        assert_eq!(head.status(), 404);
        assert_dressed(head.headers(), path);
    }
}

#[tokio::test]
async fn a_preflight_lists_every_field_that_clients_send() {
    let mut server = Server::start();
    let wanted = "authorization,content-type,accept,mcp-protocol-version,mcp-session-id,last-event-id,mcp-method,mcp-name";
    for protocol in Protocol::ALL {
        let client = server.client(protocol);
        for path in ["/mcp", "/mcp/", "/mcp/full"] {
            for origin in ["http://localhost:6274", "https://claude.ai", "https://chatgpt.com"] {
                let request = client
                    .request(Method::OPTIONS, server.url(path))
                    .header("origin", origin)
                    .header("access-control-request-method", "POST")
                    .header("access-control-request-headers", wanted);
                let response = request.send().await.unwrap();
                assert_eq!(response.status(), 204);
                assert_dressed(response.headers(), path);
                let allowed = members(response.headers(), "access-control-allow-headers");
                assert!(wanted.split(',').all(|field| allowed.contains(&field.to_owned())), "{allowed:?}");
                assert!(
                    members(response.headers(), "access-control-allow-methods").contains(&"post".to_owned())
                );
                assert!(response.headers().contains_key("access-control-max-age"));

                let post =
                    client.post(server.url(path)).header("origin", origin).body("x").send().await.unwrap();
                assert_eq!(post.status(), 200, "what a preflight allows, the POST allows");
                assert_dressed(post.headers(), path);
                assert_eq!(server.event().await, super::support::Event::Called(1));
            }
            let plain = client.request(Method::OPTIONS, server.url(path)).send().await.unwrap();
            assert_eq!(plain.status(), 204);
        }
        for path in ["/healthz", "/legal/terms", "/.well-known/oauth-protected-resource"] {
            let response = client.request(Method::OPTIONS, server.url(path)).send().await.unwrap();
            assert_eq!(response.status(), 204);
            assert_eq!(
                members(response.headers(), "access-control-allow-methods"),
                ["get", "head", "options"]
            );
        }
    }
    assert!(server.events.try_recv().is_err(), "the service was asked by a preflight");
}

#[tokio::test]
async fn pages_answer_get_and_head_with_strict_headers() {
    let server = Server::start();
    for protocol in Protocol::ALL {
        let client = server.client(protocol);
        for page in LegalPage::ALL {
            let got = client.get(server.url(page.path())).send().await.unwrap();
            assert_eq!(
                (got.status().as_u16(), &got.headers()["content-type"]),
                (200, &"text/html; charset=utf-8".parse().unwrap())
            );
            assert!(
                got.headers()["content-security-policy"].to_str().unwrap().starts_with("default-src 'none'")
            );
            assert_dressed(got.headers(), page.path());
            let length = got.headers()["content-length"].clone();
            assert!(got.text().await.unwrap().contains(&format!("{page:?}")));
            let head = client.head(server.url(page.path())).send().await.unwrap();
            assert_eq!((head.status().as_u16(), &head.headers()["content-length"]), (200, &length));
            assert_eq!(head.text().await.unwrap(), "");
            let posted = client.post(server.url(page.path())).send().await.unwrap();
            assert_eq!(posted.headers()["allow"], "GET, HEAD, OPTIONS");
            assert_refused(posted, 405, page.path()).await;
        }
    }
}

#[tokio::test]
async fn health_is_always_good_and_readiness_names_what_is_missing() {
    let server = Server::start();
    let client = server.client(Protocol::Http2);
    assert_eq!(client.get(server.url("/readyz")).send().await.unwrap().status(), 200);
    let why = "not \"opened\" yet".to_owned();
    *server.service.not_ready.lock().unwrap() = vec![NotReady { part: Part::Certificate, why: why.clone() }];
    let response = client.get(server.url("/readyz")).send().await.unwrap();
    assert_eq!(response.status(), 503);
    let json: serde_json::Value = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap();
    assert_eq!(json["not_ready"], serde_json::json!([{ "part": "certificate", "why": why }]));
    let health = client.get(server.url("/healthz")).send().await.unwrap();
    assert_eq!(
        (health.status().as_u16(), &health.headers()["content-type"]),
        (200, &"application/json".parse().unwrap())
    );
    assert_eq!(client.head(server.url("/healthz")).send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn a_server_without_a_public_name_says_nothing_about_other_ports_of_this_machine() {
    let server = Server::of(Limits::default(), &certificate().identity, SecurityHeaders::new(false));
    let client = server.client(Protocol::Http2);
    for path in ["/mcp", "/healthz", "/nothing"] {
        let response = client.get(server.url(path)).send().await.unwrap();
        assert!(!response.headers().contains_key("strict-transport-security"), "{path}");
        assert_eq!(response.headers()["x-content-type-options"], "nosniff", "{path}");
    }
}

#[tokio::test]
async fn a_failure_of_the_service_is_still_an_answer() {
    let server = Server::start();
    let client = server.client(Protocol::Http2);
    let response = client.post(server.url("/mcp")).body("panic").send().await.unwrap();
    assert_refused(response, 500, "panic").await;
    let response = client.post(server.url("/mcp")).body("panic later").send().await.unwrap();
    assert_dressed(response.headers(), "panic later");
    assert_eq!(response.status(), 500);
    assert_eq!(response.headers()["x-early"], "e-1");
    let last = response.text().await.unwrap();
    assert!(last.contains(r#""id":"c-1""#) && last.contains("Failed"), "{last}");
    let streamed = client.post(server.url("/mcp")).header("accept", "text/event-stream").body("panic later");
    let streamed = streamed.send().await.unwrap();
    assert_eq!(streamed.status(), 200);
    assert_eq!(streamed.headers()["x-early"], "e-1");
    assert!(streamed.text().await.unwrap().ends_with(&format!("event: message\ndata: {last}\n\n")));
    assert_eq!(client.post(server.url("/mcp")).body("x").send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn bytes_that_are_not_http_get_a_bare_400_and_a_close() {
    let server = Server::start();
    for garbage in ["\x16\x03\x01 nonsense\r\n\r\n", "POST\r\n\r\n", "GET / HTTP/1.1\r\nbad header\r\n\r\n"] {
        let mut raw = server.raw().await;
        raw.send(garbage).await;
        let answer = raw.rest().await;
        assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
        assert!(!answer.contains('<'), "{answer}");
    }
}

#[tokio::test]
async fn http_1_0_is_answered_when_it_names_the_host() {
    let server = Server::start();
    let raw: Raw = server.raw().await;
    let answer = raw.request("POST /mcp HTTP/1.0\r\nHost: localhost", "x").await;
    assert!(answer.starts_with("HTTP/1.0 200"), "{answer}");
    let raw = server.raw().await;
    let answer = raw.request("POST /mcp HTTP/1.0", "x").await;
    assert!(answer.starts_with("HTTP/1.0 400"), "{answer}");
    let body = answer.split_once("\r\n\r\n").unwrap().1.to_owned();
    assert_error_json(&body.into(), "no host");
}
