//! Degraded windows: a service that keeps failing is left alone for a while, so that nobody waits for it.
//!
//! Decides from how earlier requests ended whether one more may start. It must never know what is
//! asked, who a caller is beyond an opaque key, or how a refusal is worded.

mod breaker;
mod tally;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use self::breaker::{Breaker, Pass, Turn};
use self::tally::{FromSeveral, InARow};
use super::ledger::Caller;
use crate::clock::Clock;
use crate::model::family::Family;

/// What a window keeps from being asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The whole service.
    Service,
    /// One family of data.
    Family(Family),
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Service => "service",
            Self::Family(family) => family.as_str(),
        })
    }
}

/// How a request ended, as far as the windows care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// With an answer that could be read, or with the word that there is nothing.
    Answered,
    /// With a refusal of this request: the service stands, but nothing says that it works. Neither a
    /// failure nor the success that ends a row of them; a window that tries again closes.
    Refused,
    /// Without an answer that could be used.
    Failed,
    /// Given up before it was known how it would end: nothing is learned.
    Abandoned,
}

/// A request that was not let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closed {
    /// What is not being asked.
    pub scope: Scope,
    /// When to try again.
    pub retry_after: Duration,
}

/// The window over the whole service and one over each family. Its memory does not grow with the
/// number of callers or failures. Lives as long as the program.
#[derive(Debug)]
pub struct Windows {
    clock: Clock,
    breakers: Mutex<Breakers>,
}

#[derive(Debug, Default)]
struct Breakers {
    service: Breaker<InARow>,
    families: HashMap<Family, Breaker<FromSeveral>>,
}

impl Windows {
    /// Windows that are all shut: every request is let through.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self { clock, breakers: Mutex::default() }
    }

    /// Lets one request of `caller` start. The visit must be told how it ended; one that is dropped
    /// instead counts as abandoned.
    ///
    /// # Errors
    /// When a window over the family or the service is open, or is being tried by another request.
    pub fn enter(&self, family: Family, caller: Caller) -> Result<Visit<'_>, Closed> {
        let mut breakers = self.breakers.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.clock.monotonic();
        let Breakers { service, families } = &mut *breakers;
        let of_family = families.entry(family).or_default();
        // Both are asked before either is passed: a request that one refuses must not use up the
        // other's only trial. Of two equal waits the last is told, which is the wider one.
        let closed = [
            of_family.wait(now).map(|retry_after| Closed { scope: Scope::Family(family), retry_after }),
            service.wait(now).map(|retry_after| Closed { scope: Scope::Service, retry_after }),
        ];
        match closed.into_iter().flatten().max_by_key(|closed| closed.retry_after) {
            Some(closed) => Err(closed),
            None => Ok(Visit {
                windows: self,
                family,
                caller,
                passes: (service.pass(), of_family.pass()),
                outcome: Outcome::Abandoned,
            }),
        }
    }

    fn settle(&self, visit: &Visit<'_>) {
        let mut breakers = self.breakers.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.clock.monotonic();
        let Breakers { service, families } = &mut *breakers;
        let (service_pass, family_pass) = visit.passes;
        let of_service = service.settle(service_pass, visit.caller, visit.outcome, now);
        let of_family =
            families.entry(visit.family).or_default().settle(family_pass, visit.caller, visit.outcome, now);
        drop(breakers);
        tell(Scope::Service, of_service);
        tell(Scope::Family(visit.family), of_family);
    }
}

fn tell(scope: Scope, turn: Turn) {
    match turn {
        Turn::None => (),
        Turn::Opened => tracing::warn!(%scope, "a degraded window opened"),
        Turn::StayedOpen => tracing::warn!(%scope, "a degraded window stays open"),
        Turn::Closed => tracing::info!(%scope, "a degraded window closed"),
    }
}

/// A request on its way. Dropping it frees whatever it held.
#[derive(Debug)]
#[must_use = "dropping it at once says that the request was given up"]
pub struct Visit<'a> {
    windows: &'a Windows,
    family: Family,
    caller: Caller,
    passes: (Pass, Pass),
    outcome: Outcome,
}

impl Visit<'_> {
    /// Says how the request ended.
    pub fn ended(mut self, outcome: Outcome) {
        self.outcome = outcome;
    }
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        self.windows.settle(self);
    }
}

#[cfg(test)]
mod tests;
