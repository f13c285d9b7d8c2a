//! When failures are enough to open a window: the two rules, each with a bounded memory.
//!
//! Decides which failures still count. It must never know what an open window means.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::crate_client::ledger::Caller;

/// A rule that counts failures.
pub(super) trait Tally: Default {
    /// Counts a failure; whether that is enough.
    fn failed(&mut self, caller: Caller, now: Instant) -> bool;
    /// Hears of a success.
    fn answered(&mut self);
}

/// Failures with no success between that open the window over the service.
pub(super) const IN_A_ROW: usize = 10;
/// The time within which they must lie, the ends included.
pub(super) const IN_A_ROW_WITHIN: Duration = Duration::from_secs(30);

/// The rule for the whole service: many failures in a row, whoever asked.
#[derive(Debug, Default)]
pub(super) struct InARow(VecDeque<Instant>);

impl Tally for InARow {
    fn failed(&mut self, _: Caller, now: Instant) -> bool {
        self.0.retain(|at| now.duration_since(*at) <= IN_A_ROW_WITHIN);
        self.0.push_back(now);
        self.0.len() >= IN_A_ROW
    }

    fn answered(&mut self) {
        self.0.clear();
    }
}

/// Failures that open the window over a family.
pub(super) const FROM_SEVERAL: usize = 5;
/// The time within which they must lie, the ends included.
pub(super) const FROM_SEVERAL_WITHIN: Duration = Duration::from_secs(60);
/// The callers that they must come from.
pub(super) const CALLERS_MIN: usize = 3;
/// How many failures of one caller count.
pub(super) const PER_CALLER_MAX: usize = 2;

// Enough failures then always come from enough callers, so that callers need no count of their own.
const _: () = assert!(FROM_SEVERAL > (CALLERS_MIN - 1) * PER_CALLER_MAX);

/// The rule for one family: failures of several callers, so that nobody alone closes it for all.
#[derive(Debug, Default)]
pub(super) struct FromSeveral(VecDeque<(Caller, Instant)>);

impl Tally for FromSeveral {
    fn failed(&mut self, caller: Caller, now: Instant) -> bool {
        self.0.retain(|(_, at)| now.duration_since(*at) <= FROM_SEVERAL_WITHIN);
        let own = |(by, _): &(Caller, Instant)| *by == caller;
        if self.0.iter().filter(|failure| own(failure)).count() >= PER_CALLER_MAX
            && let Some(oldest) = self.0.iter().position(own)
        {
            self.0.remove(oldest);
        }
        self.0.push_back((caller, now));
        self.0.len() >= FROM_SEVERAL
    }

    /// Slow dossiers fail between fast ones: a success does not unmake them.
    fn answered(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_failures_is_bounded() {
        let now = Instant::now();
        let (mut row, mut several) = (InARow::default(), FromSeveral::default());
        for n in 0..10_000 {
            let now = now + Duration::from_millis(n * 7);
            if row.failed(Caller::new(n), now) {
                row = InARow::default();
            }
            if several.failed(Caller::new(n % 2), now) {
                several = FromSeveral::default();
            }
            assert!(row.0.len() < IN_A_ROW && several.0.len() < FROM_SEVERAL);
        }
    }
}
