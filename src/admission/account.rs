//! What each account may use: a pace, calls at once, and units of one UTC month.
//!
//! Decides when an account is refused. Knows an account by its id alone. Counts live as long as the
//! program.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use time::{Date, Month, OffsetDateTime};

use super::bucket::Bucket;
use crate::auth::AccountId;

/// The limits that hold for every account alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccountLimits {
    /// Calls that one account may make in a minute.
    pub calls_per_minute: u32,
    /// Calls of one account that may run at once.
    pub calls_at_once: u32,
}

/// A month of the UTC calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Period {
    year: i32,
    month: u8,
}

impl Period {
    /// The month of a day.
    #[must_use]
    pub fn of(day: Date) -> Self {
        Self { year: day.year(), month: day.month().into() }
    }

    /// When the next one begins.
    #[must_use]
    pub fn end(self) -> OffsetDateTime {
        let (year, month) = if self.month == 12 { (self.year + 1, 1) } else { (self.year, self.month + 1) };
        let first = Month::try_from(month).and_then(|month| Date::from_calendar_date(year, month, 1));
        // Only the last month of the calendar has no next one.
        first.unwrap_or(Date::MAX).midnight().assume_utc()
    }
}

/// What an account has used of its allowance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Units used in the period, those of running calls as far as they are spent.
    pub used: u64,
    /// Units allowed in the period.
    pub allowance: u64,
    /// The period.
    pub period: Period,
}

/// Why an account's call may not start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountRefusal {
    /// Too many of its calls run.
    Busy,
    /// The allowance is used up.
    UsedUp(Usage),
}

/// The counts of every account.
#[derive(Debug)]
pub struct AccountMeter {
    limits: AccountLimits,
    accounts: Mutex<HashMap<AccountId, Counts>>,
}

#[derive(Clone, Copy, Debug)]
struct Counts {
    pace: Bucket,
    running: u32,
    period: Period,
    /// Units of calls that have ended.
    used: u64,
    /// Units set aside for calls that run.
    held: u64,
}

impl AccountMeter {
    /// Nothing used yet.
    #[must_use]
    pub fn new(limits: AccountLimits) -> Self {
        Self { limits, accounts: Mutex::default() }
    }

    /// The limits that hold for every account alike.
    #[must_use]
    pub fn limits(&self) -> AccountLimits {
        self.limits
    }

    /// Counts a call of the account, whatever comes of it.
    ///
    /// # Errors
    /// How long the account has to wait.
    pub fn pace(&self, account: AccountId, now: Instant, today: Date) -> Result<(), Duration> {
        let per_minute = self.limits.calls_per_minute.max(1);
        let mut accounts = self.accounts();
        counts(&mut accounts, account, now, today).pace.take(
            per_minute,
            Duration::from_secs(60) / per_minute,
            now,
        )
    }

    /// Sets a place and `most_units` aside until the hold is dropped.
    ///
    /// # Errors
    /// When there is no place, or not as many units are left.
    pub fn hold(
        self: &Arc<Self>,
        account: AccountId,
        allowance: u64,
        most_units: u32,
        (now, today): (Instant, Date),
    ) -> Result<AccountHold, AccountRefusal> {
        let mut accounts = self.accounts();
        let counts = counts(&mut accounts, account, now, today);
        if counts.running >= self.limits.calls_at_once {
            return Err(AccountRefusal::Busy);
        }
        let most = u64::from(most_units);
        let wanted = counts.used.saturating_add(counts.held).saturating_add(most);
        if most > 0 && wanted > allowance {
            return Err(AccountRefusal::UsedUp(Usage {
                used: counts.used,
                allowance,
                period: counts.period,
            }));
        }
        counts.running += 1;
        counts.held += most;
        Ok(AccountHold { meter: Arc::clone(self), account, allowance, most_units, period: counts.period })
    }

    /// What the account has used.
    #[must_use]
    pub fn usage(&self, account: AccountId, allowance: u64, today: Date) -> Usage {
        let today = Period::of(today);
        match self.accounts().get(&account) {
            Some(counts) if counts.period >= today => {
                Usage { used: counts.used, allowance, period: counts.period }
            }
            _ => Usage { used: 0, allowance, period: today },
        }
    }

    fn accounts(&self) -> MutexGuard<'_, HashMap<AccountId, Counts>> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The counts of an account in the running period. A clock that steps back brings no old period back.
fn counts(
    accounts: &mut HashMap<AccountId, Counts>,
    account: AccountId,
    now: Instant,
    today: Date,
) -> &mut Counts {
    let period = Period::of(today);
    let counts = accounts.entry(account).or_insert_with(|| Counts {
        pace: Bucket::full(now),
        running: 0,
        period,
        used: 0,
        held: 0,
    });
    if period > counts.period {
        *counts = Counts { period, used: 0, held: 0, ..*counts };
    }
    counts
}

/// A place and units of an account. [`Self::settle`] charges what was spent; dropping it gives back the rest.
#[derive(Debug)]
pub struct AccountHold {
    meter: Arc<AccountMeter>,
    account: AccountId,
    allowance: u64,
    most_units: u32,
    period: Period,
}

impl AccountHold {
    /// What the account has used, with the `spent` units of this call.
    #[must_use]
    pub fn usage(&self, spent: u32) -> Usage {
        let settled = match self.meter.accounts().get(&self.account) {
            Some(counts) if counts.period == self.period => counts.used,
            _ => 0,
        };
        Usage { used: settled + u64::from(spent), allowance: self.allowance, period: self.period }
    }

    /// Ends the call, which spent so many units.
    pub fn settle(&mut self, spent: u32) {
        let mut accounts = self.meter.accounts();
        if let Some(counts) = accounts.get_mut(&self.account) {
            counts.running = counts.running.saturating_sub(1);
            // A period that is over keeps no counts, and gives none to the next.
            if counts.period == self.period {
                counts.held = counts.held.saturating_sub(self.most_units.into());
                counts.used = counts.used.saturating_add(spent.into());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::{date, datetime};

    const DAY: Date = date!(2027 - 01 - 31);

    fn meter(calls_at_once: u32) -> Arc<AccountMeter> {
        Arc::new(AccountMeter::new(AccountLimits { calls_per_minute: 60, calls_at_once }))
    }

    fn account(name: &str) -> AccountId {
        AccountId::of("https://issuer.example", name)
    }

    #[test]
    fn an_account_never_gets_more_than_its_allowance_however_many_calls_race() {
        let meter = meter(1_000);
        let now = Instant::now();
        let granted: u32 = std::thread::scope(|scope| {
            let calls: Vec<_> = (0..50)
                .map(|_| {
                    scope.spawn(|| {
                        let hold = meter.hold(account("a"), 20, 2, (now, DAY));
                        hold.map_or(0, |mut hold| {
                            hold.settle(2);
                            2
                        })
                    })
                })
                .collect();
            calls.into_iter().map(|call| call.join().unwrap()).sum()
        });
        assert_eq!(granted, 20);
        assert_eq!(meter.usage(account("a"), 20, DAY).used, 20);
        assert!(meter.hold(account("a"), 20, 0, (now, DAY)).is_ok(), "what costs nothing is never refused");
        assert!(meter.hold(account("b"), 20, 2, (now, DAY)).is_ok(), "another account has its own");
    }

    #[test]
    fn what_was_set_aside_and_not_spent_comes_back() {
        let meter = meter(4);
        let now = Instant::now();
        let mut hold = meter.hold(account("a"), 3, 3, (now, DAY)).unwrap();
        let refused = meter.hold(account("a"), 3, 1, (now, DAY)).map(drop).unwrap_err();
        assert_eq!(refused, AccountRefusal::UsedUp(Usage { used: 0, allowance: 3, period: Period::of(DAY) }));
        assert_eq!(hold.usage(1).used, 1);
        hold.settle(1);
        assert!(meter.hold(account("a"), 3, 3, (now, DAY)).is_err());
        assert!(meter.hold(account("a"), 3, 2, (now, DAY)).is_ok());
    }

    #[test]
    fn a_new_month_starts_anew_and_a_clock_that_steps_back_grants_nothing() {
        let meter = meter(4);
        let now = Instant::now();
        let next = date!(2027 - 02 - 01);
        let mut late = meter.hold(account("a"), 1, 1, (now, DAY)).unwrap();
        let mut hold = meter.hold(account("a"), 1, 1, (now, next)).unwrap();
        late.settle(1);
        assert_eq!(meter.usage(account("a"), 1, next).used, 0, "what was reserved in January is January's");
        hold.settle(1);
        for day in [DAY, date!(1970 - 01 - 01), next] {
            assert!(meter.hold(account("a"), 1, 1, (now, day)).is_err(), "{day}");
        }
    }

    #[test]
    fn an_account_has_its_own_places_and_its_own_pace() {
        let meter = meter(1);
        let now = Instant::now();
        let mut hold = meter.hold(account("a"), 9, 0, (now, DAY)).unwrap();
        assert_eq!(meter.hold(account("a"), 9, 0, (now, DAY)).map(drop), Err(AccountRefusal::Busy));
        hold.settle(0);
        assert!(meter.hold(account("a"), 9, 0, (now, DAY)).is_ok());
        let paced = (0..61).filter(|_| meter.pace(account("b"), now, DAY).is_ok()).count();
        assert_eq!(paced, 60);
        assert_eq!(meter.pace(account("b"), now, DAY), Err(Duration::from_secs(1)));
        assert!(meter.pace(account("c"), now, DAY).is_ok());
    }

    #[test]
    fn a_period_ends_at_midnight_of_the_next_first() {
        assert_eq!(Period::of(DAY).end(), datetime!(2027-02-01 0:00 UTC));
        assert_eq!(Period::of(date!(2027 - 12 - 31)).end(), datetime!(2028-01-01 0:00 UTC));
    }
}
