//! What is remembered of accounts: the seam for a store.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use lru::LruCache;
use time::OffsetDateTime;

use crate::auth::AccountId;

/// How many accounts a memory holds; the least used one goes first.
const ACCOUNTS: NonZeroUsize = NonZeroUsize::new(100_000).expect("not zero");

/// An account, as it was last confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountRecord {
    /// When a token of it was first seen.
    pub first_seen: OffsetDateTime,
    /// Whether it may call.
    pub active: bool,
    /// The name of its plan.
    pub plan: Option<String>,
    /// Units a month; `None` is the usual allowance.
    pub allowance: Option<u64>,
}

/// Keeps records of accounts. Must not block for long: it is asked on every call.
pub trait AccountRecords: fmt::Debug + Send + Sync {
    /// The record of an account.
    fn find(&self, id: AccountId) -> Option<AccountRecord>;

    /// Keeps a record in the place of an earlier one.
    fn keep(&self, id: AccountId, record: AccountRecord);
}

/// Records that last as long as the program.
pub struct MemoryRecords(Mutex<LruCache<AccountId, AccountRecord>>);

impl Default for MemoryRecords {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(ACCOUNTS)))
    }
}

impl AccountRecords for MemoryRecords {
    fn find(&self, id: AccountId) -> Option<AccountRecord> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&id).cloned()
    }

    fn keep(&self, id: AccountId, record: AccountRecord) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).put(id, record);
    }
}

impl fmt::Debug for MemoryRecords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MemoryRecords")
    }
}
