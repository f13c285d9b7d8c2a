//! The owner over a database that does what a test says.

use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::mpsc;

use time::macros::datetime;

use super::*;
use crate::store::batch::{Change, Row};
use crate::store::space::Space;
use crate::store::watchdog::{self, SILENT_MAX};

const MIB: u64 = 1024 * 1024;

/// What a test turns, and what it sees.
#[derive(Clone, Default)]
struct Levers {
    full: Arc<AtomicBool>,
    panics: Arc<AtomicBool>,
    free_bytes: Arc<AtomicU64>,
    commits: Arc<AtomicUsize>,
    kept: Arc<Mutex<Vec<Change>>>,
    /// A commit waits here until the test lets it go on.
    gate: Arc<Mutex<()>>,
}

/// Like sled, it stays in its error until it is opened anew.
struct Scripted {
    levers: Levers,
    is_stuck: bool,
}

impl Engine for Scripted {
    fn commit(&mut self, changes: Vec<Change>) -> Result<(), EngineError> {
        drop(self.levers.gate.lock());
        self.levers.commits.fetch_add(1, Ordering::SeqCst);
        assert!(!self.levers.panics.load(Ordering::SeqCst), "the test asked for it");
        if self.is_stuck || self.levers.full.load(Ordering::SeqCst) {
            self.is_stuck = true;
            return Err(EngineError { is_full: true, reason: "no space left".into() });
        }
        self.levers.kept.lock().unwrap().extend(changes);
        Ok(())
    }

    fn reopen(&mut self) -> Result<(), EngineError> {
        if self.levers.full.load(Ordering::SeqCst) {
            return Err(EngineError { is_full: true, reason: "no space left".into() });
        }
        self.is_stuck = false;
        Ok(())
    }

    fn space(&self) -> Option<Space> {
        let free_bytes = self.levers.free_bytes.load(Ordering::SeqCst);
        Some(Space { total_bytes: 1_000 * MIB, free_bytes })
    }

    fn drop_ballast(&mut self) {}

    fn keep_ballast(&mut self, _: u64) {}
}

fn owner(clock: &Clock) -> (Owner, Levers) {
    let levers = Levers::default();
    levers.free_bytes.store(900 * MIB, Ordering::SeqCst);
    let engine = Scripted { levers: levers.clone(), is_stuck: false };
    (Owner::start(engine, clock.clone()).unwrap(), levers)
}

fn wound() -> Clock {
    Clock::wound_to(datetime!(2027-01-31 12:00:00 UTC))
}

fn batch(n: usize) -> Batch {
    let mut batch = Batch::new();
    batch.push(Change::Put(Row { key: n.to_be_bytes().to_vec(), value: vec![0; 10] }));
    batch
}

/// Ends when it is so; the owner's thread looks at everything at least four times a second.
fn eventually(what: &str, mut so: impl FnMut() -> bool) {
    for _ in 0..3_000 {
        if so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("never: {what}");
}

#[test]
fn what_waits_is_committed_together_and_in_its_order() {
    let (owner, levers) = owner(&Clock::system());
    let held = levers.gate.lock().unwrap();
    let acks: Vec<Ack> = (0..100).map(|n| owner.submit(batch(n))).collect();
    drop(held);
    for ack in acks {
        assert_eq!(ack.wait(), Ok(()));
    }
    let keys: Vec<Change> = levers.kept.lock().unwrap().clone();
    let expected: Vec<Change> = (0..100).flat_map(|n| batch(n).into_changes()).collect();
    assert_eq!(keys, expected);
    let commits = levers.commits.load(Ordering::SeqCst);
    assert!(commits <= 3, "one alone, and the rest together");
    let flushes = owner.flushes();
    assert_eq!((flushes.took.count(), flushes.failed), (commits as u64, 0));
}

#[test]
fn a_full_disk_refuses_at_once_and_recovers_by_itself() {
    let (owner, levers) = owner(&Clock::system());
    levers.full.store(true, Ordering::SeqCst);
    assert_eq!(owner.submit(batch(1)).wait(), Err(StoreError::DiskFull));
    assert_eq!(owner.health(), Health::Refusing(StoreError::DiskFull));
    assert_eq!(owner.submit(batch(2)).wait(), Err(StoreError::DiskFull));
    levers.full.store(false, Ordering::SeqCst);
    eventually("it writes again", || owner.submit(batch(3)).wait().is_ok());
    assert_eq!(levers.kept.lock().unwrap().len(), 1, "what was refused is not written later");
    let flushes = owner.flushes();
    assert!(flushes.failed >= 1 && flushes.took.count() == 1, "{flushes:?}");
}

#[test]
fn a_database_that_panics_is_opened_anew() {
    let (owner, levers) = owner(&Clock::system());
    levers.panics.store(true, Ordering::SeqCst);
    assert_eq!(owner.submit(batch(1)).wait(), Err(StoreError::Failed));
    levers.panics.store(false, Ordering::SeqCst);
    eventually("it writes again", || owner.submit(batch(2)).wait().is_ok());
}

#[test]
fn a_disk_with_little_room_is_told_before_it_is_full() {
    let clock = wound();
    let (owner, levers) = owner(&clock);
    for (free_mib, health) in
        [(50, Health::Tight), (10, Health::Refusing(StoreError::DiskFull)), (500, Health::Good)]
    {
        levers.free_bytes.store(free_mib * MIB, Ordering::SeqCst);
        clock.advance(LOOK_EVERY);
        eventually("the disk was looked at", || owner.health() == health);
        assert_eq!(owner.submit(batch(1)).wait().is_ok(), !matches!(health, Health::Refusing(_)));
    }
}

#[test]
fn a_queue_that_is_full_refuses_and_never_waits() {
    let (owner, levers) = owner(&Clock::system());
    let held = levers.gate.lock().unwrap();
    let acks: Vec<Ack> = (0..QUEUE_MAX + GATHER_BATCHES + 10).map(|n| owner.submit(batch(n))).collect();
    drop(held);
    let results: Vec<_> = acks.into_iter().map(Ack::wait).collect();
    assert!(results.contains(&Err(StoreError::Busy)));
    assert!(results.iter().filter(|result| result.is_ok()).count() >= QUEUE_MAX);
}

#[test]
fn closing_commits_what_waits_and_refuses_what_comes_after() {
    let (owner, levers) = owner(&Clock::system());
    let acks: Vec<Ack> = (0..50).map(|n| owner.submit(batch(n))).collect();
    owner.close();
    assert!(acks.into_iter().all(|ack| ack.wait().is_ok()));
    assert_eq!(levers.kept.lock().unwrap().len(), 50);
    assert_eq!(owner.submit(batch(99)).wait(), Err(StoreError::Closed));
}

#[test]
fn a_thread_that_hangs_is_noticed_after_a_minute_and_not_before() {
    let clock = wound();
    let (owner, levers) = owner(&clock);
    let owner = Arc::new(owner);
    eventually("it lives", || owner.silent() == Duration::ZERO);
    let held = levers.gate.lock().unwrap();
    let ack = owner.submit(batch(1));
    let (tell, told) = mpsc::channel();
    watchdog::start(&owner, Box::new(move || tell.send(()).unwrap())).unwrap();
    // However the thread was caught, at the gate or before it: it beats no later than now.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            eventually("it hangs", || {
                clock.advance(Duration::from_millis(5));
                owner.silent() > Duration::from_millis(500)
            })
        });
    });
    assert!(!watchdog::is_stuck(&owner));
    clock.advance(SILENT_MAX);
    told.recv_timeout(Duration::from_secs(30)).unwrap();
    drop(held);
    assert_eq!(ack.wait(), Ok(()));
}
