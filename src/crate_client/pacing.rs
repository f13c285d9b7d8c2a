//! Keeps requests within the plan of this server's key: so many at once, so many a minute, so many a month.
//!
//! Decides when one more request may start, and tells at once when it cannot in time. It must never know what
//! is asked or for whom.

mod minute;
mod month;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use self::minute::Minute;
use self::month::Month;
use super::fault::Wait;
use super::shelf::MonthShelf;
use super::transport::Hints;
use crate::clock::{Clock, runtime_now};

/// What the plan of a key allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Requests at once.
    pub in_flight: u32,
    /// Requests in any sixty seconds.
    pub per_minute: u32,
    /// Counted requests in a UTC month; 0 for as many as come.
    pub per_month: u64,
}

/// How much of a plan is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanUse {
    /// Requests of the last minute.
    pub minute: u32,
    /// Requests that a minute may have.
    pub per_minute: u32,
    /// Counted requests of the current UTC month.
    pub month: u64,
    /// Counted requests that a month may have; `None` for as many as come.
    pub per_month: Option<u64>,
}

/// How long a request may wait for its start.
pub(super) const START_WITHIN: Duration = Duration::from_secs(3);
/// How long a place stays taken after a request was given up: the service notices a moment later.
const COOL_DOWN: Duration = Duration::from_millis(250);
/// How long nothing is sent after the word that there were too many requests, when it names no time.
const HOLD_DEFAULT: Duration = Duration::from_secs(1);
/// The longest time that one refusal keeps everything from being sent: a minute's requests start anew within it, and
/// whatever the service means beyond that, the next request finds out.
const HOLD_MAX: Duration = minute::MINUTE;
/// What a caller is told to wait for when only places are missing.
const PLACE_WAIT: Duration = Duration::from_secs(2);

/// Hands out the places of a plan, in the order in which they are asked for.
#[derive(Debug)]
pub struct Pacer {
    plan: Plan,
    clock: Clock,
    /// Whoever holds this is the next to start.
    turn: tokio::sync::Mutex<()>,
    /// Told whenever a place becomes free.
    freed: Notify,
    state: Mutex<State>,
    month: Mutex<Month>,
}

#[derive(Debug)]
struct State {
    running: u32,
    /// When the places of given-up requests become free, in order.
    cooling: Vec<Instant>,
    minute: Minute,
    held_until: Option<Instant>,
    queued: u32,
}

/// The right to make one request. Dropping it before [`Place::ended`] says that the request was given up.
#[derive(Debug)]
#[must_use = "dropping it at once says that a request was given up"]
pub(super) struct Place {
    pacer: Arc<Pacer>,
    use_made: Use,
}

/// What came of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// The request is on its way, or was given up there.
    Begun,
    /// The request has ended.
    Ended,
    /// There was none.
    None,
}

/// One who waits for a place.
struct Queued<'a>(&'a Pacer);

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.queued = state.queued.saturating_sub(1);
    }
}

impl Pacer {
    /// A pacer for `plan`; `shelf` keeps how much of the month is used.
    #[must_use]
    pub fn new(plan: Plan, clock: Clock, shelf: Arc<dyn MonthShelf>) -> Self {
        Self {
            state: Mutex::new(State {
                running: 0,
                cooling: Vec::new(),
                minute: Minute::new(plan.per_minute),
                held_until: None,
                queued: 0,
            }),
            month: Mutex::new(Month::new(plan.per_month, shelf, &clock)),
            turn: tokio::sync::Mutex::default(),
            freed: Notify::new(),
            plan,
            clock,
        }
    }

    /// Counted requests of the current UTC month.
    #[must_use]
    pub fn used_this_month(&self) -> u64 {
        self.month.lock().unwrap_or_else(PoisonError::into_inner).used(&self.clock)
    }

    /// How much of the plan is used.
    #[must_use]
    pub fn plan_use(&self) -> PlanUse {
        let mut state = self.state();
        state.tidy(runtime_now());
        let minute = state.minute.used(state.running);
        drop(state);
        PlanUse {
            minute,
            per_minute: self.plan.per_minute,
            month: self.used_this_month(),
            per_month: Some(self.plan.per_month).filter(|most| *most > 0),
        }
    }

    /// A place, at the latest after [`START_WITHIN`].
    ///
    /// # Errors
    /// When there will be room, when that is later.
    pub(super) async fn place(self: &Arc<Self>) -> Result<Place, Wait> {
        self.month.lock().unwrap_or_else(PoisonError::into_inner).room(&self.clock)?;
        let give_up = runtime_now() + START_WITHIN;
        let _queued = self.queue(give_up)?;
        let Ok(_turn) = timeout_at(give_up, self.turn.lock()).await else {
            return Err(self.wait());
        };
        loop {
            let now = runtime_now();
            let next = match self.take(now) {
                Ok(place) => return Ok(place),
                Err(next) => next,
            };
            if now >= give_up {
                return Err(self.wait());
            }
            let until = next.map_or(give_up, |next| next.min(give_up));
            let _freed_or_time = timeout_at(until, self.freed.notified()).await;
        }
    }

    /// Hears what an answer says about further requests; `too_many` when it was a refusal of this one.
    pub(super) fn hear(&self, hints: Hints, too_many: bool) {
        let now = runtime_now();
        let mut state = self.state();
        let running = state.running;
        if let (Some(remaining), Some(reset_in)) = (hints.remaining, hints.reset_in) {
            state.minute.hear(remaining.saturating_sub(running.saturating_sub(1)), reset_in, now);
        }
        if too_many {
            let hold = hints.retry_after.or(hints.reset_in).unwrap_or(HOLD_DEFAULT).min(HOLD_MAX);
            let until = now + hold;
            state.held_until = Some(state.held_until.map_or(until, |held| held.max(until)));
        }
    }

    fn count(&self) {
        self.month.lock().unwrap_or_else(PoisonError::into_inner).count(&self.clock);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stands in line, unless what is known already rules out a start in time.
    fn queue(&self, give_up: Instant) -> Result<Queued<'_>, Wait> {
        let mut state = self.state();
        let now = runtime_now();
        match state.earliest(now) {
            Some(earliest) if earliest <= give_up => {
                state.queued += 1;
                Ok(Queued(self))
            }
            Some(earliest) => Err(Wait::For(earliest.saturating_duration_since(now))),
            None => Err(Wait::For(minute::MINUTE)),
        }
    }

    /// How long whoever got no place should wait.
    fn wait(&self) -> Wait {
        let now = runtime_now();
        let earliest = self.state().earliest(now);
        let wait = earliest.map_or(minute::MINUTE, |earliest| earliest.saturating_duration_since(now));
        Wait::For(wait.max(PLACE_WAIT))
    }

    /// A place for the one whose turn it is, or when to look again; `None` when a place has to become free.
    fn take(self: &Arc<Self>, now: Instant) -> Result<Place, Option<Instant>> {
        let mut state = self.state();
        state.tidy(now);
        if let Some(held) = state.held_until {
            return Err(Some(held));
        }
        let taken = state.running.saturating_add(u32::try_from(state.cooling.len()).unwrap_or(u32::MAX));
        if taken >= self.plan.in_flight {
            return Err(state.cooling.first().copied());
        }
        let running = state.running;
        state.minute.take(running, now)?;
        state.running += 1;
        Ok(Place { pacer: Arc::clone(self), use_made: Use::Begun })
    }
}

impl State {
    /// The first moment at which one more than those who wait already can start, as far as the minute and the
    /// service's word say; `None` when that is not known.
    fn earliest(&mut self, now: Instant) -> Option<Instant> {
        self.tidy(now);
        let by_minute = self.minute.earliest(self.running, self.queued, now)?;
        Some(self.held_until.map_or(by_minute, |held| held.max(by_minute)))
    }

    fn tidy(&mut self, now: Instant) {
        self.cooling.retain(|until| *until > now);
        self.held_until = self.held_until.filter(|until| *until > now);
        self.minute.tidy(now);
    }
}

impl Place {
    /// The request was answered, or is known not to have arrived; `counted` when the service counts it for the
    /// month.
    pub(super) fn ended(mut self, counted: bool) {
        self.use_made = Use::Ended;
        if counted {
            self.pacer.count();
        }
    }

    /// No request was made.
    pub(super) fn unused(mut self) {
        self.use_made = Use::None;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let now = runtime_now();
        let mut state = self.pacer.state();
        state.running = state.running.saturating_sub(1);
        match self.use_made {
            Use::Begun => {
                state.minute.ended(now);
                state.cooling.push(now + COOL_DOWN);
            }
            Use::Ended => state.minute.ended(now),
            Use::None => state.minute.not_used(),
        }
        drop(state);
        if self.use_made == Use::Begun {
            // A request that was cut short may have been counted, so it is.
            self.pacer.count();
        }
        self.pacer.freed.notify_one();
    }
}

#[cfg(test)]
mod tests;
