//! What a connection may do and for how long, with the time wound by hand.

use super::{Activity, BROKEN_OFF_MAX, Exchange, IDLE_BYTES_MAX, Need, PROGRESS_BYTES, Protocol, Receiving};
use crate::transport::limits::Limits;
use std::time::Duration;
use tokio::time::{Instant, advance, timeout};

async fn seconds_until_overdue(activity: &Activity) -> Option<u64> {
    let start = Instant::now();
    timeout(Duration::from_secs(1_000), activity.overdue(&Limits::default())).await.ok()?;
    Some(start.elapsed().as_secs())
}

#[tokio::test(start_paused = true)]
async fn the_first_header_has_its_time_however_slowly_it_comes() {
    let activity = Activity::new(Protocol::Http1);
    advance(Duration::from_secs(10)).await;
    activity.read(1);
    assert_eq!(seconds_until_overdue(&activity).await, Some(5));
}

#[tokio::test(start_paused = true)]
async fn between_requests_the_idle_time_counts_until_the_first_byte() {
    let activity = Activity::new(Protocol::Http1);
    let mut exchange = Exchange::begin(&activity);
    assert_eq!(seconds_until_overdue(&activity).await, None);
    exchange.sends(false);
    assert_eq!(seconds_until_overdue(&activity).await, None);
    drop(exchange);
    advance(Duration::from_secs(100)).await;
    let idle = activity.clone();
    assert_eq!(seconds_until_overdue(&idle).await, Some(20));
    activity.read(1);
    assert_eq!(seconds_until_overdue(&activity).await, Some(15));
}

#[tokio::test(start_paused = true)]
async fn http2_must_greet_in_time_and_may_then_be_idle() {
    let activity = Activity::new(Protocol::Http2);
    activity.read(10);
    assert_eq!(seconds_until_overdue(&activity).await, Some(15));
    activity.read(30);
    assert_eq!(seconds_until_overdue(&activity).await, Some(120));
}

#[tokio::test(start_paused = true)]
async fn an_http2_answer_that_nobody_takes_ends_the_connection_whatever_else_moves_on_it() {
    let activity = Activity::new(Protocol::Http2);
    let mut stuck = Exchange::begin(&activity);
    stuck.sends(false);
    advance(Duration::from_secs(20)).await;
    stuck.moved();
    let mut other = Exchange::begin(&activity);
    other.sends(false);
    for _ in 0..10 {
        advance(Duration::from_secs(2)).await;
        other.moved();
    }
    let _works = Exchange::begin(&activity);
    assert_eq!(seconds_until_overdue(&activity).await, Some(10));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_still_being_made_is_not_one_that_nobody_takes() {
    let activity = Activity::new(Protocol::Http2);
    let mut stream = Exchange::begin(&activity);
    stream.sends(false);
    stream.moved();
    assert_eq!(activity.stands_still().map(|(need, _)| need), Some(Need::Peer));
    stream.waits();
    assert_eq!(activity.stands_still(), None);
    assert_eq!(seconds_until_overdue(&activity).await, Some(120));
}

#[tokio::test(start_paused = true)]
async fn an_http2_peer_that_pours_frames_and_asks_nothing_is_told_to_leave() {
    let activity = Activity::new(Protocol::Http2);
    for _ in 0..10 {
        activity.read(IDLE_BYTES_MAX);
        drop(Exchange::begin(&activity));
    }
    assert_eq!(seconds_until_overdue(&activity).await, Some(120));
    let exchange = Exchange::begin(&activity);
    activity.read(IDLE_BYTES_MAX * 2);
    drop(exchange);
    assert_eq!(seconds_until_overdue(&activity).await, Some(120));
    activity.read(IDLE_BYTES_MAX + 1);
    assert_eq!(seconds_until_overdue(&activity).await, Some(0));
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_breaks_off_what_it_asks_is_told_to_leave() {
    let activity = Activity::new(Protocol::Http2);
    for _ in 0..300 {
        let mut whole = Exchange::begin(&activity);
        whole.sends(false);
        whole.ends();
        drop(whole);
        drop(Exchange::begin(&activity));
    }
    assert_eq!(seconds_until_overdue(&activity).await, Some(120));
    for _ in 0..=BROKEN_OFF_MAX {
        drop(Exchange::begin(&activity));
    }
    assert_eq!(seconds_until_overdue(&activity).await, Some(0));
}

#[tokio::test(start_paused = true)]
async fn a_connection_whose_request_is_still_coming_stands_still_and_one_that_is_worked_for_does_not() {
    let activity = Activity::new(Protocol::Http1);
    assert_eq!(activity.stands_still().map(|(need, _)| need), Some(Need::Nothing));
    let _exchange = Exchange::begin(&activity);
    let receiving = Receiving::begin(&activity);
    assert_eq!(activity.stands_still().map(|(need, _)| need), Some(Need::Peer));
    drop(receiving);
    assert_eq!(activity.stands_still(), None);
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_takes_no_bytes_is_cut_off() {
    let activity = Activity::new(Protocol::Http1);
    let mut exchange = Exchange::begin(&activity);
    exchange.sends(false);
    activity.wrote(false);
    activity.wrote(true);
    assert_eq!(seconds_until_overdue(&activity).await, None);
    activity.wrote(false);
    assert_eq!(seconds_until_overdue(&activity).await, Some(30));
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_takes_a_few_bytes_now_and_then_is_cut_off_and_one_that_takes_more_is_not() {
    for (bytes, left) in [(PROGRESS_BYTES - 2, Some(5)), (PROGRESS_BYTES, Some(30))] {
        let activity = Activity::new(Protocol::Http1);
        let mut exchange = Exchange::begin(&activity);
        exchange.sends(false);
        activity.wrote(false);
        advance(Duration::from_secs(25)).await;
        activity.took(1);
        activity.took(bytes);
        activity.wrote(false);
        assert_eq!(seconds_until_overdue(&activity).await, left, "{bytes}");
    }
}
