//! What is remembered of accounts: when each was first seen, and what an operator set for it.
//!
//! Decides what becomes of it when the disk does not take it: a first sight is tried again at the next one, an
//! operator's word is taken back. Must never know tokens, nor what has been used.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use time::OffsetDateTime;

use crate::auth::AccountId;
use crate::store::rows::Account as Row;
use crate::store::{Ack, Batch, Refused, State, StoreError};

/// How long an operator waits for the disk.
const ACK_MAX: Duration = Duration::from_secs(5);

/// An account of which nothing is known yet.
const UNKNOWN: Row = Row { first_seen_s: None, allowance: None, blocked: false };

/// An account that was seen, or that an operator set something for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// When it was first seen; `None` when it never was, and an operator set something for it.
    pub first_seen: Option<OffsetDateTime>,
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

/// Why something was not set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotSet {
    /// Nothing may be forgotten for a new account, and there is room for no more.
    #[error("as many accounts are kept as there is room for, and this one is not among them")]
    Full,
    /// The store did not take it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<Refused> for NotSet {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Full => Self::Full,
            Refused::TooLarge => Self::Store(StoreError::Failed),
        }
    }
}

/// What was written.
struct Written {
    row: Row,
    /// The row that it replaced.
    before: Option<Row>,
    ack: Ack,
}

/// Keeps accounts in the store.
#[derive(Debug)]
pub(super) struct Book {
    state: Arc<State>,
    /// Held from reading a record to handing its next form over, so that both happen in one order.
    order: Mutex<()>,
    /// Whether there was no room for the last account that was new.
    full: AtomicBool,
}

impl Book {
    pub(super) fn new(state: Arc<State>) -> Self {
        Self { state, order: Mutex::default(), full: AtomicBool::new(false) }
    }

    pub(super) fn find(&self, id: AccountId) -> Option<Known> {
        self.state.accounts.get(id.as_bytes()).map(known)
    }

    pub(super) fn all(&self) -> Vec<(AccountId, Known)> {
        let all = self.state.accounts.all().into_iter();
        all.map(|(key, row)| (AccountId::from_bytes(key), known(row))).collect()
    }

    /// The account, which was seen from now on. Nobody waits for the disk.
    pub(super) fn seen(self: &Arc<Self>, id: AccountId, now: OffsetDateTime) -> Known {
        let found = self.find(id);
        if let Some(known) = found.filter(|known| known.first_seen.is_some()) {
            return known;
        }
        let first = |before: Option<Row>| {
            let mut row = before.unwrap_or(UNKNOWN);
            row.first_seen_s = row.first_seen_s.or(Some(now.unix_timestamp()));
            row
        };
        match self.write(id, first) {
            Ok(Written { row, before, ack }) => {
                if before.is_none() && self.turns(false) {
                    tracing::info!("accounts that are new are kept again");
                }
                let (book, written) = (Arc::clone(self), row.clone());
                tokio::spawn(async move {
                    if ack.durable(Duration::MAX).await.is_err() {
                        book.forget(id, &written, before);
                    }
                });
                known(row)
            }
            // Nothing is granted by it: the account has what one has that was just seen.
            Err(refused) => {
                if self.turns(true) {
                    tracing::warn!(?refused, "accounts that are new cannot be kept");
                }
                Known { first_seen: Some(now), ..found.unwrap_or_else(|| known(UNKNOWN)) }
            }
        }
    }

    /// Sets something for an account, which may never have been seen; when this ends well, it is durable.
    pub(super) async fn set(&self, id: AccountId, setting: Setting) -> Result<Known, NotSet> {
        let Written { row, before, ack } = self.write(id, |before| {
            let mut row = before.unwrap_or(UNKNOWN);
            match setting {
                Setting::Blocked(blocked) => row.blocked = blocked,
                Setting::Allowance(allowance) => row.allowance = allowance,
            }
            row
        })?;
        match ack.durable(ACK_MAX).await {
            Ok(()) => Ok(known(row)),
            Err(error) => {
                self.restore(id, &row, before);
                Err(error.into())
            }
        }
    }

    fn write(&self, id: AccountId, next: impl FnOnce(Option<Row>) -> Row) -> Result<Written, Refused> {
        let _order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        let key = *id.as_bytes();
        let before = self.state.accounts.get(&key);
        let row = next(before.clone());
        let mut batch = Batch::new();
        self.state.accounts.put(&mut batch, key, row.clone())?;
        Ok(Written { row, before, ack: self.state.submit(batch) })
    }

    /// Notes whether there is room; whether that is news.
    pub(super) fn turns(&self, full: bool) -> bool {
        self.full.swap(full, Ordering::Relaxed) != full
    }

    /// Takes back a first sight that the disk does not know, so that the next one tries again.
    fn forget(&self, id: AccountId, written: &Row, before: Option<Row>) {
        let _order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        let key = *id.as_bytes();
        if self.state.accounts.get(&key).as_ref() != Some(written) {
            return;
        }
        match before {
            // It had room a moment ago, and the disk has it.
            Some(before) => drop(self.state.accounts.put(&mut Batch::new(), key, before)),
            None => self.state.accounts.forget(&key),
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
        first_seen: row.first_seen_s.and_then(|at| OffsetDateTime::from_unix_timestamp(at).ok()),
        allowance: row.allowance,
        blocked: row.blocked,
    }
}
