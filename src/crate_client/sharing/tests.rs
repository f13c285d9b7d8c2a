//! Callers that come and go while one request is on its way.

use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::crate_client::faulty::{Behaviour, Faulty, call_of, client, client_of, nothing, settings};
use crate::crate_client::{CallLedger, CrateClient, Depth, Shelves, UpstreamFault};
use crate::identity::{ArtistKey, Slug};
use crate::model::artist::Dossier;
use crate::model::family::Family;

const FOUND: &str = r#"{"slug":"x","identity":{"name":"X","resolvedVia":"discogs","discogsArtistId":5}}"#;
const ROUNDS: usize = 1_000;
const FOLLOWERS: usize = 5;

async fn card(client: &CrateClient, ledger: &CallLedger) -> Result<Option<Dossier>, UpstreamFault> {
    client.dossier(&ArtistKey::Slug(Slug::parse("x").unwrap()), Depth::Card, ledger).await
}

fn is_x(found: &Result<Option<Dossier>, UpstreamFault>) -> bool {
    matches!(found, Ok(Some(dossier)) if dossier.identity.record_name == "X")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_leader_that_leaves_never_strands_those_who_wait_with_it() {
    let (client, faulty, _) = client();
    let mut asked = 0;
    for round in 0..ROUNDS {
        let go = Arc::new(Semaphore::new(0));
        faulty.set(Family::Artist, Behaviour::Waits(Arc::clone(&go), FOUND));
        let (leader_ledger, leader_client) = (Arc::new(call_of(0)), Arc::clone(&client));
        let ledger = Arc::clone(&leader_ledger);
        let leader = tokio::spawn(async move { card(&leader_client, &ledger).await });
        while leader_ledger.units() == 0 {
            tokio::task::yield_now().await;
        }
        let mut followers = JoinSet::new();
        for follower in 1..=FOLLOWERS {
            let client = Arc::clone(&client);
            followers.spawn(async move {
                let ledger = call_of(follower as u64);
                let found = card(&client, &ledger).await;
                (is_x(&found), ledger.units(), ledger.cache_hit())
            });
        }
        // Some rounds end the leader before the others are there, some while they come, some after.
        match round % 3 {
            0 => leader.abort(),
            1 => {
                tokio::task::yield_now().await;
                leader.abort();
            }
            _ => {
                client.flights.until_waiting(1 + FOLLOWERS).await;
                leader.abort();
            }
        }
        assert!(leader.await.unwrap_err().is_cancelled());
        client.flights.until_waiting(FOLLOWERS).await;
        go.add_permits(FOLLOWERS);
        let mut paid = 0;
        while let Some(served) = followers.join_next().await {
            let (is_x, units, cache_hit) = served.unwrap();
            assert!(is_x, "round {round}");
            assert_eq!(cache_hit, units == 0, "round {round}");
            paid += units;
        }
        let sent = faulty.sent(Family::Artist) - asked;
        asked += sent;
        // A leader that left alone took its request with it, and the next one made another.
        assert!(sent <= 2 && sent as u32 == paid + leader_ledger.units(), "round {round}: {sent}");
        assert!(client.flights.is_empty(), "round {round}");
    }
}

#[tokio::test]
async fn a_hundred_who_ask_the_same_at_once_cost_one_request_and_one_unit() {
    let (client, faulty, _) = client();
    let go = Arc::new(Semaphore::new(0));
    faulty.set(Family::Artist, Behaviour::Waits(Arc::clone(&go), FOUND));
    let mut calls = JoinSet::new();
    for caller in 0..100 {
        let client = Arc::clone(&client);
        calls.spawn(async move {
            let ledger = call_of(caller);
            assert!(is_x(&card(&client, &ledger).await));
            assert_eq!(ledger.cache_hit(), ledger.units() == 0);
            assert_eq!(ledger.upstream_2xx(), ledger.units());
            ledger.units()
        });
    }
    client.flights.until_waiting(100).await;
    go.add_permits(1);
    assert_eq!(calls.join_all().await.iter().sum::<u32>(), 1);
    assert_eq!(faulty.sent(Family::Artist), 1);
    assert!(client.flights.is_empty());
}

#[tokio::test]
async fn a_failure_is_shared_too_and_costs_those_who_waited_nothing() {
    let (client, faulty, _) = client();
    let go = Arc::new(Semaphore::new(0));
    faulty.set(Family::Artist, Behaviour::Waits(Arc::clone(&go), "<html>"));
    let mut calls = JoinSet::new();
    for caller in 0..10 {
        let client = Arc::clone(&client);
        calls.spawn(async move {
            let ledger = call_of(caller);
            assert_eq!(card(&client, &ledger).await, Err(UpstreamFault::Unreadable));
            assert!(!ledger.cache_hit());
            ledger.units()
        });
    }
    client.flights.until_waiting(10).await;
    go.add_permits(1);
    assert_eq!(calls.join_all().await.iter().sum::<u32>(), 1);
    faulty.set(Family::Artist, nothing(Family::Artist));
    assert_eq!(card(&client, &call_of(1)).await, Ok(None), "a failure is not kept");
}

#[tokio::test]
async fn the_last_one_to_leave_ends_the_request() {
    let (client, faulty, _) = client();
    let go = Arc::new(Semaphore::new(0));
    faulty.set(Family::Artist, Behaviour::Waits(Arc::clone(&go), FOUND));
    let ledgers = [call_of(1), call_of(2)];
    let mut calls: Vec<_> = ledgers.iter().map(|ledger| Box::pin(card(&client, ledger))).collect();
    for call in &mut calls {
        let pending = std::future::poll_fn(|cx| Poll::Ready(call.as_mut().poll(cx).is_pending())).await;
        assert!(pending);
    }
    assert!(!client.flights.is_empty());
    calls.pop();
    assert!(!client.flights.is_empty());
    calls.pop();
    assert!(
        client.flights.is_empty() && Arc::strong_count(&go) == 2,
        "only the test and the service hold it"
    );
    drop(calls);
    assert_eq!(ledgers.map(|ledger| ledger.units()), [1, 0]);
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_time_is_over_counts_against_the_service_and_one_that_left_does_not() {
    for (own_time, opens) in [(true, true), (false, false)] {
        let (client, faulty, _) = client();
        faulty.set(Family::Artist, Behaviour::Hangs);
        for caller in 0..5 {
            let ledger = call_of(caller);
            let short = Duration::from_secs(1);
            if own_time {
                ledger.give(short);
                assert_eq!(
                    card(&client, &ledger).await,
                    Err(UpstreamFault::ToolDeadline { deadline: short })
                );
            } else {
                assert!(tokio::time::timeout(short, card(&client, &ledger)).await.is_err());
            }
            assert_eq!(ledger.units(), 1, "a request that was cut short is charged");
        }
        let closed = matches!(card(&client, &call_of(9)).await, Err(UpstreamFault::Window { .. }));
        assert_eq!(closed, opens, "{own_time}");
    }
}

#[tokio::test]
async fn an_answer_that_is_kept_costs_nothing_and_says_so() {
    let (_, faulty, clock) = client();
    let mut settings = settings();
    settings.cache.max_bytes = 1 << 20;
    settings.cache.lifetimes.insert(Family::Artist, Duration::from_secs(60));
    let client = client_of(Arc::clone(&faulty) as Arc<Faulty> as _, settings, Shelves::default(), &clock);
    let degraded = r#"{"identity":{"name":"X","resolvedVia":"discogs"},"facts":{"state":"degraded"}}"#;
    for (body, kept) in [(FOUND, true), (degraded, false)] {
        faulty.set(Family::Artist, Behaviour::Says(200, body));
        clock.advance(Duration::from_secs(60));
        let before = faulty.sent(Family::Artist);
        for nth in 0..3 {
            let ledger = call_of(nth);
            assert!(is_x(&card(&client, &ledger).await));
            let is_kept = kept && nth > 0;
            assert_eq!((ledger.cache_hit(), ledger.units()), (is_kept, u32::from(!is_kept)));
        }
        assert_eq!(faulty.sent(Family::Artist) - before, if kept { 1 } else { 3 });
    }
}
