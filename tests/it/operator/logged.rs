//! The page about the log says what the log holds.

use std::collections::BTreeSet;

use http::Method;
use serde_json::{Value, json};

use crate::harness::{Demo, JSON};
use crate::sweep::Secrets;
use crate::tables::{code, page, table};

#[test]
fn a_request_has_the_fields_of_the_page_and_no_other() {
    let server = Demo::serving("", "");
    server.call("resolve_artist", json!({"q": "Four Tet"}));
    // Beyond the lines of its kind, so that some are left out; the next period tells how many.
    for _ in 0..25 {
        server.post(&[JSON], "no message");
    }
    let log = server.log();
    let fields: BTreeSet<String> = log
        .lines()
        .filter_map(|line| line.split_once(": call ").map(|(_, fields)| fields))
        .flat_map(|fields| fields.split(' ').filter_map(|field| field.split_once('=')))
        .map(|(field, _)| field.to_owned())
        .collect();
    let written: BTreeSet<String> =
        table(&page("docs/logging.md"), "The line of a request").iter().map(|row| code(&row[0])).collect();
    // Nothing was left out before the first twenty.
    let told: BTreeSet<String> = fields.iter().cloned().chain(["left_out".to_owned()]).collect();
    assert_eq!(told, written);
}

#[test]
fn nothing_of_a_caller_is_in_the_log_at_any_level() {
    let server = Demo::serving("", "[issuer]\nenabled = true\n[guard]\ntrusted_proxies = [\"127.0.0.1\"]\n");
    let token = server.token_of("subject-never-logged");
    let mut secrets = Secrets::default();
    secrets.add_token("the token", &token);
    for (name, marker) in [
        ("the subject", "subject-never-logged"),
        ("the question", "Question Never Logged"),
        ("an argument", "argument-never-logged"),
        ("an unknown tool", "tool-never-logged"),
        ("an unknown method", "method/never/logged"),
        ("a cursor", "cursorNeverLogged0123456789"),
        ("a cookie", "cookie-never-logged"),
        ("the user agent", "agent-never-logged"),
        ("a header", "header-never-logged"),
        ("a query", "query-never-logged"),
        ("a path", "path-never-logged"),
        ("the address", "203.0.113.177"),
        ("an unreadable body", "body-never-logged"),
        ("a refused token", "refused-token-never-logged"),
    ] {
        secrets.add(name, marker);
    }
    let bearer = format!("Bearer {token}");
    let call = |tool: &str, arguments: Value| {
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
               "params": {"name": tool, "arguments": arguments}})
        .to_string()
    };
    let headers = [
        JSON,
        ("accept", "application/json"),
        ("mcp-protocol-version", "2025-11-25"),
        ("x-forwarded-for", "203.0.113.177"),
        ("cookie", "c=cookie-never-logged"),
        ("user-agent", "agent-never-logged"),
        ("x-something", "header-never-logged"),
    ];
    let signed: Vec<_> = headers.into_iter().chain([("authorization", bearer.as_str())]).collect();
    for (tool, arguments) in [
        ("resolve_artist", json!({"q": "Question Never Logged"})),
        ("get_artist", json!({"argument-never-logged": 1})),
        ("search_catalog", json!({"cursor": "cursorNeverLogged0123456789"})),
        ("tool-never-logged", json!({})),
    ] {
        server.post(&headers, call(tool, arguments.clone()));
        server.post(&signed, call(tool, arguments));
    }
    server.post(&headers, r#"{"jsonrpc":"2.0","id":1,"method":"method/never/logged"}"#);
    server.post(&headers, "body-never-logged");
    server.post(&[JSON, ("authorization", "Bearer refused-token-never-logged")], "{}");
    server.send(Method::GET, "/path-never-logged?query-never-logged", &headers, "");
    let log = server.log();
    assert!(log.lines().filter(|line| line.contains(": call ")).count() >= 10, "{log}");
    secrets.assert_absent("the log", &log);
}
