//! Degraded windows: a service that keeps failing is left alone for a while, so that nobody waits for it.
//!
//! Decides from how earlier requests ended whether one more may start. It must never know what is
//! asked, who a caller is beyond an opaque key, or how a refusal is worded.

mod breaker;
mod tally;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use time::OffsetDateTime;

use self::breaker::{Breaker, OPEN_FOR, Pass, Turn};
use self::tally::{FromSeveral, InARow};
use super::ledger::Caller;
use super::shelf::WindowShelf;
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

impl Scope {
    /// The scope of a name, as it is written.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        let families = Family::ALL.into_iter().map(Self::Family);
        std::iter::once(Self::Service).chain(families).find(|scope| scope.to_string() == name)
    }
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

/// An open window, as it is kept over a restart. The failures that led to it are not: who they came from is
/// known to the running program only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredWindow {
    /// What is not being asked.
    pub scope: Scope,
    /// When one request may try again, in UTC.
    pub until: OffsetDateTime,
}

/// The window over the whole service and one over each family. Its memory does not grow with the
/// number of callers or failures. What is open stays so over a restart, as far as `shelf` keeps it.
#[derive(Debug)]
pub struct Windows {
    clock: Clock,
    shelf: Arc<dyn WindowShelf>,
    breakers: Mutex<Breakers>,
}

#[derive(Debug, Default)]
struct Breakers {
    service: Breaker<InARow>,
    families: HashMap<Family, Breaker<FromSeveral>>,
}

impl Windows {
    /// Windows as `shelf` kept them; where it kept none, every request is let through.
    #[must_use]
    pub fn new(clock: Clock, shelf: Arc<dyn WindowShelf>) -> Self {
        let mut breakers = Breakers::default();
        let (now, utc) = (clock.monotonic(), clock.utc());
        for StoredWindow { scope, until } in shelf.load_windows() {
            let left = Duration::try_from(until - utc).unwrap_or_default();
            // A clock that was set back must not keep a window open for longer than one opens for.
            let until = now + left.min(OPEN_FOR);
            match scope {
                Scope::Service => breakers.service.reopen(until),
                Scope::Family(family) => breakers.families.entry(family).or_default().reopen(until),
            }
        }
        Self { clock, shelf, breakers: Mutex::new(breakers) }
    }

    /// Lets one request of `caller` start. The visit must be told how it ended; one that is dropped
    /// instead counts as abandoned.
    ///
    /// # Errors
    /// When a window over the family or the service is open, or is being tried by another request.
    pub fn enter(self: &Arc<Self>, family: Family, caller: Caller) -> Result<Visit, Closed> {
        let mut breakers = self.breakers.lock().unwrap_or_else(PoisonError::into_inner);
        breakers.closed(family, self.clock.monotonic())?;
        let Breakers { service, families } = &mut *breakers;
        let of_family = families.entry(family).or_default();
        let is_trial = service.is_tried() || of_family.is_tried();
        Ok(Visit {
            windows: Arc::clone(self),
            family,
            caller,
            is_trial,
            passes: (service.pass(), of_family.pass()),
            outcome: Outcome::Abandoned,
        })
    }

    /// Whether a request would be let through now, without letting one through.
    ///
    /// # Errors
    /// As for [`Self::enter`].
    pub fn look(&self, family: Family) -> Result<(), Closed> {
        let mut breakers = self.breakers.lock().unwrap_or_else(PoisonError::into_inner);
        breakers.closed(family, self.clock.monotonic())
    }

    /// Every window that is not shut, in no particular order.
    #[must_use]
    pub fn open(&self) -> Vec<Scope> {
        let breakers = self.breakers.lock().unwrap_or_else(PoisonError::into_inner);
        breakers.open().map(|(scope, _)| scope).collect()
    }

    /// Every window that is not shut, and for how long nobody is let through.
    #[must_use]
    pub fn waits(&self) -> Vec<(Scope, Duration)> {
        let breakers = self.breakers.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.clock.monotonic();
        breakers.open().map(|(scope, until)| (scope, until.saturating_duration_since(now))).collect()
    }

    /// Shuts a window, by an operator's word: the next request is let through. Whether it was open.
    pub fn shut(&self, scope: Scope) -> bool {
        let mut breakers = self.breakers.lock().unwrap_or_else(PoisonError::into_inner);
        let was_open = match scope {
            Scope::Service => breakers.service.shut(),
            Scope::Family(family) => breakers.families.get_mut(&family).is_some_and(Breaker::shut),
        };
        if was_open {
            self.keep(&breakers, self.clock.monotonic());
            tracing::warn!(%scope, "an operator closed a degraded window");
        }
        was_open
    }

    fn settle(&self, visit: &Visit) {
        let mut breakers = self.breakers.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.clock.monotonic();
        let Breakers { service, families } = &mut *breakers;
        let (service_pass, family_pass) = visit.passes;
        let of_service = service.settle(service_pass, visit.caller, visit.outcome, now);
        let of_family =
            families.entry(visit.family).or_default().settle(family_pass, visit.caller, visit.outcome, now);
        if (of_service, of_family) != (Turn::None, Turn::None) {
            // Under the lock, so that two turns are not kept in the wrong order.
            self.keep(&breakers, now);
        }
        drop(breakers);
        tell(Scope::Service, of_service);
        tell(Scope::Family(visit.family), of_family);
    }

    fn keep(&self, breakers: &Breakers, now: Instant) {
        let utc = self.clock.utc();
        let open: Vec<StoredWindow> = breakers
            .open()
            .map(|(scope, until)| StoredWindow { scope, until: utc + until.saturating_duration_since(now) })
            .collect();
        self.shelf.save_windows(&open);
    }
}

impl Breakers {
    /// Both are asked before either is passed: a request that one refuses must not use up the other's only
    /// trial. Of two equal waits the last is told, which is the wider one.
    fn closed(&mut self, family: Family, now: Instant) -> Result<(), Closed> {
        let of_family = self.families.entry(family).or_default();
        let closed = [
            of_family.wait(now).map(|retry_after| Closed { scope: Scope::Family(family), retry_after }),
            self.service.wait(now).map(|retry_after| Closed { scope: Scope::Service, retry_after }),
        ];
        match closed.into_iter().flatten().max_by_key(|closed| closed.retry_after) {
            Some(closed) => Err(closed),
            None => Ok(()),
        }
    }

    fn open(&self) -> impl Iterator<Item = (Scope, Instant)> {
        let families = self
            .families
            .iter()
            .filter_map(|(family, breaker)| Some((Scope::Family(*family), breaker.open_until()?)));
        self.service.open_until().map(|until| (Scope::Service, until)).into_iter().chain(families)
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
pub struct Visit {
    windows: Arc<Windows>,
    family: Family,
    caller: Caller,
    is_trial: bool,
    passes: (Pass, Pass),
    outcome: Outcome,
}

impl Visit {
    /// Says how the request ended.
    pub fn ended(mut self, outcome: Outcome) {
        self.outcome = outcome;
    }

    /// Whether it is the one request that finds out whether a window may close.
    #[must_use]
    pub fn is_trial(&self) -> bool {
        self.is_trial
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.windows.settle(self);
    }
}

#[cfg(test)]
mod tests;
