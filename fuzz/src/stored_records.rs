//! Whatever a store holds, it is loaded as it was written or refused; and a backup is whole or is none.
//!
//! An input says in its first byte what it is: `r`, records, one part each; `b`, a backup without its sum; `w`, rows
//! with nothing right about them.
//!
//! A record is the byte of its class, the bytes of its key with their number before them, its version, a byte for when
//! it ends, and its body.

use std::sync::Arc;

use ono_sendai::clock::Clock;
use ono_sendai::fuzzing::{backup_content, backup_of};
use ono_sendai::store::batch::Change;
use ono_sendai::store::record::{BODY_BYTES_MAX, VALUE_BYTES_MAX};
use ono_sendai::store::{Batch, Class, MemoryStore, Row, State, Store as _};
use ring::digest::{SHA256, digest};

use crate::{NOW, parts};

/// The bytes of a body that one row holds.
const PART_BYTES: usize = VALUE_BYTES_MAX - 14;

/// Runs one input.
pub fn run(data: &[u8]) {
    match data.split_first() {
        Some((b'r', rest)) => records(rest),
        Some((b'b', rest)) => backup(rest),
        Some((b'w', rest)) => wild(rest),
        _ => {}
    }
}

/// The rows of a record, as docs/storage.md has them.
pub fn framed(class: u8, key: &[u8], version: u8, expires: [u8; 8], body: &[u8]) -> Vec<Row> {
    let parts: Vec<&[u8]> = body.chunks(PART_BYTES).collect();
    let count = u8::try_from(parts.len()).unwrap_or(u8::MAX);
    (0..count)
        .zip(parts)
        .map(|(number, part)| {
            let key = [&[class], key, &[number]].concat();
            let mut value = vec![version, count];
            value.extend(expires);
            value.extend(part);
            let mut sum = crc32fast::Hasher::new();
            sum.update(&key);
            sum.update(&value);
            value.extend(sum.finalize().to_be_bytes());
            Row { key, value }
        })
        .collect()
}

/// Never, or so many times eleven minutes before or after now.
fn expires(ends: u8) -> [u8; 8] {
    let now_ms = i64::try_from(NOW.unix_timestamp_nanos() / 1_000_000).expect("a time");
    match ends {
        0 => u64::MAX.to_be_bytes(),
        ends => (now_ms + (i64::from(ends) - 128) * 11 * 60_000).to_be_bytes(),
    }
}

fn store(rows: &[Row]) -> Arc<MemoryStore> {
    let store = Arc::new(MemoryStore::new());
    let mut batch = Batch::new();
    rows.iter().cloned().for_each(|row| batch.push(Change::Put(row)));
    store.submit(batch).wait().expect("room");
    store
}

fn record(part: &[u8]) -> Option<Vec<Row>> {
    let (class, rest) = part.split_first()?;
    let (length, rest) = rest.split_first()?;
    let (key, rest) = rest.split_at_checked(usize::from(*length))?;
    let (version, rest) = rest.split_first()?;
    let (ends, body) = rest.split_first()?;
    (body.len() <= BODY_BYTES_MAX).then(|| framed(*class, key, *version, expires(*ends), body))
}

fn records(data: &[u8]) {
    let rows: Vec<Row> = parts(data).filter_map(record).flatten().collect();
    let known = |row: &Row| row.key.first().is_some_and(|byte| Class::of(*byte).is_some());
    let clock = Clock::wound_to(NOW);
    let kept = store(&rows);
    let before = kept.load().expect("rows");
    let state = match State::load(Arc::clone(&kept) as _, &clock) {
        Ok(state) => state,
        Err(error) => {
            assert_eq!(kept.load().expect("rows"), before, "refused, and changed all the same");
            let shown = error.to_string();
            assert!(!shown.is_empty() && !shown.contains('\n'), "{shown}");
            return;
        }
    };
    assert!(rows.iter().all(known), "a row of no class is taken");
    // What was taken is what will be taken again, and nothing of it is rewritten twice.
    let first = kept.load().expect("rows");
    let count = counts(&state);
    let again = State::load(Arc::clone(&kept) as _, &clock).expect("what was loaded");
    assert_eq!(kept.load().expect("rows"), first, "rewritten twice");
    assert_eq!(counts(&again), count);
    assert!(first.len() <= before.len() + count.iter().sum::<usize>() * 2);
    for row in &first {
        assert!(row.value.len() <= VALUE_BYTES_MAX);
    }
    // It goes into a backup and comes out of it.
    let content = (Some([7; 32]), first);
    let bytes = backup_of(&content);
    assert_eq!(backup_content(&bytes).as_ref(), Some(&content));
    assert_eq!(backup_content(&bytes[..bytes.len() - 1]), None);
    // Sweeping takes what is over and leaves what is not.
    clock.advance(std::time::Duration::from_secs(400 * 24 * 60 * 60));
    let (batch, _) = state.sweep();
    state.submit(batch).wait().expect("room");
    let swept = State::load(Arc::clone(&kept) as _, &clock).expect("what is left");
    for (left, was) in counts(&swept).into_iter().zip(count) {
        assert!(left <= was);
    }
}

fn counts(state: &State) -> [usize; 10] {
    [
        state.accounts.len(),
        state.quotas.len(),
        state.anonymous.len(),
        state.calendar.len(),
        state.replays.len(),
        state.cursors.len(),
        state.windows.len(),
        state.ladder.len(),
        state.month.len(),
        state.identities.len(),
    ]
}

/// A backup is read only whole, and what is written of it again says the same.
fn backup(data: &[u8]) {
    assert_eq!(backup_content(data), None, "a backup without its sum");
    let mut bytes = data.to_vec();
    bytes.extend(digest(&SHA256, data).as_ref());
    if let Some(content) = backup_content(&bytes) {
        assert_eq!(backup_content(&backup_of(&content)).as_ref(), Some(&content));
        let _loaded = State::load(store(&content.1), &Clock::wound_to(NOW));
    }
}

/// Rows that nobody framed are refused.
fn wild(data: &[u8]) {
    let rows: Vec<Row> = parts(data)
        .filter_map(|part| {
            let (key, value) = part.split_at_checked(part.len() / 2)?;
            Some(Row { key: key.to_vec(), value: value.to_vec() })
        })
        .filter(|row| !row.key.is_empty())
        .collect();
    let sums = rows.iter().all(|row| {
        let Some((framed, sum)) = row.value.split_last_chunk::<4>() else { return false };
        let mut own = crc32fast::Hasher::new();
        own.update(&row.key);
        own.update(framed);
        own.finalize() == u32::from_be_bytes(*sum)
    });
    let loaded = State::load(store(&rows), &Clock::wound_to(NOW));
    assert!(sums || loaded.is_err(), "a wrong sum is taken");
}
