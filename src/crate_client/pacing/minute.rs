//! So many requests in any sixty seconds, as the service counts them.
//!
//! The service counts a request when it arrives, which lies between its start and its end here. So each one is
//! counted from its start until sixty seconds after its end: then no sixty seconds of the service hold too many.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

/// The time over which requests are counted.
pub(super) const MINUTE: Duration = Duration::from_secs(60);

/// The requests of the last minute.
#[derive(Debug)]
pub(super) struct Minute {
    most: u32,
    /// When each request that has ended stops counting, in order.
    ended: VecDeque<Instant>,
    /// What the service says is left, and until when that holds.
    told: Option<(u32, Instant)>,
}

impl Minute {
    pub(super) fn new(most: u32) -> Self {
        Self { most, ended: VecDeque::new(), told: None }
    }

    /// Counts one more beside `running` others, or says when to look again.
    pub(super) fn take(&mut self, running: u32, now: Instant) -> Result<(), Option<Instant>> {
        if self.used(running) >= self.most {
            return Err(self.ended.front().copied());
        }
        if let Some((left, until)) = &mut self.told {
            match left.checked_sub(1) {
                Some(fewer) => *left = fewer,
                None if now < *until => return Err(Some(*until)),
                None => self.told = None,
            }
        }
        Ok(())
    }

    /// One request ended.
    pub(super) fn ended(&mut self, now: Instant) {
        self.ended.push_back(now + MINUTE);
    }

    /// One request that was counted was not made.
    pub(super) fn not_used(&mut self) {
        if let Some((left, _)) = &mut self.told {
            *left += 1;
        }
    }

    /// Believes the service when it counts more than is counted here: others may use the same key.
    pub(super) fn hear(&mut self, left: u32, reset_in: Duration, now: Instant) {
        // A later reset than in a minute is no reset of a minute.
        self.told = Some((left, now + reset_in.min(MINUTE)));
    }

    /// The first moment at which one more can start after `queued` others that wait; `None` when it hangs on
    /// requests that have not ended.
    pub(super) fn earliest(&self, running: u32, queued: u32, now: Instant) -> Option<Instant> {
        let told = match self.told {
            Some((left, until)) if left <= queued => until,
            Some(_) | None => now,
        };
        let free = self.most.saturating_sub(self.used(running));
        let own = match queued.checked_sub(free) {
            None => now,
            Some(behind) => *self.ended.get(usize::try_from(behind).ok()?)?,
        };
        Some(own.max(told))
    }

    pub(super) fn tidy(&mut self, now: Instant) {
        while self.ended.front().is_some_and(|until| *until <= now) {
            self.ended.pop_front();
        }
        self.told = self.told.filter(|(_, until)| *until > now);
    }

    /// Requests that count, `running` others that have not ended among them.
    pub(super) fn used(&self, running: u32) -> u32 {
        running.saturating_add(u32::try_from(self.ended.len()).unwrap_or(u32::MAX))
    }
}
