//! What became of the backups that were due, for operators.
//!
//! Decides nothing. Knows nothing of what is in a backup, nor of where it lies.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use time::OffsetDateTime;

use crate::telemetry::count::{Counters, closed_words};

closed_words! {
    /// What became of a backup that was due.
    pub enum Outcome {
        /// It lies there, durably.
        Written = "written",
        /// It could not be written.
        Failed = "failed",
        /// It was put off, since the disk has little room or the store refuses.
        PutOff = "put_off",
    }
}

/// What became of every backup that was due since the start.
#[derive(Debug, Default)]
pub struct Outcomes {
    counts: Counters<Outcome>,
    standing: Mutex<Standing>,
}

/// How the backups that are written by themselves stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Whether any are.
    pub is_on: bool,
    /// The time between two; `None` when none are.
    pub every: Option<Duration>,
    /// When the last one was written that is whole, also before this start; `None` when there is none.
    pub last: Option<OffsetDateTime>,
    /// Why the one that was due last is not there; `None` when it is.
    pub missing: Option<String>,
}

impl Outcomes {
    /// How often each was the outcome.
    #[must_use]
    pub fn counts(&self) -> &Counters<Outcome> {
        &self.counts
    }

    /// How things stand.
    #[must_use]
    pub fn standing(&self) -> Standing {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// They are written from now on, so often; the newest that lies there is of this moment.
    pub(super) fn begin(&self, newest: Option<OffsetDateTime>, every: Duration) {
        self.note(|standing| (standing.is_on, standing.every, standing.last) = (true, Some(every), newest));
    }

    pub(super) fn written(&self, now: OffsetDateTime) {
        self.counts.one(Outcome::Written);
        self.note(|standing| (standing.last, standing.missing) = (Some(now), None));
    }

    pub(super) fn failed(&self, why: String) {
        self.counts.one(Outcome::Failed);
        self.note(|standing| standing.missing = Some(why));
    }

    pub(super) fn put_off(&self, why: String) {
        self.counts.one(Outcome::PutOff);
        self.note(|standing| standing.missing = Some(why));
    }

    fn note(&self, change: impl FnOnce(&mut Standing)) {
        change(&mut self.standing.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
