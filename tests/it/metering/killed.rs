//! `kill -9` under load: an auditor knows every answer that a client received.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{fresh, used};
use crate::harness::{Demo, Kept as _};
use crate::store::support::eventually;

const ALLOWANCE: u64 = 1_000;
const ACCOUNTS: usize = 4;
const CALLERS_EACH: u64 = 2;
/// What one call may spend at most.
const MOST: u64 = 2;
/// The largest lease of an account with that allowance.
const LEASE: u64 = ALLOWANCE / 20;

fn rounds() -> u64 {
    std::env::var("ONO_KILL_ROUNDS").map_or(3, |rounds| rounds.parse().unwrap())
}

#[test]
fn a_kill_under_load_grants_nothing_twice_and_burns_no_more_than_a_lease() {
    let first = Demo::start();
    let mut now = None;
    let (mut audited, mut burned, mut slowest) = (0_u64, 0_u64, Duration::ZERO);
    for round in 0..rounds() {
        let server = now.as_ref().unwrap_or(&first);
        let tokens: Vec<String> =
            (0..ACCOUNTS).map(|account| server.token_of(&format!("kill-{round}-{account}"))).collect();
        let shown: Mutex<BTreeMap<usize, u64>> = Mutex::default();
        std::thread::scope(|scope| {
            for (account, token) in tokens.iter().enumerate() {
                for _ in 0..CALLERS_EACH {
                    let shown = &shown;
                    scope.spawn(move || {
                        while let Some(answer) = server.try_call_as(token, "resolve_artist", fresh()) {
                            let mut shown = shown.lock().unwrap();
                            let most = shown.entry(account).or_default();
                            *most = used(&answer).max(*most);
                        }
                    });
                }
            }
            std::thread::sleep(Duration::from_millis(150 + round * 37 % 200));
            server.kill();
        });
        let began = Instant::now();
        let next = server.again();
        slowest = slowest.max(began.elapsed());
        for (account, shown) in shown.into_inner().unwrap() {
            let after = used(&next.call_as(&tokens[account], "get_usage", json!({})));
            assert!(after >= shown, "round {round}: {shown} was shown, {after} is known after the kill");
            let most = shown + CALLERS_EACH * MOST + LEASE;
            assert!(after <= most, "round {round}: {after} is known after the kill, and {shown} was shown");
            assert!(after <= ALLOWANCE);
            audited += 1;
            burned += after - shown;
        }
        if let Some(last) = now.replace(next) {
            drop(last);
        }
    }
    assert!(audited > 0, "no client received anything, so nothing was audited");
    assert!(slowest < Duration::from_secs(5), "starting took {slowest:?}");
    println!("{audited} accounts audited, {burned} units burned, slowest start {slowest:?}");
}

#[test]
fn a_server_starts_again_within_five_seconds_however_it_ended_and_a_second_one_does_not_start() {
    let first = Demo::start();
    let mut now: Option<Demo> = None;
    for round in 0..u32::try_from(rounds()).unwrap() * 2 {
        let server = now.as_ref().unwrap_or(&first);
        server.call_as(&server.token_of("again"), "resolve_artist", fresh());
        if round % 2 == 0 {
            server.kill()
        } else {
            server.stop()
        }
        let began = Instant::now();
        let next = server.again();
        assert!(began.elapsed() < Duration::from_secs(5), "round {round}: {:?}", began.elapsed());
        now = Some(next);
    }
    let server = now.unwrap();
    let began = Instant::now();
    let second = std::process::Command::new(env!("CARGO_BIN_EXE_ono-sendai"))
        .args(["demo", "--listen", "127.0.0.1:0", "--data"])
        .arg(server.data())
        .kept_output()
        .unwrap();
    assert!(began.elapsed() < Duration::from_secs(10));
    let said = String::from_utf8(second.stderr).unwrap();
    let lock = server.data().join("store/LOCK");
    assert_eq!((second.status.code(), said.lines().count()), (Some(3), 1), "{said}");
    assert!(said.contains(&*lock.to_string_lossy()), "{said}");
    assert!(!server.call_as(&server.token_of("again"), "resolve_artist", fresh()).is_error);
}

#[test]
fn a_port_that_is_just_being_given_up_is_waited_for() {
    let first = Demo::start();
    first.kill();
    let mut held = None;
    eventually("the port is free", || {
        held = TcpListener::bind(("127.0.0.1", first.port)).ok();
        held.is_some()
    });
    std::fs::remove_file(&first.certificate).unwrap();
    std::thread::scope(|scope| {
        // It is made right before the port is taken.
        let certificate = &first.certificate;
        scope.spawn(move || {
            eventually("it is starting", || certificate.exists());
            drop(held);
        });
        let next = first.again();
        assert!(!next.call("resolve_artist", fresh()).is_error);
    });
}

#[test]
fn a_clean_stop_burns_nothing_and_forgets_nothing() {
    let first = Demo::start();
    let token = first.token_of("clean");
    let question = fresh();
    let answer = first.call_as(&token, "resolve_artist", question.clone());
    first.stop();
    let next = first.again();
    assert_eq!(used(&next.call_as(&token, "get_usage", json!({}))), used(&answer));
    let again = next.call_as(&token, "resolve_artist", question);
    assert_eq!((&again.json["meta"]["replay"], &again.json["data"]), (&json!(true), &answer.json["data"]));
    assert_eq!(used(&again), used(&answer));
}

#[test]
fn what_was_answered_just_before_a_kill_is_answered_again_free_of_charge() {
    let first = Demo::start();
    let token = first.token_of("killed");
    let question = json!({"q": "Four Tet"});
    let answer = first.call_as(&token, "resolve_artist", question.clone());
    first.kill();
    let next = first.again();
    let again = next.call_as(&token, "resolve_artist", question);
    assert_eq!(again.json["meta"]["replay"], json!(true), "{}", again.json["meta"]);
    assert_eq!((&again.json["data"], &again.text), (&answer.json["data"], &answer.text));
}
