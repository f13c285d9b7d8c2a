//! A body is one message, or is refused in so many words; nothing of it is read that another reader would read
//! differently.

use http::{HeaderMap, HeaderValue};
use ono_sendai::prompts;
use ono_sendai::protocol::era::Era;
use ono_sendai::protocol::jsonrpc::{self, Message, RequestId};
use ono_sendai::protocol::method::Method;
use ono_sendai::protocol::reply::{self, CacheHint};
use ono_sendai::protocol::rpc_error::{Refusal, RpcCode};
use ono_sendai::protocol::strict_json;
use serde_json::{Value, json};

/// Runs one input.
pub fn run(data: &[u8]) {
    strict(data);
    let read = jsonrpc::parse(data);
    assert_eq!(read, jsonrpc::parse(data));
    match &read {
        Ok(Message::Request { id, method, params }) => {
            assert!(params.is_object());
            let told: Value = serde_json::from_slice(data).expect("a message is JSON");
            assert_eq!(told["id"], json!(id), "the id comes back as it was sent");
            assert_eq!(told["method"], method.as_str());
            assert!(told.get("result").is_none() && told.get("error").is_none());
            for era in Era::ALL {
                served(id, era, method, params);
            }
        }
        Ok(Message::Notification) => {
            let told: Value = serde_json::from_slice(data).expect("a message is JSON");
            assert!(told.get("id").is_none() && told["method"].is_string());
        }
        Ok(Message::Response) => {
            let told: Value = serde_json::from_slice(data).expect("a message is JSON");
            assert!(told.get("method").is_none());
        }
        Err(refusal) => assert_refusal(refusal),
    }
    let mut headers = HeaderMap::new();
    assert!(ono_sendai::protocol::receive(&headers, data).is_err(), "a body without a type");
    headers.insert("content-type", HeaderValue::from_static("application/json"));
    let received = ono_sendai::protocol::receive(&headers, data);
    assert!(read.is_ok() || received.is_err(), "refused, and received all the same");
}

/// What is JSON here is JSON everywhere; where no key comes twice, it is the same JSON.
fn strict(data: &[u8]) {
    let (ours, theirs) = (strict_json::parse(data), serde_json::from_slice::<Value>(data));
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => {
            if !ours.repeats_a_key {
                assert_eq!(ours.value, theirs);
                let written = ours.value.to_string();
                let again = strict_json::parse(written.as_bytes()).expect("what was written");
                assert!(!again.repeats_a_key && again.value == ours.value, "read again");
            }
        }
        (Err(_), Err(_)) => {}
        (ours, theirs) => panic!("{ours:?} and {theirs:?}"),
    }
}

/// Holds a refusal to the table of codes; nothing of the body is in its words.
pub fn assert_refusal(refusal: &Refusal) {
    assert!(RpcCode::ALL.contains(&refusal.code()) && refusal.code() != RpcCode::Internal, "{refusal:?}");
    assert!(refusal.status().is_client_error() || refusal.status().is_success(), "{refusal:?}");
    let json = refusal.to_json();
    assert_eq!((&json["jsonrpc"], &json["error"]["code"]), (&json!("2.0"), &json!(refusal.code().number())));
    let message = json["error"]["message"].as_str().expect("a message");
    assert!(!message.is_empty() && message.len() < 300 && message.is_ascii(), "{message}");
}

/// Reads the method in every revision, and writes what can be told of it.
fn served(id: &RequestId, era: Era, name: &str, params: &Value) {
    let body = match Method::parse(era, name, params.clone()) {
        Ok(method) => {
            assert_eq!(method.name(), name);
            match method {
                Method::PromptsGet { name, arguments } => match prompts::get(&name, &arguments) {
                    Ok(body) => body,
                    Err(error) => {
                        assert_eq!(error.code(), RpcCode::InvalidParams);
                        return;
                    }
                },
                Method::Complete { prompt, argument, typed } => {
                    prompts::complete(prompt.as_deref(), &argument, &typed)
                }
                Method::Initialize(version) => {
                    assert!(Era::ALL.contains(&Era::Legacy(version)));
                    reply::initialize(Era::Legacy(version), "")
                }
                Method::ToolsCall { arguments, .. } => {
                    assert!(!arguments.is_null(), "no arguments are empty ones");
                    return;
                }
                _ => json!({}),
            }
        }
        Err(error) => {
            assert!(matches!(error.code(), RpcCode::MethodNotFound | RpcCode::InvalidParams), "{error:?}");
            return;
        }
    };
    let cache = name.len().is_multiple_of(2).then_some(CacheHint { ttl_ms: 300_000 });
    let written = reply::encode(id, era, cache, &body).expect("an object");
    let read: Value = serde_json::from_slice(&written).expect("what is sent is JSON");
    assert_eq!((&read["jsonrpc"], &read["id"]), (&json!("2.0"), &json!(id)));
    assert_eq!(read["result"].get("resultType").is_some(), era == Era::Modern);
    assert_eq!(read["result"].get("ttlMs").is_some(), era == Era::Modern && cache.is_some());
}
