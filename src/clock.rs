//! The source of "now" for everything behind the transport: monotonic for pace and deadlines, UTC for dates.
//! What waits with the runtime's timers, as the transport does, lives by the runtime's own clock, which tests can
//! stop.
//!
//! Real in the program, wound by hand in tests. Knows nothing of what the time is used for.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use time::OffsetDateTime;

/// A clock that can be passed around; clones show the same time.
#[derive(Clone, Debug, Default)]
pub struct Clock(Source);

/// A wait in whole milliseconds, rounded up, so that whoever waits that long has waited long enough.
#[must_use]
pub fn whole_ms(wait: Duration) -> u64 {
    u64::try_from(wait.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX).max(1)
}

/// The runtime's own clock, for what is waited for with its timers; tests stop it.
#[must_use]
pub fn runtime_now() -> tokio::time::Instant {
    tokio::time::Instant::now()
}

#[derive(Clone, Debug, Default)]
enum Source {
    #[default]
    System,
    Wound(Arc<Mutex<Wound>>),
}

#[derive(Debug)]
struct Wound {
    utc: OffsetDateTime,
    monotonic: Instant,
}

impl Clock {
    /// The clock of the machine.
    #[must_use]
    pub fn system() -> Self {
        Self(Source::System)
    }

    /// A clock that stands at `utc` until it is wound on.
    #[must_use]
    pub fn wound_to(utc: OffsetDateTime) -> Self {
        Self(Source::Wound(Arc::new(Mutex::new(Wound { utc, monotonic: Instant::now() }))))
    }

    /// The wall clock, in UTC. May step in either direction.
    #[must_use]
    pub fn utc(&self) -> OffsetDateTime {
        match &self.0 {
            Source::System => OffsetDateTime::now_utc(),
            Source::Wound(wound) => wound.lock().unwrap_or_else(PoisonError::into_inner).utc,
        }
    }

    /// Time that never goes back; only differences mean anything.
    #[must_use]
    pub fn monotonic(&self) -> Instant {
        match &self.0 {
            Source::System => Instant::now(),
            Source::Wound(wound) => wound.lock().unwrap_or_else(PoisonError::into_inner).monotonic,
        }
    }

    /// Moves a hand-wound clock forward; the machine's clock is left alone.
    pub fn advance(&self, by: Duration) {
        if let Source::Wound(wound) = &self.0 {
            let mut wound = wound.lock().unwrap_or_else(PoisonError::into_inner);
            wound.utc += by;
            wound.monotonic += by;
        }
    }

    /// Steps the wall clock of a hand-wound clock, as a time server would; monotonic time stands.
    pub fn step_utc(&self, to: OffsetDateTime) {
        if let Source::Wound(wound) = &self.0 {
            wound.lock().unwrap_or_else(PoisonError::into_inner).utc = to;
        }
    }
}
