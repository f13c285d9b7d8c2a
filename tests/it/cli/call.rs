//! `call`, against a server that answers whatever it is told to.

use std::net::{Ipv4Addr, TcpListener};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::fake_server::FakeServer;
use super::{code, ono_sendai, stderr, stdout};

const JSON: &str = "content-type: application/json\r\n";

/// Calls `find q="Four Tet"`; the exit code, stdout, stderr and what the server was sent.
fn call(server: FakeServer, more: &[&str]) -> (i32, String, String, Option<super::fake_server::Request>) {
    let certificate = server.certificate.display().to_string();
    let mut arguments =
        vec!["call", "find", "q=Four Tet", "limit=5", "--url", &server.url, "--ca", &certificate];
    arguments.extend(more);
    let output = ono_sendai(&arguments);
    (code(&output), stdout(&output), stderr(&output), server.request())
}

fn answer(envelope: &Value) -> String {
    let failed = envelope["ok"] == false;
    json!({"jsonrpc": "2.0", "id": 1, "result": {
        "content": [{"type": "text", "text": "readable"}], "structuredContent": envelope, "isError": failed,
    }})
    .to_string()
}

#[test]
fn a_call_speaks_mcp_and_pipes_the_envelope() {
    let envelope = json!({"ok": true, "data": {"name": "Four Tet"}, "meta": {"units": 1}});
    let server = FakeServer::start("localhost", "200 OK", JSON, &answer(&envelope));
    let (code, out, err, request) = call(server, &["--token", "abc"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(serde_json::from_str::<Value>(&out).expect("JSON"), envelope);
    let request = request.expect("a request");
    for header in [
        "post /mcp http/1.1",
        "mcp-protocol-version: 2026-07-28",
        "mcp-method: tools/call",
        "mcp-name: find",
        "accept: application/json, text/event-stream",
        "content-type: application/json",
        "authorization: bearer abc",
    ] {
        assert!(request.head.lines().any(|line| line == header), "{header} in {}", request.head);
    }
    assert_eq!(
        request.body,
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "find",
            "arguments": {"q": "Four Tet", "limit": "5"},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": {"name": "ono-sendai call", "version": env!("CARGO_PKG_VERSION")},
            },
        }})
    );
}

#[test]
fn an_answer_as_an_event_stream_is_the_same_answer() {
    let envelope = json!({"ok": true});
    let stream = format!(": waiting\n\nevent: message\ndata: {}\n\n", answer(&envelope));
    let server = FakeServer::start("localhost", "200 OK", "content-type: text/event-stream\r\n", &stream);
    let (code, out, err, _) = call(server, &[]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(serde_json::from_str::<Value>(&out).expect("JSON"), envelope);
}

#[test]
fn an_envelope_with_an_error_is_data_and_ends_with_4() {
    let envelope = json!({"ok": false, "error": {"type": "invalid_argument", "message": "no"}});
    let server = FakeServer::start("localhost", "200 OK", JSON, &answer(&envelope));
    let (code, out, err, _) = call(server, &[]);
    assert_eq!((code, err.as_str()), (4, ""));
    assert_eq!(serde_json::from_str::<Value>(&out).expect("JSON"), envelope);
}

#[test]
fn whatever_else_goes_wrong_at_the_server_is_one_line_and_ends_with_4() {
    let unknown = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown tool.","data":{"did_you_mean":"find_tracks"}}}"#;
    for (status, headers, body, said) in [
        ("200 OK", JSON, unknown, "error: Unknown tool. (JSON-RPC -32602); did you mean find_tracks?"),
        (
            "400 Bad Request",
            JSON,
            unknown,
            "URL answered HTTP 400; Unknown tool. (JSON-RPC -32602); did you mean find_tracks?",
        ),
        ("401 Unauthorized", JSON, "{}", "URL answered HTTP 401; it wants a token; pass one with --token"),
        (
            "404 Not Found",
            JSON,
            "{}",
            "URL answered HTTP 404; there is no MCP endpoint at this address; most end in /mcp",
        ),
        (
            "405 Method Not Allowed",
            "",
            "",
            "URL answered HTTP 405; this address does not take calls; most MCP addresses end in /mcp",
        ),
        (
            "429 Too Many Requests",
            "retry-after: 7\r\n",
            "",
            "URL answered HTTP 429; it is busy; try again in 7 s",
        ),
        ("503 Service Unavailable", "", "", "URL answered HTTP 503; it is busy; try again in a minute"),
        ("500 Internal Server Error", "content-type: text/html\r\n", "<html>", "URL answered HTTP 500"),
        (
            "307 Temporary Redirect",
            "location: https://elsewhere.example/mcp\r\n",
            "",
            "URL answered HTTP 307; it points to https://elsewhere.example/mcp; pass that with --url",
        ),
        (
            "200 OK",
            "content-type: text/html\r\n",
            "<html>",
            "URL: the answer is not MCP (content type text/html)",
        ),
        ("200 OK", JSON, "{\"ok\":true}", "URL: the answer is JSON, but neither a result nor an error"),
    ] {
        let server = FakeServer::start("localhost", status, headers, body);
        let said = said.replace("URL", &server.url);
        let (code, out, err, request) = call(server, &[]);
        assert_eq!((code, out.as_str()), (4, ""), "{status}: {err}");
        assert_eq!(err.trim_start_matches("error: ").trim_end(), said.trim_start_matches("error: "));
        assert_eq!(err.lines().count(), 1);
        assert!(request.is_some());
    }
}

#[test]
fn a_closed_port_is_one_line_with_what_to_do_and_ends_with_5() {
    let port = {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        listener.local_addr().expect("an address").port()
    };
    let url = format!("http://127.0.0.1:{port}/mcp");
    let output = ono_sendai(&["call", "find", "--url", &url]);
    assert_eq!(code(&output), 5);
    assert_eq!(
        stderr(&output),
        format!(
            "error: nothing listens at {url}; start a server with `ono-sendai demo`, or pass its address with --url\n"
        )
    );
}

#[test]
fn a_certificate_that_is_not_trusted_ends_with_5_before_anything_is_sent() {
    let other = FakeServer::start("localhost", "200 OK", JSON, "{}");
    let server = FakeServer::start("localhost", "200 OK", JSON, "{}");
    let wrong = other.certificate.display().to_string();
    let output = ono_sendai(&["call", "find", "--url", &server.url, "--ca", &wrong]);
    assert_eq!(code(&output), 5, "{}", stderr(&output));
    assert!(
        stderr(&output).starts_with(&format!(
            "error: the certificate of {} is not trusted; pass the right one with --ca",
            server.url
        )),
        "{}",
        stderr(&output)
    );
    assert_eq!(stderr(&output).lines().count(), 1);
    assert!(server.request().is_none());
}

#[test]
fn a_certificate_for_another_name_ends_with_5_and_says_so() {
    let server = FakeServer::start("mcp.example.org", "200 OK", JSON, "{}");
    let url = server.url.clone();
    let (code, _, err, request) = call(server, &[]);
    assert_eq!(code, 5);
    assert_eq!(
        err,
        format!("error: the certificate of {url} is for another name; use the name it was made for\n")
    );
    assert!(request.is_none());
}

/// The same call with a terminal as stdout.
fn call_on_a_terminal(envelope: &Value, more: &str, environment: &[(&str, &str)]) -> (i32, String) {
    let server = FakeServer::start("localhost", "200 OK", JSON, &answer(envelope));
    let command = format!(
        "{} call find q=x --url {} --ca {} {more}",
        env!("CARGO_BIN_EXE_ono-sendai"),
        server.url,
        server.certificate.display()
    );
    let output = Command::new("script")
        .args(["--quiet", "--return", "--command", &command, "/dev/null"])
        .envs(environment.iter().copied())
        .stdin(Stdio::null())
        .output()
        .expect("script, of bsdutils, runs");
    assert!(server.request().is_some());
    (code(&output), stdout(&output).replace("\r\n", "\n"))
}

#[test]
fn a_person_at_a_terminal_reads_sentences_and_no_color_is_honoured() {
    let envelope = json!({"ok": true, "meta": {"units": 1, "tokens_estimate": 640, "request_id": "r-1"}});
    let cost = "1 unit, about 640 tokens, request r-1";
    let plain = (0, format!("readable\n{cost}\n"));
    let dimmed = (0, format!("readable\n\x1b[2m{cost}\x1b[0m\n"));
    assert_eq!(call_on_a_terminal(&envelope, "", &[("NO_COLOR", "1")]), plain);
    assert_eq!(call_on_a_terminal(&envelope, "", &[("NO_COLOR", "")]), dimmed);
    let (code, json) = call_on_a_terminal(&envelope, "--json", &[]);
    assert_eq!((code, serde_json::from_str::<Value>(&json).expect("JSON")), (0, envelope));
}

#[test]
fn a_person_at_a_terminal_reads_what_to_do_about_an_error() {
    let envelope = json!({
        "ok": false,
        "error": {"type": "invalid_argument", "message": "No.", "data": {"fix_hint": "Say yes."}},
        "suggested_tool_calls": [{"tool": "find", "args": {"q": "yes please"}}],
    });
    let wanted = "error: invalid_argument: No.\nfix: Say yes.\ntry: ono-sendai call find 'q=yes please'\n";
    assert_eq!(call_on_a_terminal(&envelope, "", &[("NO_COLOR", "1")]), (4, wanted.to_owned()));
}
