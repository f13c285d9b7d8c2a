//! Whatever is not a valid message gets a 4xx with a JSON-RPC error: never a 5xx, never HTML, never silence.

use http::Method;
use serde_json::json;

use super::{ACCEPT, post};
use crate::harness::{Answer, Demo, JSON};

fn assert_refused(answer: &Answer, status: u16, code: i64, what: &str) {
    assert_eq!(answer.refusal(), (status, code), "{what}");
    assert_eq!(answer.header("content-type"), "application/json", "{what}");
    assert_eq!(answer.header("access-control-allow-origin"), "*", "{what}");
    assert!(answer.body.len() < 1_000, "{what}: an error grows with what was sent");
}

#[test]
fn a_body_that_is_not_json_is_a_parse_error() {
    let deep = "[".repeat(200_000);
    let deep_objects = r#"{"a":"#.repeat(100_000);
    let cut = r#"{"jsonrpc":"2.0","id":1,"method":"#;
    for body in [
        &b""[..],
        b" ",
        b"\0",
        b"{",
        b"}",
        b"nul",
        b"NaN",
        b"'{}'",
        b"{}{}",
        b"{\"jsonrpc\":\"2.0\"} trailing",
        b"{\"jsonrpc\":\"2.0\",}",
        b"{jsonrpc:\"2.0\"}",
        b"{\"id\":1e999}",
        b"{\"id\":01}",
        b"\xff\xfe",
        b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
        b"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}",
        b"{\"jsonrpc\":\"2.0\",\"id\":\"\\ud800\",\"method\":\"ping\"}",
        b"{\"jsonrpc\":\"2.0\",\"id\":\"a\nb\",\"method\":\"ping\"}",
        b"--boundary\r\nContent-Disposition: form-data\r\n\r\nx\r\n--boundary--",
        b"<html></html>",
        b"jsonrpc=2.0&id=1&method=ping",
        b"GET /mcp HTTP/1.1\r\nHost: x\r\n\r\n",
        cut.as_bytes(),
        deep.as_bytes(),
        deep_objects.as_bytes(),
    ] {
        let answer = Demo::shared().post(&[JSON, ACCEPT], body);
        let what = String::from_utf8_lossy(&body[..body.len().min(80)]).into_owned();
        assert_refused(&answer, 400, -32700, &what);
        assert_eq!(answer.json().get("id"), None, "{what}");
    }
}

#[test]
fn json_that_is_no_message_is_an_invalid_request() {
    for body in [
        "null",
        "true",
        "5",
        "\"ping\"",
        "[]",
        "[[]]",
        "{}",
        r#"{"jsonrpc":"2.0"}"#,
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"params":{}}"#,
        r#"{"id":1,"method":"ping"}"#,
        r#"{"jsonrpc":null,"id":1,"method":"ping"}"#,
        r#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0 ","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":null}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":5}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":["ping"]}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":{}}"#,
        r#"{"JSONRPC":"2.0","ID":1,"METHOD":"ping"}"#,
    ] {
        let answer = post(body);
        assert_refused(&answer, 400, -32600, body);
    }
}

#[test]
fn an_error_knows_its_request_wherever_the_id_could_be_read() {
    for body in [
        r#"{"jsonrpc":"2.0","id":7}"#,
        r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":5}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}"#,
    ] {
        assert_eq!(post(body).json()["id"], 7, "{body}");
    }
}

#[test]
fn odd_methods_and_parameters_are_refused_and_never_repeated() {
    let long = "m".repeat(100_000);
    for method in
        ["", " ", "ping ", "PING", "tools/call\u{0}", "__proto__", "../../etc/passwd", "<script>", &long]
    {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method}).to_string();
        let answer = post(&body);
        assert_refused(&answer, 200, -32601, &method.chars().take(40).collect::<String>());
    }
    for params in [
        json!({"_meta": 5}),
        json!({"_meta": []}),
        json!({"_meta": null}),
        json!({"_meta": {"progressToken": {}}}),
        json!({"__proto__": {}}),
    ] {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": params}).to_string();
        assert_eq!(post(&body).result(), json!({}), "{params}");
    }
}

#[test]
fn odd_headers_are_refused_or_ignored_but_never_break_an_answer() {
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let long = "x".repeat(8_000);
    for (name, value, status) in [
        ("accept", "", 200),
        ("accept", ",,;q=", 200),
        ("accept", "text/html", 406),
        ("accept", "application/json;q=0", 406),
        ("accept", &long, 200),
        ("content-type", "application/json; charset=\"", 200),
        ("content-type", &long, 415),
        ("mcp-protocol-version", "\u{e9}", 400),
        ("mcp-protocol-version", &long, 400),
        ("mcp-protocol-version", "2025-11-25;", 400),
        ("mcp-session-id", "\u{e9}", 200),
        ("mcp-session-id", &long, 200),
        ("last-event-id", "-1", 200),
        ("mcp-method", "\u{e9}", 200),
        ("mcp-name", &long, 200),
        ("cookie", &long, 200),
        ("x-forwarded-for", "1.2.3.4, , ::1, nonsense", 200),
        ("forwarded", "for=\"[::\"", 200),
        ("traceparent", "00-zz", 200),
        ("origin", "null", 403),
        ("origin", "https://attacker.com", 403),
        ("origin", "\u{e9}", 403),
        ("expect", "something", 200),
        ("range", "bytes=0-1", 200),
        ("if-none-match", "*", 200),
        ("content-encoding", "gzip", 200),
        ("upgrade", "websocket", 200),
    ] {
        let mut headers = vec![(name, value)];
        if name != "content-type" {
            headers.push(JSON);
        }
        let answer = Demo::shared().post(&headers, ping);
        let what = format!("{name}: {}", value.chars().take(40).collect::<String>());
        assert_eq!(answer.status, status, "{what}");
        assert!(answer.json()["result"].is_object() || answer.json()["error"].is_object(), "{what}");
    }
}

#[test]
fn a_foreign_host_is_refused_before_anything_is_read() {
    // The name in the URL decides, in both versions of HTTP; localhost is one of the demo's own names.
    let answer = Demo::shared().post(&[JSON, ("host", "attacker.com")], "{");
    assert!(matches!(answer.status, 400 | 403 | 421), "{answer:?}");
    assert_eq!(answer.error()["code"], -32600);
}

#[test]
fn a_body_above_the_limit_is_refused_in_json() {
    let padding = " ".repeat(1024 * 1024);
    let answer = post(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping"{padding}}}"#));
    assert_refused(&answer, 413, -32600, "more than a megabyte");
}

#[test]
fn junk_at_other_paths_and_methods_is_json_too() {
    for (method, path) in [
        (Method::TRACE, "/mcp"),
        (Method::GET, "/%00"),
        (Method::GET, "/mcp%2Ffull"),
        (Method::POST, "/..%2f..%2fetc/passwd"),
        (Method::POST, "/?<script>"),
        (Method::POST, "/readyz"),
        (Method::from_bytes(b"BREW").expect("a method"), "/mcp"),
    ] {
        let answer = Demo::shared().send(method.clone(), path, &[], "");
        assert!((400..500).contains(&answer.status), "{method} {path}: {answer:?}");
        assert_eq!(answer.header("content-type"), "application/json", "{method} {path}");
        answer.error();
    }
}
