//! The records of one class, in memory, each change with its rows for the store.
//!
//! Decides when a record is over and which one makes room. Reading never waits for a disk. Lifetimes run on
//! monotonic time, so that a step of the wall clock neither ends nor prolongs any; only what a store was opened
//! with is measured by the wall clock, and no record outlives its class's lifetime from then on.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use time::OffsetDateTime;

use super::batch::{Batch, Change, Row};
use super::class::WhenFull;
use super::record::{self, Fault, Loaded, Record, RecordKey as _, TooLarge};
use crate::clock::Clock;

/// Records that are written to a backup while others wait.
const ROWS_AT_ONCE: usize = 256;

/// Why a record was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The class is full, and nothing of it may be forgotten.
    Full,
    /// It is larger than any record may be.
    TooLarge,
}

impl From<TooLarge> for Refused {
    fn from(_: TooLarge) -> Self {
        Self::TooLarge
    }
}

/// How far a class may grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Records.
    pub rows: usize,
    /// Bytes of their rows.
    pub bytes: usize,
}

/// All records of one class that are not over.
pub struct Table<R: Record> {
    clock: Clock,
    bounds: Bounds,
    rows: Mutex<Rows<R>>,
}

struct Rows<R: Record> {
    of: HashMap<R::Key, Slot<R>>,
    /// Those that expire, the soonest first; the number tells apart what expires at the same instant.
    by_expiry: BTreeMap<(Instant, u64), R::Key>,
    next: u64,
    bytes: usize,
}

struct Slot<R> {
    record: R,
    expires: Option<(Instant, u64)>,
    parts: u8,
    bytes: usize,
}

impl<R: Record> Table<R> {
    /// An empty table of the class's own bounds.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self::bounded(clock, Bounds { rows: R::CLASS.rows_max(), bytes: R::CLASS.bytes_max() })
    }

    /// An empty table of other bounds.
    #[must_use]
    pub fn bounded(clock: Clock, bounds: Bounds) -> Self {
        let rows = Rows { of: HashMap::new(), by_expiry: BTreeMap::new(), next: 0, bytes: 0 };
        Self { clock, bounds, rows: Mutex::new(rows) }
    }

    /// The record of a key, unless it is over.
    #[must_use]
    pub fn get(&self, key: &R::Key) -> Option<R> {
        let now = self.clock.monotonic();
        let rows = self.lock();
        rows.of.get(key).filter(|slot| slot.lives(now)).map(|slot| slot.record.clone())
    }

    /// Every record that is not over, in no order.
    #[must_use]
    pub fn all(&self) -> Vec<(R::Key, R)> {
        let now = self.clock.monotonic();
        let rows = self.lock();
        let live = rows.of.iter().filter(|(_, slot)| slot.lives(now));
        live.map(|(key, slot)| (key.clone(), slot.record.clone())).collect()
    }

    /// Writes a record for the lifetime of its class: in memory at once, and its rows into `batch`.
    ///
    /// # Errors
    /// When there is no room for it; nothing has changed then.
    pub fn put(&self, batch: &mut Batch, key: R::Key, record: R) -> Result<(), Refused> {
        self.put_for(batch, key, record, R::CLASS.lifetime())
    }

    /// The same with a lifetime of its own, which is cut to that of the class.
    ///
    /// # Errors
    /// As for [`Self::put`].
    pub fn put_for(
        &self,
        batch: &mut Batch,
        key: R::Key,
        record: R,
        lifetime: Option<Duration>,
    ) -> Result<(), Refused> {
        let lifetime = match (lifetime, R::CLASS.lifetime()) {
            (Some(own), Some(of_class)) => Some(own.min(of_class)),
            (own, of_class) => own.or(of_class),
        };
        let expires_ms =
            lifetime.map(|lifetime| unix_ms(self.clock.utc()).saturating_add(whole_ms(lifetime)));
        let written = record::rows(&key, &record, expires_ms)?;
        let parts = u8::try_from(written.len()).map_err(|_| Refused::TooLarge)?;
        let bytes = written.iter().map(|row| row.key.len() + row.value.len()).sum();
        let expires = lifetime.map(|lifetime| self.clock.monotonic() + lifetime);
        let mut rows = self.lock();
        let (had_rows, had_bytes) = rows.of.get(&key).map_or((0, 0), |slot| (1, slot.bytes));
        let over = |rows: &Rows<R>| {
            rows.of.len() + 1 - had_rows > self.bounds.rows
                || rows.bytes + bytes - had_bytes > self.bounds.bytes
        };
        if over(&rows) && (R::CLASS.when_full() == WhenFull::Refuse || bytes > self.bounds.bytes) {
            return Err(Refused::Full);
        }
        let before = rows.take(&key).map_or(0, |slot| slot.parts);
        while rows.of.len() + 1 > self.bounds.rows || rows.bytes + bytes > self.bounds.bytes {
            if !rows.forget_soonest(batch) {
                break;
            }
        }
        for row in written {
            batch.push(Change::Put(row));
        }
        remove_rows::<R>(batch, &key, parts..before);
        rows.insert(key, record, expires, parts, bytes);
        Ok(())
    }

    /// Removes a record, from memory at once.
    pub fn remove(&self, batch: &mut Batch, key: &R::Key) {
        if let Some(slot) = self.lock().take(key) {
            remove_rows::<R>(batch, key, 0..slot.parts);
        }
    }

    /// Forgets a record in memory only, because its batch did not become durable.
    pub fn forget(&self, key: &R::Key) {
        drop(self.lock().take(key));
    }

    /// Removes what is over, at most `most` records; how many it were.
    pub fn sweep(&self, batch: &mut Batch, most: usize) -> usize {
        let now = self.clock.monotonic();
        let mut rows = self.lock();
        let mut swept = 0;
        while swept < most
            && let Some((&(at, _), _)) = rows.by_expiry.first_key_value()
            && at <= now
        {
            rows.forget_soonest(batch);
            swept += 1;
        }
        swept
    }

    /// How many records are kept, those included that are over and not yet swept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().of.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What their rows take, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.lock().bytes
    }

    /// The rows of every record that is not over. Nobody else waits for more than a few of them to be written.
    pub(super) fn rows(&self) -> Vec<Row> {
        let keys: Vec<R::Key> = self.lock().of.keys().cloned().collect();
        keys.chunks(ROWS_AT_ONCE).flat_map(|keys| self.rows_of(keys)).collect()
    }

    fn rows_of(&self, keys: &[R::Key]) -> Vec<Row> {
        let (now, now_ms) = (self.clock.monotonic(), unix_ms(self.clock.utc()));
        let rows = self.lock();
        let found = keys.iter().filter_map(|key| Some((key, rows.of.get(key)?)));
        let live = found.filter(|(_, slot)| slot.lives(now));
        live.flat_map(|(key, slot)| {
            let left = slot.expires.map(|(at, _)| whole_ms(at.saturating_duration_since(now)));
            let expires_ms = left.map(|left| now_ms.saturating_add(left));
            // It was written once, so that it fits.
            record::rows(key, &slot.record, expires_ms).unwrap_or_default()
        })
        .collect()
    }

    /// Takes in a record that was read from the store, with rows for `batch` when it is over or has an older form.
    pub(super) fn take_in(&self, batch: &mut Batch, loaded: &Loaded<'_>) -> Result<(), Fault> {
        let class = R::CLASS;
        let key = R::Key::from_bytes(loaded.key).ok_or(Fault::Body(class))?;
        let (record, rewrite) = record::read::<R>(loaded.version, &loaded.body)?;
        let now_ms = unix_ms(self.clock.utc());
        // A stamp from a future that the clock has left again counts from now.
        let left_ms = loaded.expires_ms.map(|at| at.saturating_sub(now_ms));
        if left_ms == Some(0) {
            remove_rows::<R>(batch, &key, 0..loaded.parts);
            return Ok(());
        }
        let left = left_ms.map(Duration::from_millis);
        if rewrite {
            let mut fresh = Batch::new();
            if self.put_for(&mut fresh, key.clone(), record, left).is_ok() {
                fresh.into_changes().into_iter().for_each(|change| batch.push(change));
                let parts = self.lock().of.get(&key).map_or(0, |slot| slot.parts);
                remove_rows::<R>(batch, &key, parts..loaded.parts);
            }
            return Ok(());
        }
        let lifetime = match (left, class.lifetime()) {
            (Some(left), Some(of_class)) => Some(left.min(of_class)),
            (left, of_class) => left.or(of_class),
        };
        let expires = lifetime.map(|lifetime| self.clock.monotonic() + lifetime);
        self.lock().insert(key, record, expires, loaded.parts, loaded.bytes);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Rows<R>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R: Record> Rows<R> {
    fn insert(&mut self, key: R::Key, record: R, expires: Option<Instant>, parts: u8, bytes: usize) {
        self.next += 1;
        let expires = expires.map(|at| (at, self.next));
        if let Some(at) = expires {
            self.by_expiry.insert(at, key.clone());
        }
        self.bytes += bytes;
        self.of.insert(key, Slot { record, expires, parts, bytes });
    }

    fn take(&mut self, key: &R::Key) -> Option<Slot<R>> {
        let slot = self.of.remove(key)?;
        if let Some(at) = slot.expires {
            self.by_expiry.remove(&at);
        }
        self.bytes -= slot.bytes;
        Some(slot)
    }

    /// Removes the record that expires first; whether there was one.
    fn forget_soonest(&mut self, batch: &mut Batch) -> bool {
        let Some((_, key)) = self.by_expiry.first_key_value() else { return false };
        let key = key.clone();
        let parts = self.take(&key).map_or(0, |slot| slot.parts);
        remove_rows::<R>(batch, &key, 0..parts);
        true
    }
}

impl<R> Slot<R> {
    fn lives(&self, now: Instant) -> bool {
        self.expires.is_none_or(|(at, _)| at > now)
    }
}

fn remove_rows<R: Record>(batch: &mut Batch, key: &R::Key, parts: std::ops::Range<u8>) {
    let key = key.to_bytes();
    for number in parts {
        batch.push(Change::Remove(record::row_key(R::CLASS, &key, number)));
    }
}

fn unix_ms(at: OffsetDateTime) -> u64 {
    u64::try_from(at.unix_timestamp_nanos() / 1_000_000).unwrap_or(0)
}

fn whole_ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

impl<R: Record> fmt::Debug for Table<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("class", &R::CLASS).field("len", &self.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
