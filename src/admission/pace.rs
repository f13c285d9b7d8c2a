//! A pace for each address. Which addresses count as one caller is decided before they come here.

use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use lru::LruCache;

use super::bucket::Bucket;

/// How many addresses are remembered; the one that rested longest is forgotten first.
const ADDRESSES_MAX: NonZeroUsize = NonZeroUsize::new(65_536).expect("not zero");

/// One bucket an address.
#[derive(Debug)]
pub struct AddressPace {
    capacity: u32,
    interval: Duration,
    buckets: Mutex<LruCache<IpAddr, Bucket>>,
}

impl AddressPace {
    /// `capacity` calls at once, one more every `interval`.
    #[must_use]
    pub fn new(capacity: u32, interval: Duration) -> Self {
        // Unbounded, because a bounded cache allocates its whole table at once; `take` keeps the bound.
        Self { capacity, interval, buckets: Mutex::new(LruCache::unbounded()) }
    }

    /// Counts one call of `address`.
    ///
    /// # Errors
    /// How long the address has to wait.
    pub fn take(&self, address: IpAddr, now: Instant) -> Result<(), Duration> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let bucket = buckets.get_or_insert_mut(address, || Bucket::full(now));
        let taken = bucket.take(self.capacity, self.interval, now);
        while buckets.len() > ADDRESSES_MAX.get() {
            buckets.pop_lru();
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv6Addr;

    #[test]
    fn the_memory_of_addresses_is_bounded() {
        let pace = AddressPace::new(1, Duration::from_secs(60));
        let now = Instant::now();
        for n in 0..(u128::from(u32::try_from(ADDRESSES_MAX.get()).unwrap()) + 1_000) {
            let _ = pace.take(IpAddr::V6(Ipv6Addr::from_bits(n << 64)), now);
        }
        assert_eq!(pace.buckets.lock().unwrap().len(), ADDRESSES_MAX.get());
    }
}
