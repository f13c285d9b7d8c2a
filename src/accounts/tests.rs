//! Accounts over a scripted service.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};

use time::OffsetDateTime;
use time::macros::datetime;

use super::*;
use crate::auth::ClientKind;
use crate::store::table::Bounds;
use crate::store::{MemoryStore, Refused, StoreError, Table};

#[derive(Debug)]
struct Scripted {
    answer: Mutex<Result<Verdict, NoVerdict>>,
    /// What it does instead for these subjects.
    fails: Mutex<HashMap<&'static str, NoVerdict>>,
    asked: AtomicUsize,
}

impl AccountService for Scripted {
    fn ask<'a>(
        &'a self,
        account: &'a Account,
        _: OffsetDateTime,
    ) -> Pin<Box<dyn Future<Output = Result<Verdict, NoVerdict>> + Send + 'a>> {
        Box::pin(async move {
            self.asked.fetch_add(1, Ordering::Relaxed);
            tokio::task::yield_now().await;
            match self.fails.lock().unwrap().get(account.subject()) {
                Some(why) => Err(why.clone()),
                None => self.answer.lock().unwrap().clone(),
            }
        })
    }
}

const LASTS: Duration = Duration::from_secs(60);

fn account(subject: &str) -> Account {
    Account::for_test("https://issuer.example", subject, ClientKind::Other)
}

fn verdict(active: bool, allowance: Option<u64>) -> Result<Verdict, NoVerdict> {
    Ok(Verdict { active, plan: Some("pro".to_owned()), allowance })
}

fn down() -> NoVerdict {
    NoVerdict::Down("down".to_owned())
}

fn hooked(answer: Result<Verdict, NoVerdict>) -> (Accounts, Arc<Scripted>, Clock) {
    let service = Arc::new(Scripted {
        answer: Mutex::new(answer),
        fails: Mutex::default(),
        asked: AtomicUsize::new(0),
    });
    let clock = Clock::wound_to(datetime!(2027-01-31 12:00:00 UTC));
    let accounts = Accounts::interim(10_000, state(&MemoryStore::new().into(), &clock), clock.clone())
        .hooked(service.clone(), LASTS);
    (accounts, service, clock)
}

fn state(store: &Arc<MemoryStore>, clock: &Clock) -> Arc<State> {
    Arc::new(State::load(Arc::clone(store) as Arc<_>, clock).unwrap())
}

async fn until(holds: impl Fn() -> bool) {
    for _ in 0..1_000 {
        if holds() {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("it never came to be so");
}

#[tokio::test]
async fn an_interim_account_exists_from_its_first_call_on_and_over_a_restart() {
    let clock = Clock::wound_to(datetime!(2027-01-31 12:00:00 UTC));
    let store = Arc::new(MemoryStore::new());
    let start = || Accounts::interim(1_000, state(&store, &clock), clock.clone());
    let accounts = start();
    let standing = accounts.standing(&account("a")).await.unwrap();
    assert_eq!((standing.mode, standing.active, standing.allowance), (AccountMode::Interim, true, 1_000));
    clock.advance(LASTS);
    accounts.standing(&account("a")).await.unwrap();
    for accounts in [accounts, start()] {
        let known = accounts.known(account("a").id()).unwrap();
        assert_eq!(known.first_seen, Some(datetime!(2027-01-31 12:00:00 UTC)));
        assert_eq!(accounts.known(account("b").id()), None);
    }
}

#[tokio::test]
async fn what_an_operator_sets_goes_before_what_the_service_says_and_stays() {
    let (accounts, service, clock) = hooked(verdict(true, Some(7)));
    let (one, id) = (account("a"), account("a").id());
    accounts.set(id, Setting::Allowance(Some(99))).await.unwrap();
    assert_eq!(accounts.standing(&one).await.unwrap().allowance, 99);
    accounts.set(id, Setting::Allowance(None)).await.unwrap();
    assert_eq!(accounts.standing(&one).await.unwrap().allowance, 7);
    accounts.set(id, Setting::Blocked(true)).await.unwrap();
    clock.advance(LASTS);
    *service.answer.lock().unwrap() = Err(down());
    let blocked = accounts.standing(&one).await.unwrap();
    assert_eq!((blocked.active, blocked.confirmed), (false, true), "nobody has to be asked about it");
    accounts.set(id, Setting::Blocked(false)).await.unwrap();
    assert!(accounts.standing(&one).await.unwrap().active);
}

#[tokio::test]
async fn what_the_disk_does_not_take_does_not_hold_and_a_first_sight_is_tried_again() {
    let clock = Clock::wound_to(datetime!(2027-01-31 12:00:00 UTC));
    let store = Arc::new(MemoryStore::new());
    let accounts = Accounts::interim(1_000, state(&store, &clock), clock.clone());
    let (one, id) = (account("a"), account("a").id());
    store.fail(true);
    assert!(accounts.set(id, Setting::Blocked(true)).await.is_err());
    assert_eq!(accounts.known(id), None);
    assert!(accounts.standing(&one).await.unwrap().active, "nothing is refused for it");
    until(|| accounts.known(id).is_none()).await;
    store.fail(false);
    accounts.standing(&one).await.unwrap();
    accounts.set(id, Setting::Blocked(true)).await.unwrap();
    store.fail(true);
    assert!(accounts.set(id, Setting::Blocked(false)).await.is_err());
    assert!(!accounts.standing(&one).await.unwrap().active);
    let again = Accounts::interim(1_000, state(&store, &clock), clock.clone());
    assert!(!again.standing(&one).await.unwrap().active);
}

#[tokio::test]
async fn a_server_that_starts_in_an_outage_knows_nobody() {
    let clock = Clock::wound_to(datetime!(2027-01-31 12:00:00 UTC));
    let store = Arc::new(MemoryStore::new());
    let service = Arc::new(Scripted {
        answer: Mutex::new(verdict(true, None)),
        fails: Mutex::default(),
        asked: AtomicUsize::new(0),
    });
    let start =
        || Accounts::interim(1_000, state(&store, &clock), clock.clone()).hooked(service.clone(), LASTS);
    assert!(start().standing(&account("a")).await.is_ok());
    *service.answer.lock().unwrap() = Err(down());
    let again = start();
    assert_eq!(again.standing(&account("a")).await, Err(Unconfirmed { retry_after: AFTER_FAILURE }));
    assert!(again.known(account("a").id()).is_some());
}

#[tokio::test]
async fn an_answer_lasts_its_time_and_a_switched_off_account_is_refused_after_it() {
    let (accounts, service, clock) = hooked(verdict(true, Some(7)));
    for _ in 0..3 {
        let standing = accounts.standing(&account("a")).await.unwrap();
        assert_eq!((standing.active, standing.confirmed, standing.allowance), (true, true, 7));
    }
    assert_eq!(service.asked.load(Ordering::Relaxed), 1);
    *service.answer.lock().unwrap() = verdict(false, None);
    clock.advance(LASTS - Duration::from_secs(1));
    assert!(accounts.standing(&account("a")).await.unwrap().active);
    clock.advance(Duration::from_secs(1));
    let standing = accounts.standing(&account("a")).await.unwrap();
    assert_eq!((standing.active, standing.allowance), (false, 10_000));
}

#[tokio::test]
async fn in_an_outage_a_known_account_is_unconfirmed_and_an_unknown_one_cannot_be_told() {
    let (accounts, service, clock) = hooked(verdict(true, None));
    assert!(accounts.standing(&account("known")).await.is_ok());
    *service.answer.lock().unwrap() = Err(down());
    clock.advance(LASTS);
    let standing = accounts.standing(&account("known")).await.unwrap();
    assert_eq!((standing.active, standing.confirmed), (true, false));
    assert_eq!(accounts.standing(&account("new")).await, Err(Unconfirmed { retry_after: AFTER_FAILURE }));
    assert_eq!(service.asked.load(Ordering::Relaxed), 2, "a service that fails is left alone for a while");
    *service.answer.lock().unwrap() = verdict(true, None);
    clock.advance(AFTER_FAILURE);
    for subject in ["known", "new"] {
        assert!(accounts.standing(&account(subject)).await.unwrap().confirmed, "{subject}");
    }
}

#[tokio::test]
async fn many_calls_of_one_account_ask_once() {
    let (accounts, service, _) = hooked(verdict(true, None));
    let one = account("a");
    let calls = (0..20).map(|_| accounts.standing(&one));
    let standings = futures_util::future::join_all(calls).await;
    assert!(standings.iter().all(Result::is_ok));
    assert_eq!(service.asked.load(Ordering::Relaxed), 1);
    let hook = accounts.hook.as_ref().unwrap();
    assert!(hook.asking.lock().unwrap().is_empty());
}

#[tokio::test]
async fn an_account_that_the_service_fails_for_is_nobody_elses_trouble() {
    let silent = || NoVerdict::Silent("late".to_owned());
    for why in [NoVerdict::Unbelievable("it answered HTTP 400".to_owned()), silent()] {
        let (accounts, service, clock) = hooked(verdict(true, None));
        service.fails.lock().unwrap().insert("bad", why.clone());
        for round in 0..10 {
            assert!(accounts.standing(&account("bad")).await.is_err(), "{why:?}");
            let other = if round % 2 == 0 { "other" } else { "one more" };
            assert!(accounts.standing(&account(other)).await.unwrap().confirmed, "{why:?}");
            clock.advance(LASTS);
        }
        let before = service.asked.load(Ordering::Relaxed);
        for _ in 0..5 {
            assert!(accounts.standing(&account("bad")).await.is_err());
        }
        assert_eq!(service.asked.load(Ordering::Relaxed) - before, 1, "it is left alone about this one");
    }
    // Silence about several in a row is an outage, and so is a service that says that it is not well.
    let (accounts, service, clock) = hooked(verdict(true, None));
    service.fails.lock().unwrap().extend(["a", "b", "c"].map(|name| (name, silent())));
    for name in ["a", "b", "c"] {
        assert!(accounts.standing(&account(name)).await.is_err());
    }
    assert!(accounts.standing(&account("well")).await.is_err(), "nobody waits for a service that is silent");
    assert_eq!(service.asked.load(Ordering::Relaxed), SILENT_FOR);
    clock.advance(AFTER_FAILURE);
    assert!(accounts.standing(&account("well")).await.is_ok());
    service.fails.lock().unwrap().insert("d", down());
    assert!(accounts.standing(&account("d")).await.is_err());
    assert!(accounts.standing(&account("new")).await.is_err());
    clock.advance(AFTER_FAILURE);
    assert!(accounts.standing(&account("new")).await.is_ok());
}

#[tokio::test]
async fn an_account_that_something_was_set_for_is_seen_when_it_calls_and_not_before() {
    let clock = Clock::wound_to(datetime!(2027-01-31 12:00:00 UTC));
    let store = Arc::new(MemoryStore::new());
    let start = || Accounts::interim(1_000, state(&store, &clock), clock.clone());
    let (accounts, id) = (start(), account("a").id());
    let set = accounts.set(id, Setting::Allowance(Some(9))).await.unwrap();
    assert_eq!((set.first_seen, set.allowance), (None, Some(9)));
    clock.advance(LASTS);
    store.fail(true);
    assert_eq!(accounts.standing(&account("a")).await.unwrap().allowance, 9);
    until(|| accounts.known(id) == Some(set)).await;
    store.fail(false);
    assert_eq!(start().known(id), Some(set), "over a restart too");
    let accounts = start();
    assert_eq!(accounts.standing(&account("a")).await.unwrap().allowance, 9);
    clock.advance(LASTS);
    accounts.set(id, Setting::Allowance(None)).await.unwrap();
    let seen = Some(datetime!(2027-01-31 12:01:00 UTC));
    assert_eq!(accounts.known(id), Some(Known { first_seen: seen, allowance: None, blocked: false }));
    let (accounts, _, clock) = hooked(verdict(true, None));
    accounts.set(id, Setting::Blocked(true)).await.unwrap();
    assert!(!accounts.standing(&account("a")).await.unwrap().active);
    assert_eq!(accounts.known(id).unwrap().first_seen, Some(clock.utc()), "shut out, and seen");
}

#[tokio::test]
async fn what_nobody_said_of_an_account_is_not_told() {
    let (accounts, _, _) = hooked(verdict(false, Some(7)));
    let (one, id) = (account("a"), account("a").id());
    let unknown = Told { active: None, plan: None, allowance: None };
    assert_eq!(accounts.told(id), unknown);
    accounts.set(id, Setting::Allowance(Some(99))).await.unwrap();
    assert_eq!(accounts.told(id), Told { allowance: Some(99), ..unknown.clone() });
    accounts.set(id, Setting::Allowance(None)).await.unwrap();
    accounts.set(id, Setting::Blocked(true)).await.unwrap();
    assert_eq!(accounts.told(id), Told { active: Some(false), ..unknown });
    accounts.set(id, Setting::Blocked(false)).await.unwrap();
    accounts.standing(&one).await.unwrap();
    let plan = Some("pro".to_owned());
    assert_eq!(accounts.told(id), Told { active: Some(false), plan, allowance: Some(7) });
    let clock = Clock::wound_to(datetime!(2027-01-31 12:00:00 UTC));
    let interim = Accounts::interim(1_000, state(&MemoryStore::new().into(), &clock), clock.clone());
    assert_eq!(interim.told(id), Told { active: Some(true), plan: None, allowance: Some(1_000) });
}

#[tokio::test]
async fn a_full_table_is_told_as_such_and_once_and_refuses_nobody() {
    let clock = Clock::wound_to(datetime!(2027-01-31 12:00:00 UTC));
    let store = Arc::new(MemoryStore::new());
    let mut small = State::load(Arc::clone(&store) as Arc<_>, &clock).unwrap();
    small.accounts = Table::bounded(clock.clone(), Bounds { rows: 1, bytes: 1 << 20 });
    let accounts = Accounts::interim(1_000, Arc::new(small), clock.clone());
    accounts.standing(&account("a")).await.unwrap();
    assert!(accounts.standing(&account("b")).await.unwrap().active);
    assert!(!accounts.book.turns(true), "it is known that there is no room");
    assert_eq!(accounts.known(account("b").id()), None);
    let full = accounts.set(account("b").id(), Setting::Blocked(true)).await;
    assert_eq!(full, Err(NotSet::Full));
    assert!(NotSet::Full.to_string().contains("room") && NotSet::from(Refused::Full) == NotSet::Full);
    assert!(
        accounts.set(account("a").id(), Setting::Blocked(true)).await.is_ok(),
        "one that is kept can be set"
    );
    store.fail(true);
    let failed = accounts.set(account("a").id(), Setting::Blocked(false)).await;
    assert_eq!(failed, Err(NotSet::Store(StoreError::Failed)));
}
