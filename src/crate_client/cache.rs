//! Answers of the last minutes, kept up to a number of bytes.
//!
//! Decides how long an answer may be served again, and which goes first when there is no room. It must never
//! be given an answer that failed, nor one that says that it is not whole.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use lru::LruCache;

use super::sharing::Key;
use crate::clock::Clock;
use crate::model::family::Family;

/// What an entry takes beside its key and its body.
const OVERHEAD_BYTES: usize = 160;
/// How long the word is kept that the service holds nothing: what is new there should be found soon.
const NOTHING_KEPT_FOR: Duration = Duration::from_secs(60);
/// The part of the cache that one answer may take.
const LARGEST_PART: usize = 4;

/// How much is kept, and for how long.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CacheLimits {
    /// The bytes that all answers together may take; 0 keeps none.
    pub max_bytes: usize,
    /// How long an answer of each family is kept; one without an entry is not.
    pub lifetimes: HashMap<Family, Duration>,
}

/// The answers that are kept, the longest unused forgotten first.
#[derive(Debug)]
pub(super) struct Cache {
    limits: CacheLimits,
    clock: Clock,
    kept: Mutex<Kept>,
}

#[derive(Debug)]
struct Kept {
    answers: LruCache<Key, Entry>,
    bytes: usize,
    /// The number of the next one.
    next: u64,
}

#[derive(Debug)]
struct Entry {
    /// `None`: the service holds nothing there.
    body: Option<Bytes>,
    until: Instant,
    bytes: usize,
    /// Which of all that were ever kept it is.
    number: u64,
}

impl Cache {
    pub(super) fn new(limits: CacheLimits, clock: Clock) -> Self {
        Self { limits, clock, kept: Mutex::new(Kept { answers: LruCache::unbounded(), bytes: 0, next: 0 }) }
    }

    /// The answer to the same request and its number, if one is still good.
    pub(super) fn get(&self, key: &Key) -> Option<(Option<Bytes>, u64)> {
        let now = self.clock.monotonic();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.answers.get(key) {
            Some(entry) if now < entry.until => Some((entry.body.clone(), entry.number)),
            Some(_) => {
                kept.remove(key);
                None
            }
            None => None,
        }
    }

    /// Lets go of the answer to a request, so that the next one brings a new one.
    pub(super) fn forget(&self, key: &Key) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
    }

    /// Keeps an answer that is whole.
    pub(super) fn put(&self, family: Family, key: Key, body: Option<&Bytes>) {
        let Some(lifetime) = self.limits.lifetimes.get(&family).copied() else { return };
        let lifetime = if body.is_some() { lifetime } else { lifetime.min(NOTHING_KEPT_FOR) };
        let bytes = OVERHEAD_BYTES + key.len() + body.map_or(0, Bytes::len);
        if lifetime.is_zero() || bytes > self.limits.max_bytes / LARGEST_PART {
            return;
        }
        // A copy of its own: a part of a larger buffer would keep all of that.
        let body = body.map(|body| Bytes::copy_from_slice(body));
        let until = self.clock.monotonic() + lifetime;
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.remove(&key);
        let entry = Entry { body, until, bytes, number: kept.next };
        kept.next += 1;
        kept.bytes += bytes;
        kept.answers.put(key, entry);
        while kept.bytes > self.limits.max_bytes {
            let Some((_, oldest)) = kept.answers.pop_lru() else { break };
            kept.bytes -= oldest.bytes;
        }
    }
}

impl Kept {
    fn remove(&mut self, key: &Key) {
        if let Some(entry) = self.answers.pop(key) {
            self.bytes -= entry.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const LIFETIME: Duration = Duration::from_secs(300);

    fn cache(max_bytes: usize) -> (Cache, Clock) {
        let clock = Clock::wound_to(datetime!(2027-01-31 12:00 UTC));
        let lifetimes = HashMap::from([(Family::Artist, LIFETIME)]);
        (Cache::new(CacheLimits { max_bytes, lifetimes }, clock.clone()), clock)
    }

    fn key(n: usize) -> Key {
        Key::of(Family::Artist, "/x", &[("n", n.to_string())])
    }

    #[test]
    fn an_answer_is_good_for_the_lifetime_of_its_family_and_not_a_moment_longer() {
        let (cache, clock) = cache(1 << 20);
        let body = Bytes::from_static(b"{}");
        cache.put(Family::Artist, key(1), Some(&body));
        cache.put(Family::Resolve, key(2), Some(&body));
        clock.advance(LIFETIME - Duration::from_millis(1));
        assert_eq!(cache.get(&key(1)), Some((Some(body), 0)));
        assert_eq!(cache.get(&key(2)), None, "a family without a lifetime is not kept");
        clock.advance(Duration::from_millis(1));
        assert_eq!(cache.get(&key(1)), None);
        assert_eq!(cache.kept.lock().unwrap().bytes, 0);
    }

    #[test]
    fn an_answer_that_takes_the_place_of_an_equal_one_is_another_one() {
        let (cache, _) = cache(1 << 20);
        let body = Bytes::from_static(b"{}");
        let numbers = [(); 2].map(|()| {
            cache.put(Family::Artist, key(1), Some(&body));
            cache.get(&key(1)).unwrap().1
        });
        assert_ne!(numbers[0], numbers[1]);
    }

    #[test]
    fn that_there_is_nothing_is_forgotten_after_a_minute() {
        let (cache, clock) = cache(1 << 20);
        cache.put(Family::Artist, key(1), None);
        assert_eq!(cache.get(&key(1)), Some((None, 0)));
        clock.advance(NOTHING_KEPT_FOR);
        assert_eq!(cache.get(&key(1)), None);
    }

    #[test]
    fn the_bytes_are_bounded_and_the_longest_unused_go_first() {
        let (cache, _) = cache(10_000);
        let body = Bytes::from(vec![b' '; 1_000]);
        for n in 0..1_000 {
            cache.put(Family::Artist, key(n), Some(&body));
            assert!(cache.get(&key(0)).is_some() || n == 0, "what is asked for again stays");
            let kept = cache.kept.lock().unwrap();
            assert_eq!(kept.bytes, kept.answers.iter().map(|(_, entry)| entry.bytes).sum::<usize>());
            assert!(kept.bytes <= 10_000);
        }
        assert!(cache.get(&key(999)).is_some() && cache.get(&key(500)).is_none());
        let large = Bytes::from(vec![b' '; 5_000]);
        cache.put(Family::Artist, key(1_000), Some(&large));
        assert_eq!(cache.get(&key(1_000)), None, "one answer must not push out all others");
    }
}
