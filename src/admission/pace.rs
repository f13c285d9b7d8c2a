//! A pace for each address. Which addresses count as one caller is decided before they come here.

use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::bucket::Bucket;

/// How many addresses are remembered at once.
const ADDRESSES_MAX: usize = 65_536;

/// One bucket an address.
///
/// Only addresses that took something lately are remembered: a full bucket says nothing and goes. When
/// there are too many all the same, the one that is nearest to being full is forgotten, so that nobody
/// wins back a used-up pace by crowding it out unless everyone remembered is as limited.
#[derive(Debug)]
pub struct AddressPace {
    capacity: u32,
    interval: Duration,
    buckets: Mutex<Buckets>,
}

#[derive(Debug, Default)]
struct Buckets {
    of: HashMap<IpAddr, Bucket>,
    /// The same, ordered by when they will be full.
    by_fullness: BTreeSet<(Instant, IpAddr)>,
}

impl Buckets {
    fn put(&mut self, address: IpAddr, bucket: Bucket) {
        if let Some(before) = self.of.insert(address, bucket) {
            self.by_fullness.remove(&(before.full_at(), address));
        }
        self.by_fullness.insert((bucket.full_at(), address));
    }

    fn forget_full(&mut self, now: Instant) {
        while let Some(&(full_at, address)) = self.by_fullness.first()
            && full_at <= now
        {
            self.by_fullness.pop_first();
            self.of.remove(&address);
        }
    }

    /// Keeps the bound; `newcomer` stays, or it would never be limited.
    fn forget_surplus(&mut self, newcomer: IpAddr) {
        while self.of.len() > ADDRESSES_MAX {
            let nearest = self.by_fullness.iter().find(|(_, address)| *address != newcomer).copied();
            let Some((full_at, address)) = nearest else { return };
            self.by_fullness.remove(&(full_at, address));
            self.of.remove(&address);
        }
    }
}

impl AddressPace {
    /// `capacity` calls at once, one more every `interval`.
    #[must_use]
    pub fn new(capacity: u32, interval: Duration) -> Self {
        Self { capacity, interval, buckets: Mutex::default() }
    }

    /// Counts one call of `address`.
    ///
    /// # Errors
    /// How long the address has to wait.
    pub fn take(&self, address: IpAddr, now: Instant) -> Result<(), Duration> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        buckets.forget_full(now);
        let mut bucket = buckets.of.get(&address).copied().unwrap_or_else(|| Bucket::full(now));
        bucket.take(self.capacity, self.interval, now)?;
        buckets.put(address, bucket);
        buckets.forget_surplus(address);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv6Addr;

    const MINUTE: Duration = Duration::from_secs(60);

    fn address(n: usize) -> IpAddr {
        IpAddr::V6(Ipv6Addr::from_bits((n as u128) << 64))
    }

    fn remembered(pace: &AddressPace) -> usize {
        let buckets = pace.buckets.lock().unwrap();
        assert_eq!(buckets.of.len(), buckets.by_fullness.len());
        buckets.of.len()
    }

    /// Somewhat more than are remembered, or as many as the variable says.
    fn many() -> usize {
        std::env::var("ONO_ADDRESSES").map_or(ADDRESSES_MAX + 1_000, |number| number.parse().unwrap())
    }

    #[test]
    fn the_memory_of_addresses_is_bounded() {
        let pace = AddressPace::new(1, MINUTE);
        let now = Instant::now();
        for n in 0..many() {
            assert_eq!(pace.take(address(n), now), Ok(()));
        }
        assert_eq!(remembered(&pace), ADDRESSES_MAX);
    }

    #[test]
    fn an_address_that_rested_is_forgotten() {
        let pace = AddressPace::new(2, MINUTE);
        let start = Instant::now();
        for n in 0..100 {
            assert_eq!(pace.take(address(n), start), Ok(()));
        }
        assert_eq!(pace.take(address(0), start), Ok(()));
        assert_eq!(pace.take(address(7), start + MINUTE), Ok(()));
        assert_eq!(remembered(&pace), 2);
    }

    #[test]
    fn a_limited_address_stays_limited_however_many_others_come() {
        let pace = AddressPace::new(2, MINUTE);
        let now = Instant::now();
        for _ in 0..2 {
            assert_eq!(pace.take(address(0), now), Ok(()));
        }
        for n in 1..many() {
            assert_eq!(pace.take(address(n), now), Ok(()));
        }
        assert_eq!(pace.take(address(0), now), Err(MINUTE));
        assert_eq!(remembered(&pace), ADDRESSES_MAX);
    }

    #[test]
    fn a_newcomer_is_limited_even_when_everyone_remembered_is() {
        let pace = AddressPace::new(2, MINUTE);
        let now = Instant::now();
        for n in 0..ADDRESSES_MAX {
            for _ in 0..2 {
                assert_eq!(pace.take(address(n), now), Ok(()));
            }
        }
        let newcomer = address(ADDRESSES_MAX);
        let taken: Vec<bool> = (0..3).map(|_| pace.take(newcomer, now).is_ok()).collect();
        assert_eq!(taken, [true, true, false]);
    }
}
