//! How much a key may ask: requests at once, a minute, a month.
//!
//! Decides whether a request is let in and what a refusal says. The minute slides, the month is that of the calendar.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use time::{Month, OffsetDateTime};

use crate::clock::Clock;

const MINUTE: Duration = Duration::from_secs(60);
/// How long to wait for a place: one frees with the next answer.
const PLACE_WAIT_S: u64 = 1;

/// What a plan allows; `None` is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Requests that may be open at once.
    pub in_flight: Option<u32>,
    /// Requests within any minute.
    pub per_minute: Option<u32>,
    /// Requests within a month.
    pub per_month: Option<u32>,
}

impl Default for Plan {
    /// The smallest plan that the service sells, without its monthly number.
    fn default() -> Self {
        Self { in_flight: Some(2), per_minute: Some(60), per_month: None }
    }
}

/// What every answer says of the minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) limit: u32,
    pub(super) remaining: u32,
    /// When the minute is free again, in seconds since 1970.
    pub(super) reset_unix_s: i64,
}

/// Why a request is not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooMany {
    pub(super) retry_after_s: u64,
    /// Whether it is about requests at once.
    pub(super) concurrency: bool,
}

/// Counts what comes in against a plan.
#[derive(Clone, Debug)]
pub(super) struct Gate {
    plan: Plan,
    clock: Clock,
    counts: Arc<Mutex<Counts>>,
}

#[derive(Debug, Default)]
struct Counts {
    in_flight: u32,
    /// When each request of the last minute was let in.
    admitted: VecDeque<Instant>,
    month: Option<(i32, Month)>,
    this_month: u32,
}

/// A place that is held until it is dropped.
#[derive(Debug)]
pub(super) struct Place(Arc<Mutex<Counts>>);

impl Drop for Place {
    fn drop(&mut self) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.in_flight = counts.in_flight.saturating_sub(1);
    }
}

impl Gate {
    pub(super) fn new(plan: Plan, clock: Clock) -> Self {
        Self { plan, clock, counts: Arc::default() }
    }

    /// Lets a request in, or says when to come again.
    pub(super) fn enter(&self) -> Result<Place, TooMany> {
        let (now, utc) = (self.clock.monotonic(), self.clock.utc());
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.forget(now);
        let month = (utc.year(), utc.month());
        if counts.month != Some(month) {
            counts.month = Some(month);
            counts.this_month = 0;
        }
        if self.plan.per_month.is_some_and(|most| counts.this_month >= most) {
            return Err(TooMany { retry_after_s: until_next_month_s(utc), concurrency: false });
        }
        if let Some(most) = self.plan.per_minute
            && counts.admitted.len() >= usize::try_from(most).unwrap_or(usize::MAX)
        {
            let free = counts.admitted.front().map_or(now, |first| *first + MINUTE);
            let wait = free.saturating_duration_since(now);
            let retry_after_s = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
            return Err(TooMany { retry_after_s: retry_after_s.max(1), concurrency: false });
        }
        if self.plan.in_flight.is_some_and(|most| counts.in_flight >= most) {
            return Err(TooMany { retry_after_s: PLACE_WAIT_S, concurrency: true });
        }
        counts.in_flight += 1;
        counts.this_month += 1;
        counts.admitted.push_back(now);
        Ok(Place(Arc::clone(&self.counts)))
    }

    /// What is left of the minute; nothing when there is no limit.
    pub(super) fn standing(&self) -> Option<Standing> {
        let limit = self.plan.per_minute?;
        let (now, utc) = (self.clock.monotonic(), self.clock.utc());
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.forget(now);
        let used = u32::try_from(counts.admitted.len()).unwrap_or(u32::MAX);
        let until = counts.admitted.back().map_or(Duration::ZERO, |last| MINUTE.saturating_sub(now - *last));
        let reset_unix_s =
            utc.unix_timestamp().saturating_add(i64::try_from(until.as_secs()).unwrap_or(60)) + 1;
        Some(Standing { limit, remaining: limit.saturating_sub(used), reset_unix_s })
    }
}

impl Counts {
    fn forget(&mut self, now: Instant) {
        while self.admitted.front().is_some_and(|first| now.saturating_duration_since(*first) >= MINUTE) {
            self.admitted.pop_front();
        }
    }
}

/// Seconds until the first of next month, UTC.
fn until_next_month_s(utc: OffsetDateTime) -> u64 {
    let (year, month) = match utc.month() {
        Month::December => (utc.year() + 1, Month::January),
        month => (utc.year(), month.next()),
    };
    let first = time::Date::from_calendar_date(year, month, 1).map(|day| day.midnight().assume_utc());
    let wait = first.map_or(0, |first| (first - utc).whole_seconds());
    u64::try_from(wait).unwrap_or(0).max(1)
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    fn gate(plan: Plan) -> (Gate, Clock) {
        let clock = Clock::wound_to(datetime!(2026-11-30 23:59 UTC));
        (Gate::new(plan, clock.clone()), clock)
    }

    #[test]
    fn a_place_is_free_again_when_its_holder_is_gone() {
        let (gate, _) = gate(Plan::default());
        let places = [gate.enter().unwrap(), gate.enter().unwrap()];
        assert_eq!(gate.enter().unwrap_err(), TooMany { retry_after_s: 1, concurrency: true });
        drop(places);
        assert!(gate.enter().is_ok());
    }

    #[test]
    fn the_minute_slides() {
        let plan = Plan { in_flight: None, per_minute: Some(2), per_month: None };
        let (gate, clock) = gate(plan);
        let _first = gate.enter().unwrap();
        clock.advance(Duration::from_secs(20));
        let _second = gate.enter().unwrap();
        assert_eq!(gate.standing().unwrap().remaining, 0);
        assert_eq!(gate.enter().unwrap_err(), TooMany { retry_after_s: 40, concurrency: false });
        clock.advance(Duration::from_millis(39_500));
        assert_eq!(gate.enter().unwrap_err().retry_after_s, 1);
        clock.advance(Duration::from_millis(500));
        assert!(gate.enter().is_ok());
        assert!(gate.enter().is_err());
    }

    #[test]
    fn a_used_up_month_ends_with_the_month() {
        let plan = Plan { in_flight: None, per_minute: None, per_month: Some(1) };
        let (gate, clock) = gate(plan);
        assert!(gate.enter().is_ok());
        assert_eq!(gate.enter().unwrap_err(), TooMany { retry_after_s: 60, concurrency: false });
        clock.advance(Duration::from_secs(60));
        assert!(gate.enter().is_ok());
        assert!(gate.standing().is_none());
    }
}
