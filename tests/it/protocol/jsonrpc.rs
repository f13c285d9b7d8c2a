//! Messages, ids and their echoes.

use serde_json::json;

use crate::harness::{Demo, JSON};

/// Sends text as a client that never negotiated anything.
fn post(body: &str) -> crate::harness::Answer {
    Demo::shared().post(&[JSON, ("accept", "application/json, text/event-stream")], body)
}

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
        assert_eq!(answer.json()["result"], json!({}));
    }
}
