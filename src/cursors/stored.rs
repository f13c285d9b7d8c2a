//! Places that are kept in the store, so that a walk goes on after a restart.

use std::sync::Arc;
use std::time::Duration;

use super::seal::{ID_BYTES, Seal};
use super::{
    CURSORS_PER_ACCOUNT, CursorRefusal, Cursors, Issuing, NotKept, Owner, PLACE_BYTES_MAX, Question, Walk,
};
use crate::clock::Clock;
use crate::store::rows::Cursor;
use crate::store::{Ack, CursorBook, State};

/// How long the disk is waited for.
const KEPT_WITHIN: Duration = Duration::from_millis(1_500);

/// Places in the store.
#[derive(Debug)]
pub struct StoredCursors {
    clock: Clock,
    seal: Seal,
    book: CursorBook,
}

impl StoredCursors {
    /// Places of `state`, behind words of `seal`.
    #[must_use]
    pub fn new(state: Arc<State>, seal: Seal, clock: Clock) -> Self {
        Self { clock, seal, book: CursorBook::new(state, CURSORS_PER_ACCOUNT) }
    }

    fn keep(&self, owner: Owner, question: Question, walk: Walk) -> Result<([u8; ID_BYTES], Ack), NotKept> {
        if walk.place.len() > PLACE_BYTES_MAX {
            return Err(NotKept);
        }
        let id = self.seal.new_id().ok_or(NotKept)?;
        let kept_ms = u64::try_from(self.clock.utc().unix_timestamp_nanos() / 1_000_000).unwrap_or(0);
        let Walk { place: position, rows } = walk;
        let (account, query) = (*owner.as_bytes(), *question.as_bytes());
        let ack = self.book.keep(id, Cursor { account, query, position, rows, kept_ms });
        Ok((id, ack.map_err(|_full| NotKept)?))
    }
}

impl Cursors for StoredCursors {
    fn open(&self, cursor: &str, owner: Owner, question: Question) -> Result<Walk, CursorRefusal> {
        let id = self.seal.id(cursor).ok_or(CursorRefusal::NotIssued)?;
        // Only this server makes such words: one whose place is gone was given out and is over.
        let kept = self.book.find(&id).ok_or(CursorRefusal::Expired)?;
        if kept.account != *owner.as_bytes() {
            return Err(CursorRefusal::NotIssued);
        }
        if kept.query != *question.as_bytes() {
            return Err(CursorRefusal::OtherQuestion);
        }
        Ok(Walk { place: kept.position, rows: kept.rows })
    }

    fn issue(&self, owner: Owner, question: Question, walk: Walk) -> Issuing<'_> {
        Box::pin(async move {
            let (id, ack) = self.keep(owner, question, walk)?;
            if ack.durable(KEPT_WITHIN).await.is_ok() {
                return Ok(self.seal.word(&id));
            }
            self.book.forget(&id);
            Err(NotKept)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cursors::{CURSOR_CHARS_MAX, CURSOR_LIFE};
    use crate::store::{MemoryStore, Store};
    use time::macros::datetime;

    fn cursors(store: &Arc<MemoryStore>, clock: &Clock) -> StoredCursors {
        let state = Arc::new(State::load(Arc::clone(store) as Arc<dyn Store>, clock).unwrap());
        StoredCursors::new(state, Seal::of(&[7; 32]), clock.clone())
    }

    fn walk(rows: u32) -> Walk {
        Walk { place: format!("o{rows}"), rows }
    }

    #[tokio::test]
    async fn a_cursor_outlives_the_program_and_ends_after_a_day() {
        let (store, clock) = (Arc::new(MemoryStore::new()), Clock::wound_to(datetime!(2027-01-31 12:00 UTC)));
        let (query, other) = (Question::of([("q", "x")]), Question::of([("q", "y")]));
        let (one, another) = (Owner::new([1; 16]), Owner::new([2; 16]));
        let word = cursors(&store, &clock).issue(one, query, walk(10)).await.unwrap();
        assert!(word.len() <= CURSOR_CHARS_MAX);
        let after = cursors(&store, &clock);
        for _ in 0..2 {
            assert_eq!(after.open(&word, one, query), Ok(walk(10)));
        }
        assert_eq!(after.open(&word, another, query), Err(CursorRefusal::NotIssued));
        assert_eq!(after.open(&word, one, other), Err(CursorRefusal::OtherQuestion));
        assert_eq!(after.open(&word[1..], one, query), Err(CursorRefusal::NotIssued));
        clock.advance(CURSOR_LIFE);
        for cursors in [after, cursors(&store, &clock)] {
            assert_eq!(cursors.open(&word, one, query), Err(CursorRefusal::Expired));
        }
    }

    #[tokio::test]
    async fn a_place_that_cannot_be_kept_gives_no_cursor() {
        let (store, clock) = (Arc::new(MemoryStore::new()), Clock::wound_to(datetime!(2027-01-31 12:00 UTC)));
        let (cursors, owner) = (cursors(&store, &clock), Owner::new([1; 16]));
        let long = Walk { place: "x".repeat(PLACE_BYTES_MAX + 1), rows: 1 };
        assert_eq!(cursors.issue(owner, Question::of([]), long).await, Err(NotKept));
        store.fail(true);
        assert_eq!(cursors.issue(owner, Question::of([]), walk(1)).await, Err(NotKept));
    }
}
