//! Every typed handle on one store, read at the start and swept in the background.
//!
//! Decides the order of starting and how much one sweep removes. It must never know what a record is used for.

use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::Duration;

use super::backup::{self, BackupError};
use super::backups::Outcomes;
use super::batch::Batch;
use super::class::Class;
use super::record::{self, Fault, Loaded};
use super::rows::{Account, Anonymous, Calendar, Cursor, Identity, Ladder, Month, Quota, Replay, Window};
use super::secret::SECRET_BYTES;
use super::table::Table;
use super::{Ack, Flushes, Health, Store, StoreError};
use crate::clock::Clock;

/// Records of one class that one batch of a sweep removes at most.
const SWEEP_BATCH: usize = 256;
const SWEEP_EVERY: Duration = Duration::from_secs(1);

/// What the store held cannot be used. Nothing of it was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// A row is not what it should be.
    #[error("the store holds {0}; start the program that wrote it, or move its folder away to begin anew")]
    Fault(FaultText),
    /// The store cannot be read or written.
    #[error("the store cannot be loaded: {0}")]
    Store(#[from] StoreError),
}

/// A fault that can be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultText(Fault);

impl std::fmt::Display for FaultText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl From<Fault> for LoadError {
    fn from(fault: Fault) -> Self {
        Self::Fault(FaultText(fault))
    }
}

/// What is remembered, one handle a class.
#[derive(Debug)]
pub struct State {
    store: Arc<dyn Store>,
    /// What is known of accounts.
    pub accounts: Table<Account>,
    /// Their use of their allowances.
    pub quotas: Table<Quota>,
    /// The budget that anonymous callers share.
    pub anonymous: Table<Anonymous>,
    /// The latest day that was counted in.
    pub calendar: Table<Calendar>,
    /// Answers for identical calls.
    pub replays: Table<Replay>,
    /// Walks through long results.
    pub cursors: Table<Cursor>,
    /// Degraded windows.
    pub windows: Table<Window>,
    /// What protects the data service.
    pub ladder: Table<Ladder>,
    /// Calls that the data service's plan counted.
    pub month: Table<Month>,
    /// Verified identities.
    pub identities: Table<Identity>,
    sealed_by: SealKey,
    backups: Outcomes,
}

/// What cursors are marked with, if anybody said so; shown to nobody.
#[derive(Default)]
struct SealKey(Option<[u8; SECRET_BYTES]>);

impl std::fmt::Debug for SealKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SealKey(…)")
    }
}

impl State {
    /// Reads everything that the store holds. What is over goes, what has an older form is rewritten.
    ///
    /// # Errors
    /// A row that is not what it should be, or a store that cannot be read.
    pub fn load(store: Arc<dyn Store>, clock: &Clock) -> Result<Self, LoadError> {
        let state = Self {
            accounts: Table::new(clock.clone()),
            quotas: Table::new(clock.clone()),
            anonymous: Table::new(clock.clone()),
            calendar: Table::new(clock.clone()),
            replays: Table::new(clock.clone()),
            cursors: Table::new(clock.clone()),
            windows: Table::new(clock.clone()),
            ladder: Table::new(clock.clone()),
            month: Table::new(clock.clone()),
            identities: Table::new(clock.clone()),
            sealed_by: SealKey::default(),
            backups: Outcomes::default(),
            store,
        };
        let rows = state.store.load()?;
        let mut batch = Batch::new();
        for loaded in record::whole(&rows)? {
            state.take_in(&mut batch, &loaded)?;
        }
        if !batch.is_empty() {
            state.store.submit(batch).wait()?;
        }
        Ok(state)
    }

    /// The same, whose backups hold this key too: without it nobody could go on with the walks in them.
    #[must_use]
    pub fn sealed_by(self, key: [u8; SECRET_BYTES]) -> Self {
        Self { sealed_by: SealKey(Some(key)), ..self }
    }

    fn take_in(&self, batch: &mut Batch, loaded: &Loaded<'_>) -> Result<(), Fault> {
        match loaded.class {
            Class::Account => self.accounts.take_in(batch, loaded),
            Class::Quota => self.quotas.take_in(batch, loaded),
            Class::Anonymous => self.anonymous.take_in(batch, loaded),
            Class::Calendar => self.calendar.take_in(batch, loaded),
            Class::Replay => self.replays.take_in(batch, loaded),
            Class::Cursor => self.cursors.take_in(batch, loaded),
            Class::Window => self.windows.take_in(batch, loaded),
            Class::Ladder => self.ladder.take_in(batch, loaded),
            Class::Month => self.month.take_in(batch, loaded),
            Class::Identity => self.identities.take_in(batch, loaded),
            class @ (Class::Receipt | Class::Run) => Err(Fault::Body(class)),
        }
    }

    /// Queues a batch. Batches take effect in the order of this call: whoever writes the newer state of a record
    /// has to see to it that it is submitted later.
    pub fn submit(&self, batch: Batch) -> Ack {
        if batch.is_empty() {
            return Ack::known(Ok(()));
        }
        self.store.submit(batch)
    }

    /// How long writes took to become durable; `None` for a store that has no disk.
    #[must_use]
    pub fn flushes(&self) -> Option<Flushes> {
        self.store.flushes()
    }

    /// Whether the store takes batches.
    #[must_use]
    pub fn health(&self) -> Health {
        self.store.health()
    }

    /// What became of the backups that were due.
    #[must_use]
    pub fn backups(&self) -> &Outcomes {
        &self.backups
    }

    /// Removes some of what is over from memory, and gives the batch that removes it from the store; whether
    /// there may be more.
    #[must_use]
    pub fn sweep(&self) -> (Batch, bool) {
        let mut batch = Batch::new();
        let most = SWEEP_BATCH;
        let swept = [
            self.quotas.sweep(&mut batch, most),
            self.replays.sweep(&mut batch, most),
            self.cursors.sweep(&mut batch, most),
            self.windows.sweep(&mut batch, most),
            self.identities.sweep(&mut batch, most),
        ];
        (batch, swept.contains(&most))
    }

    /// Sweeps once a second, in a thread of its own, for as long as somebody else holds this.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn sweep_in_background(self: &Arc<Self>) -> std::io::Result<()> {
        let state: Weak<Self> = Arc::downgrade(self);
        std::thread::Builder::new().name("store-sweeper".into()).spawn(move || {
            while let Some(state) = state.upgrade() {
                let (batch, more) = state.sweep();
                // What could not be removed is over all the same, and goes when the store is loaded again.
                let _unremoved = state.submit(batch).wait();
                drop(state);
                if !more {
                    std::thread::sleep(SWEEP_EVERY);
                }
            }
        })?;
        Ok(())
    }

    /// Writes everything that is remembered to the file `path`, which has its name only once it is durable.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn back_up(&self, path: &Path) -> Result<(), BackupError> {
        // What was used comes last, so that no answer is in it whose units are not.
        let mut rows = [
            self.replays.rows(),
            self.cursors.rows(),
            self.windows.rows(),
            self.ladder.rows(),
            self.identities.rows(),
            self.accounts.rows(),
            self.calendar.rows(),
            self.month.rows(),
            self.anonymous.rows(),
            self.quotas.rows(),
        ]
        .concat();
        rows.sort_by(|a, b| a.key.cmp(&b.key));
        backup::write(path, self.sealed_by.0.as_ref(), &rows)
    }

    /// Makes everything durable that was submitted, and takes nothing more.
    pub fn close(&self) {
        self.store.close();
    }
}

#[cfg(test)]
mod tests;
