//! How long callers wait when they come at a steady pace: a thousand calls a second of accounts, on all cores, the load
//! among what runs there.
//!
//! Four of five calls come from h2load, each kind at 200 a second: a card and a search that are answered again, the use
//! of the account, which is always told anew, and the list of tools. Every fifth is a card that nobody asked for before:
//! metered, and durable before it is answered.

use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::json;

use super::Length;
use super::calls::{call, card, cards, headers};
use super::load::written;
use super::programs::{Data, Running, Setting, Under};
use super::results::{Bar, Results};
use super::streams;

/// Calls a second of each of the five kinds.
const A_SECOND: u64 = 200;
const ACCOUNTS: usize = 32;

/// The waits, in milliseconds.
pub fn measure(results: &mut Results, length: Length) {
    let (mut middles, mut ends) = (Vec::new(), Vec::new());
    for _ in 0..length.rounds {
        let server =
            Running::server(Setting { under: Under::AllCores, data: Data::Demo, accounts: ACCOUNTS });
        let mut waits_us = run(&server, u64::from(length.seconds) * 2);
        waits_us.sort_unstable();
        let at =
            |part: usize| waits_us[(waits_us.len() * part / 100).min(waits_us.len() - 1)] as f64 / 1_000.0;
        println!("{} calls: p50 {} ms, p99 {} ms", waits_us.len(), at(50), at(99));
        middles.push(at(50));
        ends.push(at(99));
    }
    results.figure("rate", "p50, ms", super::results::median(middles), Bar::AtMost(1.0));
    results.figure("rate", "p99, ms", super::results::median(ends), Bar::AtMost(5.0));
}

/// What each call waited for its answer, in microseconds.
fn run(server: &Running, seconds: u64) -> Vec<u64> {
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();
    let kinds =
        [card(), call("search_catalog", &json!({"q": "Four Tet"})), call("get_usage", &json!({})), list];
    let loads: Vec<Child> =
        kinds.iter().enumerate().map(|(n, body)| h2load(server, n, body, seconds)).collect();
    let mut waits_us = fresh(server, seconds);
    for (n, mut load) in loads.into_iter().enumerate() {
        assert!(load.wait().expect("h2load").success());
        let log = std::fs::read_to_string(server.folder().join(format!("rate-{n}.log"))).expect("its log");
        let lines: Vec<Vec<&str>> = log.lines().map(|line| line.split('\t').collect()).collect();
        assert!(lines.len() as u64 >= A_SECOND * seconds * 9 / 10, "only {} calls of {n}", lines.len());
        for line in lines {
            assert_eq!(line[1], "200");
            waits_us.push(line[2].parse().expect("microseconds"));
        }
    }
    waits_us
}

fn h2load(server: &Running, n: usize, body: &str, seconds: u64) -> Child {
    let file = written(server.folder(), &format!("rate-{n}.json"), body);
    let log = server.folder().join(format!("rate-{n}.log"));
    let mut command = Command::new("h2load");
    command.args(["-t1", "-c4", "-m8", &format!("--rps={}", A_SECOND / 4)]);
    command.arg("-n").arg((A_SECOND * seconds).to_string()).arg("-d").arg(&file);
    command.arg(format!("--log-file={}", log.display()));
    for header in headers(server.tokens.first()) {
        command.args(["-H", &header]);
    }
    command.arg(&server.url).stdout(Stdio::null()).spawn().expect("h2load")
}

/// Cards that nobody asked for before, each at its time whether or not the one before it is answered.
fn fresh(server: &Running, seconds: u64) -> Vec<u64> {
    let (calls, callers) = (cards(), server.tokens[1..].to_vec());
    let waits = Arc::new(Mutex::new(Vec::new()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let client = streams::client();
        let mut ticks = tokio::time::interval(Duration::from_micros(1_000_000 / A_SECOND));
        let mut sent = tokio::task::JoinSet::new();
        for n in 0..usize::try_from(A_SECOND * seconds).expect("a count") {
            ticks.tick().await;
            let (client, url, waits) = (client.clone(), server.url.clone(), Arc::clone(&waits));
            let caller = callers.get(n / calls.len()).expect("a call that differs").clone();
            let body = calls[n % calls.len()].clone();
            sent.spawn(async move {
                let began = Instant::now();
                streams::send(&client, &url, body, &caller).await;
                let took = u64::try_from(began.elapsed().as_micros()).expect("a short while");
                waits.lock().expect("the waits").push(took);
            });
        }
        while let Some(ended) = sent.join_next().await {
            ended.expect("every call is answered");
        }
    });
    Arc::into_inner(waits).expect("all have ended").into_inner().expect("the waits")
}
