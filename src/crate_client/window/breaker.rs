//! One window as a state machine: shut, open, and on trial with a single request.
//!
//! Decides who may pass at which instant. What makes it open is its tally's decision.

use std::time::{Duration, Instant};

use super::Outcome;
use super::tally::Tally;
use crate::crate_client::ledger::Caller;

/// How long an open window lets nobody through.
pub(super) const OPEN_FOR: Duration = Duration::from_secs(30);

/// What a caller is told to wait for while another one's request tries the service.
pub(super) const TRIAL_WAIT: Duration = Duration::from_secs(2);

/// A window and what it remembers of failures.
#[derive(Debug, Default)]
pub(super) struct Breaker<T> {
    state: State,
    /// Counts the changes of state, so that a request that started before the last one is not heard.
    turns: u64,
    tally: T,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Everybody passes.
    #[default]
    Shut,
    /// Nobody passes before `until`; the first one after it is the trial.
    Open { until: Instant },
    /// One request is on its way, and how it ends decides. The window had been open until then.
    Trial { since: Instant },
}

/// The right to ask, given at one state of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pass(u64);

/// What a settled request changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// Nothing that anybody has to be told.
    None,
    /// The window opened.
    Opened,
    /// The trial failed.
    StayedOpen,
    /// The trial succeeded.
    Closed,
}

impl<T: Tally> Breaker<T> {
    /// How long there is no passing; `None` when the next request may pass.
    pub(super) fn wait(&self, now: Instant) -> Option<Duration> {
        match self.state {
            State::Shut => None,
            State::Open { until } => {
                until.checked_duration_since(now).filter(|remaining| !remaining.is_zero())
            }
            State::Trial { .. } => Some(TRIAL_WAIT),
        }
    }

    /// Opens it again as it was when the program ended.
    pub(super) fn reopen(&mut self, until: Instant) {
        self.turn_to(State::Open { until });
    }

    /// Shuts it, by an operator's word; whether it was open.
    pub(super) fn shut(&mut self) -> bool {
        let was_open = self.state != State::Shut;
        if was_open {
            self.turn_to(State::Shut);
        }
        was_open
    }

    /// Until when it is open; a window on trial is as open as before. `None` when it is shut.
    pub(super) fn open_until(&self) -> Option<Instant> {
        match self.state {
            State::Shut => None,
            State::Open { until } | State::Trial { since: until } => Some(until),
        }
    }

    /// Whether the request that passes next is a trial.
    pub(super) fn is_tried(&self) -> bool {
        self.state != State::Shut
    }

    /// Lets one request through; only for use right after [`Self::wait`] found nothing to wait for.
    pub(super) fn pass(&mut self) -> Pass {
        if let State::Open { until } = self.state {
            self.turn_to(State::Trial { since: until });
        }
        Pass(self.turns)
    }

    /// Hears how a request ended.
    pub(super) fn settle(&mut self, pass: Pass, caller: Caller, outcome: Outcome, now: Instant) -> Turn {
        if pass != Pass(self.turns) {
            return Turn::None;
        }
        match (self.state, outcome) {
            (State::Shut, Outcome::Failed) if self.tally.failed(caller, now) => {
                self.turn_to(State::Open { until: now + OPEN_FOR });
                Turn::Opened
            }
            (State::Shut, Outcome::Answered) => {
                self.tally.answered();
                Turn::None
            }
            (State::Trial { .. }, Outcome::Answered | Outcome::Refused) => {
                self.turn_to(State::Shut);
                Turn::Closed
            }
            (State::Trial { .. }, Outcome::Failed) => {
                self.turn_to(State::Open { until: now + OPEN_FOR });
                Turn::StayedOpen
            }
            // The next request tries in its place, without another wait.
            (State::Trial { .. }, Outcome::Abandoned) => {
                self.turn_to(State::Open { until: now });
                Turn::None
            }
            (State::Shut, Outcome::Failed | Outcome::Refused | Outcome::Abandoned)
            | (State::Open { .. }, _) => Turn::None,
        }
    }

    fn turn_to(&mut self, state: State) {
        self.state = state;
        self.turns = self.turns.wrapping_add(1);
        // What led to a window says nothing about the time after it.
        self.tally = T::default();
    }
}
