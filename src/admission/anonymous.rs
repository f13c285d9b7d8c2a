//! The one daily budget that all callers without an account share.

use std::sync::Arc;

use super::purse::{Hold, NotHeld, Owner, Purse};
use crate::crate_client::CallLedger;
use crate::envelope::meta::BudgetBucket;
use crate::store::record::Only;
use crate::store::{Batch, State};

/// Units of one UTC day, by the number of the day. They outlive the program.
#[derive(Debug)]
pub struct AnonymousBudget {
    allowance: u64,
    purse: Arc<Purse>,
}

impl AnonymousBudget {
    /// A budget of `allowance` units a day, used as far as the store knows.
    #[must_use]
    pub fn new(allowance: u64, state: Arc<State>) -> Self {
        let found = state.anonymous.get(&Only).unwrap_or_default();
        Self { allowance, purse: Purse::found(Owner::Anonymous, found.day, found.reserved, state) }
    }

    /// Holds units for a call.
    ///
    /// # Errors
    /// When they are not left, or the disk cannot be told.
    pub async fn hold(&self, today: u32, most: u32, ledger: Arc<CallLedger>) -> Result<Hold, NotHeld> {
        self.purse.hold(today, self.allowance, most, ledger).await
    }

    /// Units of a day.
    #[must_use]
    pub fn allowance(&self) -> u64 {
        self.allowance
    }

    /// Units that are used or held.
    #[must_use]
    pub fn taken(&self, today: u32) -> u64 {
        self.purse.taken(today)
    }

    /// What is left, in broad terms: high above a half, medium above a fifth.
    #[must_use]
    pub fn bucket(&self, today: u32) -> BudgetBucket {
        let left = self.allowance.saturating_sub(self.purse.taken(today));
        if left.saturating_mul(2) > self.allowance {
            BudgetBucket::High
        } else if left.saturating_mul(5) > self.allowance {
            BudgetBucket::Medium
        } else {
            BudgetBucket::Low
        }
    }

    /// Writes exactly what was used, for a clean end.
    pub fn close(&self, batch: &mut Batch) {
        self.purse.close(batch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::crate_client::Caller;
    use crate::store::MemoryStore;

    fn ledger(units: u32) -> Arc<CallLedger> {
        let ledger = Arc::new(CallLedger::new(Caller::new(1)));
        for _ in 0..units {
            let _spent = ledger.charge();
        }
        ledger
    }

    fn budget(allowance: u64) -> AnonymousBudget {
        let state = Arc::new(State::load(Arc::new(MemoryStore::new()), &Clock::system()).unwrap());
        AnonymousBudget::new(allowance, state)
    }

    #[tokio::test]
    async fn what_is_left_is_told_in_broad_terms() {
        let budget = budget(100);
        for (units, bucket) in [
            (49, BudgetBucket::High),
            (1, BudgetBucket::Medium),
            (29, BudgetBucket::Medium),
            (1, BudgetBucket::Low),
            (20, BudgetBucket::Low),
        ] {
            drop(budget.hold(20_000, units, ledger(units)).await.unwrap());
            assert_eq!(budget.bucket(20_000), bucket);
        }
        assert_eq!(budget.bucket(20_001), BudgetBucket::High);
    }

    #[tokio::test]
    async fn a_day_that_was_counted_in_does_not_come_back() {
        let budget = budget(2);
        drop(budget.hold(20_000, 2, ledger(2)).await.unwrap());
        for day in [19_999, 0, 20_000] {
            assert!(budget.hold(day, 1, ledger(0)).await.is_err());
        }
        assert!(budget.hold(20_001, 2, ledger(0)).await.is_ok());
    }
}
