//! What calls spent and which of them were answered before, counted for operators.
//!
//! Decides which count a call belongs to. Nothing is decided by these counts.

use std::sync::Arc;

use super::Asker;
use crate::crate_client::CallLedger;
use crate::telemetry::count::{Counter, Counters};

/// An identical call was answered already.
pub(super) const HIT: &str = "hit";
/// None was.
pub(super) const MISS: &str = "miss";
/// One runs.
pub(super) const RUNNING: &str = "running";

/// The counts since the start.
#[derive(Debug)]
pub(super) struct Tallies {
    anonymous: Arc<Counter>,
    accounts: Arc<Counter>,
    pub(super) replays: Counters,
}

impl Default for Tallies {
    fn default() -> Self {
        Self {
            anonymous: Arc::default(),
            accounts: Arc::default(),
            replays: Counters::new([HIT, MISS, RUNNING]),
        }
    }
}

impl Tallies {
    pub(super) fn units_of(&self, asker: Asker) -> Arc<Counter> {
        match asker {
            Asker::Anonymous(_) | Asker::Chatgpt(_) => Arc::clone(&self.anonymous),
            Asker::Account { .. } => Arc::clone(&self.accounts),
        }
    }

    pub(super) fn units(&self) -> [(&'static str, u64); 2] {
        [("anonymous", self.anonymous.get()), ("accounts", self.accounts.get())]
    }
}

/// A call that may spend; what it spent is counted when it ends, however it does.
#[derive(Debug)]
pub(super) struct Spending {
    ledger: Arc<CallLedger>,
    to: Arc<Counter>,
}

impl Spending {
    pub(super) fn of(ledger: Arc<CallLedger>, to: Arc<Counter>) -> Self {
        Self { ledger, to }
    }
}

impl Drop for Spending {
    fn drop(&mut self) {
        self.to.add(self.ledger.units().into());
    }
}

/// How accounts stand, as far as they called since the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccountsNow {
    /// Accounts that called today (UTC).
    pub active_today: u64,
    /// Accounts whose last call found their month used up.
    pub at_limit: u64,
}
