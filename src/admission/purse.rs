//! Units of somebody, with the store behind them: held before a call, charged after it.
//!
//! Decides when a call has to wait for the disk and what happens when the disk fails. It must never know what a call
//! does. A purse is locked for arithmetic and for handing over, never while something is waited for.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::allotment::{Allotment, Entry, Grant, UsedUp};
use crate::auth::AccountId;
use crate::crate_client::CallLedger;
use crate::store::record::Only;
use crate::store::rows::{Anonymous, Quota};
use crate::store::{Ack, Batch, Health, State, StoreError};

/// How long a call waits for the disk.
pub const ACK_MAX: Duration = Duration::from_millis(1_500);

/// Whose units they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// An account's, by the month.
    Account(AccountId),
    /// Everybody's without an account, by the day.
    Anonymous,
}

/// The units of one owner.
#[derive(Debug)]
pub struct Purse {
    owner: Owner,
    units: Mutex<Allotment>,
    state: Arc<State>,
}

/// What is used of a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Used {
    /// The period.
    pub period: u32,
    /// Units of calls that have ended.
    pub used: u64,
}

/// Why nothing was held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotHeld {
    /// Not as many units are left.
    UsedUp(Used),
    /// The disk could not be told.
    Store(StoreError),
}

impl Purse {
    /// The purse as it was left: what was set aside counts as used.
    #[must_use]
    pub fn found(owner: Owner, period: u32, reserved: u64, state: Arc<State>) -> Arc<Self> {
        Arc::new(Self { owner, units: Mutex::new(Allotment::found(period, reserved)), state })
    }

    /// Holds `most` of `allowance` units of `period`. What the ledger counts is charged when the hold ends.
    ///
    /// # Errors
    /// When they are not left, or the disk cannot be told of them.
    pub async fn hold(
        self: &Arc<Self>,
        period: u32,
        allowance: u64,
        most: u32,
        ledger: Arc<CallLedger>,
    ) -> Result<Hold, NotHeld> {
        let most = u64::from(most);
        if most > 0
            && let Health::Refusing(error) = self.state.health()
        {
            return Err(NotHeld::Store(error));
        }
        let (hold, told) = {
            let mut units = self.lock();
            units.roll(period);
            let grant = units.hold(most, allowance).map_err(|UsedUp| NotHeld::UsedUp(used(&units)))?;
            let told = match grant {
                Grant::Now => None,
                Grant::After(entry) => Some((entry, self.tell(entry, Batch::new()))),
            };
            let period = units.period();
            (Hold { purse: Arc::clone(self), period, allowance, most, ledger, is_open: true }, told)
        };
        // From here on whatever ends this early drops the hold, which gives its units back.
        if let Some((entry, ack)) = told {
            ack.durable(ACK_MAX).await.map_err(NotHeld::Store)?;
            self.lock().confirm(entry);
        }
        Ok(hold)
    }

    /// What is used of `period`, or of a later one that has begun.
    #[must_use]
    pub fn used(&self, period: u32) -> Used {
        let units = self.lock();
        if units.period() < period { Used { period, used: 0 } } else { used(&units) }
    }

    /// Units of `period` that are used or held.
    #[must_use]
    pub fn taken(&self, period: u32) -> u64 {
        let units = self.lock();
        if units.period() < period { 0 } else { units.taken() }
    }

    /// Whether it never held or charged anything.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        self.lock().is_untouched()
    }

    /// Sets what is used of `period`, by an operator's word.
    ///
    /// # Errors
    /// When the disk cannot be told.
    pub async fn set_used(&self, period: u32, used: u64) -> Result<(), StoreError> {
        let (entry, ack) = {
            let mut units = self.lock();
            units.roll(period);
            let entry = units.set_used(used);
            (entry, self.tell(entry, Batch::new()))
        };
        ack.durable(ACK_MAX).await?;
        self.lock().confirm(entry);
        Ok(())
    }

    /// Writes exactly what was used, for a clean end.
    pub fn close(&self, batch: &mut Batch) {
        let mut units = self.lock();
        if let Some(entry) = units.close() {
            // Without it more counts as used at the next start, and never less.
            let _full = self.write(entry, batch);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Allotment> {
        self.units.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands an entry to the store; only while locked, so that entries arrive in their order.
    fn tell(&self, entry: Entry, mut batch: Batch) -> Ack {
        match self.write(entry, &mut batch) {
            Ok(()) => self.state.submit(batch),
            Err(error) => Ack::known(Err(error)),
        }
    }

    fn write(&self, entry: Entry, batch: &mut Batch) -> Result<(), StoreError> {
        let Entry { period, used, reserved, .. } = entry;
        let written = match self.owner {
            Owner::Account(id) => {
                let quota = Quota { month: period, used, reserved };
                self.state.quotas.put(batch, *id.as_bytes(), quota)
            }
            Owner::Anonymous => {
                self.state.anonymous.put(batch, Only, Anonymous { day: period, used, reserved })
            }
        };
        written.map_err(|_full| StoreError::Failed)
    }
}

fn used(units: &Allotment) -> Used {
    Used { period: units.period(), used: units.used() }
}

/// Units that a running call may spend. Dropping it charges what was spent and gives back the rest, without waiting.
#[derive(Debug)]
pub struct Hold {
    purse: Arc<Purse>,
    period: u32,
    allowance: u64,
    most: u64,
    ledger: Arc<CallLedger>,
    is_open: bool,
}

impl Hold {
    /// What is used with what this call has spent so far.
    #[must_use]
    pub fn used(&self) -> Used {
        let used = self.purse.used(self.period);
        let own = if used.period == self.period && self.is_open { u64::from(self.ledger.units()) } else { 0 };
        Used { used: used.used.saturating_add(own), ..used }
    }

    /// Ends the call: what it spent is durable together with what `add` adds, when anything was spent.
    ///
    /// # Errors
    /// When the disk could not be told in time. Nothing is charged then as far as nobody else was told of it.
    pub async fn settle(mut self, add: impl FnOnce(&mut Batch)) -> Result<Used, StoreError> {
        self.is_open = false;
        let spent = u64::from(self.ledger.units());
        let (entry, ack, used) = self.end(spent, add);
        if spent == 0 {
            return Ok(used);
        }
        match ack.durable(ACK_MAX).await {
            Ok(()) => {
                if let Some(entry) = entry {
                    self.purse.lock().confirm(entry);
                }
                Ok(used)
            }
            Err(error) => {
                if let Some(entry) = entry {
                    self.purse.lock().take_back(entry, spent);
                }
                Err(error)
            }
        }
    }

    fn end(&self, spent: u64, add: impl FnOnce(&mut Batch)) -> (Option<Entry>, Ack, Used) {
        let mut units = self.purse.lock();
        let entry = units.settle(self.period, self.most, spent, self.allowance);
        let mut batch = Batch::new();
        add(&mut batch);
        let ack = match entry {
            Some(entry) => self.purse.tell(entry, batch),
            None => self.purse.state.submit(batch),
        };
        (entry, ack, used(&units))
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        if self.is_open {
            let spent = u64::from(self.ledger.units());
            let _nobody_waits = self.end(spent, |_| {});
        }
    }
}
