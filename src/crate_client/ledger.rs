//! What one call has cost so far, on whose behalf, and until when it may go on. Shared, so that it is right
//! even when the call is cut short.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::basis::{Read, Reads};
use crate::clock::runtime_now;

/// Who a request is made for: a key that only tells callers apart, and whether it stands for an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Caller {
    key: u64,
    signed_in: bool,
}

impl Caller {
    /// The caller without an account of `key`. Whoever makes keys sees to it that nothing can be read back
    /// from them.
    #[must_use]
    pub fn new(key: u64) -> Self {
        Self { key, signed_in: false }
    }

    /// The account of `key`, which is another caller than the one without an account of the same key.
    #[must_use]
    pub fn account(key: u64) -> Self {
        Self { key, signed_in: true }
    }

    /// Whether the caller has an account.
    #[must_use]
    pub fn is_signed_in(self) -> bool {
        self.signed_in
    }
}

/// Counts the requests that one call started.
#[derive(Debug)]
pub struct CallLedger {
    caller: Caller,
    counts: Arc<Counts>,
    limit: OnceLock<Limit>,
    reads: Mutex<Reads>,
}

#[derive(Debug, Default)]
pub(super) struct Counts {
    units: AtomicU32,
    upstream_2xx: AtomicU32,
    cache_hit: AtomicBool,
}

/// The end of a call's time, and how much it was given.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    pub(super) ends: Instant,
    pub(super) given: Duration,
}

impl CallLedger {
    /// An empty ledger for a call of `caller`.
    #[must_use]
    pub fn new(caller: Caller) -> Self {
        Self { caller, counts: Arc::default(), limit: OnceLock::new(), reads: Mutex::default() }
    }

    /// Gives the call `time` from now on, of which no request may take more than is left. Only the first word
    /// counts.
    pub fn give(&self, time: Duration) {
        let _given_already = self.limit.set(Limit { ends: runtime_now() + time, given: time });
    }

    /// Who the call is made for.
    #[must_use]
    pub fn caller(&self) -> Caller {
        self.caller
    }

    /// Units to meter so far.
    #[must_use]
    pub fn units(&self) -> u32 {
        self.counts.units.load(Ordering::Relaxed)
    }

    /// Successful requests so far.
    #[must_use]
    pub fn upstream_2xx(&self) -> u32 {
        self.counts.upstream_2xx.load(Ordering::Relaxed)
    }

    /// Whether an answer was taken that somebody else's request had brought.
    #[must_use]
    pub fn cache_hit(&self) -> bool {
        self.counts.cache_hit.load(Ordering::Relaxed)
    }

    /// Counts a request that is about to start.
    #[cfg(test)]
    pub(crate) fn charge(&self) -> Charge {
        Charge::to(Arc::clone(&self.counts))
    }

    pub(super) fn counts(&self) -> Arc<Counts> {
        Arc::clone(&self.counts)
    }

    pub(super) fn limit(&self) -> Option<Limit> {
        self.limit.get().copied()
    }

    pub(super) fn note_cache_hit(&self) {
        self.counts.cache_hit.store(true, Ordering::Relaxed);
    }

    fn reads(&self) -> MutexGuard<'_, Reads> {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A kept answer was taken.
    pub(super) fn note_read(&self, read: Read) {
        self.note_cache_hit();
        self.reads().kept(read);
    }

    /// Something is asked that is not kept.
    pub(super) fn note_asked(&self) {
        *self.reads() = Reads::Others;
    }

    /// The kept answers that the call read, when it read nothing else; empty otherwise.
    pub(super) fn kept_reads(&self) -> Vec<Read> {
        match &*self.reads() {
            Reads::Kept(reads) => reads.clone(),
            Reads::None | Reads::Others => Vec::new(),
        }
    }
}

/// A request that was counted. Stays counted unless it is waived, also when it is dropped unfinished.
#[derive(Debug)]
pub(crate) struct Charge(Arc<Counts>);

impl Charge {
    pub(super) fn to(counts: Arc<Counts>) -> Self {
        counts.units.fetch_add(1, Ordering::Relaxed);
        Self(counts)
    }

    /// Notes that the request was answered well.
    pub(super) fn count_2xx(&self) {
        self.0.upstream_2xx.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes the request back: it turned out to be free.
    pub(super) fn waive(self) {
        self.0.units.fetch_sub(1, Ordering::Relaxed);
    }
}
