//! How requests to the data service ended, and where what was needed came from, counted for operators.
//!
//! Decides which word each end has. Nothing is decided by these counts.

use std::time::Instant;

use super::fault::UpstreamFault;
use super::flight::Reply;
use super::key;
use crate::clock::Clock;
use crate::model::family::Family;
use crate::telemetry::count::{Counter, Counters, Histogram, Times, closed_words};

closed_words! {
    /// How a request ended.
    pub enum End {
        /// With an answer.
        Ok = "ok",
        /// With the answer that there is nothing.
        Nothing = "nothing",
        /// It took longer than it may.
        CallDeadline = "call_deadline",
        /// With a status that says that it failed.
        Status = "status",
        /// With a status that refuses the key: unknown, not paid for, or not good for this.
        KeyRefused = "key_refused",
        /// Too many were sent.
        RateLimited = "rate_limited",
        /// With an answer that cannot be read.
        Unreadable = "unreadable",
        /// With a record that was not asked for.
        AnotherRecord = "another_record",
        /// With an answer that says that it failed.
        SaysError = "says_error",
        /// With an answer that says that it is not whole.
        Degraded = "degraded",
        /// There was no connection.
        Unreachable = "unreachable",
        /// The connection ended before the answer did.
        BrokenOff = "broken_off",
        /// Nobody waits for it any more.
        GivenUp = "given_up",
    }
}

impl End {
    /// Whether it says something against the service.
    fn is_failure(self) -> bool {
        !matches!(self, Self::Ok | Self::Nothing | Self::GivenUp)
    }
}

closed_words! {
    /// Why a request was not sent.
    pub enum NotSent {
        /// A degraded window is open.
        Window = "window",
        /// The plan has no room in time.
        NoRoom = "no_room",
    }
}

closed_words! {
    /// Where something that a call needed came from.
    pub enum CameFrom {
        /// It was there.
        Cache = "cache",
        /// A request was on its way already.
        Flight = "flight",
        /// It was asked for.
        Service = "service",
        /// From nowhere: it was neither there nor asked for.
        NotSent = "not_sent",
    }
}

/// The counts since the start.
#[derive(Debug)]
pub struct Tallies {
    families: [OfFamily; Family::ALL.len()],
    sources: Counters<CameFrom>,
}

/// The counts of one family.
#[derive(Debug)]
struct OfFamily {
    family: Family,
    ended: Counters<End>,
    took: Histogram,
    unreadable: Counter,
    not_sent: Counters<NotSent>,
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
            ended: Counters::default(),
            took: Histogram::default(),
            unreadable: Counter::default(),
            not_sent: Counters::default(),
        };
        Self { families: Family::ALL.map(of), sources: Counters::default() }
    }
}

impl Tallies {
    /// A request that is sent now.
    pub(super) fn begin(&self, family: Family, clock: &Clock) -> Underway<'_> {
        let of = self.families.iter().find(|of| of.family == family);
        Underway { of, clock: clock.clone(), began: clock.monotonic(), end: End::GivenUp }
    }

    /// A request that was not sent, or that failed for another reason.
    pub(super) fn not_sent(&self, family: Family, fault: UpstreamFault) {
        let why = match fault {
            UpstreamFault::Window { .. } => NotSent::Window,
            UpstreamFault::NoRoom { .. } => NotSent::NoRoom,
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

    pub(super) fn came_from(&self, source: CameFrom) {
        self.sources.one(source);
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

    /// What calls needed and was there already, or on its way, and all that they got so or by asking. What was
    /// not asked for is neither a hit nor a miss.
    #[must_use]
    pub fn hits(&self) -> (u64, u64) {
        let of = |source| self.sources.get(source);
        let hits = of(CameFrom::Cache) + of(CameFrom::Flight);
        (hits, hits + of(CameFrom::Service))
    }

    /// What was asked of each family.
    pub fn asked(&self) -> impl Iterator<Item = Asked> + '_ {
        self.families.iter().map(|of| {
            let asked = of.ended.each().map(|(_, count)| count).sum();
            let failed = of.ended.each().filter(|(end, _)| end.is_failure()).map(|(_, count)| count);
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
    end: End,
}

impl Underway<'_> {
    pub(super) fn ended(mut self, found: &Result<Reply, UpstreamFault>) {
        self.end = match found {
            Ok(Reply { body: Some(_), .. }) => End::Ok,
            Ok(Reply { body: None, .. }) => End::Nothing,
            Err(fault) => end(*fault),
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

fn end(fault: UpstreamFault) -> End {
    match fault {
        UpstreamFault::CallDeadline { .. } | UpstreamFault::ToolDeadline { .. } => End::CallDeadline,
        UpstreamFault::Status { status, .. } if key::refuses(status) => End::KeyRefused,
        UpstreamFault::Status { .. } => End::Status,
        UpstreamFault::RateLimited { .. } => End::RateLimited,
        UpstreamFault::Unreadable => End::Unreadable,
        UpstreamFault::AnotherRecord => End::AnotherRecord,
        UpstreamFault::SaysError => End::SaysError,
        UpstreamFault::Degraded => End::Degraded,
        UpstreamFault::Unreachable => End::Unreachable,
        UpstreamFault::BrokenOff => End::BrokenOff,
        // What was not sent does not end.
        UpstreamFault::Window { .. } | UpstreamFault::NoRoom { .. } => End::GivenUp,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::telemetry::count::Word as _;

    #[test]
    fn a_refused_key_counts_under_a_word_of_its_own() {
        for (status, word) in
            [(400, "status"), (401, "key_refused"), (402, "key_refused"), (403, "key_refused")]
        {
            let found = end(UpstreamFault::Status { status, retry_after: None });
            assert_eq!((found.as_str(), found.is_failure()), (word, true), "{status}");
        }
    }

    #[test]
    fn what_is_not_sent_is_neither_a_hit_nor_a_miss() {
        let tallies = Tallies::default();
        tallies.came_from(CameFrom::NotSent);
        assert_eq!(tallies.hits(), (0, 0));
        for source in [CameFrom::Cache, CameFrom::Flight, CameFrom::Service] {
            tallies.came_from(source);
        }
        assert_eq!(tallies.hits(), (2, 3));
    }

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
