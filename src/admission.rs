//! Whether a call may start, and what it was charged in the end.
//!
//! Decides the order of the limits: pace, then places, then units. It must never know what a tool
//! does, nor how the answer looks.

pub mod account;
pub mod anonymous;
pub mod bucket;
pub mod pace;

use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use time::format_description::well_known::Rfc3339;

use self::account::{AccountHold, AccountLimits, AccountMeter, AccountRefusal, Usage};
use self::anonymous::AnonymousBudget;
use self::pace::AddressPace;
use crate::auth::{AccountId, Principal};
use crate::clock::{Clock, whole_ms};
use crate::crate_client::{CallLedger, Caller};
use crate::envelope::error::{ErrorType, ToolError};
use crate::envelope::meta::{BudgetBucket, Quota};

/// The limits that are in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdmissionLimits {
    /// Units that all anonymous callers together may spend in one UTC day.
    pub anonymous_units_per_day: u64,
    /// Calls that one anonymous address may make in a minute.
    pub anonymous_calls_per_minute: u32,
    /// Requests that one address without a valid token may send in a second, whatever they ask.
    pub requests_per_second: u32,
    /// How many such requests may come at once after a rest.
    pub requests_burst: u32,
    /// Tool calls that may run at once.
    pub calls_at_once: usize,
    /// What every account may do.
    pub account: AccountLimits,
}

/// Who wants to call, as far as limits care. An account is never limited by its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asker {
    /// Someone without an account, known by the address that they are counted under.
    Anonymous(IpAddr),
    /// An account, with the units that it may use in a month.
    Account {
        /// Which one.
        id: AccountId,
        /// Units of one UTC month.
        allowance: u64,
    },
}

/// How long a caller is told to wait for a free place, in milliseconds.
const PLACE_RETRY_MS: u64 = 1_000;

/// Everything that says whether a call may start.
#[derive(Debug)]
pub struct Admission {
    clock: Clock,
    guard: AddressPace,
    pace: AddressPace,
    places: Arc<Semaphore>,
    budget: Arc<AnonymousBudget>,
    accounts: Arc<AccountMeter>,
    /// Keyed anew at every start, so that nobody can choose whose key theirs collides with.
    callers: RandomState,
}

impl Admission {
    /// Limits as given, all of them untouched.
    #[must_use]
    pub fn new(limits: AdmissionLimits, clock: Clock) -> Self {
        let second = Duration::from_secs(1);
        let minute = Duration::from_secs(60);
        Self {
            guard: AddressPace::new(limits.requests_burst, second / limits.requests_per_second.max(1)),
            pace: AddressPace::new(
                limits.anonymous_calls_per_minute,
                minute / limits.anonymous_calls_per_minute.max(1),
            ),
            places: Arc::new(Semaphore::new(limits.calls_at_once)),
            budget: Arc::new(AnonymousBudget::new(limits.anonymous_units_per_day)),
            accounts: Arc::new(AccountMeter::new(limits.account)),
            callers: RandomState::new(),
            clock,
        }
    }

    /// The coarse guard that every request of an address without an accepted token passes; `principal` is
    /// `None` when its credentials were refused.
    ///
    /// # Errors
    /// How long the address has to wait.
    pub fn guard(&self, principal: Option<&Principal>, address: IpAddr) -> Result<(), Duration> {
        if principal.is_none_or(Principal::is_anonymous) {
            self.guard.take(address, self.clock.monotonic())
        } else {
            Ok(())
        }
    }

    /// Counts a call, whatever comes of it.
    ///
    /// # Errors
    /// The refusal, with its figures.
    pub fn pace(&self, asker: Asker) -> Result<(), ToolError> {
        let now = self.clock.monotonic();
        let (taken, message, reason) = match asker {
            Asker::Anonymous(address) => (
                self.pace.take(address, now),
                "Too many anonymous calls from this address.",
                "anonymous_pace",
            ),
            Asker::Account { id, .. } => (
                self.accounts.pace(id, now, self.clock.utc().date()),
                "Too many calls of this account in a minute.",
                "account_pace",
            ),
        };
        taken.map_err(|wait| {
            ToolError::new(ErrorType::RateLimited, message)
                .with("reason", reason)
                .with("retry_after_ms", whole_ms(wait))
                .hint("Wait for retry_after_ms, then call again.")
        })
    }

    /// Lets a call in that may spend up to `most_units`, or says why not.
    ///
    /// # Errors
    /// The refusal, with its figures.
    pub fn admit(&self, asker: Asker, most_units: u32) -> Result<Permit, ToolError> {
        let place = Arc::clone(&self.places)
            .try_acquire_owned()
            .map_err(|_| busy("Too many calls are running at once."))?;
        let today = self.clock.utc().date();
        let (reserved, caller) = match asker {
            Asker::Anonymous(address) => {
                self.budget.reserve(most_units, today).map_err(|_| {
                    ToolError::new(
                        ErrorType::AnonymousCapacityExhausted,
                        "Today's anonymous capacity is used up.",
                    )
                    .hint("Retry after the next UTC midnight.")
                })?;
                let reserved = Reservation::Anonymous {
                    budget: Arc::clone(&self.budget),
                    most_units,
                    clock: self.clock.clone(),
                    day: today,
                };
                (reserved, Caller::new(self.callers.hash_one(address)))
            }
            Asker::Account { id, allowance } => {
                let now = (self.clock.monotonic(), today);
                let hold = self.accounts.hold(id, allowance, most_units, now).map_err(account_refusal)?;
                (Reservation::Account(hold), Caller::account(self.callers.hash_one(id)))
            }
        };
        Ok(Permit { ledger: Arc::new(CallLedger::new(caller)), reserved, _place: place })
    }

    /// What an account has used; `None` for callers without one.
    #[must_use]
    pub fn quota(&self, asker: Asker) -> Option<Quota> {
        match asker {
            Asker::Anonymous(_) => None,
            Asker::Account { id, allowance } => {
                Some(quota(self.accounts.usage(id, allowance, self.clock.utc().date())))
            }
        }
    }

    /// What every account may do.
    #[must_use]
    pub fn account_limits(&self) -> AccountLimits {
        self.accounts.limits()
    }

    /// What is left of the anonymous budget, in broad terms.
    #[must_use]
    pub fn anonymous_bucket(&self) -> BudgetBucket {
        self.budget.bucket(self.clock.utc().date())
    }
}

/// A running call: holds its place and its units until it is dropped, and is charged then for what it
/// really spent, also when the client went away in the middle.
#[derive(Debug)]
pub struct Permit {
    ledger: Arc<CallLedger>,
    reserved: Reservation,
    _place: OwnedSemaphorePermit,
}

impl Permit {
    /// Where the call counts what it spends.
    #[must_use]
    pub fn ledger(&self) -> &CallLedger {
        &self.ledger
    }

    /// What the account has used with this call; `None` for callers without one.
    #[must_use]
    pub fn quota(&self) -> Option<Quota> {
        match &self.reserved {
            Reservation::Anonymous { .. } => None,
            Reservation::Account(hold) => Some(quota(hold.usage(self.ledger.units()))),
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let spent = self.ledger.units();
        match &mut self.reserved {
            Reservation::Anonymous { budget, most_units, clock, day } => {
                budget.give_back(most_units.saturating_sub(spent), *day, clock.utc().date());
            }
            Reservation::Account(hold) => hold.settle(spent),
        }
    }
}

#[derive(Debug)]
enum Reservation {
    Anonymous { budget: Arc<AnonymousBudget>, most_units: u32, clock: Clock, day: time::Date },
    Account(AccountHold),
}

fn busy(message: &str) -> ToolError {
    ToolError::new(ErrorType::RateLimited, message)
        .with("reason", "concurrency")
        .with("retry_after_ms", PLACE_RETRY_MS)
        .hint("Wait for retry_after_ms, then call again.")
}

fn account_refusal(refusal: AccountRefusal) -> ToolError {
    match refusal {
        AccountRefusal::Busy => busy("Too many calls of this account are running at once."),
        AccountRefusal::UsedUp(usage) => {
            ToolError::new(ErrorType::QuotaExceeded, "The account's allowance for this month is used up.")
                .with("used", usage.used)
                .with("allowance", usage.allowance)
                .with("reset_at", moment(usage))
                .hint("Tell the user when it resets: reset_at, in UTC.")
        }
    }
}

fn quota(usage: Usage) -> Quota {
    Quota {
        used: usage.used,
        allowance: usage.allowance,
        warning_80: u128::from(usage.used) * 5 >= u128::from(usage.allowance) * 4,
        reset_at: moment(usage),
    }
}

fn moment(usage: Usage) -> String {
    usage.period.end().format(&Rfc3339).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;
    use time::macros::datetime;

    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    fn admission(limits: AdmissionLimits) -> (Admission, Clock) {
        let clock = Clock::wound_to(datetime!(2027-01-31 23:59:59 UTC));
        (Admission::new(limits, clock.clone()), clock)
    }

    fn limits() -> AdmissionLimits {
        AdmissionLimits {
            anonymous_units_per_day: 10,
            anonymous_calls_per_minute: 1_000,
            requests_per_second: 20,
            requests_burst: 200,
            calls_at_once: 100,
            account: AccountLimits { calls_per_minute: 60, calls_at_once: 4 },
        }
    }

    #[test]
    fn a_call_is_charged_what_it_spent_and_gets_the_rest_back() {
        let (admission, _) = admission(limits());
        let permit = admission.admit(Asker::Anonymous(HERE), 10).unwrap();
        assert_eq!(
            admission.admit(Asker::Anonymous(HERE), 1).map(drop).map_err(|error| error.kind()),
            Err(ErrorType::AnonymousCapacityExhausted)
        );
        let _spent = permit.ledger().charge();
        drop(permit);
        assert!(admission.admit(Asker::Anonymous(HERE), 9).is_ok());
        assert!(admission.admit(Asker::Anonymous(HERE), 10).is_err());
    }

    #[test]
    fn the_budget_starts_anew_at_utc_midnight_and_a_late_return_grants_nothing() {
        let (admission, clock) = admission(limits());
        let late = admission.admit(Asker::Anonymous(HERE), 10).unwrap();
        clock.advance(Duration::from_secs(1));
        let all = admission.admit(Asker::Anonymous(HERE), 10).unwrap();
        drop(late);
        assert!(admission.admit(Asker::Anonymous(HERE), 1).is_err());
        drop(all);
    }

    #[test]
    fn no_more_calls_run_at_once_than_there_are_places() {
        let (admission, _) = admission(AdmissionLimits { calls_at_once: 1, ..limits() });
        let first = admission.admit(Asker::Anonymous(HERE), 1).unwrap();
        let refused = admission.admit(Asker::Anonymous(HERE), 1).map(drop).unwrap_err();
        assert_eq!(refused.kind(), ErrorType::RateLimited);
        assert!(refused.datum("retry_after_ms").is_some());
        drop(first);
        assert!(admission.admit(Asker::Anonymous(HERE), 1).is_ok());
    }

    #[test]
    fn a_caller_is_one_address_and_keeps_its_key_from_call_to_call() {
        let (admission, _) = admission(limits());
        let there = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
        let caller_at = |address| {
            admission.admit(Asker::Anonymous(address), 1).map(|permit| permit.ledger().caller()).unwrap()
        };
        assert_eq!(caller_at(HERE), caller_at(HERE));
        assert_ne!(caller_at(HERE), caller_at(there));
    }

    #[test]
    fn one_address_is_paced_without_holding_up_another() {
        let (admission, clock) = admission(AdmissionLimits { anonymous_calls_per_minute: 2, ..limits() });
        for _ in 0..2 {
            assert!(admission.pace(Asker::Anonymous(HERE)).is_ok());
        }
        let refused = admission.pace(Asker::Anonymous(HERE)).unwrap_err();
        assert_eq!(refused.datum("retry_after_ms"), Some(&serde_json::json!(30_000)));
        assert!(admission.pace(Asker::Anonymous(IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2)))).is_ok());
        clock.advance(Duration::from_secs(30));
        assert!(admission.pace(Asker::Anonymous(HERE)).is_ok());
    }

    #[test]
    fn an_account_is_charged_to_its_own_allowance_and_never_to_the_anonymous_one() {
        let (admission, _) = admission(AdmissionLimits { anonymous_calls_per_minute: 1, ..limits() });
        let asker = Asker::Account { id: AccountId::of("https://issuer.example", "a"), allowance: 2 };
        assert_eq!(admission.quota(asker).map(|quota| (quota.used, quota.warning_80)), Some((0, false)));
        for spent in 1..=2 {
            assert!(admission.pace(asker).is_ok());
            let permit = admission.admit(asker, 1).unwrap();
            let _spent = permit.ledger().charge();
            assert_eq!(permit.quota().map(|quota| quota.used), Some(spent));
        }
        let refused = admission.admit(asker, 1).map(drop).unwrap_err();
        assert_eq!(refused.kind(), ErrorType::QuotaExceeded);
        assert_eq!(refused.datum("reset_at"), Some(&serde_json::json!("2027-02-01T00:00:00Z")));
        assert_eq!(admission.quota(asker).map(|quota| quota.warning_80), Some(true));
        assert_eq!(admission.anonymous_bucket(), BudgetBucket::High);
        assert!(admission.admit(Asker::Anonymous(HERE), 10).is_ok());
    }
}
