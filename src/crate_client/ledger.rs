//! What one call has cost so far, and on whose behalf. Shared, so that it is right even when the call
//! is cut short.

use std::sync::atomic::{AtomicU32, Ordering};

/// Who a request is made for, as a key that only tells callers apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Caller(u64);

impl Caller {
    /// The caller of `key`. Whoever makes keys sees to it that nothing can be read back from them.
    #[must_use]
    pub fn new(key: u64) -> Self {
        Self(key)
    }
}

/// Counts the requests that one call started.
#[derive(Debug)]
pub struct CallLedger {
    caller: Caller,
    units: AtomicU32,
    upstream_2xx: AtomicU32,
}

impl CallLedger {
    /// An empty ledger for a call of `caller`.
    #[must_use]
    pub fn new(caller: Caller) -> Self {
        Self { caller, units: AtomicU32::default(), upstream_2xx: AtomicU32::default() }
    }

    /// Who the call is made for.
    #[must_use]
    pub fn caller(&self) -> Caller {
        self.caller
    }

    /// Units to meter so far.
    #[must_use]
    pub fn units(&self) -> u32 {
        self.units.load(Ordering::Relaxed)
    }

    /// Successful requests so far.
    #[must_use]
    pub fn upstream_2xx(&self) -> u32 {
        self.upstream_2xx.load(Ordering::Relaxed)
    }

    /// Counts a request that is about to start.
    pub(crate) fn charge(&self) -> Charge<'_> {
        self.units.fetch_add(1, Ordering::Relaxed);
        Charge(self)
    }

    pub(super) fn count_2xx(&self) {
        self.upstream_2xx.fetch_add(1, Ordering::Relaxed);
    }
}

/// A request that was counted. Stays counted unless it is waived, also when it is dropped unfinished.
#[derive(Debug)]
pub(crate) struct Charge<'a>(&'a CallLedger);

impl Charge<'_> {
    /// Takes the request back: it turned out to be free.
    pub(super) fn waive(self) {
        self.0.units.fetch_sub(1, Ordering::Relaxed);
    }
}
