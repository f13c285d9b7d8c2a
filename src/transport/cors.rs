//! The CORS fields that every answer carries, refusals and 404 included, and the preflight answer.
//!
//! Every origin may read what it may ask for; who may ask is decided by the guard alone, so that a
//! preflight and its request can never disagree. Credentials are never allowed: tokens travel in a
//! header that the page itself must set.

use bytes::Bytes;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ALLOW, HeaderValue,
};
use http::{HeaderMap, Response, StatusCode};

/// What a path answers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Methods {
    /// An endpoint.
    Post,
    /// A page, or nothing: a probe for a missing page must get as far as its 404.
    Get,
    /// A page with a form, or an address for clients.
    GetAndPost,
}

const REQUEST_FIELDS: &str = "authorization, content-type, accept, mcp-protocol-version, mcp-session-id, \
                              last-event-id, mcp-method, mcp-name";
const ANSWER_FIELDS: &str = "www-authenticate, retry-after, x-request-id, mcp-protocol-version";
const PREFLIGHT_LIFETIME_S: &str = "7200";

/// Puts the common fields on an answer.
pub(super) fn dress(headers: &mut HeaderMap) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(ANSWER_FIELDS));
}

/// The answer to OPTIONS, with or without the fields of a preflight.
pub(super) fn preflight<B: From<Bytes>>(methods: Methods) -> Response<B> {
    let methods = HeaderValue::from_static(match methods {
        Methods::Post => "POST, OPTIONS",
        Methods::Get => "GET, HEAD, OPTIONS",
        Methods::GetAndPost => "GET, HEAD, POST, OPTIONS",
    });
    let mut response = Response::new(B::from(Bytes::new()));
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(ALLOW, methods.clone());
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, methods);
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(REQUEST_FIELDS));
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(PREFLIGHT_LIFETIME_S));
    response
}
