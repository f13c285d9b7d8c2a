//! A store that forgets everything when it is dropped. Tests run on it, and can make it fail.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::ack::{Ack, StoreError};
use super::batch::{Batch, Change, Row};
use super::{Health, Store};

/// Rows in memory; a batch is done when [`Store::submit`] returns.
#[derive(Debug, Default)]
pub struct MemoryStore {
    rows: Mutex<BTreeMap<Vec<u8>, Vec<u8>>>,
    failing: AtomicBool,
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// From now on every batch fails, or none does any more.
    pub fn fail(&self, failing: bool) {
        self.failing.store(failing, Ordering::SeqCst);
    }
}

impl Store for MemoryStore {
    fn submit(&self, batch: Batch) -> Ack {
        if self.failing.load(Ordering::SeqCst) {
            return Ack::known(Err(StoreError::Failed));
        }
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        for change in batch.into_changes() {
            match change {
                Change::Put(Row { key, value }) => drop(rows.insert(key, value)),
                Change::Remove(key) => drop(rows.remove(&key)),
            }
        }
        Ack::known(Ok(()))
    }

    fn load(&self) -> Result<Vec<Row>, StoreError> {
        let rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(rows.iter().map(|(key, value)| Row { key: key.clone(), value: value.clone() }).collect())
    }

    fn health(&self) -> Health {
        if self.failing.load(Ordering::SeqCst) { Health::Refusing(StoreError::Failed) } else { Health::Good }
    }

    fn close(&self) {}
}
