//! What calls spent and which of them were answered before, counted for operators.
//!
//! Decides which count a call belongs to. Nothing is decided by these counts.

use std::sync::Arc;

use super::Asker;
use crate::crate_client::CallLedger;
use crate::telemetry::count::{Counter, Counters, Word as _, closed_words};

closed_words! {
    /// What was found when an identical call was looked for.
    pub enum Replayed {
        /// It was answered already.
        Hit = "hit",
        /// There was none.
        Miss = "miss",
        /// It runs.
        Running = "running",
    }
}

closed_words! {
    /// Who spends units.
    pub enum Who {
        /// Everybody without an account.
        Anonymous = "anonymous",
        /// Accounts.
        Accounts = "accounts",
    }
}

/// The counts since the start.
#[derive(Debug, Default)]
pub(super) struct Tallies {
    anonymous: Arc<Counter>,
    accounts: Arc<Counter>,
    pub(super) replays: Counters<Replayed>,
}

impl Tallies {
    pub(super) fn units_of(&self, asker: Asker) -> Arc<Counter> {
        match asker {
            Asker::Anonymous(_) | Asker::Chatgpt(_) => Arc::clone(&self.anonymous),
            Asker::Account { .. } => Arc::clone(&self.accounts),
        }
    }

    pub(super) fn units(&self) -> [(&'static str, u64); 2] {
        [(Who::Anonymous.as_str(), self.anonymous.get()), (Who::Accounts.as_str(), self.accounts.get())]
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
