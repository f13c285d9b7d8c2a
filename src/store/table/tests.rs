//! Lifetimes, bounds and what the store is told of them.

use time::macros::datetime;

use super::*;
use crate::store::class::Class;
use crate::store::record::row_key;
use crate::store::rows::{Account, Quota, Replay};
use crate::store::{MemoryStore, Store};

const TEN_MINUTES: Duration = Duration::from_secs(600);

fn clock() -> Clock {
    Clock::wound_to(datetime!(2027-01-31 12:00:00 UTC))
}

fn replay(text: &str) -> Replay {
    Replay { answer: text.into() }
}

fn key(n: u32) -> [u8; 32] {
    let mut key = [0; 32];
    key[..4].copy_from_slice(&n.to_be_bytes());
    key
}

fn put(table: &Table<Replay>, store: &MemoryStore, n: u32, text: &str) {
    let mut batch = Batch::new();
    table.put(&mut batch, key(n), replay(text)).unwrap();
    store.submit(batch).wait().unwrap();
}

#[test]
fn a_record_lives_as_long_as_its_class_says_whatever_the_wall_clock_does() {
    let clock = clock();
    let table = Table::<Replay>::new(clock.clone());
    table.put(&mut Batch::new(), key(1), replay("x")).unwrap();
    for at in [datetime!(1970-01-01 00:00:00 UTC), datetime!(2099-01-01 00:00:00 UTC)] {
        clock.step_utc(at);
        assert!(table.get(&key(1)).is_some());
        assert_eq!(table.sweep(&mut Batch::new(), 10), 0);
    }
    clock.advance(TEN_MINUTES);
    assert_eq!(table.get(&key(1)), None);
}

#[test]
fn what_is_over_is_swept_in_its_order_and_in_bounded_steps() {
    let clock = clock();
    let (table, store) = (Table::<Replay>::new(clock.clone()), MemoryStore::new());
    for n in 0..10 {
        put(&table, &store, n, "x");
        clock.advance(Duration::from_secs(1));
    }
    clock.advance(TEN_MINUTES - Duration::from_secs(4));
    let mut batch = Batch::new();
    assert_eq!(table.sweep(&mut batch, 4), 4);
    assert_eq!(table.sweep(&mut batch, 4), 3);
    assert_eq!(batch.len(), 7);
    store.submit(batch).wait().unwrap();
    assert_eq!((table.len(), store.load().unwrap().len()), (3, 3));
    assert!(table.get(&key(6)).is_none() && table.get(&key(7)).is_some());
}

#[test]
fn a_full_class_forgets_what_would_be_over_first_in_memory_and_in_the_store() {
    let clock = clock();
    let table = Table::<Replay>::bounded(clock.clone(), Bounds { rows: 3, bytes: 10_000 });
    let store = MemoryStore::new();
    for n in 0..20 {
        put(&table, &store, n, "x");
        clock.advance(Duration::from_millis(1));
    }
    assert_eq!((table.len(), store.load().unwrap().len()), (3, 3));
    assert!((17..20).all(|n| table.get(&key(n)).is_some()));
    put(&table, &store, 20, &"x".repeat(9_800));
    assert_eq!(table.len(), 1);
    assert!(table.bytes() <= 10_000);
    let refused = table.put(&mut Batch::new(), key(21), replay(&"x".repeat(20_000)));
    assert_eq!(refused, Err(Refused::Full));
    assert!(table.get(&key(20)).is_some(), "what is refused changes nothing");
}

#[test]
fn what_was_used_is_never_forgotten_to_make_room() {
    let table = Table::<Quota>::bounded(clock(), Bounds { rows: 1, bytes: 10_000 });
    let quota = Quota { month: 202_701, used: 1, reserved: 1 };
    table.put(&mut Batch::new(), [1; 16], quota).unwrap();
    assert_eq!(table.put(&mut Batch::new(), [2; 16], quota), Err(Refused::Full));
    assert_eq!(table.put(&mut Batch::new(), [1; 16], Quota { used: 2, ..quota }), Ok(()));
    assert_eq!(table.get(&[1; 16]).map(|quota| quota.used), Some(2));
}

#[test]
fn a_record_that_shrinks_leaves_no_rows_behind() {
    let (table, store) = (Table::<Replay>::new(clock()), MemoryStore::new());
    for (length, rows) in [(10_000, 3), (10, 1), (5_000, 2), (0, 1)] {
        put(&table, &store, 1, &"x".repeat(length));
        assert_eq!(store.load().unwrap().len(), rows, "{length}");
        let bytes: usize = store.load().unwrap().iter().map(|row| row.key.len() + row.value.len()).sum();
        assert_eq!(table.bytes(), bytes);
    }
    let mut batch = Batch::new();
    table.remove(&mut batch, &key(1));
    store.submit(batch).wait().unwrap();
    assert_eq!((table.len(), table.bytes(), store.load().unwrap().len()), (0, 0, 0));
}

#[test]
fn a_stamp_from_a_future_that_the_clock_left_counts_from_now() {
    let clock = clock();
    let table = Table::<Replay>::new(clock.clone());
    let loaded = |expires_ms| Loaded {
        class: Class::Replay,
        key: &[7; 32],
        version: Class::Replay.version(),
        parts: 1,
        expires_ms: Some(expires_ms),
        body: br#"{"answer":"x"}"#.to_vec(),
        bytes: 60,
    };
    let now_ms = unix_ms(clock.utc());
    table.take_in(&mut Batch::new(), &loaded(now_ms + 1_000_000_000_000)).unwrap();
    assert!(table.get(&[7; 32]).is_some());
    clock.advance(TEN_MINUTES);
    assert_eq!(table.get(&[7; 32]), None);
    let mut batch = Batch::new();
    table.take_in(&mut batch, &loaded(now_ms)).unwrap();
    assert_eq!(batch.into_changes(), [Change::Remove(row_key(Class::Replay, &[7; 32], 0))]);
}

#[test]
fn a_class_without_lifetime_keeps_its_records() {
    let clock = clock();
    let table = Table::<Account>::new(clock.clone());
    let account = Account { first_seen_s: Some(1), allowance: None, blocked: false };
    table.put(&mut Batch::new(), [1; 16], account.clone()).unwrap();
    clock.advance(Duration::from_secs(100 * 365 * 86_400));
    assert_eq!(table.sweep(&mut Batch::new(), 10), 0);
    assert_eq!(table.all(), [([1; 16], account)]);
}

#[test]
fn no_row_is_larger_than_what_the_database_takes_well() {
    let (table, store) = (Table::<Replay>::new(clock()), MemoryStore::new());
    put(&table, &store, 1, &"é".repeat(100_000));
    let rows: Vec<Row> = store.load().unwrap();
    assert!(rows.len() > 40 && rows.iter().all(|row| row.value.len() <= record::VALUE_BYTES_MAX));
}
