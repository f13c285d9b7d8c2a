//! MCP over HTTP as pure functions: bytes in, a typed message out, and back.
//!
//! Decides whether a body and its headers are a valid message of one of the supported revisions, and
//! what the reply looks like on the wire. It must never know what a tool does, who is calling, or
//! what time it is.

pub mod content_type;
pub mod era;
pub mod headers;
pub mod jsonrpc;
pub mod method;
pub mod reply;
pub mod rpc_error;
pub mod strict_json;

use http::HeaderMap;
use serde_json::Value;

use self::era::Era;
use self::jsonrpc::{Message, RequestId};
use self::method::Method;
use self::rpc_error::{Refusal, RpcError};

/// What a client sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Incoming {
    /// Something that gets no answer but an acknowledgement.
    Acknowledge,
    /// A request that gets one answer.
    Request(Request),
}

/// A request whose form, revision and headers agree.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The id to echo, exactly as it came.
    pub id: RequestId,
    /// The revision it is written in.
    pub era: Era,
    /// What is asked for.
    pub method: Method,
}

/// Reads one POST body with its headers.
///
/// # Errors
/// Everything that is not a valid message, with the HTTP status and the JSON-RPC error to answer.
pub fn receive(headers: &HeaderMap, body: &[u8]) -> Result<Incoming, Refusal> {
    content_type::check(headers)?;
    match jsonrpc::parse(body)? {
        Message::Notification | Message::Response => {
            era::check_header_alone(headers)
                .map_err(|error| Refusal::new(None, Era::LATEST_LEGACY, error))?;
            Ok(Incoming::Acknowledge)
        }
        Message::Request { id, method, params } => {
            let era = era::of(headers, &method, &params)
                .map_err(|(era, error)| Refusal::new(Some(id.clone()), era, error))?;
            understand(headers, era, &method, params)
                .map(|method| Incoming::Request(Request { id: id.clone(), era, method }))
                .map_err(|error| Refusal::new(Some(id), era, error))
        }
    }
}

fn understand(headers: &HeaderMap, era: Era, name: &str, params: Value) -> Result<Method, RpcError> {
    if era == Era::Modern {
        headers::check_routing(headers, name, &params)?;
    }
    Method::parse(era, name, params)
}
