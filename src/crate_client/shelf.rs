//! What the client wants to find again after a restart, as narrow seams that any store can stand behind.
//!
//! Saving happens in the middle of requests, so it must not wait for a disk: it hands the value on and
//! returns. What was saved last and not yet written may be lost with the machine, which costs a request or
//! two and no promise.

use std::fmt::Debug;

use time::OffsetDateTime;

use super::memory::StoredIdentity;
use super::window::StoredWindow;

/// Keeps which degraded windows are open.
pub trait WindowShelf: Debug + Send + Sync {
    /// What was saved last; empty when nothing was.
    fn load_windows(&self) -> Vec<StoredWindow>;
    /// Keeps `open`, all windows that are open now, in place of what was kept before. Returns at once.
    fn save_windows(&self, open: &[StoredWindow]);
}

/// Keeps what resolves have learned about cluster ids.
pub trait IdentityShelf: Debug + Send + Sync {
    /// Everything that was saved, the latest last; at most one entry a cluster id.
    fn load_identities(&self) -> Vec<StoredIdentity>;
    /// Keeps `identity` in place of what was kept of its cluster id. Returns at once.
    fn save_identity(&self, identity: &StoredIdentity);
}

/// Keeps how much of a month's plan is used.
pub trait MonthShelf: Debug + Send + Sync {
    /// What was saved last.
    fn load_month(&self) -> Option<MonthUse>;
    /// Keeps `used` in place of what was kept before. Returns at once.
    fn save_month(&self, used: MonthUse);
}

/// Counted requests of one UTC month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MonthUse {
    /// The year.
    pub year: i32,
    /// The month, 1 to 12.
    pub month: u8,
    /// Requests that the service counts.
    pub used: u64,
}

impl MonthUse {
    pub(super) fn none(utc: OffsetDateTime) -> Self {
        Self { year: utc.year(), month: u8::from(utc.month()), used: 0 }
    }

    pub(super) fn is_of(&self, utc: OffsetDateTime) -> bool {
        (self.year, self.month) == (utc.year(), u8::from(utc.month()))
    }
}

/// Keeps nothing: for the demo, and until a store is there.
#[derive(Clone, Copy, Debug, Default)]
pub struct Forgetful;

impl WindowShelf for Forgetful {
    fn load_windows(&self) -> Vec<StoredWindow> {
        Vec::new()
    }

    fn save_windows(&self, _: &[StoredWindow]) {}
}

impl IdentityShelf for Forgetful {
    fn load_identities(&self) -> Vec<StoredIdentity> {
        Vec::new()
    }

    fn save_identity(&self, _: &StoredIdentity) {}
}

impl MonthShelf for Forgetful {
    fn load_month(&self) -> Option<MonthUse> {
        None
    }

    fn save_month(&self, _: MonthUse) {}
}
