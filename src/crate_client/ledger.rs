//! What one call has cost so far. Shared, so that it is right even when the call is cut short.

use std::sync::atomic::{AtomicU32, Ordering};

/// Counts the requests that one call started.
#[derive(Debug, Default)]
pub struct CallLedger {
    units: AtomicU32,
    upstream_2xx: AtomicU32,
}

impl CallLedger {
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

    pub(crate) fn count_unit(&self) {
        self.units.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_2xx(&self) {
        self.upstream_2xx.fetch_add(1, Ordering::Relaxed);
    }
}
