//! What each account may use: a pace, calls at once, and units of one UTC month.
//!
//! Decides when an account is refused. Knows an account by its id alone. Its units outlive the program, its pace and
//! its running calls do not.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::bucket::Bucket;
use super::purse::{Owner, Purse};
use super::tallies::AccountsNow;
use crate::auth::AccountId;
use crate::store::{Batch, State};

/// Accounts in memory beyond which those that say nothing are forgotten.
const FORGET_ABOVE: usize = 65_536;

/// The limits that hold for every account alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccountLimits {
    /// Calls that one account may make in a minute.
    pub calls_per_minute: u32,
    /// Calls of one account that may run at once.
    pub calls_at_once: u32,
}

/// The counts of every account.
#[derive(Debug)]
pub struct AccountMeter {
    limits: AccountLimits,
    state: Arc<State>,
    accounts: Mutex<Accounts>,
}

#[derive(Debug, Default)]
struct Accounts {
    of: HashMap<AccountId, Arc<Account>>,
    forget_above: usize,
}

/// The counts of one account.
#[derive(Debug)]
pub struct Account {
    pace: Mutex<Bucket>,
    running: AtomicU32,
    /// The last day on which it called, and the month that its last call found used up; told to operators.
    called_on: AtomicU32,
    used_up: AtomicU32,
    /// Its units.
    pub purse: Arc<Purse>,
}

/// Too many calls of the account run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Busy;

impl AccountMeter {
    /// Units as the store knows them, nothing running.
    #[must_use]
    pub fn new(limits: AccountLimits, state: Arc<State>, now: Instant) -> Self {
        let found = state.quotas.all().into_iter();
        let of: HashMap<AccountId, Arc<Account>> = found
            .map(|(key, quota)| {
                let id = AccountId::from_bytes(key);
                let purse = Purse::found(Owner::Account(id), quota.month, quota.reserved, Arc::clone(&state));
                (id, Account::with(purse, now))
            })
            .collect();
        Self { limits, state, accounts: Mutex::new(Accounts { of, forget_above: FORGET_ABOVE }) }
    }

    /// The limits that hold for every account alike.
    #[must_use]
    pub fn limits(&self) -> AccountLimits {
        self.limits
    }

    /// Counts a call of the account, whatever comes of it; at half the pace when that is asked for.
    ///
    /// # Errors
    /// How long the account has to wait.
    pub fn pace(&self, id: AccountId, now: Instant, halved: bool) -> Result<(), Duration> {
        let per_minute = (self.limits.calls_per_minute >> u32::from(halved)).max(1);
        let account = self.account(id, now);
        let mut pace = account.pace.lock().unwrap_or_else(PoisonError::into_inner);
        pace.take(per_minute, Duration::from_secs(60) / per_minute, now)
    }

    /// A place for one more call of the account.
    ///
    /// # Errors
    /// When too many of its calls run.
    pub fn place(&self, id: AccountId, now: Instant) -> Result<Place, Busy> {
        let account = self.account(id, now);
        let most = self.limits.calls_at_once;
        let take = |running: u32| (running < most).then_some(running + 1);
        match account.running.fetch_update(Ordering::AcqRel, Ordering::Acquire, take) {
            Ok(_) => Ok(Place(account)),
            Err(_) => Err(Busy),
        }
    }

    /// The units of an account.
    #[must_use]
    pub fn purse(&self, id: AccountId, now: Instant) -> Arc<Purse> {
        Arc::clone(&self.account(id, now).purse)
    }

    /// Units that each account used in a month, in no order.
    #[must_use]
    pub fn used(&self, month: u32) -> Vec<(AccountId, u64)> {
        let accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        accounts.of.iter().map(|(id, account)| (*id, account.purse.used(month).used)).collect()
    }

    /// Notes that the account called on this day, and the month that it has used up; `None` when it may go on.
    pub fn note(&self, id: AccountId, today: u32, used_up: Option<u32>, now: Instant) {
        let account = self.account(id, now);
        account.called_on.store(today, Ordering::Relaxed);
        account.used_up.store(used_up.unwrap_or_default(), Ordering::Relaxed);
    }

    /// How accounts stand, as far as they called since the start.
    #[must_use]
    pub fn now(&self, today: u32, month: u32) -> AccountsNow {
        let accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut counts = AccountsNow { active_today: 0, at_limit: 0 };
        for account in accounts.of.values() {
            counts.active_today += u64::from(account.called_on.load(Ordering::Relaxed) == today);
            counts.at_limit += u64::from(account.used_up.load(Ordering::Relaxed) == month);
        }
        counts
    }

    /// Writes exactly what was used by each, for a clean end.
    pub fn close(&self, batch: &mut Batch) {
        let accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        for account in accounts.of.values() {
            account.purse.close(batch);
        }
    }

    fn account(&self, id: AccountId, now: Instant) -> Arc<Account> {
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(account) = accounts.of.get(&id) {
            return Arc::clone(account);
        }
        if accounts.of.len() >= accounts.forget_above {
            accounts.of.retain(|_, account| !account.says_nothing(now));
            accounts.forget_above = FORGET_ABOVE.max(accounts.of.len() * 2);
        }
        let account = Account::with(Purse::found(Owner::Account(id), 0, 0, Arc::clone(&self.state)), now);
        accounts.of.insert(id, Arc::clone(&account));
        account
    }
}

impl Account {
    fn with(purse: Arc<Purse>, now: Instant) -> Arc<Self> {
        Arc::new(Self {
            pace: Mutex::new(Bucket::full(now)),
            running: AtomicU32::new(0),
            called_on: AtomicU32::new(0),
            used_up: AtomicU32::new(0),
            purse,
        })
    }

    /// Whether a new one would be the same.
    fn says_nothing(self: &Arc<Self>, now: Instant) -> bool {
        let pace = self.pace.lock().unwrap_or_else(PoisonError::into_inner).full_at();
        Arc::strong_count(self) == 1
            && Arc::strong_count(&self.purse) == 1
            && pace <= now
            && self.purse.is_untouched()
    }
}

/// A place of a running call, free again when it is dropped.
#[derive(Debug)]
pub struct Place(Arc<Account>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::store::MemoryStore;

    fn meter(calls_at_once: u32) -> AccountMeter {
        let state = Arc::new(State::load(Arc::new(MemoryStore::new()), &Clock::system()).unwrap());
        AccountMeter::new(AccountLimits { calls_per_minute: 60, calls_at_once }, state, Instant::now())
    }

    fn account(name: &str) -> AccountId {
        AccountId::of("https://issuer.example", name)
    }

    #[test]
    fn an_account_has_its_own_places_and_its_own_pace() {
        let meter = meter(1);
        let now = Instant::now();
        let place = meter.place(account("a"), now).unwrap();
        assert_eq!(meter.place(account("a"), now).map(drop), Err(Busy));
        assert!(meter.place(account("b"), now).is_ok());
        drop(place);
        assert!(meter.place(account("a"), now).is_ok());
        let paced = (0..61).filter(|_| meter.pace(account("b"), now, false).is_ok()).count();
        assert_eq!(paced, 60);
        assert_eq!(meter.pace(account("b"), now, false), Err(Duration::from_secs(1)));
        assert!(meter.pace(account("c"), now, false).is_ok());
        assert_eq!((0..61).filter(|_| meter.pace(account("d"), now, true).is_ok()).count(), 30);
    }

    #[test]
    fn racing_calls_of_one_account_never_run_more_than_its_places() {
        let meter = meter(4);
        let now = Instant::now();
        let most = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..50 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        if let Ok(place) = meter.place(account("a"), now) {
                            most.fetch_max(place.0.running.load(Ordering::Acquire), Ordering::AcqRel);
                        }
                    }
                });
            }
        });
        assert!((1..=4).contains(&most.load(Ordering::Acquire)));
        assert_eq!((0..5).filter_map(|_| meter.place(account("a"), now).ok()).collect::<Vec<_>>().len(), 4);
    }

    #[test]
    fn accounts_that_say_nothing_are_forgotten_and_the_others_are_not() {
        let meter = meter(1);
        let now = Instant::now();
        let _busy = meter.place(account("busy"), now).unwrap();
        meter.pace(account("paced"), now, false).unwrap();
        for n in 0..FORGET_ABOVE + 10 {
            let _purse = meter.purse(account(&n.to_string()), now);
        }
        let accounts = meter.accounts.lock().unwrap();
        assert!(accounts.of.len() < 100, "{}", accounts.of.len());
        assert!(["busy", "paced"].iter().all(|name| accounts.of.contains_key(&account(name))));
    }
}
