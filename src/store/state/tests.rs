//! What a start makes of what it finds.

use time::macros::datetime;

use super::*;
use crate::store::MemoryStore;
use crate::store::batch::{Change, Row};
use crate::store::record::row_key;

fn clock() -> Clock {
    Clock::wound_to(datetime!(2027-01-31 12:00:00 UTC))
}

fn filled(clock: &Clock) -> (Arc<MemoryStore>, State) {
    let store = Arc::new(MemoryStore::new());
    let state = State::load(Arc::clone(&store) as Arc<dyn Store>, clock).unwrap();
    let mut batch = Batch::new();
    let account = Account { first_seen_s: Some(5), allowance: Some(9), blocked: false };
    state.accounts.put(&mut batch, [1; 16], account).unwrap();
    let quota = Quota { month: 202_701, used: 3, reserved: 8 };
    state.quotas.put(&mut batch, [1; 16], quota).unwrap();
    state.anonymous.put(&mut batch, record::Only, Anonymous { day: 20_000, used: 1, reserved: 2 }).unwrap();
    state.calendar.put(&mut batch, record::Only, Calendar { day: 20_000 }).unwrap();
    let answer = "{\"a\":\"é\"}".repeat(2_000).as_str().into();
    state.replays.put(&mut batch, [2; 32], Replay { answer }).unwrap();
    let cursor = Cursor { account: [1; 16], query: [3; 32], position: "30".into(), rows: 30, kept_ms: 7 };
    state.cursors.put(&mut batch, [4; 16], cursor).unwrap();
    state.windows.put(&mut batch, "service".into(), Window { until_ms: 1 }).unwrap();
    let ladder = Ladder { by_hand: Some(2), tools_off: ["get_label".to_owned()].into(), ..Ladder::default() };
    state.ladder.put(&mut batch, record::Only, ladder).unwrap();
    state.month.put(&mut batch, record::Only, Month { month: 202_701, used: 9 }).unwrap();
    state.identities.put(&mut batch, [5; 32], Identity { one: None, seen_ms: 5 }).unwrap();
    state.submit(batch).wait().unwrap();
    (store, state)
}

#[test]
fn everything_comes_back_as_it_was() {
    let clock = clock();
    let (store, before) = filled(&clock);
    let after = State::load(store, &clock).unwrap();
    assert_eq!(before.accounts.all(), after.accounts.all());
    assert_eq!(before.quotas.all(), after.quotas.all());
    assert_eq!(before.anonymous.all(), after.anonymous.all());
    assert_eq!(before.calendar.all(), after.calendar.all());
    assert_eq!(before.replays.all(), after.replays.all());
    assert_eq!(before.cursors.all(), after.cursors.all());
    assert_eq!(before.windows.all(), after.windows.all());
    assert_eq!(before.ladder.all(), after.ladder.all());
    assert_eq!(before.month.all(), after.month.all());
    assert_eq!(before.identities.all(), after.identities.all());
    assert_eq!(before.replays.bytes(), after.replays.bytes());
}

#[test]
fn what_is_over_is_gone_after_a_start_and_leaves_no_row() {
    let clock = clock();
    let (store, _) = filled(&clock);
    clock.advance(Duration::from_secs(100 * 86_400));
    let after = State::load(Arc::clone(&store) as Arc<dyn Store>, &clock).unwrap();
    assert!(after.replays.is_empty() && after.quotas.is_empty() && after.identities.is_empty());
    assert_eq!(after.accounts.len(), 1);
    assert_eq!(store.load().unwrap().len(), 5, "account, anonymous, calendar, ladder and month stay");
}

#[test]
fn a_sweep_empties_the_store_too() {
    let clock = clock();
    let (store, state) = filled(&clock);
    assert_eq!(state.sweep(), (Batch::new(), false));
    clock.advance(Duration::from_secs(100 * 86_400));
    let (batch, more) = state.sweep();
    state.submit(batch).wait().unwrap();
    assert!(!more);
    assert_eq!(store.load().unwrap().len(), 5);
}

#[test]
fn a_record_with_a_part_missing_or_a_row_of_nobody_stops_the_start() {
    for (damage, fault) in [
        (Change::Remove(row_key(Class::Replay, &[2; 32], 1)), Fault::Body(Class::Replay)),
        (Change::Remove(row_key(Class::Replay, &[2; 32], 0)), Fault::Body(Class::Replay)),
        (Change::Put(Row { key: b"?x".to_vec(), value: vec![1; 20] }), Fault::Foreign),
        (
            Change::Put(Row { key: row_key(Class::Quota, &[1; 16], 0), value: vec![1; 20] }),
            Fault::Checksum(Class::Quota),
        ),
    ] {
        let clock = clock();
        let (store, _) = filled(&clock);
        let mut batch = Batch::new();
        batch.push(damage);
        store.submit(batch).wait().unwrap();
        let error = State::load(store, &clock).err();
        assert_eq!(error, Some(LoadError::from(fault)));
        assert!(error.is_some_and(|error| !error.to_string().contains('\n')));
    }
}

#[test]
fn a_failing_store_is_told_and_asks_nothing_of_memory() {
    let clock = clock();
    let (store, state) = filled(&clock);
    store.fail(true);
    let mut batch = Batch::new();
    state.replays.put(&mut batch, [9; 32], Replay { answer: "x".into() }).unwrap();
    assert_eq!(state.submit(batch).wait(), Err(StoreError::Failed));
    assert_eq!(state.health(), Health::Refusing(StoreError::Failed));
    assert!(state.replays.get(&[2; 32]).is_some(), "reading goes on");
}
