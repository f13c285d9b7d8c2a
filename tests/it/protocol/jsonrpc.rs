//! Messages, ids and their echoes.

use serde_json::json;

use super::post;

#[test]
fn an_id_is_echoed_exactly_as_it_was_sent() {
    for id in [
        r#""1""#,
        "0",
        "-1",
        "-7",
        r#""""#,
        r#""ä\u0000""#,
        "9007199254740993",
        "18446744073709551615",
        "-9223372036854775808",
    ] {
        let answer = post(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#));
        let wanted = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
        assert_eq!((answer.status, &answer.body[..]), (200, wanted.as_bytes()), "{id}");
        assert_eq!(answer.header("content-type"), "application/json", "{id}");
    }
}

#[test]
fn errors_echo_the_id_too() {
    for id in [r#""1""#, "0", r#""ä\u0000""#, "9007199254740993"] {
        let answer = post(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"foo/bar"}}"#));
        assert_eq!(answer.refusal(), (200, -32601), "{id}");
        let start = format!(r#""id":{id}"#);
        assert!(String::from_utf8_lossy(&answer.body).contains(&start), "{id}: {answer:?}");
    }
}

#[test]
fn an_id_that_cannot_be_echoed_is_refused_and_the_error_has_no_id() {
    for id in ["null", "1.5", "1.0", "1e3", "true", "{}", "[]", "18446744073709551616"] {
        let answer = post(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#));
        assert_eq!(answer.refusal(), (400, -32600), "{id}");
        assert_eq!(answer.json().get("id"), None, "{id}");
    }
}

#[test]
fn what_needs_no_answer_is_accepted_with_nothing() {
    for body in [
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/x"}"#,
        r#"{"jsonrpc":"2.0","id":9,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":9,"error":{"code":-1,"message":"no"}}"#,
        // A request without an id is a notification: nobody waits for what it would find.
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"resolve_artist","arguments":{"q":"x"}}}"#,
    ] {
        let answer = post(body);
        assert_eq!((answer.status, answer.body.len()), (202, 0), "{body}");
        assert_eq!(answer.headers.get("content-type"), None, "{body}");
    }
}

#[test]
fn a_batch_is_refused_whole() {
    let one = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    for body in ["[]".to_owned(), format!("[{one}]"), format!("[{one},{one}]"), "[1]".to_owned()] {
        let answer = post(&body);
        assert_eq!(answer.refusal(), (400, -32600), "{body}");
        assert_eq!(answer.json().get("id"), None, "{body}");
    }
}

#[test]
fn parameters_are_an_object_or_absent() {
    for params in ["[]", r#""x""#, "5", "true"] {
        let answer = post(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{params}}}"#));
        assert_eq!((answer.refusal(), &answer.json()["id"]), ((400, -32602), &json!(1)), "{params}");
    }
    for body in [
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":null}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"more":1},"and":"more"}"#,
    ] {
        assert_eq!(post(body).result(), json!({}), "{body}");
    }
}
