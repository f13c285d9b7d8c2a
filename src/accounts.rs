//! What an account may do: whether it is active, and how many units it has.
//!
//! Decides the standing of an account that a token has proved. It must never know tokens, tools or what
//! has been used.

pub mod records;
pub mod service;

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use lru::LruCache;

use self::records::{AccountRecord, AccountRecords};
use self::service::{AccountService, Verdict};
use crate::auth::{Account, AccountId};
use crate::clock::Clock;

/// After a failure the service is left alone this long.
const AFTER_FAILURE: Duration = Duration::from_secs(5);
/// How many confirmations are held; the oldest one goes first.
const CONFIRMED: NonZeroUsize = NonZeroUsize::new(50_000).expect("not zero");

/// How the standing of accounts is found. Closed vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountMode {
    /// Every verified subject has an account from its first call on, with one allowance for all.
    Interim,
    /// An account service knows them.
    Hooked,
}

impl AccountMode {
    /// Every mode.
    pub const ALL: [Self; 2] = [Self::Interim, Self::Hooked];

    /// The word in the configuration and on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Interim => "interim",
            Self::Hooked => "hooked",
        }
    }
}

/// What an account may do just now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// How it was found.
    pub mode: AccountMode,
    /// Whether it may call at all.
    pub active: bool,
    /// Whether this is new enough to charge the account by.
    pub confirmed: bool,
    /// The name of its plan, if it has one.
    pub plan: Option<String>,
    /// Units of one UTC month.
    pub allowance: u64,
}

/// Nobody can say just now what the account may do, and it was never seen before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unconfirmed {
    /// When to ask again.
    pub retry_after: Duration,
}

/// Where the standing of accounts is found.
#[derive(Debug)]
pub struct Accounts {
    units_per_month: u64,
    records: Arc<dyn AccountRecords>,
    clock: Clock,
    hook: Option<Hook>,
}

#[derive(Debug)]
struct Hook {
    service: Arc<dyn AccountService>,
    /// How long an answer is believed.
    lasts: Duration,
    confirmed: Mutex<LruCache<AccountId, Instant>>,
    failed: Mutex<Option<Instant>>,
    /// One question an account at a time; the others wait for its answer.
    asking: Mutex<HashMap<AccountId, Arc<tokio::sync::Mutex<()>>>>,
}

impl Accounts {
    /// Accounts that exist from their first call on, with so many units a month each.
    #[must_use]
    pub fn interim(units_per_month: u64, records: Arc<dyn AccountRecords>, clock: Clock) -> Self {
        Self { units_per_month, records, clock, hook: None }
    }

    /// Accounts that `service` knows; its answers last for `lasts`. One that it gives no allowance has
    /// `units_per_month`.
    #[must_use]
    pub fn hooked(
        units_per_month: u64,
        records: Arc<dyn AccountRecords>,
        clock: Clock,
        service: Arc<dyn AccountService>,
        lasts: Duration,
    ) -> Self {
        let hook = Hook {
            service,
            lasts,
            confirmed: Mutex::new(LruCache::new(CONFIRMED)),
            failed: Mutex::default(),
            asking: Mutex::default(),
        };
        Self { units_per_month, records, clock, hook: Some(hook) }
    }

    /// What the account may do.
    ///
    /// # Errors
    /// When that cannot be found out just now, and nothing is known of the account.
    pub async fn standing(&self, account: &Account) -> Result<Standing, Unconfirmed> {
        let id = account.id();
        let Some(hook) = &self.hook else {
            return Ok(self.of(AccountMode::Interim, true, self.first_sight(id)));
        };
        if let Some(standing) = self.held(hook, id) {
            return Ok(standing);
        }
        let turn = hook.turn(id);
        let outcome = {
            let _waited = turn.lock().await;
            // Somebody else may have asked meanwhile.
            match self.held(hook, id) {
                Some(standing) => Ok(standing),
                None => self.ask(hook, account).await,
            }
        };
        hook.end_turn(id, turn);
        outcome
    }

    async fn ask(&self, hook: &Hook, account: &Account) -> Result<Standing, Unconfirmed> {
        let id = account.id();
        let now = self.clock.monotonic();
        let rests = hook.failed().is_some_and(|failed| now.saturating_duration_since(failed) < AFTER_FAILURE);
        if !rests {
            match hook.service.ask(account, self.clock.utc()).await {
                Ok(verdict) => {
                    if hook.failed().take().is_some() {
                        tracing::info!("the account service answers again");
                    }
                    let record = self.confirm(id, verdict);
                    hook.confirmed
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .put(id, self.clock.monotonic());
                    return Ok(self.of(AccountMode::Hooked, true, record));
                }
                Err(reason) => {
                    tracing::warn!(reason, "the account service gives no answer");
                    *hook.failed() = Some(self.clock.monotonic());
                }
            }
        }
        let known = self.records.find(id);
        known
            .map(|record| self.of(AccountMode::Hooked, false, record))
            .ok_or(Unconfirmed { retry_after: AFTER_FAILURE })
    }

    /// What was confirmed not long ago.
    fn held(&self, hook: &Hook, id: AccountId) -> Option<Standing> {
        let now = self.clock.monotonic();
        let at = hook.confirmed.lock().unwrap_or_else(PoisonError::into_inner).get(&id).copied()?;
        if now.saturating_duration_since(at) >= hook.lasts {
            return None;
        }
        Some(self.of(AccountMode::Hooked, true, self.records.find(id)?))
    }

    fn first_sight(&self, id: AccountId) -> AccountRecord {
        self.records.find(id).unwrap_or_else(|| {
            let record =
                AccountRecord { first_seen: self.clock.utc(), active: true, plan: None, allowance: None };
            self.records.keep(id, record.clone());
            record
        })
    }

    fn confirm(&self, id: AccountId, verdict: Verdict) -> AccountRecord {
        let first_seen = self.records.find(id).map_or_else(|| self.clock.utc(), |record| record.first_seen);
        let Verdict { active, plan, allowance } = verdict;
        let record = AccountRecord { first_seen, active, plan, allowance };
        self.records.keep(id, record.clone());
        record
    }

    fn of(&self, mode: AccountMode, confirmed: bool, record: AccountRecord) -> Standing {
        Standing {
            mode,
            active: record.active,
            confirmed,
            plan: record.plan,
            allowance: record.allowance.unwrap_or(self.units_per_month),
        }
    }
}

impl Hook {
    fn failed(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn turn(&self, id: AccountId) -> Arc<tokio::sync::Mutex<()>> {
        Arc::clone(self.asking.lock().unwrap_or_else(PoisonError::into_inner).entry(id).or_default())
    }

    /// Forgets the turn when nobody else waits for it.
    fn end_turn(&self, id: AccountId, turn: Arc<tokio::sync::Mutex<()>>) {
        let mut asking = self.asking.lock().unwrap_or_else(PoisonError::into_inner);
        drop(turn);
        if asking.get(&id).is_some_and(|turn| Arc::strong_count(turn) == 1) {
            asking.remove(&id);
        }
    }
}

#[cfg(test)]
mod tests;
