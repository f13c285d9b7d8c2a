//! Headers that a request must have, and those that an answer never has.

use base64::Engine as _;
use http::{HeaderMap, HeaderValue, Method};
use serde_json::{Value, json};

use super::{ACCEPT, good_requests, post};
use crate::harness::{Answer, Demo, JSON, MODERN, meta};

/// A modern call of `get_artist` with exactly these routing headers.
fn routed(method: Option<&str>, name: Option<&str>) -> Answer {
    let params = json!({"name": "get_artist", "arguments": {"key": "four-tet"}, "_meta": meta()});
    let mut headers = vec![JSON, ACCEPT, ("mcp-protocol-version", MODERN)];
    headers.extend(method.map(|method| ("mcp-method", method)));
    headers.extend(name.map(|name| ("mcp-name", name)));
    Demo::shared().post(&headers, request("tools/call", &params))
}

fn request(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

#[test]
fn the_routing_headers_must_equal_the_body() {
    assert_eq!(routed(Some("tools/call"), Some("get_artist")).status, 200);
    assert_eq!(routed(Some("tools/call"), Some("=?base64?Z2V0X2FydGlzdA==?=")).status, 200);
    for (method, name) in [
        (None, Some("get_artist")),
        (Some("tools/list"), Some("get_artist")),
        (Some("Tools/Call"), Some("get_artist")),
        (Some(""), Some("get_artist")),
        (Some("tools/call"), None),
        (Some("tools/call"), Some("")),
        (Some("tools/call"), Some("Get_Artist")),
        (Some("tools/call"), Some("resolve_artist")),
        (Some("tools/call"), Some("=?BASE64?Z2V0X2FydGlzdA==?=")),
        (Some("tools/call"), Some("=?base64?Z2V0X2FydGlzdA?=")),
        (Some("tools/call"), Some("=?base64?////?=")),
        (Some("tools/call"), Some("=?base64?!?=")),
        (Some("tools/call"), Some("=?base64??=")),
    ] {
        let answer = routed(method, name);
        assert_eq!(
            (answer.refusal(), &answer.json()["id"]),
            ((400, -32020), &json!(1)),
            "{method:?} {name:?}"
        );
    }
}

#[test]
fn a_name_beyond_ascii_travels_in_base64() {
    let name = "wer_ist_das_\u{e4}";
    let encoded = format!("=?base64?{}?=", base64::engine::general_purpose::STANDARD.encode(name));
    let params = json!({"name": name, "_meta": meta()});
    let send = |value: HeaderValue| {
        let mut headers = HeaderMap::new();
        for (name, value) in [JSON, ACCEPT, ("mcp-protocol-version", MODERN), ("mcp-method", "prompts/get")] {
            headers.insert(
                http::HeaderName::from_bytes(name.as_bytes()).expect("a name"),
                value.parse().expect("a value"),
            );
        }
        headers.insert("mcp-name", value);
        Demo::shared().send_with(Method::POST, "/mcp", headers, request("prompts/get", &params))
    };
    // The header agrees, and only then is the prompt found to be unknown.
    assert_eq!(send(encoded.parse().expect("a value")).refusal(), (200, -32602));
    assert_eq!(send(HeaderValue::from_bytes(name.as_bytes()).expect("a value")).refusal(), (400, -32020));
}

#[test]
fn prompts_and_resources_are_routed_by_name_too() {
    for (method, params, name) in [
        ("prompts/get", json!({"name": "same_name_check", "arguments": {"artist": "x"}}), "same_name_check"),
        ("resources/read", json!({"uri": "hosaka://capabilities"}), "hosaka://capabilities"),
    ] {
        let mut params = params;
        params["_meta"] = meta();
        let headers = [JSON, ACCEPT, ("mcp-protocol-version", MODERN), ("mcp-method", method)];
        let body = request(method, &params);
        assert_eq!(Demo::shared().post(&headers, body.clone()).refusal(), (400, -32020), "{method}");
        let mut wrong = headers.to_vec();
        wrong.push(("mcp-name", "something else"));
        assert_eq!(Demo::shared().post(&wrong, body.clone()).refusal(), (400, -32020), "{method}");
        let mut right = headers.to_vec();
        right.push(("mcp-name", name));
        assert_eq!(Demo::shared().post(&right, body).status, 200, "{method}");
    }
}

#[test]
fn a_repeated_header_counts_only_when_it_says_the_same_twice() {
    let body = request("tools/list", &json!({}));
    let version = |values: [&'static str; 2]| {
        let headers =
            [JSON, ACCEPT, ("mcp-protocol-version", values[0]), ("mcp-protocol-version", values[1])];
        Demo::shared().post(&headers, body.clone())
    };
    assert_eq!(version(["2025-11-25", "2025-11-25"]).status, 200);
    assert_eq!(version(["2025-11-25", "2025-06-18"]).refusal(), (400, -32020));
}

#[test]
fn the_older_revisions_ask_for_no_routing_headers() {
    let answer = Demo::shared().post(
        &[JSON, ("mcp-protocol-version", "2025-11-25"), ("mcp-method", "nonsense"), ("mcp-name", "x")],
        request("tools/list", &json!({})),
    );
    assert!(answer.result()["tools"].is_array());
}

#[test]
fn only_json_is_taken_and_anything_else_runs_nothing() {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    for good in [
        "application/json",
        "application/json; charset=utf-8",
        "Application/JSON",
        "application/json;charset=UTF-8",
    ] {
        assert_eq!(Demo::shared().post(&[("content-type", good)], body).status, 200, "{good}");
    }
    for bad in [
        "text/plain",
        "text/plain;charset=UTF-8",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonx",
        "application/json-rpc",
        "text/json",
        "text/html",
        "application/json, text/plain",
        "*/*",
        "",
    ] {
        let answer = Demo::shared().post(&[("content-type", bad)], body);
        assert_eq!(answer.refusal(), (415, -32600), "{bad:?}");
        assert_eq!(
            (answer.header("content-type"), answer.json().get("id")),
            ("application/json", None),
            "{bad:?}"
        );
    }
    assert_eq!(Demo::shared().post(&[], body).refusal(), (415, -32600));
    assert_eq!(Demo::shared().post(&[JSON, ("content-type", "text/plain")], body).refusal(), (415, -32600));
}

#[test]
fn an_answer_comes_in_a_form_that_the_client_takes() {
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"resolve_artist","arguments":{"q":"Four Tet"}}}"#;
    for (accept, form) in [
        ("application/json, text/event-stream", "application/json"),
        ("text/event-stream, application/json", "application/json"),
        ("application/json;q=0.5, text/event-stream;q=1", "application/json"),
        ("application/json, application/mcp+json", "application/json"),
        ("*/*", "application/json"),
        ("application/*", "application/json"),
        ("application/json", "application/json"),
        ("text/event-stream", "text/event-stream"),
    ] {
        for body in [ping, call] {
            let answer = Demo::shared().post(&[JSON, ("accept", accept)], body);
            assert_eq!((answer.status, answer.header("content-type")), (200, form), "{accept}");
        }
    }
    assert_eq!(Demo::shared().post(&[JSON], ping).header("content-type"), "application/json");
    let answer = Demo::shared().post(&[JSON, ("accept", "text/html")], ping);
    assert_eq!((answer.refusal(), answer.header("content-type")), ((406, -32600), "application/json"));
}

#[test]
fn an_event_stream_holds_the_same_answer_and_then_ends() {
    let call = request("tools/call", &json!({"name": "get_artist", "arguments": {"key": "four-tet"}}));
    let answer = Demo::shared().post(&[JSON, ("accept", "text/event-stream")], call.clone());
    assert_eq!(answer.header("x-accel-buffering"), "no");
    assert!(answer.header("cache-control").contains("no-cache"), "{answer:?}");
    let text = String::from_utf8(answer.body.to_vec()).expect("text");
    let data: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
    assert_eq!(data.len(), 1, "{text}");
    assert!(!text.contains("\nid:") && !text.contains("retry:"), "no resumption is offered: {text}");
    let streamed: Value = serde_json::from_str(data[0]).expect("JSON");
    let plain = Demo::shared().post(&[JSON], call).json();
    let data = "/result/structuredContent/data";
    assert_eq!((streamed.pointer(data), &streamed["id"]), (plain.pointer(data), &json!(1)));
    assert!(plain.pointer(data).is_some_and(Value::is_object));
}

#[test]
fn no_session_is_ever_made_and_one_that_is_sent_changes_nothing() {
    let demo = Demo::shared();
    let mut answers = vec![
        demo.legacy("initialize", json!({"protocolVersion": "2025-11-25"})),
        post("{"),
        post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
        demo.send(Method::GET, "/mcp", &[], ""),
    ];
    for (method, params) in good_requests() {
        answers.push(demo.modern(method, params.clone()));
        answers.push(demo.legacy(method, params));
    }
    for answer in &answers {
        assert_eq!(answer.headers.get("mcp-session-id"), None, "{answer:?}");
    }
    let headers = [JSON, ACCEPT, ("mcp-session-id", "x"), ("last-event-id", "7")];
    let answer = demo.post(&headers, request("tools/list", &json!({})));
    assert!(answer.result()["tools"].is_array() && answer.headers.get("mcp-session-id").is_none());
}

#[test]
fn only_post_is_answered_and_no_challenge_comes_with_the_refusal() {
    for path in ["/mcp", "/mcp/", "/mcp/full", "/mcp/full/"] {
        for method in [Method::GET, Method::DELETE, Method::PUT, Method::PATCH] {
            for accept in ["text/event-stream", "*/*", "text/html"] {
                let headers = [("accept", accept), ("mcp-session-id", "x")];
                let answer = Demo::shared().send(method.clone(), path, &headers, "");
                assert_eq!(answer.refusal(), (405, -32600), "{method} {path}");
                assert!(answer.header("allow").contains("POST"), "{method} {path}");
                assert_eq!(answer.headers.get("www-authenticate"), None, "{method} {path}");
            }
        }
        let head = Demo::shared().send(Method::HEAD, path, &[], "");
        assert_eq!((head.status, head.body.len()), (405, 0), "{path}");
    }
}

#[test]
fn both_endpoints_answer_with_and_without_a_slash_and_nothing_else_does() {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    for path in ["/mcp", "/mcp/", "/mcp/full", "/mcp/full/"] {
        assert_eq!(Demo::shared().send(Method::POST, path, &[JSON], body).result(), json!({}), "{path}");
    }
    for path in [
        "//mcp",
        "/MCP",
        "/mcp/x",
        "/mcp//",
        "/mcp/full/x",
        "/sse",
        "/messages",
        "/register",
        "/.well-known/oauth-authorization-server",
        "/.well-known/openid-configuration",
        "/mcp/.well-known/oauth-protected-resource",
    ] {
        for method in [Method::POST, Method::GET] {
            let answer = Demo::shared().send(method, path, &[JSON], body);
            assert_eq!((answer.status, answer.header("content-type")), (404, "application/json"), "{path}");
            assert_eq!(answer.header("access-control-allow-origin"), "*", "{path}");
        }
    }
}

#[test]
fn a_page_that_may_ask_is_told_every_header_it_needs() {
    for path in ["/mcp", "/mcp/full"] {
        let asked = [
            "authorization",
            "content-type",
            "accept",
            "mcp-protocol-version",
            "mcp-session-id",
            "last-event-id",
            "mcp-method",
            "mcp-name",
        ];
        let headers = [
            ("origin", "http://localhost:6274"),
            ("access-control-request-method", "POST"),
            ("access-control-request-headers", &asked.join(",")),
        ];
        let answer = Demo::shared().send(Method::OPTIONS, path, &headers, "");
        assert!(matches!(answer.status, 200 | 204), "{answer:?}");
        let allowed = answer.header("access-control-allow-headers").to_ascii_lowercase();
        let allowed: Vec<&str> = allowed.split(',').map(str::trim).collect();
        for name in asked {
            assert!(allowed.contains(&name), "{name} is not in {allowed:?}");
        }
        assert!(answer.header("access-control-allow-methods").contains("POST"));
        assert_eq!(answer.headers.get("access-control-allow-credentials"), None);
    }
}

#[test]
fn the_request_id_in_the_header_is_the_one_in_the_envelope() {
    let answer = Demo::shared()
        .modern("tools/call", json!({"name": "resolve_artist", "arguments": {"q": "Four Tet"}}));
    let id = answer.header("x-request-id");
    assert_eq!(answer.envelope().json["meta"]["request_id"], id);
    assert_eq!((id.len(), &id[14..15]), (36, "7"), "not a UUIDv7: {id}");
}
