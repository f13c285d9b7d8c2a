//! How requests to the data service ended, and where what was needed came from, counted for operators.
//!
//! Decides which word each end has. Nothing is decided by these counts.

use std::time::Instant;

use super::fault::UpstreamFault;
use super::flight::Reply;
use crate::clock::Clock;
use crate::model::family::Family;
use crate::telemetry::count::{Counter, Counters, Histogram, Times};

/// How a request can end.
const ENDS: [&str; 12] = [
    OK,
    NOTHING,
    "call_deadline",
    "status",
    "rate_limited",
    "unreadable",
    "another_record",
    "says_error",
    "degraded",
    "unreachable",
    "broken_off",
    GIVEN_UP,
];
const OK: &str = "ok";
const NOTHING: &str = "nothing";
const GIVEN_UP: &str = "given_up";
/// Ends that say nothing against the service.
const NO_FAILURES: [&str; 3] = [OK, NOTHING, GIVEN_UP];

/// Why a request was not sent.
const NOT_SENT: [&str; 2] = ["window", "no_room"];

/// Where something came from: the cache, a request that was on its way already, one of its own.
const SOURCES: [&str; 3] = ["cache", "flight", "service"];

/// The counts since the start.
#[derive(Debug)]
pub struct Tallies {
    families: [OfFamily; Family::ALL.len()],
    sources: Counters,
}

/// The counts of one family.
#[derive(Debug)]
struct OfFamily {
    family: Family,
    ended: Counters,
    took: Histogram,
    unreadable: Counter,
    not_sent: Counters,
}

/// What was asked of a family, and how much of that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The family.
    pub family: Family,
    /// Requests that ended.
    pub asked: u64,
    /// Those that brought no answer that could be used.
    pub failed: u64,
}

impl Default for Tallies {
    fn default() -> Self {
        let of = |family| OfFamily {
            family,
            ended: Counters::new(ENDS),
            took: Histogram::default(),
            unreadable: Counter::default(),
            not_sent: Counters::new(NOT_SENT),
        };
        Self { families: Family::ALL.map(of), sources: Counters::new(SOURCES) }
    }
}

impl Tallies {
    /// A request that is sent now.
    pub(super) fn begin(&self, family: Family, clock: &Clock) -> Underway<'_> {
        let of = self.families.iter().find(|of| of.family == family);
        Underway { of, clock: clock.clone(), began: clock.monotonic(), end: GIVEN_UP }
    }

    /// A request that was not sent, or that failed for another reason.
    pub(super) fn not_sent(&self, family: Family, fault: UpstreamFault) {
        let why = match fault {
            UpstreamFault::Window { .. } => "window",
            UpstreamFault::NoRoom { .. } => "no_room",
            _ => return,
        };
        if let Some(of) = self.families.iter().find(|of| of.family == family) {
            of.not_sent.one(why);
        }
    }

    /// An answer that arrived whole could not be read.
    pub(super) fn unreadable(&self, family: Family) {
        if let Some(of) = self.families.iter().find(|of| of.family == family) {
            of.unreadable.one();
        }
    }

    pub(super) fn came_from_cache(&self) {
        self.sources.one("cache");
    }

    pub(super) fn came_from_service(&self, of_its_own: bool) {
        self.sources.one(if of_its_own { "service" } else { "flight" });
    }

    /// Requests that ended, by family and by how.
    pub fn by_outcome(&self) -> impl Iterator<Item = (&'static str, &'static str, u64)> + '_ {
        self.families
            .iter()
            .flat_map(|of| of.ended.read().map(|(end, count)| (of.family.as_str(), end, count)))
    }

    /// How long requests took that ended, by family.
    pub fn took(&self) -> impl Iterator<Item = (&'static str, Times)> + '_ {
        self.families.iter().map(|of| (of.family.as_str(), of.took.read()))
    }

    /// Answers that arrived whole and could not be read, by family.
    pub fn unreadables(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.families.iter().map(|of| (of.family.as_str(), of.unreadable.get()))
    }

    /// Requests that were not sent, by family and by why.
    pub fn not_asked(&self) -> impl Iterator<Item = (&'static str, &'static str, u64)> + '_ {
        self.families
            .iter()
            .flat_map(|of| of.not_sent.read().map(|(why, count)| (of.family.as_str(), why, count)))
    }

    /// What calls needed, by where it came from.
    pub fn sources(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.sources.read()
    }

    /// What was asked of each family.
    pub fn asked(&self) -> impl Iterator<Item = Asked> + '_ {
        self.families.iter().map(|of| {
            let asked = of.ended.read().map(|(_, count)| count).sum();
            let failed =
                of.ended.read().filter(|(end, _)| !NO_FAILURES.contains(end)).map(|(_, count)| count);
            Asked { family: of.family, asked, failed: failed.sum::<u64>() + of.unreadable.get() }
        })
    }
}

/// A request on its way. Dropping it counts how it ended; one that is dropped before that is known was given up.
#[derive(Debug)]
pub(super) struct Underway<'a> {
    of: Option<&'a OfFamily>,
    clock: Clock,
    began: Instant,
    end: &'static str,
}

impl Underway<'_> {
    pub(super) fn ended(mut self, found: &Result<Reply, UpstreamFault>) {
        self.end = match found {
            Ok(Reply { body: Some(_), .. }) => OK,
            Ok(Reply { body: None, .. }) => NOTHING,
            Err(fault) => word(*fault),
        };
    }
}

impl Drop for Underway<'_> {
    fn drop(&mut self) {
        if let Some(of) = self.of {
            of.ended.one(self.end);
            of.took.note(self.clock.monotonic().saturating_duration_since(self.began));
        }
    }
}

fn word(fault: UpstreamFault) -> &'static str {
    match fault {
        UpstreamFault::CallDeadline { .. } | UpstreamFault::ToolDeadline { .. } => "call_deadline",
        UpstreamFault::Status { .. } => "status",
        UpstreamFault::RateLimited { .. } => "rate_limited",
        UpstreamFault::Unreadable => "unreadable",
        UpstreamFault::AnotherRecord => "another_record",
        UpstreamFault::SaysError => "says_error",
        UpstreamFault::Degraded => "degraded",
        UpstreamFault::Unreachable => "unreachable",
        UpstreamFault::BrokenOff => "broken_off",
        // What was not sent does not end.
        UpstreamFault::Window { .. } | UpstreamFault::NoRoom { .. } => GIVEN_UP,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_request_counts_by_how_it_ended_and_one_that_nobody_waits_for_is_no_failure() {
        let (tallies, clock) =
            (Tallies::default(), Clock::wound_to(time::macros::datetime!(2027-01-31 12:00 UTC)));
        let ended = |found| {
            let underway = tallies.begin(Family::Artist, &clock);
            clock.advance(Duration::from_millis(2));
            underway.ended(&found);
        };
        ended(Ok(Reply { body: None, is_whole: true }));
        ended(Err(UpstreamFault::Degraded));
        drop(tallies.begin(Family::Artist, &clock));
        tallies.unreadable(Family::Artist);
        let artist = tallies.asked().find(|asked| asked.family == Family::Artist).unwrap();
        assert_eq!((artist.asked, artist.failed), (3, 2));
        let counted: Vec<_> = tallies.by_outcome().filter(|(_, _, count)| *count > 0).collect();
        assert_eq!(counted, [("artist", "nothing", 1), ("artist", "degraded", 1), ("artist", "given_up", 1)]);
        let times = tallies.took().find(|(family, _)| *family == "artist").unwrap().1;
        assert_eq!((times.count(), times.sum_us), (3, 4_000));
    }
}
