//! What operators read on their own socket: metrics, the last hour as figures, and the page that draws them.
//!
//! Decides who may read there, which paths there are and what is kept of the past. It must never know a token, a
//! subject, an address of a caller or what anybody asked for; everything it tells has closed labels.

mod guard;
mod page;
mod ring;
pub mod series;

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::request::Parts;
use http::{HeaderName, Method, Response, StatusCode};
use tokio::time::MissedTickBehavior;

pub use self::guard::Names;
use self::ring::STEP;
pub use self::ring::{Ring, STEP_S};
pub use self::series::{FamilyPulse, Gauges, Known, Pulse, State};
use crate::clock::Clock;
use crate::telemetry::Metric;
use crate::telemetry::exposition::{self, Sample};
use crate::transport::PlainPages;

/// A page that loads, runs and asks only what this socket has.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const JSON: &str = "application/json";
const TEXT: &str = "text/plain; charset=utf-8";

/// Where figures come from.
pub trait Source: Send + Sync + 'static {
    /// What does not change while the server runs.
    fn known(&self) -> Known;

    /// Every value of a metric.
    fn samples(&self, metric: Metric) -> Vec<Sample>;

    /// What the counts have come to.
    fn pulse(&self) -> Pulse;

    /// How things stand now.
    fn gauges(&self) -> Gauges;
}

/// Everything that operators can read.
#[derive(Debug)]
pub struct Operator<S> {
    source: S,
    known: Known,
    names: Names,
    ring: Mutex<Ring>,
    clock: Clock,
}

impl<S: Source> Operator<S> {
    /// One that reads from `source` and answers to `names`. The hour begins now.
    pub fn new(source: S, names: Names, clock: Clock) -> Self {
        let known = source.known();
        let ring = Mutex::new(Ring::new(source.pulse()));
        Self { source, known, names, ring, clock }
    }

    /// Looks at the counts once.
    pub fn look(&self) {
        let (pulse, now) = (self.source.pulse(), self.clock.utc().unix_timestamp());
        self.ring.lock().unwrap_or_else(PoisonError::into_inner).push(pulse, now);
    }

    /// Looks at the counts for as long as the server runs. Never ends.
    pub async fn by_itself(self: Arc<Self>) {
        let mut steps = tokio::time::interval(STEP);
        // A machine that slept has one long step behind it, and not many that are empty.
        steps.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // The first one is over at once.
        steps.tick().await;
        loop {
            steps.tick().await;
            self.look();
        }
    }

    fn series(&self, after: Option<i64>) -> Bytes {
        let now = self.clock.utc().unix_timestamp();
        let gauges = self.source.gauges();
        let ring = self.ring.lock().unwrap_or_else(PoisonError::into_inner);
        series::document(&self.known, &ring, &gauges, now, after)
    }

    fn metrics(&self) -> Bytes {
        exposition::text(|metric| self.source.samples(metric)).into()
    }

    fn get(&self, request: &Parts) -> Response<Bytes> {
        match request.uri.path() {
            "/metrics" => answer(StatusCode::OK, exposition::CONTENT_TYPE, self.metrics()),
            "/series" => match after(request.uri.query()) {
                Ok(after) => answer(StatusCode::OK, JSON, self.series(after)),
                Err(why) => answer(StatusCode::BAD_REQUEST, TEXT, why),
            },
            "/healthz" => answer(StatusCode::OK, JSON, "{\"status\":\"ok\"}"),
            path => match page::file(path) {
                Some(file) => answer(StatusCode::OK, file.content_type, Bytes::from_static(file.bytes)),
                None => answer(
                    StatusCode::NOT_FOUND,
                    TEXT,
                    "There is nothing at this path; there are /, /metrics, /series and /healthz.\n",
                ),
            },
        }
    }
}

impl<S: Source> PlainPages for Operator<S> {
    fn answer(&self, request: &Parts) -> Response<Bytes> {
        let mut response = match self.names.check(request) {
            Err(why) => answer(why.status(), TEXT, why.message()),
            Ok(()) if request.method == Method::GET || request.method == Method::HEAD => self.get(request),
            Ok(()) => {
                let mut refused = answer(
                    StatusCode::METHOD_NOT_ALLOWED,
                    TEXT,
                    "Here is nothing but reading: GET and HEAD.\n",
                );
                refused.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
                refused
            }
        };
        let headers = response.headers_mut();
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        // No page of another origin may hold what is here, whatever it takes it for.
        let same = HeaderValue::from_static("same-origin");
        headers.insert(HeaderName::from_static("cross-origin-resource-policy"), same);
        response
    }
}

fn answer(status: StatusCode, content_type: &'static str, body: impl Into<Bytes>) -> Response<Bytes> {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

/// The moment after which figures are wanted; `None` for all of them.
fn after(query: Option<&str>) -> Result<Option<i64>, &'static str> {
    const WRONG: &str = "The only parameter of /series is after, a time in whole seconds since 1970.\n";
    match query {
        None | Some("") => Ok(None),
        Some(query) => {
            let digits = query.strip_prefix("after=").ok_or(WRONG)?;
            digits.parse().map(Some).map_err(|_| WRONG)
        }
    }
}

#[cfg(test)]
mod tests;
