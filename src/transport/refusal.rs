//! How the transport says no: a JSON-RPC error without an id, in the form that all of them have.
//!
//! It knows statuses and words; it never repeats anything the caller sent.

use bytes::Bytes;
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use http::{Response, StatusCode};

use crate::protocol::rpc_error::{RpcCode, RpcError};

/// JSON, as the transport labels it.
pub(super) const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// A final answer of the transport itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    HeadersTooLarge,
    HostMissing,
    HostUnknown,
    OriginRefused,
    NotFound,
    PostOnly,
    GetOnly,
    NotAcceptable,
    BodyTooLarge,
    BodyTooSlow,
    BodyBroken,
    Crowded,
    Stopping,
    Failed,
}

impl Refusal {
    pub(super) fn status(self) -> StatusCode {
        match self {
            Self::HeadersTooLarge => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Self::HostMissing | Self::BodyBroken => StatusCode::BAD_REQUEST,
            Self::HostUnknown => StatusCode::MISDIRECTED_REQUEST,
            Self::OriginRefused => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::PostOnly | Self::GetOnly => StatusCode::METHOD_NOT_ALLOWED,
            Self::NotAcceptable => StatusCode::NOT_ACCEPTABLE,
            Self::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::BodyTooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::Crowded | Self::Stopping => StatusCode::SERVICE_UNAVAILABLE,
            Self::Failed => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn message(self) -> &'static str {
        match self {
            Self::HeadersTooLarge => "The header fields of the request are larger than this server takes.",
            Self::HostMissing => "The request must name its host exactly once.",
            Self::HostUnknown => "This server does not answer for the host that the request names.",
            Self::OriginRefused => "Requests from this origin are not allowed.",
            Self::NotFound => "There is nothing at this path.",
            Self::PostOnly => "This endpoint answers POST only.",
            Self::GetOnly => "This page answers GET and HEAD only.",
            Self::NotAcceptable => {
                "Answers are application/json or text/event-stream; the Accept header admits neither."
            }
            Self::BodyTooLarge => "The request body is larger than this server takes.",
            Self::BodyTooSlow => "The request body did not arrive in time.",
            Self::BodyBroken => "The request body could not be read to its end.",
            Self::Crowded => "Too many large request bodies are arriving; ask again.",
            Self::Stopping => "The server is stopping; ask again.",
            Self::Failed => "The server failed to answer; this is its own mistake.",
        }
    }

    fn json(self) -> Bytes {
        let code = match self {
            Self::Crowded | Self::Stopping | Self::Failed => RpcCode::Internal,
            _ => RpcCode::InvalidRequest,
        };
        Bytes::from(RpcError::new(code, self.message()).to_json(None).to_string())
    }

    pub(super) fn response<B: From<Bytes>>(self) -> Response<B> {
        let mut response = Response::new(B::from(self.json()));
        *response.status_mut() = self.status();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, JSON);
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        match self {
            Self::PostOnly => {
                headers.insert(ALLOW, HeaderValue::from_static("POST"));
            }
            Self::GetOnly => {
                headers.insert(ALLOW, HeaderValue::from_static("GET, HEAD, OPTIONS"));
            }
            Self::Crowded | Self::Stopping => {
                headers.insert(RETRY_AFTER, HeaderValue::from_static("5"));
            }
            _ => {}
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::Refusal;

    #[test]
    fn every_refusal_is_a_json_rpc_error_without_an_id() {
        for refusal in [
            Refusal::HeadersTooLarge,
            Refusal::HostMissing,
            Refusal::HostUnknown,
            Refusal::OriginRefused,
            Refusal::NotFound,
            Refusal::PostOnly,
            Refusal::GetOnly,
            Refusal::NotAcceptable,
            Refusal::BodyTooLarge,
            Refusal::BodyTooSlow,
            Refusal::BodyBroken,
            Refusal::Crowded,
            Refusal::Stopping,
            Refusal::Failed,
        ] {
            let json: serde_json::Value = serde_json::from_slice(&refusal.json()).unwrap();
            assert_eq!(json["jsonrpc"], "2.0");
            assert!(json["error"]["code"].is_i64() && json["error"]["message"].is_string());
            assert_eq!(json.get("id"), None);
        }
    }
}
