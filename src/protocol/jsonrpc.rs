//! JSON-RPC 2.0: one message a body, ids kept exactly.

use serde::Serialize;
use serde_json::{Map, Number, Value};

use super::era::Era;
use super::rpc_error::{Refusal, RpcCode, RpcError};
use super::strict_json;

/// A request's id: a string or an integer, echoed exactly as it came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum RequestId {
    /// Any string, the empty one included.
    Text(String),
    /// A whole number that fits 64 bits, signed or not.
    Integer(Number),
}

impl RequestId {
    fn parse(value: Value) -> Option<Self> {
        match value {
            Value::String(text) => Some(Self::Text(text)),
            Value::Number(number) if number.is_i64() || number.is_u64() => Some(Self::Integer(number)),
            _ => None,
        }
    }
}

/// One message of a client.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// A method without an id.
    Notification,
    /// An answer to something that this server never asked.
    Response,
    /// A method with an id.
    Request {
        /// The id.
        id: RequestId,
        /// The method's name.
        method: String,
        /// The parameters: always an object, empty when there were none.
        params: Value,
    },
}

/// Reads one message.
///
/// # Errors
/// 400 with -32700 when the body is not JSON, 400 with -32600 when it is not one JSON-RPC message or any object in
/// it names a key twice.
pub fn parse(body: &[u8]) -> Result<Message, Refusal> {
    let json = strict_json::parse(body)
        .map_err(|fault| refuse(None, RpcError::new(RpcCode::Parse, format!("the body {fault}"))))?;
    let mut object = match json.value {
        Value::Object(object) => object,
        Value::Array(_) => {
            return Err(refuse(
                None,
                RpcError::invalid_request("batches are not served; send one message a request"),
            ));
        }
        _ => return Err(refuse(None, RpcError::invalid_request("the body must be a JSON-RPC object"))),
    };
    if json.repeats_a_key {
        // An id that itself comes twice was read as null, which is none.
        let id = object.remove("id").and_then(RequestId::parse);
        return Err(refuse(id, RpcError::invalid_request("an object names a key twice")));
    }
    let id = match object.remove("id") {
        None => None,
        Some(value) => Some(RequestId::parse(value).ok_or_else(|| {
            refuse(None, RpcError::invalid_request("id must be a string or an integer of at most 64 bits"))
        })?),
    };
    if object.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(refuse(id, RpcError::invalid_request("jsonrpc must be \"2.0\"")));
    }
    let answers = ["result", "error"].into_iter().filter(|member| object.contains_key(*member)).count();
    if answers > 1 {
        return Err(refuse(id, RpcError::invalid_request("a response has a result or an error, not both")));
    }
    if answers > 0 && object.contains_key("method") {
        return Err(refuse(
            id,
            RpcError::invalid_request("a message with a method has no result and no error"),
        ));
    }
    let method = match object.remove("method") {
        Some(Value::String(method)) => method,
        Some(_) => return Err(refuse(id, RpcError::invalid_request("method must be a string"))),
        None if answers > 0 => return Ok(Message::Response),
        None => return Err(refuse(id, RpcError::invalid_request("method is missing"))),
    };
    let params = match object.remove("params") {
        None | Some(Value::Null) => Value::Object(Map::new()),
        Some(params @ Value::Object(_)) => params,
        Some(_) => {
            return Err(refuse(id, RpcError::invalid_params("params must be an object").malformed()));
        }
    };
    Ok(match id {
        Some(id) => Message::Request { id, method, params },
        None => Message::Notification,
    })
}

fn refuse(id: Option<RequestId>, error: RpcError) -> Refusal {
    // The revision is not known yet; these errors have the same status in all of them.
    Refusal::new(id, Era::LATEST_LEGACY, error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn code_of(body: &str) -> Option<(i32, u16)> {
        parse(body.as_bytes()).err().map(|refusal| (refusal.code().number(), refusal.status().as_u16()))
    }

    #[test]
    fn ids_come_back_as_they_were_sent() {
        for id in
            ["\"1\"", "0", "-1", "\"\"", "\"ä\\u0000\"", "-7", "9007199254740993", "18446744073709551615"]
        {
            let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            let Ok(Message::Request { id: parsed, .. }) = parse(body.as_bytes()) else { panic!("{id}") };
            assert_eq!(serde_json::to_string(&parsed).unwrap(), id);
        }
    }

    #[test]
    fn ids_that_cannot_be_echoed_are_refused_without_an_id() {
        for id in ["null", "1.5", "1e3", "true", "{}", "[]", "99999999999999999999999"] {
            let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            assert_eq!(code_of(&body), Some((-32600, 400)), "{id}");
            let refusal = parse(body.as_bytes()).unwrap_err();
            assert!(refusal.to_json().get("id").is_none());
        }
    }

    #[test]
    fn what_is_not_one_message_is_refused() {
        assert_eq!(code_of("{"), Some((-32700, 400)));
        assert_eq!(code_of(""), Some((-32700, 400)));
        assert_eq!(code_of("[]"), Some((-32600, 400)));
        assert_eq!(code_of(r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#), Some((-32600, 400)));
        assert_eq!(code_of("5"), Some((-32600, 400)));
        assert_eq!(code_of(r#"{"id":1,"method":"ping"}"#), Some((-32600, 400)));
        assert_eq!(code_of(r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#), Some((-32600, 400)));
        assert_eq!(code_of(r#"{"jsonrpc":"2.0","id":1,"method":5}"#), Some((-32600, 400)));
        assert_eq!(code_of(r#"{"jsonrpc":"2.0","id":1}"#), Some((-32600, 400)));
        assert_eq!(code_of(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#), Some((-32602, 400)));
        assert_eq!(code_of(&"[".repeat(100_000)), Some((-32700, 400)));
    }

    #[test]
    fn a_key_that_comes_twice_is_refused_with_the_id_where_that_is_known() {
        let twice = |body: &str| {
            let refusal = parse(body.as_bytes()).unwrap_err();
            assert_eq!((refusal.code().number(), refusal.status().as_u16()), (-32600, 400), "{body}");
            let json = refusal.to_json();
            assert_eq!(json["error"]["message"], "an object names a key twice", "{body}");
            json.get("id").cloned()
        };
        let call = r#"{"jsonrpc":"2.0","id":"x","method":"tools/call","params":"#;
        for params in [
            r#"{"name":"a","arguments":{"discogs_id":"45","discogs_id":"3543"}}"#,
            r#"{"name":"a","name":"a"}"#,
            r#"{"_meta":{"a":{"b":1,"b":1}}}"#,
        ] {
            assert_eq!(twice(&format!("{call}{params}}}")), Some(json!("x")), "{params}");
        }
        assert_eq!(
            twice(r#"{"method":"ping","method":"tools/list","jsonrpc":"2.0","id":7}"#),
            Some(json!(7))
        );
        assert_eq!(twice(r#"{"jsonrpc":"2.0","id":7,"id":7,"method":"ping"}"#), None);
        assert_eq!(twice(r#"{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}"#), None);
        assert_eq!(twice(r#"{"jsonrpc":"2.0","method":"notifications/x","method":"notifications/y"}"#), None);
    }

    #[test]
    fn a_message_is_either_asked_or_answered() {
        for body in [
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","error":{"code":1,"message":"x"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","error":null}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}"#,
        ] {
            assert_eq!(code_of(body), Some((-32600, 400)), "{body}");
            assert_eq!(parse(body.as_bytes()).unwrap_err().to_json()["id"], 1, "{body}");
        }
        assert_eq!(
            code_of(r#"{"jsonrpc":"2.0","method":"notifications/x","result":{}}"#),
            Some((-32600, 400))
        );
    }

    #[test]
    fn what_is_not_json_says_why() {
        let why = |body: &str| parse(body.as_bytes()).unwrap_err().to_json()["error"]["message"].clone();
        assert_eq!(why("{"), "the body is not valid JSON");
        assert_eq!(why(&"[".repeat(100_000)), "the body is nested too deep");
        assert_eq!(why(r#"{"id":1e999}"#), "the body holds a number that is out of range");
    }

    #[test]
    fn notifications_and_stray_responses_are_told_apart_from_requests() {
        let is = |body: Value| parse(body.to_string().as_bytes()).unwrap();
        assert_eq!(is(json!({"jsonrpc":"2.0","method":"notifications/initialized"})), Message::Notification);
        assert_eq!(
            is(json!({"jsonrpc":"2.0","method":"notifications/x","params":{}})),
            Message::Notification
        );
        assert_eq!(is(json!({"jsonrpc":"2.0","id":9,"result":{}})), Message::Response);
    }
}
