//! The identity of one request and its one log line.

use std::time::Instant;

use http::HeaderValue;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use uuid::{NoContext, Timestamp, Uuid};

use crate::clock::Clock;

/// The header that carries the request id.
pub const REQUEST_ID: &str = "x-request-id";

/// One request, from its first byte read to its answer.
#[derive(Clone, Debug)]
pub struct Trace {
    id: Uuid,
    began: Instant,
    at: OffsetDateTime,
}

impl Trace {
    /// Starts now.
    #[must_use]
    pub fn start(clock: &Clock) -> Self {
        let at = clock.utc();
        // Before 1970 there are no UUIDv7; such a clock is wrong anyway, and ids stay unique.
        let seconds = u64::try_from(at.unix_timestamp()).unwrap_or_default();
        Self {
            id: Uuid::new_v7(Timestamp::from_unix(NoContext, seconds, at.nanosecond())),
            began: clock.monotonic(),
            at,
        }
    }

    /// The request id, a UUIDv7.
    #[must_use]
    pub fn id(&self) -> String {
        self.id.to_string()
    }

    /// When it came in, in UTC, to the second.
    #[must_use]
    pub fn at(&self) -> String {
        self.at.replace_nanosecond(0).unwrap_or(self.at).format(&Rfc3339).unwrap_or_default()
    }

    /// The id as a header.
    #[must_use]
    pub fn header(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(&self.id()).ok()
    }

    /// Writes the line of a finished request. Every word is of a closed set.
    pub fn finished(
        &self,
        clock: &Clock,
        method: &'static str,
        tool: &'static str,
        outcome: &'static str,
        units: u32,
    ) {
        let took_us = clock.monotonic().duration_since(self.began).as_micros();
        let took_us = u64::try_from(took_us).unwrap_or(u64::MAX);
        tracing::info!(request_id = %self.id, method, tool, outcome, units, took_us, "call");
    }
}
