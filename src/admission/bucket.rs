//! A token bucket, as pure arithmetic over monotonic time.

use std::time::{Duration, Instant};

/// A bucket that refills one token every `interval`, up to its capacity.
///
/// Kept as the one instant at which it would be full, so that it cannot drift.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    full_at: Instant,
}

impl Bucket {
    /// A full bucket.
    #[must_use]
    pub fn full(now: Instant) -> Self {
        Self { full_at: now }
    }

    /// Takes one token.
    ///
    /// # Errors
    /// How long it takes until there is one.
    pub fn take(&mut self, capacity: u32, interval: Duration, now: Instant) -> Result<(), Duration> {
        let full_at = self.full_at.max(now) + interval;
        let holds = interval * capacity;
        match full_at.checked_duration_since(now + holds) {
            Some(wait) if !wait.is_zero() => Err(wait),
            _ => {
                self.full_at = full_at;
                Ok(())
            }
        }
    }

    /// When it will be full if nothing more is taken; in the past when it is.
    #[must_use]
    pub fn full_at(&self) -> Instant {
        self.full_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK: Duration = Duration::from_secs(1);

    #[test]
    fn a_bucket_gives_its_capacity_and_then_one_token_an_interval() {
        let start = Instant::now();
        let mut bucket = Bucket::full(start);
        for _ in 0..3 {
            assert_eq!(bucket.take(3, TICK, start), Ok(()));
        }
        assert_eq!(bucket.take(3, TICK, start), Err(TICK));
        assert_eq!(bucket.take(3, TICK, start + TICK / 2), Err(TICK / 2));
        assert_eq!(bucket.take(3, TICK, start + TICK), Ok(()));
        assert_eq!(bucket.take(3, TICK, start + TICK), Err(TICK));
    }

    #[test]
    fn a_long_rest_refills_no_more_than_the_capacity() {
        let start = Instant::now();
        let mut bucket = Bucket::full(start);
        let later = start + TICK * 1_000;
        for _ in 0..3 {
            assert_eq!(bucket.take(3, TICK, later), Ok(()));
        }
        assert!(bucket.take(3, TICK, later).is_err());
    }

    proptest::proptest! {
        #[test]
        fn a_bucket_never_grants_more_than_it_holds_and_regains(steps in proptest::collection::vec(0u64..2_000, 1..200)) {
            let start = Instant::now();
            let mut bucket = Bucket::full(start);
            let mut now = start;
            let mut granted = 0u64;
            for step in steps {
                now += Duration::from_millis(step);
                granted += u64::from(bucket.take(5, TICK, now).is_ok());
                let elapsed = now.duration_since(start).as_secs();
                proptest::prop_assert!(granted <= 5 + elapsed + 1);
            }
        }
    }
}
