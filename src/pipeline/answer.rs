//! How outcomes become HTTP answers: one function a kind, each with its log line.

use std::time::Duration;

use bytes::Bytes;
use http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, StatusCode};
use serde::Serialize;

use super::parts::Parts;
use crate::auth::AuthRefusal;
use crate::protocol::era::Era;
use crate::protocol::jsonrpc::RequestId;
use crate::protocol::reply::{self, CacheHint};
use crate::protocol::rpc_error::{Refusal, RpcCode, RpcError};
use crate::telemetry::Trace;
use crate::telemetry::trace::REQUEST_ID;
use crate::transport::HttpAnswer;

/// A result, or what is left to say when it cannot be written.
pub(super) fn result(
    parts: &Parts,
    trace: &Trace,
    method: &'static str,
    id: &RequestId,
    era: Era,
    cache: Option<CacheHint>,
    body: &impl Serialize,
) -> HttpAnswer {
    match encoded(id, era, cache, body) {
        Ok(bytes) => {
            trace.finished(&parts.clock, method, "-", "ok", 0);
            with_id(trace, HttpAnswer::ok(bytes))
        }
        Err(error) => refused(parts, trace, method, id, era, &error),
    }
}

/// Writes a result; the error is a fault of this program.
pub(super) fn encoded(
    id: &RequestId,
    era: Era,
    cache: Option<CacheHint>,
    body: &impl Serialize,
) -> Result<Bytes, RpcError> {
    reply::encode(id, era, cache, body).map_err(|error| {
        tracing::error!(%error, "a result could not be written");
        RpcError::new(RpcCode::Internal, "an unexpected error of the server; report the request id")
    })
}

/// A request that was understood and is answered with an error.
pub(super) fn refused(
    parts: &Parts,
    trace: &Trace,
    method: &'static str,
    id: &RequestId,
    era: Era,
    error: &RpcError,
) -> HttpAnswer {
    trace.finished(&parts.clock, method, "-", "rpc_error", 0);
    with_id(trace, HttpAnswer::with_body(error.status(era), error.to_json(Some(id)).to_string()))
}

/// A request that was not understood.
pub(super) fn unreadable(parts: &Parts, trace: &Trace, refusal: &Refusal) -> HttpAnswer {
    trace.finished(&parts.clock, "-", "-", "unreadable", 0);
    with_id(trace, HttpAnswer::with_body(refusal.status(), refusal.to_json().to_string()))
}

/// Credentials that are not accepted.
pub(super) fn unauthenticated(parts: &Parts, trace: &Trace, refusal: AuthRefusal) -> HttpAnswer {
    trace.finished(&parts.clock, "-", "-", "unauthenticated", 0);
    let body = RpcError::invalid_request(refusal.message()).to_json(None).to_string();
    let mut answer = HttpAnswer::with_body(refusal.status(), body);
    if let Some(challenge) = refusal.challenge() {
        answer.headers.insert(WWW_AUTHENTICATE, challenge);
    }
    with_id(trace, answer)
}

/// An address that sends too much.
pub(super) fn flooded(parts: &Parts, trace: &Trace, wait: Duration) -> HttpAnswer {
    trace.finished(&parts.clock, "-", "-", "flooded", 0);
    let body =
        RpcError::invalid_request("too many requests from this address; wait for Retry-After").to_json(None);
    let mut answer = HttpAnswer::with_body(StatusCode::TOO_MANY_REQUESTS, body.to_string());
    answer.headers.insert(RETRY_AFTER, HeaderValue::from(wait.as_secs() + 1));
    with_id(trace, answer)
}

pub(super) fn with_id(trace: &Trace, mut answer: HttpAnswer) -> HttpAnswer {
    if let Some(id) = trace.header() {
        answer.headers.insert(HeaderName::from_static(REQUEST_ID), id);
    }
    answer
}
