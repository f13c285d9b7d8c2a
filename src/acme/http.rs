//! The way to the authority: https only, within a size and a time, and without being led elsewhere.
//!
//! Decides what counts as an answer of an authority, and remembers how long it wants to be left alone: whoever reads its
//! answers is told of no longer wait than is believed. Knows nothing of orders.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::header::{CONTENT_TYPE, RETRY_AFTER, USER_AGENT};
use http::{HeaderMap, Request, StatusCode};
use http_body::Body as _;
use instant_acme::{BodyWrapper, BytesResponse, Error, HttpClient};
use time::Duration;

use crate::fetch::Fetcher;

/// How long an authority may have this server wait between two questions of an order, in seconds.
const WAIT_MAX_S: i64 = 600;

/// Asks an authority; clones share what they heard.
#[derive(Clone, Debug)]
pub(super) struct Http {
    fetcher: Fetcher,
    retry_after: Arc<Mutex<Option<Duration>>>,
}

/// Why there is no answer of an authority.
#[derive(Debug)]
pub(super) struct NoAnswer(String);

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoAnswer {}

impl Http {
    pub(super) fn new(fetcher: Fetcher) -> Self {
        Self { fetcher, retry_after: Arc::default() }
    }

    /// How long the authority wanted to be left alone in its last answer that was none of success.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        *self.retry_after.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn ask(self, request: Request<BodyWrapper<Bytes>>) -> Result<BytesResponse, NoAnswer> {
        let (mut parts, mut body) = request.into_parts();
        // This program says who it is.
        parts.headers.remove(USER_AGENT);
        let host = parts.uri.host().unwrap_or_default().to_owned();
        if parts.uri.scheme_str() != Some("https") {
            return Err(NoAnswer(format!("the authority named an address without TLS, at {host}")));
        }
        let frame = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await;
        let bytes = frame.and_then(Result::ok).and_then(|frame| frame.into_data().ok()).unwrap_or_default();
        let answer = self.fetcher.exchange(Request::from_parts(parts, bytes)).await;
        let answer = answer.map_err(|error| NoAnswer(format!("{host} cannot be asked: {}", error.reason)))?;
        let (mut parts, body) = answer.into_parts();
        let wanted = wait(&parts.headers);
        parts.headers.remove(RETRY_AFTER);
        if let Some(wait) = wanted {
            parts.headers.insert(RETRY_AFTER, wait.whole_seconds().min(WAIT_MAX_S).into());
        }
        if !parts.status.is_success() {
            *self.retry_after.lock().unwrap_or_else(PoisonError::into_inner) = wanted;
            if !is_problem(&parts.headers) {
                let limited = if parts.status == StatusCode::TOO_MANY_REQUESTS { " (too often)" } else { "" };
                return Err(NoAnswer(format!("{host} answered HTTP {}{limited}", parts.status.as_u16())));
            }
        }
        Ok(BytesResponse { parts, body: Box::new(body) })
    }
}

impl HttpClient for Http {
    fn request(
        &self,
        request: Request<BodyWrapper<Bytes>>,
    ) -> Pin<Box<dyn Future<Output = Result<BytesResponse, Error>> + Send>> {
        let asking = self.clone().ask(request);
        Box::pin(async { asking.await.map_err(|error| Error::Other(Box::new(error))) })
    }
}

/// Whether it is the authority that speaks, and not a machine before it.
fn is_problem(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.starts_with("application/problem+json")
}

/// Seconds; a date is passed over, since waiting has a least and a most anyway.
pub(super) fn wait(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?;
    text.trim().parse().ok().map(|seconds: u32| Duration::seconds(seconds.into()))
}
