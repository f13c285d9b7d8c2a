//! The plan on a clock that stands still until everybody waits.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use time::macros::datetime;
use tokio::task::JoinSet;
use tokio::time::{advance, sleep};

use super::*;
use crate::crate_client::shelf::Forgetful;

const LATENCY: Duration = Duration::from_millis(40);

fn pacer(in_flight: u32, per_minute: u32, per_month: u64) -> Arc<Pacer> {
    let clock = Clock::wound_to(datetime!(2027-01-31 12:00 UTC));
    Arc::new(Pacer::new(Plan { in_flight, per_minute, per_month }, clock, Arc::new(Forgetful)))
}

async fn request(pacer: &Arc<Pacer>) -> Result<(), Wait> {
    let place = pacer.place().await?;
    sleep(LATENCY).await;
    place.ended(true);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn no_more_run_at_once_than_the_plan_allows_and_all_of_them_run() {
    let pacer = pacer(2, 1_000, 0);
    let (running, most) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let mut calls = JoinSet::new();
    for _ in 0..100 {
        let (pacer, running, most) = (Arc::clone(&pacer), Arc::clone(&running), Arc::clone(&most));
        calls.spawn(async move {
            let place = pacer.place().await?;
            most.fetch_max(running.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
            sleep(LATENCY).await;
            running.fetch_sub(1, Ordering::Relaxed);
            place.ended(true);
            Ok::<_, Wait>(())
        });
    }
    let all = calls.join_all().await;
    assert!(all.iter().all(Result::is_ok), "100 times 40 ms, two at once, take 2 s");
    assert_eq!((most.load(Ordering::Relaxed), pacer.used_this_month()), (2, 100));
}

#[tokio::test(start_paused = true)]
async fn whoever_cannot_start_in_time_is_told_so_and_waits_no_longer() {
    let pacer = pacer(1, 1_000, 0);
    let held = pacer.place().await.unwrap();
    let began = Instant::now();
    let refused = pacer.place().await.unwrap_err();
    assert_eq!(began.elapsed(), START_WITHIN);
    assert!(matches!(refused, Wait::For(wait) if wait >= Duration::from_secs(1)), "{refused:?}");
    held.ended(true);
    assert!(request(&pacer).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_minutes_requests_are_not_exceeded_in_any_sixty_seconds() {
    let pacer = pacer(10, 60, 0);
    let mut starts: Vec<Instant> = Vec::new();
    let mut refused = 0;
    for _ in 0..2_000 {
        match pacer.place().await {
            Ok(place) => {
                starts.push(Instant::now());
                sleep(LATENCY).await;
                place.ended(true);
            }
            Err(Wait::For(wait)) => {
                refused += 1;
                advance(wait).await;
            }
            Err(Wait::Until(at)) => panic!("{at}"),
        }
    }
    assert!(refused > 10, "{refused}");
    for (at, start) in starts.iter().enumerate() {
        let within =
            starts[at..].iter().take_while(|other| other.duration_since(*start) < minute::MINUTE).count();
        assert!(within <= 60, "{within} from number {at} on");
    }
}

#[tokio::test(start_paused = true)]
async fn a_full_minute_is_refused_at_once_with_the_time_until_there_is_room() {
    let pacer = pacer(10, 3, 0);
    for _ in 0..3 {
        request(&pacer).await.unwrap();
        advance(Duration::from_secs(10)).await;
    }
    let began = Instant::now();
    // The first ended 30.08 s ago, in steps of 10.04 s.
    assert_eq!(
        request(&pacer).await,
        Err(Wait::For(minute::MINUTE - (LATENCY * 2 + Duration::from_secs(30))))
    );
    assert_eq!(began.elapsed(), Duration::ZERO);
    advance(Duration::from_secs(28)).await;
    assert_eq!(request(&pacer).await, Ok(()), "less than three seconds are waited for");
}

#[tokio::test(start_paused = true)]
async fn what_the_service_says_is_left_is_believed_when_it_is_less() {
    let pacer = pacer(10, 60, 0);
    let told = |remaining, reset_s| Hints {
        remaining: Some(remaining),
        reset_in: Some(Duration::from_secs(reset_s)),
        ..Hints::default()
    };
    pacer.hear(told(1, 20), false);
    assert_eq!(request(&pacer).await, Ok(()));
    assert_eq!(request(&pacer).await, Err(Wait::For(Duration::from_secs(20) - LATENCY)));
    advance(Duration::from_secs(20)).await;
    assert_eq!(request(&pacer).await, Ok(()));
    pacer.hear(told(0, 100_000_000), false);
    advance(minute::MINUTE).await;
    assert_eq!(request(&pacer).await, Ok(()), "a minute's count starts anew within a minute");
}

#[tokio::test(start_paused = true)]
async fn after_a_refusal_nothing_is_sent_for_as_long_as_it_says() {
    for (retry_after, hold_s) in [(Some(23), 23), (None, 1), (Some(1_000_000), 60), (Some(u64::MAX), 60)] {
        let pacer = pacer(10, 60, 0);
        let hints = Hints { retry_after: retry_after.map(Duration::from_secs), ..Hints::default() };
        pacer.hear(hints, true);
        let began = Instant::now();
        let held = request(&pacer).await;
        if hold_s > START_WITHIN.as_secs() {
            assert_eq!(held, Err(Wait::For(Duration::from_secs(hold_s))));
            advance(Duration::from_secs(hold_s)).await;
            assert_eq!(request(&pacer).await, Ok(()));
        } else {
            assert_eq!((held, began.elapsed()), (Ok(()), Duration::from_secs(hold_s) + LATENCY));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_used_up_month_says_when_the_next_one_begins() {
    let pacer = pacer(10, 60, 2);
    for _ in 0..2 {
        request(&pacer).await.unwrap();
    }
    assert_eq!(request(&pacer).await, Err(Wait::Until(datetime!(2027-02-01 0:00 UTC))));
    let free = pacer_with_room();
    let place = free.place().await.unwrap();
    place.ended(false);
    assert_eq!(free.used_this_month(), 0, "what the service does not count is not counted");
}

fn pacer_with_room() -> Arc<Pacer> {
    pacer(10, 60, 2)
}

#[tokio::test(start_paused = true)]
async fn whoever_leaves_the_line_holds_up_nobody_behind() {
    let pacer = pacer(1, 1_000, 0);
    let held = pacer.place().await.unwrap();
    let mut leaves: Vec<_> = (0..50)
        .map(|_| {
            let pacer = Arc::clone(&pacer);
            tokio::spawn(async move { pacer.place().await.map(drop) })
        })
        .collect();
    let served = Arc::new(AtomicUsize::new(0));
    tokio::task::yield_now().await;
    let stays = tokio::spawn({
        let (pacer, served) = (Arc::clone(&pacer), Arc::clone(&served));
        async move {
            request(&pacer).await.unwrap();
            served.fetch_add(1, Ordering::Relaxed);
        }
    });
    tokio::task::yield_now().await;
    for call in leaves.drain(..) {
        call.abort();
        assert!(call.await.unwrap_err().is_cancelled());
    }
    held.ended(true);
    stays.await.unwrap();
    assert_eq!((served.load(Ordering::Relaxed), pacer.state().queued), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_request_that_was_given_up_keeps_its_place_for_a_moment_and_is_counted() {
    let pacer = pacer(1, 60, 0);
    drop(pacer.place().await.unwrap());
    let began = Instant::now();
    request(&pacer).await.unwrap();
    assert_eq!(began.elapsed(), COOL_DOWN + LATENCY);
    assert_eq!(pacer.used_this_month(), 2);
    pacer.place().await.unwrap().unused();
    assert_eq!(
        (pacer.used_this_month(), pacer.state().minute.earliest(0, 57, Instant::now())),
        (2, Some(Instant::now()))
    );
}
