//! What is remembered of accounts: when each was first seen, and what an operator set for it.
//!
//! Decides what becomes of it when the disk does not take it: a first sight is tried again at the next one, an
//! operator's word is taken back. Must never know tokens, nor what has been used.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use time::OffsetDateTime;

use crate::auth::AccountId;
use crate::store::rows::Account as Row;
use crate::store::{Ack, Batch, Refused, State, StoreError};

/// How long an operator waits for the disk.
const ACK_MAX: Duration = Duration::from_secs(5);

/// An account that was seen, or that an operator set something for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// When it was first seen.
    pub first_seen: OffsetDateTime,
    /// The units a month that an operator set for it.
    pub allowance: Option<u64>,
    /// Whether an operator shut it out.
    pub blocked: bool,
}

/// What an operator sets for an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Shuts it out, or lets it in again.
    Blocked(bool),
    /// Units of one UTC month; `None` is what its kind of account has.
    Allowance(Option<u64>),
}

/// Keeps accounts in the store.
#[derive(Debug)]
pub(super) struct Book {
    state: Arc<State>,
    /// Held from reading a record to handing its next form over, so that both happen in one order.
    order: Mutex<()>,
}

impl Book {
    pub(super) fn new(state: Arc<State>) -> Self {
        Self { state, order: Mutex::default() }
    }

    pub(super) fn find(&self, id: AccountId) -> Option<Known> {
        self.state.accounts.get(id.as_bytes()).map(known)
    }

    pub(super) fn all(&self) -> Vec<(AccountId, Known)> {
        let all = self.state.accounts.all().into_iter();
        all.map(|(key, row)| (AccountId::from_bytes(key), known(row))).collect()
    }

    /// The account, which is known from now on. Nobody waits for the disk.
    pub(super) fn seen(self: &Arc<Self>, id: AccountId, now: OffsetDateTime) -> Known {
        if let Some(known) = self.find(id) {
            return known;
        }
        let fresh = Row { first_seen_s: now.unix_timestamp(), allowance: None, blocked: false };
        match self.write(id, |before| before.unwrap_or_else(|| fresh.clone())) {
            Ok((row, ack)) => {
                let (book, written) = (Arc::clone(self), row.clone());
                tokio::spawn(async move {
                    if ack.durable(Duration::MAX).await.is_err() {
                        book.forget(id, &written);
                    }
                });
                known(row)
            }
            // Nothing is granted by it: the account has what one has that was just seen.
            Err(refused) => {
                tracing::warn!(?refused, "an account that is new cannot be kept");
                known(fresh)
            }
        }
    }

    /// Sets something for an account, which may never have been seen; when this ends well, it is durable.
    pub(super) async fn set(
        &self,
        id: AccountId,
        setting: Setting,
        now: OffsetDateTime,
    ) -> Result<Known, StoreError> {
        let before = self.state.accounts.get(id.as_bytes());
        let (row, ack) = self
            .write(id, |before| {
                let mut row = before.unwrap_or(Row {
                    first_seen_s: now.unix_timestamp(),
                    allowance: None,
                    blocked: false,
                });
                match setting {
                    Setting::Blocked(blocked) => row.blocked = blocked,
                    Setting::Allowance(allowance) => row.allowance = allowance,
                }
                row
            })
            .map_err(|_refused| StoreError::Failed)?;
        match ack.durable(ACK_MAX).await {
            Ok(()) => Ok(known(row)),
            Err(error) => {
                self.restore(id, &row, before);
                Err(error)
            }
        }
    }

    fn write(&self, id: AccountId, next: impl FnOnce(Option<Row>) -> Row) -> Result<(Row, Ack), Refused> {
        let _order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        let key = *id.as_bytes();
        let row = next(self.state.accounts.get(&key));
        let mut batch = Batch::new();
        self.state.accounts.put(&mut batch, key, row.clone())?;
        Ok((row, self.state.submit(batch)))
    }

    /// Takes back a first sight that the disk does not know, so that the next one tries again.
    fn forget(&self, id: AccountId, written: &Row) {
        let _order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        if self.state.accounts.get(id.as_bytes()).as_ref() == Some(written) {
            self.state.accounts.forget(id.as_bytes());
        }
    }

    /// Takes back what did not become durable, unless something else was set since. Should the disk have it after
    /// all, it is overwritten as soon as that can be done.
    fn restore(&self, id: AccountId, written: &Row, before: Option<Row>) {
        let _order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        let key = *id.as_bytes();
        if self.state.accounts.get(&key).as_ref() != Some(written) {
            return;
        }
        let mut batch = Batch::new();
        match before {
            // It had room a moment ago.
            Some(before) => drop(self.state.accounts.put(&mut batch, key, before)),
            None => self.state.accounts.remove(&mut batch, &key),
        }
        drop(self.state.submit(batch));
    }
}

fn known(row: Row) -> Known {
    Known {
        first_seen: OffsetDateTime::from_unix_timestamp(row.first_seen_s)
            .unwrap_or(OffsetDateTime::UNIX_EPOCH),
        allowance: row.allowance,
        blocked: row.blocked,
    }
}
