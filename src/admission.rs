//! Whether a call may start, and what it was charged in the end.
//!
//! Decides the order of the limits: what is switched off, pace, places, identical calls, units. It must never know
//! what a tool does, nor how the answer looks. What has to outlive the program is in the store; when that cannot be
//! told, nothing that is metered starts.

pub mod account;
pub mod allotment;
pub mod anonymous;
pub mod bucket;
pub mod calendar;
pub mod ladder;
pub mod pace;
pub mod permit;
pub mod purse;
mod refusal;
pub mod replay;
mod tallies;

use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::sync::Semaphore;

use self::account::{AccountLimits, AccountMeter, Busy};
use self::anonymous::AnonymousBudget;
use self::calendar::{Calendar, day_number, day_of_number, month_number};
use self::ladder::{Ladder, Rung};
use self::pace::AddressPace;
pub use self::permit::{Permit, Settled};
use self::purse::NotHeld;
use self::replay::{ReplayKey, Replays, Turn};
pub use self::tallies::{AccountsNow, Replayed, Who};
use self::tallies::{Spending, Tallies};
use crate::auth::{AccountId, Principal};
use crate::clock::Clock;
use crate::crate_client::{CallLedger, Caller};
use crate::envelope::error::ToolError;
use crate::envelope::meta::{BudgetBucket, Quota};
use crate::store::backups::Outcomes;
use crate::store::record::Only;
use crate::store::rows::Calendar as StoredDay;
use crate::store::{BackupError, Batch, Flushes, Health, State, StoreError};
use crate::telemetry::count::Counters;

/// The limits that are in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdmissionLimits {
    /// Units that all anonymous callers together may spend in one UTC day.
    pub anonymous_units_per_day: u64,
    /// Calls that one anonymous address may make in a minute.
    pub anonymous_calls_per_minute: u32,
    /// Calls that all anonymous callers from ChatGPT's addresses together may make in a minute.
    pub chatgpt_calls_per_minute: u32,
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
    /// Someone without an account who calls from an address that ChatGPT publishes: so many share it that it says
    /// nothing of one caller, and all of them have one pace together.
    Chatgpt(IpAddr),
    /// An account, with the units that it may use in a month.
    Account {
        /// Which one.
        id: AccountId,
        /// Units of one UTC month.
        allowance: u64,
    },
}

/// What a call is, as far as switches care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The name of the tool.
    pub tool: &'static str,
    /// Whether it is one of those that are given up first.
    pub is_discovery: bool,
}

/// What becomes of a call that passes all limits.
#[derive(Debug)]
pub enum Admitted {
    /// It runs.
    Run(Box<Permit>),
    /// An identical one was answered; it is answered with the same, free of charge.
    Replay(Arc<str>),
}

/// Everything that says whether a call may start.
#[derive(Debug)]
pub struct Admission {
    clock: Clock,
    calendar: Calendar,
    /// The latest day that the store was told of.
    told_day: AtomicU32,
    state: Arc<State>,
    guard: AddressPace,
    pace: AddressPace,
    chatgpt_pace: AddressPace,
    places: Arc<Semaphore>,
    budget: AnonymousBudget,
    accounts: AccountMeter,
    replays: Replays,
    ladder: Arc<Ladder>,
    /// Keyed anew at every start, so that nobody can choose whose key theirs collides with.
    callers: RandomState,
    tallies: Tallies,
}

impl Admission {
    /// Limits as given, used as far as the store knows.
    #[must_use]
    pub fn new(limits: AdmissionLimits, state: Arc<State>, clock: Clock) -> Self {
        let second = Duration::from_secs(1);
        let minute = Duration::from_secs(60);
        let told_day = state.calendar.get(&Only).map_or(0, |told| told.day);
        Self {
            guard: AddressPace::new(limits.requests_burst, second / limits.requests_per_second.max(1)),
            pace: AddressPace::new(
                limits.anonymous_calls_per_minute,
                minute / limits.anonymous_calls_per_minute.max(1),
            ),
            chatgpt_pace: AddressPace::new(
                limits.chatgpt_calls_per_minute,
                minute / limits.chatgpt_calls_per_minute.max(1),
            ),
            places: Arc::new(Semaphore::new(limits.calls_at_once)),
            budget: AnonymousBudget::new(limits.anonymous_units_per_day, Arc::clone(&state)),
            accounts: AccountMeter::new(limits.account, Arc::clone(&state), clock.monotonic()),
            replays: Replays::default(),
            ladder: Arc::new(Ladder::new(Arc::clone(&state))),
            callers: RandomState::new(),
            tallies: Tallies::default(),
            calendar: Calendar::new(clock.clone(), day_of_number(told_day)),
            told_day: AtomicU32::new(told_day),
            state,
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
        let halved = self.ladder.rung() >= Rung::L3;
        match asker {
            Asker::Anonymous(address) => {
                let message = "Too many anonymous calls from this address.";
                let taken = self.pace.take(address, now);
                taken.map_err(|wait| refusal::paced(message, "anonymous_pace", wait))
            }
            Asker::Chatgpt(_) => {
                let message = "Too many anonymous calls from ChatGPT.";
                let taken = self.chatgpt_pace.take(IpAddr::V4(Ipv4Addr::UNSPECIFIED), now);
                taken.map_err(|wait| refusal::paced(message, "chatgpt_pace", wait))
            }
            Asker::Account { id, .. } => {
                let message = "Too many calls of this account in a minute.";
                let taken = self.accounts.pace(id, now, halved);
                taken.map_err(|wait| refusal::paced(message, "account_pace", wait))
            }
        }
    }

    /// Whether the tool may be called at all just now.
    ///
    /// # Errors
    /// The refusal.
    pub fn is_open(&self, asker: Asker, kind: Kind) -> Result<(), ToolError> {
        if self.ladder.is_off(kind.tool) {
            return Err(refusal::tool_off("operator"));
        }
        let rung = self.ladder.rung();
        if kind.is_discovery && rung >= Rung::L1 {
            return Err(refusal::tool_off("ladder_L1"));
        }
        match asker {
            Asker::Anonymous(_) | Asker::Chatgpt(_) if self.ladder.is_anonymous_paused() => {
                Err(refusal::anonymous_paused("operator"))
            }
            Asker::Anonymous(_) | Asker::Chatgpt(_) if rung >= Rung::L2 => {
                Err(refusal::anonymous_paused("ladder_L2"))
            }
            Asker::Anonymous(_) | Asker::Chatgpt(_) | Asker::Account { .. } => Ok(()),
        }
    }

    /// Lets a call in that may spend up to `most_units`, or says why not. `same` tells which calls are identical;
    /// only accounts have identical calls.
    ///
    /// # Errors
    /// The refusal, with its figures.
    pub async fn admit(
        &self,
        asker: Asker,
        most_units: u32,
        same: Option<ReplayKey>,
    ) -> Result<Admitted, ToolError> {
        let place = Arc::clone(&self.places)
            .try_acquire_owned()
            .map_err(|_| refusal::busy("Too many calls are running at once."))?;
        let (own_place, caller) = match asker {
            Asker::Anonymous(address) | Asker::Chatgpt(address) => {
                (None, Caller::new(self.callers.hash_one(address)))
            }
            Asker::Account { id, .. } => {
                let own = self.accounts.place(id, self.clock.monotonic());
                let own =
                    own.map_err(|Busy| refusal::busy("Too many calls of this account are running at once."))?;
                (Some(own), Caller::account(self.callers.hash_one(id)))
            }
        };
        let leader = match (asker, same) {
            (Asker::Account { .. }, Some(key)) => match self.replays.turn(key, &self.state).await {
                Turn::Stored(answer) => {
                    self.tallies.replays.one(Replayed::Hit);
                    return Ok(Admitted::Replay(answer));
                }
                Turn::InProgress => {
                    self.tallies.replays.one(Replayed::Running);
                    return Err(refusal::in_progress());
                }
                Turn::Lead(leader) => {
                    self.tallies.replays.one(Replayed::Miss);
                    Some(leader)
                }
            },
            _ => None,
        };
        if most_units > 0 && self.ladder.is_unconfirmed() {
            return Err(refusal::unconfirmed());
        }
        let ledger = Arc::new(CallLedger::new(caller));
        let hold = self.hold(asker, most_units, Arc::clone(&ledger)).await?;
        let allowance = match asker {
            Asker::Anonymous(_) | Asker::Chatgpt(_) => None,
            Asker::Account { allowance, .. } => Some(allowance),
        };
        let state = Arc::clone(&self.state);
        let _spending = Spending::of(Arc::clone(&ledger), self.tallies.units_of(asker));
        let permit =
            Permit { ledger, hold, allowance, state, leader, _places: (place, own_place), _spending };
        Ok(Admitted::Run(Box::new(permit)))
    }

    async fn hold(
        &self,
        asker: Asker,
        most_units: u32,
        ledger: Arc<CallLedger>,
    ) -> Result<purse::Hold, ToolError> {
        let today = self.today();
        match asker {
            Asker::Anonymous(_) | Asker::Chatgpt(_) => {
                let held = self.budget.hold(day_number(today), most_units, ledger).await;
                held.map_err(|refused| match refused {
                    NotHeld::Store(error) => refusal::unmetered(error),
                    NotHeld::UsedUp(used) => {
                        let day = day_of_number(used.period).unwrap_or(today);
                        let until = day.next_day().unwrap_or(day).midnight().assume_utc();
                        refusal::anonymous_used_up(until, self.clock.utc())
                    }
                })
            }
            Asker::Account { id, allowance } => {
                let (now, month) = (self.clock.monotonic(), month_number(today));
                let purse = self.accounts.purse(id, now);
                let held = purse.hold(month, allowance, most_units, ledger).await;
                let used_up = matches!(held, Err(NotHeld::UsedUp(_))).then_some(month);
                self.accounts.note(id, day_number(today), used_up, now);
                held.map_err(|refused| match refused {
                    NotHeld::Store(error) => refusal::unmetered(error),
                    NotHeld::UsedUp(used) => refusal::used_up(used, allowance),
                })
            }
        }
    }

    /// What an account has used; `None` for callers without one.
    #[must_use]
    pub fn quota(&self, asker: Asker) -> Option<Quota> {
        match asker {
            Asker::Anonymous(_) | Asker::Chatgpt(_) => None,
            Asker::Account { id, allowance } => {
                let purse = self.accounts.purse(id, self.clock.monotonic());
                Some(refusal::quota(purse.used(month_number(self.today())), allowance))
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
        self.budget.bucket(day_number(self.today()))
    }

    /// Whether the server gives something up.
    #[must_use]
    pub fn has_degraded_limits(&self) -> bool {
        self.ladder.rung() > Rung::L0
    }

    /// Units that each known account used this month, in no order.
    #[must_use]
    pub fn usage_of_all(&self) -> Vec<(AccountId, u64)> {
        self.accounts.used(month_number(self.today()))
    }

    /// Units that an account used this month.
    #[must_use]
    pub fn usage_of(&self, id: AccountId) -> u64 {
        self.accounts.purse(id, self.clock.monotonic()).used(month_number(self.today())).used
    }

    /// Units that calls spent since the start, of everybody without an account and of accounts.
    #[must_use]
    pub fn units_spent(&self) -> [(&'static str, u64); 2] {
        self.tallies.units()
    }

    /// What became of looking for the answers of identical calls.
    #[must_use]
    pub fn replays(&self) -> &Counters<Replayed> {
        &self.tallies.replays
    }

    /// How many accounts called today, and how many have used up their month, as far as they called since the start.
    #[must_use]
    pub fn accounts_now(&self) -> AccountsNow {
        let today = self.today();
        self.accounts.now(day_number(today), month_number(today))
    }

    /// What every caller without an account may use together in a day.
    #[must_use]
    pub fn anonymous_budget(&self) -> u64 {
        self.budget.allowance()
    }

    /// How long writes took to become durable; `None` for a store that has no disk.
    #[must_use]
    pub fn store_flushes(&self) -> Option<Flushes> {
        self.state.flushes()
    }

    /// What became of the backups that were due.
    #[must_use]
    pub fn backups(&self) -> &Outcomes {
        self.state.backups()
    }

    /// Sets what an account used this month, by an operator's word.
    ///
    /// # Errors
    /// When the disk cannot be told.
    pub async fn set_usage(&self, id: AccountId, units: u64) -> Result<(), StoreError> {
        let purse = self.accounts.purse(id, self.clock.monotonic());
        purse.set_used(month_number(self.today()), units).await
    }

    /// Units of today's budget that callers without an account used or hold.
    #[must_use]
    pub fn anonymous_units_today(&self) -> u64 {
        self.budget.taken(day_number(self.today()))
    }

    /// Whether the store takes what is metered.
    #[must_use]
    pub fn store_health(&self) -> Health {
        self.state.health()
    }

    /// Writes everything that the store remembers to a file, at an operator's word.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn back_up(&self, path: &Path) -> Result<(), BackupError> {
        self.state.back_up(path)
    }

    /// The protection ladder.
    #[must_use]
    pub fn ladder(&self) -> &Arc<Ladder> {
        &self.ladder
    }

    /// Leaves exactly what was used behind, and closes the store.
    pub fn close(&self) {
        let mut batch = Batch::new();
        self.accounts.close(&mut batch);
        self.budget.close(&mut batch);
        // Closing waits for it; when it fails, more counts as used at the next start and never less.
        drop(self.state.submit(batch));
        self.state.close();
    }

    /// The UTC day, which the store hears of when it begins.
    fn today(&self) -> time::Date {
        let today = self.calendar.today();
        let day = day_number(today);
        if self.told_day.fetch_max(day, Ordering::Relaxed) < day {
            let mut batch = Batch::new();
            if self.state.calendar.put(&mut batch, Only, StoredDay { day }).is_ok() {
                // Whatever is granted on this day says so too.
                drop(self.state.submit(batch));
            }
        }
        today
    }
}

#[cfg(test)]
mod tests;
