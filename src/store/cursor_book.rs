//! Where the walks of each account stand: at most so many an account, the oldest making room.
//!
//! Decides which place is given up. It must never know what is walked through, nor what a cursor looks like outside.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use super::rows::{AccountKey, Cursor};
use super::{Ack, Batch, Health, Refused, State};

/// Accounts beyond which those without a live cursor are forgotten.
const FORGET_ABOVE: usize = 4_096;

/// The name of a kept place.
pub type CursorId = [u8; 16];

/// The kept places, by account.
#[derive(Debug)]
pub struct CursorBook {
    state: Arc<State>,
    per_account: usize,
    /// The places of each account, the oldest first.
    own: Mutex<HashMap<AccountKey, VecDeque<CursorId>>>,
}

impl CursorBook {
    /// The places that `state` holds, at most `per_account` for each account from now on.
    #[must_use]
    pub fn new(state: Arc<State>, per_account: usize) -> Self {
        let mut all = state.cursors.all();
        all.sort_by_key(|(_, cursor)| cursor.kept_ms);
        let mut own: HashMap<_, VecDeque<CursorId>> = HashMap::new();
        for (id, cursor) in all {
            own.entry(cursor.account).or_default().push_back(id);
        }
        Self { state, per_account, own: Mutex::new(own) }
    }

    /// Keeps a place under an id that nobody has used. It is there at once and durable with the word of the store;
    /// when that word is an error, [`Self::forget`] it.
    ///
    /// # Errors
    /// When there is no room: also on a disk with little of it, since walks can be done without.
    pub fn keep(&self, id: CursorId, cursor: Cursor) -> Result<Ack, Refused> {
        if self.state.health() != Health::Good {
            return Err(Refused::Full);
        }
        let account = cursor.account;
        let mut batch = Batch::new();
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        if own.len() >= FORGET_ABOVE && !own.contains_key(&account) {
            own.retain(|_, ids| ids.iter().any(|id| self.state.cursors.get(id).is_some()));
        }
        self.state.cursors.put(&mut batch, id, cursor)?;
        let ids = own.entry(account).or_default();
        ids.push_back(id);
        while ids.len() > self.per_account {
            if let Some(oldest) = ids.pop_front() {
                self.state.cursors.remove(&mut batch, &oldest);
            }
        }
        // Handed over while locked, so that an account's rows arrive in their order.
        Ok(self.state.submit(batch))
    }

    /// The place of an id; `None` when it was never kept, is over, or made room.
    #[must_use]
    pub fn find(&self, id: &CursorId) -> Option<Cursor> {
        self.state.cursors.get(id)
    }

    /// Forgets a place that did not become durable.
    pub fn forget(&self, id: &CursorId) {
        self.state.cursors.forget(id);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use time::macros::datetime;

    use super::*;
    use crate::clock::Clock;
    use crate::store::{MemoryStore, Store};

    const MOST: usize = 20;
    const DAY: Duration = Duration::from_secs(86_400);

    fn book(store: &Arc<MemoryStore>, clock: &Clock) -> CursorBook {
        let state = Arc::new(State::load(Arc::clone(store) as Arc<dyn Store>, clock).unwrap());
        CursorBook::new(state, MOST)
    }

    fn cursor(account: u8, rows: u32) -> Cursor {
        let position = format!("o{rows}");
        Cursor { account: [account; 16], query: [9; 32], position, rows, kept_ms: rows.into() }
    }

    fn id(n: u8) -> CursorId {
        [n; 16]
    }

    #[test]
    fn an_account_keeps_its_newest_places_also_over_restarts_and_takes_none_of_another() {
        let (store, clock) = (Arc::new(MemoryStore::new()), Clock::wound_to(datetime!(2027-01-31 12:00 UTC)));
        book(&store, &clock).keep(id(100), cursor(2, 1)).unwrap().wait().unwrap();
        for n in 0..25 {
            book(&store, &clock).keep(id(n), cursor(1, n.into())).unwrap().wait().unwrap();
        }
        let after = book(&store, &clock);
        let found: Vec<bool> = (0..25).map(|n| after.find(&id(n)).is_some()).collect();
        assert_eq!(found, [vec![false; 5], vec![true; MOST]].concat());
        assert_eq!(after.find(&id(100)), Some(cursor(2, 1)));
        assert_eq!(store.load().unwrap().len(), MOST + 1);
        clock.advance(DAY);
        assert_eq!(after.find(&id(24)), None);
        assert_eq!(book(&store, &clock).find(&id(24)), None);
    }

    #[test]
    fn a_store_that_refuses_keeps_no_place() {
        let (store, clock) = (Arc::new(MemoryStore::new()), Clock::wound_to(datetime!(2027-01-31 12:00 UTC)));
        let book = book(&store, &clock);
        store.fail(true);
        assert!(book.keep(id(1), cursor(1, 1)).is_err());
        assert_eq!(book.find(&id(1)), None);
    }
}
