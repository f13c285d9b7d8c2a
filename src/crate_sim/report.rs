//! What a simulator has seen: how much at once, how much within a minute, what and how often.
//!
//! Counts every request with the right key, also those that were refused, so that a client which keeps to its plan
//! can be told from one that is only held back.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use http::Version;
use serde_json::{Value, json};

use super::family::Family;
use crate::clock::Clock;

const MINUTE: Duration = Duration::from_secs(60);
/// How many different requests are told apart.
const TARGETS_MOST: usize = 10_000;

/// A running count; clones share it.
#[derive(Clone, Debug)]
pub(super) struct Report {
    clock: Clock,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Debug, Default)]
struct Seen {
    requests: u64,
    in_flight: u32,
    greatest_in_flight: u32,
    minute: VecDeque<Instant>,
    greatest_per_minute: usize,
    statuses: BTreeMap<String, u64>,
    families: BTreeMap<&'static str, u64>,
    targets: BTreeMap<String, u64>,
    versions: BTreeMap<String, u64>,
}

/// A request that is being answered, until it is dropped.
#[derive(Debug)]
pub(super) struct Open(Arc<Mutex<Seen>>);

impl Drop for Open {
    fn drop(&mut self) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.in_flight = seen.in_flight.saturating_sub(1);
    }
}

impl Report {
    pub(super) fn new(clock: Clock) -> Self {
        Self { clock, seen: Arc::default() }
    }

    /// A request has come in; `target` is its method, path and query, `version` that of HTTP.
    pub(super) fn came(&self, family: Family, target: String, version: Version) -> Open {
        let now = self.clock.monotonic();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.requests += 1;
        seen.in_flight += 1;
        seen.greatest_in_flight = seen.greatest_in_flight.max(seen.in_flight);
        while seen.minute.front().is_some_and(|first| now.saturating_duration_since(*first) >= MINUTE) {
            seen.minute.pop_front();
        }
        seen.minute.push_back(now);
        seen.greatest_per_minute = seen.greatest_per_minute.max(seen.minute.len());
        *seen.families.entry(family.as_str()).or_default() += 1;
        *seen.versions.entry(format!("{version:?}")).or_default() += 1;
        if seen.targets.len() < TARGETS_MOST || seen.targets.contains_key(&target) {
            *seen.targets.entry(target).or_default() += 1;
        }
        Open(Arc::clone(&self.seen))
    }

    /// How a request was answered: a status, or the fault that took its place.
    pub(super) fn ended(&self, how: &str) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        *seen.statuses.entry(how.to_owned()).or_default() += 1;
    }

    /// Everything so far.
    pub(super) fn read(&self) -> Value {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        json!({
            "requests": seen.requests, "in_flight": seen.in_flight,
            "greatest_in_flight": seen.greatest_in_flight, "greatest_per_minute": seen.greatest_per_minute,
            "answers": seen.statuses, "families": seen.families, "targets": seen.targets,
            "versions": seen.versions,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_numbers_stay_when_the_rush_is_over() {
        let clock = Clock::wound_to(time::macros::datetime!(2026-11-30 12:00 UTC));
        let report = Report::new(clock.clone());
        let came = || report.came(Family::Resolve, "GET /api/v2/resolve?q=x".to_owned(), Version::HTTP_2);
        drop([came(), came(), came()]);
        clock.advance(MINUTE);
        drop(came());
        report.ended("200");
        let read = report.read();
        assert_eq!((&read["greatest_in_flight"], &read["greatest_per_minute"]), (&json!(3), &json!(3)));
        assert_eq!((&read["requests"], &read["in_flight"]), (&json!(4), &json!(0)));
        assert_eq!(read["versions"], json!({ "HTTP/2.0": 4 }));
        assert_eq!(read["targets"], json!({ "GET /api/v2/resolve?q=x": 4 }));
        assert_eq!((&read["families"]["resolve"], &read["answers"]["200"]), (&json!(4), &json!(1)));
    }
}
