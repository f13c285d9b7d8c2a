//! The client over a service that fails: what the windows do to real requests.

use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::fault::Wait;
use super::faulty::{Behaviour, CALL_DEADLINE, call_of, client, client_of, nothing, settings};
use super::shelf::MonthUse;
use super::window::StoredWindow;
use super::*;
use crate::identity::{Argument, ArtistKey, Slug};

const HALF_A_MINUTE: Duration = Duration::from_secs(30);

/// One card for `caller`, who asks for another artist than anybody else.
async fn card(client: &CrateClient, caller: u64) -> Result<Option<Dossier>, UpstreamFault> {
    let key = ArtistKey::Slug(Slug::parse(&format!("x-{caller}")).unwrap());
    client.dossier(&key, Depth::Card, &call_of(caller)).await
}

fn somebody() -> ArtistName {
    ArtistName::parse(Argument::Q, "Somebody").unwrap()
}

fn failure() -> Behaviour {
    Behaviour::Says(503, "")
}

/// Opens the window of the artist family by five failures of five callers.
async fn open_artist(client: &CrateClient, faulty: &faulty::Faulty) {
    faulty.set(Family::Artist, failure());
    for caller in 1..=5 {
        assert_eq!(card(client, caller).await, Err(UpstreamFault::Status { status: 503, retry_after: None }));
    }
}

fn closed(answer: &Result<Option<Dossier>, UpstreamFault>) -> bool {
    matches!(answer, Err(UpstreamFault::Window { .. }))
}

#[tokio::test(start_paused = true)]
async fn every_failure_of_the_service_counts_for_its_window() {
    for (behaviour, fault) in [
        (Behaviour::Fails(UpstreamFault::Unreachable), UpstreamFault::Unreachable),
        (Behaviour::Hangs, UpstreamFault::CallDeadline { deadline: CALL_DEADLINE }),
        (Behaviour::Says(500, "{}"), UpstreamFault::Status { status: 500, retry_after: None }),
        (Behaviour::Says(504, "{}"), UpstreamFault::Status { status: 504, retry_after: None }),
        (Behaviour::Says(200, "<html>"), UpstreamFault::Unreadable),
        (Behaviour::Says(404, "<html>"), UpstreamFault::Unreadable),
        (Behaviour::Says(200, ""), UpstreamFault::Unreadable),
        (Behaviour::Says(200, r#"{"identity":{"na"#), UpstreamFault::Unreadable),
    ] {
        let (client, faulty, _) = client();
        faulty.set(Family::Artist, behaviour);
        for caller in 1..=5 {
            assert_eq!(card(&client, caller).await, Err(fault));
        }
        assert_eq!(
            card(&client, 1).await,
            Err(UpstreamFault::Window { scope: Scope::Family(Family::Artist), retry_after: HALF_A_MINUTE })
        );
        let sent = if retry::pause(fault).is_some() { 10 } else { 5 };
        assert_eq!(faulty.sent(Family::Artist), sent, "{fault}");
    }
}

#[tokio::test]
async fn siblings_are_read_where_an_answer_has_them_unless_they_are_switched_off() {
    let body = r#"{"display":"X","resolved_via":"discogs","locators":{},"same_name_clusters":[
        {"cluster_id":"abababababababababababababababababababababababababababababababab","name":"X (2)","tier":"discogs"}]}"#;
    for (switch, listed) in [(Switch::Auto, 1), (Switch::On, 1), (Switch::Off, 0)] {
        let faulty = Arc::new(faulty::Faulty::default());
        faulty.set(Family::Resolve, Behaviour::Says(200, body));
        let mut settings = settings();
        settings.extensions = vec![(Extension::SameNameClusters, switch)];
        let clock = Clock::wound_to(time::macros::datetime!(2027-01-31 12:00 UTC));
        let client = client_of(faulty as _, settings, Shelves::default(), &clock);
        let found = client.resolve(&Ask::Name(somebody()), &call_of(1)).await.unwrap();
        assert_eq!((found.siblings_listed, found.same_name_clusters.len()), (listed, listed), "{switch:?}");
    }
}

#[tokio::test]
async fn no_4xx_ever_counts_for_a_window() {
    for status in 400..500 {
        let (client, faulty, _) = client();
        faulty.set(Family::Artist, Behaviour::Says(status, r#"{"error":"some_code"}"#));
        for caller in 0..50 {
            assert!(!closed(&card(&client, caller).await), "{status}");
        }
        assert_eq!(faulty.sent(Family::Artist), 50, "{status}");
    }
}

#[tokio::test]
async fn a_404_is_a_success_and_ends_a_row_of_failures() {
    let (client, faulty, _) = client();
    for _ in 0..3 {
        faulty.set(Family::Artist, failure());
        for _ in 0..9 {
            assert!(!closed(&card(&client, 1).await));
        }
        faulty.set(Family::Artist, Behaviour::Says(404, r#"{"error":"not_found"}"#));
        assert_eq!(card(&client, 1).await, Ok(None));
    }
}

#[tokio::test]
async fn a_request_that_a_window_refuses_costs_nothing_and_is_not_sent() {
    let (client, faulty, _) = client();
    open_artist(&client, &faulty).await;
    let ledger = call_of(9);
    assert!(closed(&client.dossier(&ArtistKey::Slug(Slug::parse("x").unwrap()), Depth::Card, &ledger).await));
    assert_eq!((ledger.units(), ledger.upstream_2xx()), (0, 0));
    assert_eq!(faulty.sent(Family::Artist), 5);
}

#[tokio::test]
async fn artist_being_degraded_leaves_resolve_and_search_working() {
    let (client, faulty, _) = client();
    open_artist(&client, &faulty).await;
    assert!(closed(&card(&client, 1).await));
    assert_eq!(client.resolve(&Ask::Name(somebody()), &call_of(1)).await, Ok(Resolution::default()));
    assert_eq!(client.same_name_rows(&somebody(), &call_of(1)).await, Ok(Vec::new()));
}

#[tokio::test]
async fn ten_failures_of_one_caller_close_the_service_and_only_the_service() {
    let (client, faulty, clock) = client();
    faulty.set(Family::Artist, failure());
    for _ in 0..10 {
        assert!(!closed(&card(&client, 1).await));
    }
    assert_eq!(
        client.resolve(&Ask::Name(somebody()), &call_of(2)).await,
        Err(UpstreamFault::Window { scope: Scope::Service, retry_after: HALF_A_MINUTE })
    );
    clock.advance(HALF_A_MINUTE);
    assert!(client.resolve(&Ask::Name(somebody()), &call_of(2)).await.is_ok());
    assert!(!closed(&card(&client, 1).await));
}

#[tokio::test(start_paused = true)]
async fn a_trial_frees_its_slot_however_it_ends() {
    let reopened = [
        failure(),
        Behaviour::Fails(UpstreamFault::Unreachable),
        Behaviour::Hangs,
        Behaviour::Says(200, r#"{"identity":{"na"#),
    ];
    let shut = [
        nothing(Family::Artist),
        Behaviour::Says(404, r#"{"error":"not_found"}"#),
        Behaviour::Says(429, "{}"),
    ];
    let reopened = reopened.into_iter().map(|behaviour| (behaviour, true));
    for (behaviour, stays_closed) in reopened.chain(shut.into_iter().map(|behaviour| (behaviour, false))) {
        let (client, faulty, clock) = client();
        open_artist(&client, &faulty).await;
        clock.advance(HALF_A_MINUTE);
        faulty.set(Family::Artist, behaviour.clone());
        assert!(!closed(&card(&client, 1).await), "{behaviour:?}");
        assert_eq!(faulty.sent(Family::Artist), 6);
        faulty.set(Family::Artist, nothing(Family::Artist));
        assert_eq!(closed(&card(&client, 1).await), stays_closed, "{behaviour:?}");
        clock.advance(HALF_A_MINUTE);
        assert_eq!(card(&client, 1).await, Ok(None), "{behaviour:?}");
    }
}

#[tokio::test]
async fn a_trial_whose_caller_goes_away_frees_its_slot_for_the_next_one() {
    let (client, faulty, clock) = client();
    open_artist(&client, &faulty).await;
    clock.advance(HALF_A_MINUTE);
    faulty.set(Family::Artist, Behaviour::Hangs);
    for _ in 0..3 {
        let mut trial = Box::pin(card(&client, 1));
        let polled = |cx: &mut Context<'_>| Poll::Ready(trial.as_mut().poll(cx).is_pending());
        assert!(std::future::poll_fn(polled).await);
        assert!(closed(&card(&client, 2).await));
        drop(trial);
    }
    assert_eq!(faulty.sent(Family::Artist), 5 + 3);
    faulty.set(Family::Artist, nothing(Family::Artist));
    assert_eq!(card(&client, 2).await, Ok(None));
    assert_eq!(card(&client, 1).await, Ok(None));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_hundred_callers_at_once_cause_one_trial() {
    for _ in 0..20 {
        let (client, faulty, clock) = client();
        open_artist(&client, &faulty).await;
        clock.advance(HALF_A_MINUTE);
        let go = Arc::new(Semaphore::new(0));
        faulty.set(Family::Artist, Behaviour::Waits(Arc::clone(&go), r#"{"identity":null}"#));
        let mut calls = JoinSet::new();
        for caller in 0..100 {
            let client = Arc::clone(&client);
            calls.spawn(async move { card(&client, caller).await });
        }
        for _ in 0..99 {
            assert!(closed(&calls.join_next().await.unwrap().unwrap()));
        }
        assert_eq!(faulty.sent(Family::Artist), 6);
        go.add_permits(1);
        assert_eq!(calls.join_next().await.unwrap().unwrap(), Ok(None));
        faulty.set(Family::Artist, nothing(Family::Artist));
        assert_eq!(card(&client, 1).await, Ok(None));
    }
}

/// A store that lies open to the test.
#[derive(Debug, Default)]
struct Open {
    windows: Mutex<Vec<StoredWindow>>,
    month: Mutex<Option<MonthUse>>,
}

impl WindowShelf for Open {
    fn load_windows(&self) -> Vec<StoredWindow> {
        self.windows.lock().unwrap().clone()
    }

    fn save_windows(&self, open: &[StoredWindow]) {
        *self.windows.lock().unwrap() = open.to_vec();
    }
}

impl MonthShelf for Open {
    fn load_month(&self) -> Option<MonthUse> {
        *self.month.lock().unwrap()
    }

    fn save_month(&self, used: MonthUse) {
        *self.month.lock().unwrap() = Some(used);
    }
}

#[tokio::test]
async fn an_open_window_survives_a_restart_and_is_tried_when_its_time_is_over() {
    let (_, faulty, clock) = client();
    let shelf = Arc::new(Open::default());
    let start = || {
        let shelves = Shelves { windows: Arc::clone(&shelf) as _, ..Shelves::default() };
        client_of(Arc::clone(&faulty) as _, settings(), shelves, &clock)
    };
    open_artist(&start(), &faulty).await;
    clock.advance(HALF_A_MINUTE / 3);
    let again = start();
    let scope = Scope::Family(Family::Artist);
    let left = HALF_A_MINUTE * 2 / 3;
    assert_eq!(card(&again, 1).await, Err(UpstreamFault::Window { scope, retry_after: left }));
    assert_eq!((again.open_windows(), faulty.sent(Family::Artist)), (vec![scope], 5));
    assert!(again.resolve(&Ask::Name(somebody()), &call_of(1)).await.is_ok());
    clock.advance(left);
    // It ends in the middle of the trial, and the trial of the next start fails: that is kept too.
    faulty.set(Family::Artist, Behaviour::Hangs);
    let mut trial = Box::pin(card(&again, 1));
    let polled = |cx: &mut Context<'_>| Poll::Ready(trial.as_mut().poll(cx).is_pending());
    assert!(std::future::poll_fn(polled).await);
    faulty.set(Family::Artist, failure());
    assert!(!closed(&card(&start(), 1).await));
    assert_eq!(card(&start(), 1).await, Err(UpstreamFault::Window { scope, retry_after: HALF_A_MINUTE }));
    clock.advance(HALF_A_MINUTE);
    faulty.set(Family::Artist, nothing(Family::Artist));
    assert_eq!(card(&start(), 1).await, Ok(None));
    assert!(shelf.load_windows().is_empty() && start().open_windows().is_empty(), "what closed stays closed");
}

#[tokio::test]
async fn a_clock_that_was_set_back_keeps_no_window_open_for_longer_than_one_opens_for() {
    let (_, faulty, clock) = client();
    let shelf = Arc::new(Open::default());
    let until = clock.utc() + time::Duration::days(400);
    shelf.save_windows(&[StoredWindow { scope: Scope::Service, until }]);
    let shelves = Shelves { windows: shelf, ..Shelves::default() };
    let client = client_of(faulty, settings(), shelves, &clock);
    let closed = UpstreamFault::Window { scope: Scope::Service, retry_after: HALF_A_MINUTE };
    assert_eq!(card(&client, 1).await, Err(closed));
}

#[tokio::test]
async fn the_use_of_a_month_survives_a_restart() {
    let (_, faulty, clock) = client();
    let shelf = Arc::new(Open::default());
    let start = || {
        let plan = Some(Plan { in_flight: 2, per_minute: 60, per_month: 2 });
        let shelves = Shelves { month: Arc::clone(&shelf) as _, ..Shelves::default() };
        client_of(Arc::clone(&faulty) as _, ClientSettings { plan, ..settings() }, shelves, &clock)
    };
    assert_eq!(card(&start(), 1).await, Ok(None));
    faulty.set(Family::Artist, failure());
    assert!(card(&start(), 1).await.is_err(), "a failure is not counted");
    faulty.set(Family::Artist, nothing(Family::Artist));
    assert_eq!(card(&start(), 1).await, Ok(None));
    let wait = Wait::Until(time::macros::datetime!(2027-02-01 0:00 UTC));
    let last = start();
    assert_eq!(card(&last, 1).await, Err(UpstreamFault::NoRoom { signed_in: false, wait }));
    let account = CallLedger::new(Caller::account(1));
    let key = ArtistKey::Slug(Slug::parse("x").unwrap());
    assert_eq!(
        last.dossier(&key, Depth::Card, &account).await,
        Err(UpstreamFault::NoRoom { signed_in: true, wait })
    );
    assert_eq!((account.units(), last.used_this_month()), (0, Some(2)));
}
