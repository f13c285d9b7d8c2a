//! Many callers at once and few units, or few places.

use std::sync::mpsc;

use serde_json::{Value, json};

use super::used;
use crate::harness::{Demo, Envelope, PATIENCE};
use crate::store::support::{eventually, rounds};
use crate::upstream::peer::{Act, Peer, whole};
use crate::upstream::server_with;

const CALLERS: usize = 50;
const UNITS: u64 = 10;
const PLACES: usize = 4;

#[test]
fn callers_that_race_for_the_last_units_spend_exactly_those() {
    let server = Demo::serving(
        "fixture_mode = true",
        &format!(
            "[accounts]\nunits_per_month = {UNITS}\ncalls_per_minute = 100000\ncalls_at_once = 64\n[issuer]\nenabled = true"
        ),
    );
    for round in 0..rounds("ONO_RACE_ROUNDS", 5) {
        let token = server.token_of(&format!("race-{round}"));
        let answers = race(|| server.call_as(&token, "get_artist", one_unit()));
        let usage = server.call_as(&token, "get_usage", json!({}));
        assert_eq!(used(&usage), spent(&answers), "what was told is what was charged");
        assert_eq!(spent(&answers), UNITS);
        assert_eq!(refused(&answers, "quota_exceeded"), CALLERS - served(&answers));
    }
}

#[test]
fn callers_without_an_account_that_race_for_the_last_units_of_the_day_spend_exactly_those() {
    for _ in 0..rounds("ONO_RACE_ROUNDS", 2) {
        let server = Demo::serving(
            "fixture_mode = true",
            &format!(
                "[anonymous]\nunits_per_day = {UNITS}\ncalls_per_minute = 100000\nrequests_burst = 1000"
            ),
        );
        let answers = race(|| server.call("get_artist", one_unit()));
        assert_eq!(spent(&answers), UNITS);
        assert_eq!(refused(&answers, "anonymous_capacity_exhausted"), CALLERS - served(&answers));
        // The budget stays used up over a kill.
        server.kill();
        let next = server.serving_again();
        assert_eq!(next.call("get_artist", one_unit()).error_type(), "anonymous_capacity_exhausted");
    }
}

#[test]
fn callers_that_race_for_an_accounts_places_never_hold_more_than_those() {
    let peer = Peer::start();
    peer.set(
        "/api/v2/artist/",
        Act::Held(whole(404, "content-type: application/json\r\n", br#"{"error":"not_found"}"#)),
    );
    let server = server_with(
        peer.port,
        "in_flight = 100\nper_minute = 100000",
        &format!("[accounts]\ncalls_per_minute = 100000\ncalls_at_once = {PLACES}\n[issuer]\nenabled = true"),
    );
    for round in 0..rounds("ONO_RACE_ROUNDS", 5) {
        let token = server.token_of(&format!("places-{round}"));
        let (answered, answers) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..CALLERS {
                let (server, token, answered) = (&server, &token, answered.clone());
                scope.spawn(move || answered.send(server.call_as(token, "get_artist", one_unit())));
            }
            let next = || answers.recv_timeout(PATIENCE).expect("an answer");
            // Nobody is served before all others were refused: the places are held until then.
            let without: Vec<Envelope> = (PLACES..CALLERS).map(|_| next()).collect();
            assert_eq!(refused(&without, "rate_limited"), without.len());
            for answer in &without {
                assert_eq!(answer.json["error"]["data"]["reason"], "concurrency", "{}", answer.json);
            }
            eventually("all places are held", || peer.running() == PLACES);
            peer.let_go();
            let with: Vec<Envelope> = (0..PLACES).map(|_| next()).collect();
            assert_eq!((served(&with), spent(&with)), (PLACES, PLACES as u64), "round {round}");
        });
        // The places are free again.
        assert_eq!(used(&server.call_as(&token, "get_usage", json!({}))), PLACES as u64);
    }
    assert_eq!(peer.most_at_once(), PLACES);
}

/// What every caller was answered, all of them asking at once.
fn race(call: impl Fn() -> Envelope + Sync) -> Vec<Envelope> {
    std::thread::scope(|scope| {
        let calls: Vec<_> = (0..CALLERS).map(|_| scope.spawn(&call)).collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    })
}

fn spent(answers: &[Envelope]) -> u64 {
    answers.iter().map(|answer| answer.json["meta"]["units"].as_u64().unwrap()).sum()
}

fn served(answers: &[Envelope]) -> usize {
    answers.iter().filter(|answer| !answer.is_error).count()
}

fn refused(answers: &[Envelope], kind: &str) -> usize {
    answers.iter().filter(|answer| answer.is_error && answer.error_type() == kind).count()
}

/// A question that nobody asked before and that costs exactly one unit.
fn one_unit() -> Value {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    json!({"key": format!("nobody-{}", NEXT.fetch_add(1, Ordering::Relaxed))})
}
