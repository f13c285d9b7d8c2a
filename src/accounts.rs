//! What an account may do: whether it is active, and how many units it has.
//!
//! Decides the standing of an account that a token has proved. It must never know tokens, tools or what
//! has been used.

mod book;
pub mod service;

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use lru::LruCache;

use self::book::Book;
pub use self::book::{Known, NotSet, Setting};
use self::service::{AccountService, NoVerdict, Verdict};
use crate::auth::{Account, AccountId};
use crate::clock::Clock;
use crate::store::State;

/// After a failure the service is left alone this long: about one account, or about all.
const AFTER_FAILURE: Duration = Duration::from_secs(5);
/// How many accounts it is remembered of that the service failed for them.
const LEFT_ALONE: NonZeroUsize = NonZeroUsize::new(10_000).expect("not zero");
/// After silence about so many different accounts in a row the service itself is taken to be silent.
const SILENT_FOR: usize = 3;
/// How many answers of the service are held; the least used one goes first.
const VERDICTS: NonZeroUsize = NonZeroUsize::new(100_000).expect("not zero");

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

/// What is known of an account without asking anybody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Whether it may call; `None` where that is the account service's word, which was not heard since the start.
    pub active: Option<bool>,
    /// The name of its plan, if it is known to have one.
    pub plan: Option<String>,
    /// Units of one UTC month; `None` as for `active`.
    pub allowance: Option<u64>,
}

impl From<Standing> for Told {
    fn from(standing: Standing) -> Self {
        Self { active: Some(standing.active), plan: standing.plan, allowance: Some(standing.allowance) }
    }
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
    book: Arc<Book>,
    clock: Clock,
    hook: Option<Hook>,
    /// Whose subjects they are; empty without a sign-in.
    issuer: String,
}

#[derive(Debug)]
struct Hook {
    service: Arc<dyn AccountService>,
    /// How long an answer is believed.
    lasts: Duration,
    /// What it said last, and when. Lost with the program: a server that starts while the service is away knows nobody.
    verdicts: Mutex<LruCache<AccountId, (Instant, Verdict)>>,
    /// When it failed last for everybody.
    failed: Mutex<Option<Instant>>,
    /// When it failed last for one account.
    left_alone: Mutex<LruCache<AccountId, Instant>>,
    /// The different accounts that it was silent about since it last answered.
    silent: Mutex<Vec<AccountId>>,
    /// One question an account at a time; the others wait for its answer.
    asking: Mutex<HashMap<AccountId, Arc<tokio::sync::Mutex<()>>>>,
}

impl Accounts {
    /// Accounts that exist from their first call on, with so many units a month each; `state` keeps them.
    #[must_use]
    pub fn interim(units_per_month: u64, state: Arc<State>, clock: Clock) -> Self {
        let book = Arc::new(Book::new(state));
        Self { units_per_month, book, clock, hook: None, issuer: String::new() }
    }

    /// The same accounts, once `service` calls them active; its answers last for `lasts`. One that it gives no
    /// allowance has the usual one.
    #[must_use]
    pub fn hooked(self, service: Arc<dyn AccountService>, lasts: Duration) -> Self {
        let hook = Hook {
            service,
            lasts,
            verdicts: Mutex::new(LruCache::new(VERDICTS)),
            failed: Mutex::default(),
            left_alone: Mutex::new(LruCache::new(LEFT_ALONE)),
            silent: Mutex::default(),
            asking: Mutex::default(),
        };
        Self { hook: Some(hook), ..self }
    }

    /// The same accounts, as subjects of `issuer`.
    #[must_use]
    pub fn of_issuer(self, issuer: &str) -> Self {
        Self { issuer: issuer.to_owned(), ..self }
    }

    /// The account of a subject, as the issuer calls it.
    #[must_use]
    pub fn id_of(&self, subject: &str) -> AccountId {
        AccountId::of(&self.issuer, subject)
    }

    /// What is kept of an account.
    #[must_use]
    pub fn known(&self, id: AccountId) -> Option<Known> {
        self.book.find(id)
    }

    /// Every account that is kept, in no order.
    #[must_use]
    pub fn all_known(&self) -> Vec<(AccountId, Known)> {
        self.book.all()
    }

    /// What an account may do, as far as that is known without asking anybody.
    #[must_use]
    pub fn told(&self, id: AccountId) -> Told {
        let known = self.book.find(id);
        let Some(hook) = &self.hook else {
            return self.of(AccountMode::Interim, true, known, None).into();
        };
        match hook.said(id) {
            Some((at, verdict)) => {
                self.of(AccountMode::Hooked, self.is_new(hook, at), known, Some(verdict)).into()
            }
            // An operator's word counts whatever the service will say.
            None => Told {
                active: known.filter(|known| known.blocked).map(|_| false),
                plan: None,
                allowance: known.and_then(|known| known.allowance),
            },
        }
    }

    /// Sets something for an account; when this ends well, it is durable.
    ///
    /// # Errors
    /// When there is no room for it, or the disk does not take it; nothing has changed then.
    pub async fn set(&self, id: AccountId, setting: Setting) -> Result<Known, NotSet> {
        self.book.set(id, setting).await
    }

    /// What the account may do.
    ///
    /// # Errors
    /// When that cannot be found out just now, and nothing is known of the account.
    pub async fn standing(&self, account: &Account) -> Result<Standing, Unconfirmed> {
        let id = account.id();
        let Some(hook) = &self.hook else {
            let known = self.book.seen(id, self.clock.utc());
            return Ok(self.of(AccountMode::Interim, true, Some(known), None));
        };
        // Whatever the service says, an operator has shut it out.
        if self.book.find(id).is_some_and(|known| known.blocked) {
            let known = self.book.seen(id, self.clock.utc());
            return Ok(self.of(AccountMode::Hooked, true, Some(known), None));
        }
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
        if !hook.rests(id, self.clock.monotonic()) {
            match hook.service.ask(account, self.clock.utc()).await {
                Ok(verdict) => {
                    hook.answers(id);
                    let known = self.book.seen(id, self.clock.utc());
                    hook.hear(id, self.clock.monotonic(), verdict.clone());
                    return Ok(self.of(AccountMode::Hooked, true, Some(known), Some(verdict)));
                }
                Err(why) => {
                    tracing::warn!(reason = why.reason(), "the account service gives no answer");
                    hook.fails(id, &why, self.clock.monotonic());
                }
            }
        }
        let (_, verdict) = hook.said(id).ok_or(Unconfirmed { retry_after: AFTER_FAILURE })?;
        Ok(self.of(AccountMode::Hooked, false, self.book.find(id), Some(verdict)))
    }

    /// What was confirmed not long ago.
    fn held(&self, hook: &Hook, id: AccountId) -> Option<Standing> {
        let (at, verdict) = hook.said(id)?;
        let known = self.book.find(id);
        self.is_new(hook, at).then(|| self.of(AccountMode::Hooked, true, known, Some(verdict)))
    }

    fn is_new(&self, hook: &Hook, said: Instant) -> bool {
        self.clock.monotonic().saturating_duration_since(said) < hook.lasts
    }

    /// What an operator set goes before what the service says.
    fn of(
        &self,
        mode: AccountMode,
        confirmed: bool,
        known: Option<Known>,
        verdict: Option<Verdict>,
    ) -> Standing {
        let blocked = known.is_some_and(|known| known.blocked);
        let Verdict { active, plan, allowance } =
            verdict.unwrap_or(Verdict { active: true, plan: None, allowance: None });
        Standing {
            mode,
            active: active && !blocked,
            confirmed,
            plan,
            allowance: known.and_then(|known| known.allowance).or(allowance).unwrap_or(self.units_per_month),
        }
    }
}

impl Hook {
    /// What the service said last of an account, and when.
    fn said(&self, id: AccountId) -> Option<(Instant, Verdict)> {
        self.verdicts.lock().unwrap_or_else(PoisonError::into_inner).get(&id).cloned()
    }

    fn hear(&self, id: AccountId, at: Instant, verdict: Verdict) {
        self.verdicts.lock().unwrap_or_else(PoisonError::into_inner).put(id, (at, verdict));
    }

    fn failed(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it is left alone just now, about this account or about all.
    fn rests(&self, id: AccountId, now: Instant) -> bool {
        let recent = |at: Instant| now.saturating_duration_since(at) < AFTER_FAILURE;
        let alone = self.left_alone.lock().unwrap_or_else(PoisonError::into_inner).peek(&id).copied();
        self.failed().is_some_and(recent) || alone.is_some_and(recent)
    }

    fn answers(&self, id: AccountId) {
        self.silent().clear();
        self.left_alone.lock().unwrap_or_else(PoisonError::into_inner).pop(&id);
        if self.failed().take().is_some() {
            tracing::info!("the account service answers again");
        }
    }

    /// What the service does to one account must not be everybody's trouble.
    fn fails(&self, id: AccountId, why: &NoVerdict, now: Instant) {
        self.left_alone.lock().unwrap_or_else(PoisonError::into_inner).put(id, now);
        let for_all = match why {
            NoVerdict::Down(_) => true,
            NoVerdict::Unbelievable(_) => {
                self.silent().clear();
                false
            }
            NoVerdict::Silent(_) => {
                let mut silent = self.silent();
                if !silent.contains(&id) {
                    silent.push(id);
                }
                let all = silent.len() >= SILENT_FOR;
                if all {
                    silent.clear();
                }
                all
            }
        };
        if for_all {
            *self.failed() = Some(now);
        }
    }

    fn silent(&self) -> std::sync::MutexGuard<'_, Vec<AccountId>> {
        self.silent.lock().unwrap_or_else(PoisonError::into_inner)
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
