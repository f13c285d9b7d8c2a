//! How fast the store meters, with every barrier of the disk counted. Run: cargo bench --bench store
//!
//! `cargo bench --bench store -- growth 5000000` inserts that many answers and lets them expire.

#![allow(
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench prints, and fails by panicking"
)]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ono_sendai::admission::account::AccountLimits;
use ono_sendai::admission::allotment::{Allotment, Grant};
use ono_sendai::admission::{Admission, AdmissionLimits, Asker};
use ono_sendai::auth::AccountId;
use ono_sendai::clock::Clock;
use ono_sendai::durability::barriers;
use ono_sendai::store::rows::{Quota, Replay};
use ono_sendai::store::{Batch, SledStore, State};

const CALLERS: u64 = 64;
const RUN: Duration = Duration::from_secs(5);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match arguments.first().map(String::as_str) {
        Some("growth") => growth(arguments.get(1).map_or(5_000_000, |number| number.parse().unwrap())),
        _ => {
            settle(1);
            settle(CALLERS);
            lease();
        }
    }
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("bench-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn state(&self, clock: &Clock) -> Arc<State> {
        let store = SledStore::open(&self.0, clock, Box::new(|| std::process::exit(6))).unwrap();
        Arc::new(State::load(Arc::new(store), clock).unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Reserve, settle and keep the answer, as a metered call does; the answer is what a card takes.
fn settle(callers: u64) {
    let folder = Folder::new("settle");
    let state = folder.state(&Clock::system());
    let purses: Vec<Mutex<Allotment>> = (0..callers).map(|_| Mutex::new(Allotment::new(202_701))).collect();
    let stop = AtomicBool::new(false);
    let (waits, before) = (Mutex::new(Vec::new()), barriers());
    let began = Instant::now();
    std::thread::scope(|scope| {
        for (caller, purse) in (0..callers).zip(&purses) {
            let (state, stop, waits) = (&state, &stop, &waits);
            scope.spawn(move || {
                let mut own = Vec::new();
                let mut number = 0_u64;
                while !stop.load(Ordering::Relaxed) {
                    let began = Instant::now();
                    one_call(state, purse, caller, number);
                    own.push(began.elapsed());
                    number += 1;
                }
                waits.lock().unwrap().extend(own);
            });
        }
        std::thread::sleep(RUN);
        stop.store(true, Ordering::Relaxed);
    });
    let took = began.elapsed().as_secs_f64();
    let mut waits = waits.into_inner().unwrap();
    waits.sort_unstable();
    let at = |part: f64| waits[((waits.len() as f64 * part) as usize).min(waits.len() - 1)];
    println!(
        "reserve + settle + replay, {callers} callers: {:.0} a second, p50 {:?}, p99 {:?}, {} barriers",
        waits.len() as f64 / took,
        at(0.5),
        at(0.99),
        barriers() - before
    );
    state.close();
    drop(state);
    let began = Instant::now();
    let state = folder.state(&Clock::system());
    let (opened, answers, bytes) = (began.elapsed(), state.replays.len(), state.replays.bytes());
    println!("opened again in {opened:?} with {answers} answers, {} MB", bytes / 1_000_000);
    state.close();
}

fn one_call(state: &State, purse: &Mutex<Allotment>, caller: u64, number: u64) {
    let mut account = [0; 16];
    account[..8].copy_from_slice(&caller.to_be_bytes());
    let told = {
        let mut units = purse.lock().unwrap();
        match units.hold(1, u64::MAX / 2).unwrap() {
            Grant::Now => None,
            Grant::After(entry) => {
                let mut batch = Batch::new();
                let quota = Quota { month: entry.period, used: entry.used, reserved: entry.reserved };
                state.quotas.put(&mut batch, account, quota).unwrap();
                Some((entry, state.submit(batch)))
            }
        }
    };
    if let Some((entry, ack)) = told {
        ack.wait().unwrap();
        purse.lock().unwrap().confirm(entry);
    }
    let (entry, ack) = {
        let mut units = purse.lock().unwrap();
        let entry = units.settle(202_701, 1, 1, u64::MAX / 2).unwrap();
        let mut batch = Batch::new();
        let quota = Quota { month: entry.period, used: entry.used, reserved: entry.reserved };
        state.quotas.put(&mut batch, account, quota).unwrap();
        let mut key = [0; 32];
        key[..8].copy_from_slice(&caller.to_be_bytes());
        key[8..16].copy_from_slice(&number.to_be_bytes());
        let answer = "x".repeat(2_000).as_str().into();
        state.replays.put(&mut batch, key, Replay { answer }).unwrap();
        (entry, state.submit(batch))
    };
    ack.wait().unwrap();
    purse.lock().unwrap().confirm(entry);
}

/// Admission alone: places, units of a lease, and giving both back.
fn lease() {
    let folder = Folder::new("lease");
    let clock = Clock::system();
    let limits = AdmissionLimits {
        anonymous_units_per_day: 1,
        anonymous_calls_per_minute: 1,
        chatgpt_calls_per_minute: 1,
        requests_per_second: 1,
        requests_burst: 1,
        calls_at_once: 512,
        account: AccountLimits { calls_per_minute: 1_000_000, calls_at_once: 512 },
    };
    let state = folder.state(&clock);
    let admission = Arc::new(Admission::new(limits, state, clock));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let (count, before, began) = (Arc::new(AtomicU64::new(0)), barriers(), Instant::now());
    runtime.block_on(async {
        let callers: Vec<_> = (0..CALLERS)
            .map(|caller| {
                let (admission, count) = (Arc::clone(&admission), Arc::clone(&count));
                tokio::spawn(async move {
                    let id = AccountId::of("bench", &caller.to_string());
                    let asker = Asker::Account { id, allowance: 10_000 };
                    while began.elapsed() < RUN {
                        for _ in 0..64 {
                            drop(admission.admit(asker, 1, None).await.unwrap());
                        }
                        count.fetch_add(64, Ordering::Relaxed);
                        tokio::task::yield_now().await;
                    }
                })
            })
            .collect();
        for caller in callers {
            caller.await.unwrap();
        }
    });
    let a_second = count.load(Ordering::Relaxed) as f64 / began.elapsed().as_secs_f64();
    println!(
        "admission from a lease, {CALLERS} callers: {a_second:.0} a second, {} barriers",
        barriers() - before
    );
    admission.close();
}

/// Answers that come and expire: what the folder and the memory take, at every tenth.
fn growth(inserts: u64) {
    let folder = Folder::new("growth");
    let clock = Clock::wound_to(time::macros::datetime!(2027-01-31 12:00:00 UTC));
    let state = folder.state(&clock);
    let began = Instant::now();
    let (mut live, step) = (0, (inserts / 10).max(1));
    // What the folder and the memory had, for each fifth of the way. The folder goes up and down by half a megabyte, as
    // parts of the log are freed and taken anew: the most of two fifths tells which of them met a peak, the means tell
    // whether it grows.
    let mut samples: [Vec<(u64, u64)>; 5] = Default::default();
    for number in 0..inserts / 50 {
        let mut batch = Batch::new();
        for n in 0..50_u64 {
            let mut key = [0; 32];
            key[..8].copy_from_slice(&(number * 50 + n).to_be_bytes());
            let answer = format!("{number} {n} {}", "x".repeat(280)).as_str().into();
            state.replays.put(&mut batch, key, Replay { answer }).unwrap();
        }
        state.submit(batch).wait().unwrap();
        loop {
            let (batch, more) = state.sweep();
            state.submit(batch).wait().unwrap();
            if !more {
                break;
            }
        }
        clock.advance(Duration::from_secs(2));
        live = live.max(state.replays.bytes());
        if number % 200 == 0 {
            let fifth = usize::try_from(number * 50 * 5 / inserts).unwrap().min(4);
            samples[fifth].push((size(&folder.0), resident_kib()));
        }
        if (number * 50) % step < 50 {
            println!(
                "{:>9} inserted, {} live, folder {} MB, live bytes {} MB, memory {} MB, {:.0} s",
                number * 50,
                state.replays.len(),
                size(&folder.0) / 1_000_000,
                live / 1_000_000,
                resident_kib() / 1_000,
                began.elapsed().as_secs_f64()
            );
        }
    }
    state.close();
    drop(state);
    let began = Instant::now();
    let state = folder.state(&clock);
    let opened = began.elapsed();
    println!("opened again in {opened:?} with {} answers", state.replays.len());
    state.close();
    let live = u64::try_from(live).unwrap();
    let most = samples.iter().flatten().map(|(folder, _)| *folder).max().unwrap();
    let mosts = samples.each_ref().map(|part| {
        let most = |of: fn(&(u64, u64)) -> u64| part.iter().map(of).max();
        (most(|(folder, _)| *folder), most(|(_, memory)| *memory))
    });
    println!("most of each fifth, folder bytes and memory KiB: {mosts:?}");
    let mean = |part: &[(u64, u64)]| {
        let count = part.len() as f64;
        let sum = |of: fn(&(u64, u64)) -> u64| part.iter().map(of).sum::<u64>() as f64 / count;
        (sum(|(folder, _)| *folder), sum(|(_, memory)| *memory))
    };
    let [.., before, last] = samples.each_ref().map(|part| mean(part));
    println!(
        "{live} bytes live at most, folder {most} bytes at most; the last two fifths had {before:?} and {last:?}"
    );
    assert!(opened < Duration::from_secs(10));
    assert!(most <= 8 * live + 64_000_000, "the folder is too large");
    if inserts >= 1_000_000 {
        assert!(last.0 <= before.0 * 1.05, "the folder keeps growing");
        assert!(last.1 <= before.1 * 1.05, "the memory keeps growing");
    }
}

fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| {
            let kind = entry.metadata().unwrap();
            if kind.is_dir() { size(&entry.path()) } else { kind.len() }
        })
        .sum()
}

fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
