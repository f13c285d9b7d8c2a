//! How outcomes become HTTP answers: one function a kind, each with its log line and its request id.

use std::time::Duration;

use bytes::Bytes;
use http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde::Serialize;

use super::parts::Parts;
use crate::auth::AuthRefusal;
use crate::profile::Endpoint;
use crate::protocol::era::Era;
use crate::protocol::jsonrpc::RequestId;
use crate::protocol::reply::{self, CacheHint};
use crate::protocol::rpc_error::{Refusal, RpcCode, RpcError};
use crate::telemetry::trace::REQUEST_ID;
use crate::telemetry::{Refused, Trace};
use crate::transport::{HttpAnswer, LastAnswer, LastWord};

/// When a caller may ask again whose call was cut short by a stop, in seconds.
const STOPPED_RETRY_S: u64 = 5;

/// What a caller can do about a fault of this program.
const UNEXPECTED: &str = "an unexpected error of the server; report the request id";

/// A result, or what is left to say when it cannot be written.
pub(super) fn result(
    mut trace: Trace,
    id: &RequestId,
    era: Era,
    cache: Option<CacheHint>,
    body: &impl Serialize,
) -> HttpAnswer {
    match encoded(id, era, cache, body) {
        Ok(bytes) => {
            trace.finish("ok", 0);
            with_id(&trace, HttpAnswer::ok(bytes))
        }
        Err(error) => refused(trace, id, era, &error),
    }
}

/// Writes a result; the error is a fault of this program.
pub(super) fn encoded(
    id: &RequestId,
    era: Era,
    cache: Option<CacheHint>,
    body: &impl Serialize,
) -> Result<Bytes, RpcError> {
    written(reply::encode(id, era, cache, body))
}

/// A result that is written, or what is left to say.
pub(super) fn written(bytes: Result<Bytes, serde_json::Error>) -> Result<Bytes, RpcError> {
    bytes.map_err(|error| {
        tracing::error!(%error, "a result could not be written");
        RpcError::new(RpcCode::Internal, UNEXPECTED)
    })
}

/// A request that was understood and is answered with an error.
pub(super) fn refused(mut trace: Trace, id: &RequestId, era: Era, error: &RpcError) -> HttpAnswer {
    trace.finish("rpc_error", 0);
    with_id(&trace, HttpAnswer::with_body(error.status(era), error.to_json(Some(id)).to_string()))
}

/// A message that gets no answer.
pub(super) fn acknowledged(mut trace: Trace) -> HttpAnswer {
    trace.asks("notification", "-");
    trace.finish("accepted", 0);
    with_id(&trace, HttpAnswer::empty(StatusCode::ACCEPTED))
}

/// A request that was not understood, or wants a method that there is not.
pub(super) fn not_taken(parts: &Parts, mut trace: Trace, refusal: &Refusal) -> HttpAnswer {
    let kind = match refusal.code() {
        RpcCode::MethodNotFound => Refused::UnknownMethod,
        _ => Refused::Unreadable,
    };
    trace.refuse(kind, &parts.refused_lines);
    with_id(&trace, HttpAnswer::with_body(refusal.status(), refusal.to_json().to_string()))
}

/// Credentials that are not accepted.
pub(super) fn unauthenticated(
    parts: &Parts,
    mut trace: Trace,
    refusal: AuthRefusal,
    endpoint: Endpoint,
) -> HttpAnswer {
    trace.refuse(Refused::Unauthenticated, &parts.refused_lines);
    let message = parts.challenges.message(refusal);
    let (error, wait) = match refusal {
        AuthRefusal::Unverifiable { retry_after } => {
            (RpcError::new(RpcCode::Internal, message), Some(retry_after))
        }
        _ => (RpcError::invalid_request(message), None),
    };
    let mut answer = HttpAnswer::with_body(refusal.status(), error.to_json(None).to_string());
    if let Some(challenge) = parts.challenges.header(refusal, endpoint) {
        answer.headers.insert(WWW_AUTHENTICATE, challenge);
    }
    if let Some(wait) = wait {
        answer.headers.insert(RETRY_AFTER, HeaderValue::from(wait.as_secs().max(1)));
    }
    with_id(&trace, answer)
}

/// An address that sends too much.
pub(super) fn flooded(parts: &Parts, mut trace: Trace, wait: Duration) -> HttpAnswer {
    trace.refuse(Refused::Flooded, &parts.refused_lines);
    let body =
        RpcError::invalid_request("too many requests from this address; wait for Retry-After").to_json(None);
    let mut answer = HttpAnswer::with_body(StatusCode::TOO_MANY_REQUESTS, body.to_string());
    answer.headers.insert(RETRY_AFTER, HeaderValue::from(wait.as_secs() + 1));
    with_id(&trace, answer)
}

/// What the transport sends when it cannot wait for the answer to this request, so that the client
/// learns which of its requests ended.
pub(super) fn last(trace: &Trace, id: RequestId) -> LastAnswer {
    let stopped = trace.stop_mark();
    Box::new(move |word| {
        let message = match word {
            LastWord::Stopping => {
                stopped.set();
                "the server is stopping; ask again"
            }
            LastWord::Failed => UNEXPECTED,
        };
        let error = RpcError::new(RpcCode::Internal, message);
        let body = error.to_json(Some(&id)).to_string();
        match word {
            LastWord::Stopping => {
                let mut answer = HttpAnswer::with_body(StatusCode::SERVICE_UNAVAILABLE, body);
                answer.headers.insert(RETRY_AFTER, HeaderValue::from(STOPPED_RETRY_S));
                answer
            }
            LastWord::Failed => HttpAnswer::with_body(StatusCode::INTERNAL_SERVER_ERROR, body),
        }
    })
}

/// A fault of this program, before anything is known of the request.
pub(super) fn failed(headers: HeaderMap) -> HttpAnswer {
    let body = RpcError::new(RpcCode::Internal, UNEXPECTED).to_json(None).to_string();
    HttpAnswer { headers, ..HttpAnswer::with_body(StatusCode::INTERNAL_SERVER_ERROR, body) }
}

/// The header fields of an answer that is still being worked out.
pub(super) fn id_header(trace: &Trace) -> HeaderMap {
    trace.header().map(|id| (HeaderName::from_static(REQUEST_ID), id)).into_iter().collect()
}

fn with_id(trace: &Trace, mut answer: HttpAnswer) -> HttpAnswer {
    answer.headers.extend(id_header(trace));
    answer
}
