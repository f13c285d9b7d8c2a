//! JSON-RPC 2.0: one message a body, ids kept exactly.

use serde::Serialize;
use serde_json::{Map, Number, Value};

use super::era::Era;
use super::rpc_error::{Refusal, RpcCode, RpcError};

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
/// 400 with -32700 when the body is not JSON, 400 with -32600 when it is not one JSON-RPC message.
pub fn parse(body: &[u8]) -> Result<Message, Refusal> {
    let value: Value = serde_json::from_slice(body)
        .map_err(|_| refuse(None, RpcError::new(RpcCode::Parse, "the body is not valid JSON")))?;
    let mut object = match value {
        Value::Object(object) => object,
        Value::Array(_) => {
            return Err(refuse(
                None,
                RpcError::invalid_request("batches are not served; send one message a request"),
            ));
        }
        _ => return Err(refuse(None, RpcError::invalid_request("the body must be a JSON-RPC object"))),
    };
    let id = match object.remove("id") {
        None => None,
        Some(value) => Some(RequestId::parse(value).ok_or_else(|| {
            refuse(None, RpcError::invalid_request("id must be a string or an integer of at most 64 bits"))
        })?),
    };
    if object.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(refuse(id, RpcError::invalid_request("jsonrpc must be \"2.0\"")));
    }
    let method = match object.remove("method") {
        Some(Value::String(method)) => method,
        Some(_) => return Err(refuse(id, RpcError::invalid_request("method must be a string"))),
        None if object.contains_key("result") || object.contains_key("error") => {
            return Ok(Message::Response);
        }
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
