//! Places that are kept until the program ends.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use lru::LruCache;

use super::seal::{ID_BYTES, Seal};
use super::{
    CURSOR_LIFE, CURSORS_PER_ACCOUNT, CursorRefusal, Cursors, Issuing, NotKept, Owner, PLACE_BYTES_MAX,
    Question, Walk,
};
use crate::clock::Clock;

/// The most places of all accounts together; the longest unused goes first.
const PLACES_MAX: NonZeroUsize = NonZeroUsize::new(4_096).expect("not zero");

/// Places in memory.
#[derive(Debug)]
pub struct MemoryCursors {
    clock: Clock,
    /// `None` without a source of chance: then nothing is issued.
    seal: Option<Seal>,
    places: Mutex<LruCache<[u8; ID_BYTES], Place>>,
}

#[derive(Debug)]
struct Place {
    owner: Owner,
    question: Question,
    walk: Walk,
    issued: Instant,
}

impl MemoryCursors {
    /// Nothing kept yet.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self { clock, seal: Seal::fresh(), places: Mutex::new(LruCache::new(PLACES_MAX)) }
    }

    fn keep(&self, owner: Owner, question: Question, walk: Walk) -> Result<String, NotKept> {
        let seal = self.seal.as_ref().ok_or(NotKept)?;
        let id = seal.new_id().ok_or(NotKept)?;
        if walk.place.len() > PLACE_BYTES_MAX {
            return Err(NotKept);
        }
        let place = Place { owner, question, walk, issued: self.clock.monotonic() };
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let mut own: Vec<_> = places
            .iter()
            .filter(|(_, place)| place.owner == owner)
            .map(|(id, place)| (place.issued, *id))
            .collect();
        own.sort_unstable();
        let too_many = (own.len() + 1).saturating_sub(CURSORS_PER_ACCOUNT);
        for (_, oldest) in own.into_iter().take(too_many) {
            places.pop(&oldest);
        }
        places.put(id, place);
        Ok(seal.word(&id))
    }
}

impl Cursors for MemoryCursors {
    fn open(&self, cursor: &str, owner: Owner, question: Question) -> Result<Walk, CursorRefusal> {
        let id = self.seal.as_ref().and_then(|seal| seal.id(cursor)).ok_or(CursorRefusal::NotIssued)?;
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let place = places.get(&id).filter(|place| place.owner == owner).ok_or(CursorRefusal::NotIssued)?;
        if place.question != question {
            return Err(CursorRefusal::OtherQuestion);
        }
        if self.clock.monotonic().saturating_duration_since(place.issued) >= CURSOR_LIFE {
            return Err(CursorRefusal::Expired);
        }
        Ok(place.walk.clone())
    }

    fn issue(&self, owner: Owner, question: Question, walk: Walk) -> Issuing<'_> {
        Box::pin(async move { self.keep(owner, question, walk) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use time::macros::datetime;

    const ONE: Owner = Owner([1; 16]);
    const OTHER: Owner = Owner([2; 16]);

    fn walk(rows: u32) -> Walk {
        Walk { place: format!("o{rows}"), rows }
    }

    #[test]
    fn a_cursor_is_good_for_its_account_and_question_for_a_day_and_for_nobody_else() {
        let clock = Clock::wound_to(datetime!(2027-01-31 12:00 UTC));
        let cursors = MemoryCursors::new(clock.clone());
        let (query, another) = (Question::of([("q", "x")]), Question::of([("q", "y")]));
        let cursor = cursors.keep(ONE, query, walk(10)).unwrap();
        assert!(cursor.len() <= super::super::CURSOR_CHARS_MAX);
        // It can be used again, as a client does whose answer was lost.
        for _ in 0..2 {
            assert_eq!(cursors.open(&cursor, ONE, query), Ok(walk(10)));
        }
        assert_eq!(cursors.open(&cursor, OTHER, query), Err(CursorRefusal::NotIssued));
        assert_eq!(cursors.open(&cursor, ONE, another), Err(CursorRefusal::OtherQuestion));
        assert_eq!(cursors.open("made-up", ONE, query), Err(CursorRefusal::NotIssued));
        clock.advance(CURSOR_LIFE - Duration::from_secs(1));
        assert_eq!(cursors.open(&cursor, ONE, query), Ok(walk(10)));
        clock.advance(Duration::from_secs(1));
        assert_eq!(cursors.open(&cursor, ONE, query), Err(CursorRefusal::Expired));
    }

    #[test]
    fn an_account_keeps_its_newest_twenty_and_takes_none_of_another_account() {
        let clock = Clock::wound_to(datetime!(2027-01-31 12:00 UTC));
        let cursors = MemoryCursors::new(clock.clone());
        let query = Question::of([("q", "x")]);
        let others = cursors.keep(OTHER, query, walk(1)).unwrap();
        let own: Vec<String> = (0..25)
            .map(|rows| {
                clock.advance(Duration::from_secs(1));
                cursors.keep(ONE, query, walk(rows)).unwrap()
            })
            .collect();
        let good = |cursor: &String| cursors.open(cursor, ONE, query).is_ok();
        assert_eq!(own.iter().map(good).collect::<Vec<_>>(), [vec![false; 5], vec![true; 20]].concat());
        assert!(cursors.open(&others, OTHER, query).is_ok());
    }

    #[test]
    fn a_place_that_is_too_long_is_not_kept() {
        let cursors = MemoryCursors::new(Clock::wound_to(datetime!(2027-01-31 12:00 UTC)));
        let long = Walk { place: "x".repeat(PLACE_BYTES_MAX + 1), rows: 1 };
        assert_eq!(cursors.keep(ONE, Question::of([]), long), Err(NotKept));
    }
}
