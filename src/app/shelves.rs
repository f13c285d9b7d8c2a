//! What the data service's client keeps over a restart, put on the store.
//!
//! Decides how one form becomes the other. Nothing here waits for the disk.

use std::sync::Arc;

use time::OffsetDateTime;

use crate::admission::ladder::Ladder;
use crate::crate_client::memory::StoredIdentity;
use crate::crate_client::shelf::{IdentityShelf, MonthShelf, MonthUse, WindowShelf};
use crate::crate_client::window::{Scope, StoredWindow};
use crate::crate_client::{Remembered, Shelves};
use crate::identity::{ClusterId, DiscogsId, Mbid, Slug};
use crate::store::record::Only;
use crate::store::rows::{Identity, KnownArtist, Month, Window};
use crate::store::{Batch, State};

/// Shelves on `state`. `ladder` hears how much of a plan of `per_month` calls is used; 0 for one without end.
pub(super) fn on(state: &Arc<State>, ladder: &Arc<Ladder>, per_month: u64) -> Shelves {
    let shelf = Arc::new(Shelf { state: Arc::clone(state), ladder: Arc::clone(ladder), per_month });
    Shelves { windows: Arc::clone(&shelf) as _, identities: Arc::clone(&shelf) as _, month: shelf }
}

#[derive(Debug)]
struct Shelf {
    state: Arc<State>,
    ladder: Arc<Ladder>,
    per_month: u64,
}

impl Shelf {
    /// Hands over without waiting; a full class costs what a lost record would.
    fn send(&self, batch: Batch) {
        drop(self.state.submit(batch));
    }

    fn tell(&self, used: u64) {
        if let Some(percent) = used.saturating_mul(100).checked_div(self.per_month) {
            self.ladder.consumed(u8::try_from(percent).unwrap_or(u8::MAX));
        }
    }
}

impl WindowShelf for Shelf {
    fn load_windows(&self) -> Vec<StoredWindow> {
        let all = self.state.windows.all().into_iter();
        all.filter_map(|(name, window)| {
            Some(StoredWindow { scope: Scope::of(&name)?, until: moment(window.until_ms)? })
        })
        .collect()
    }

    fn save_windows(&self, open: &[StoredWindow]) {
        let mut batch = Batch::new();
        for (name, _) in self.state.windows.all() {
            if !open.iter().any(|window| window.scope.to_string() == name) {
                self.state.windows.remove(&mut batch, &name);
            }
        }
        for window in open {
            let row = Window { until_ms: unix_ms(window.until) };
            let _full = self.state.windows.put(&mut batch, window.scope.to_string(), row);
        }
        self.send(batch);
    }
}

impl IdentityShelf for Shelf {
    fn load_identities(&self) -> Vec<StoredIdentity> {
        let mut all = self.state.identities.all();
        all.sort_by_key(|(_, identity)| identity.seen_ms);
        all.into_iter().filter_map(|(key, identity)| stored(&key, identity)).collect()
    }

    fn save_identity(&self, identity: &StoredIdentity) {
        let Some(key) = key_of(&identity.cluster_id) else { return };
        let one = identity.one.as_ref().map(|one| KnownArtist {
            slug: one.slug.as_str().to_owned(),
            discogs_id: one.discogs_id.get(),
            mbid: one.mbid.map(|mbid| mbid.to_string()),
            is_alone: one.is_alone,
        });
        let mut batch = Batch::new();
        let row = Identity { one, seen_ms: unix_ms(identity.seen_at) };
        let _full = self.state.identities.put(&mut batch, key, row);
        self.send(batch);
    }
}

impl MonthShelf for Shelf {
    fn load_month(&self) -> Option<MonthUse> {
        let Month { month, used } = self.state.month.get(&Only)?;
        self.tell(used);
        let year = i32::try_from(month / 100).ok()?;
        Some(MonthUse { year, month: u8::try_from(month % 100).ok()?, used })
    }

    fn save_month(&self, MonthUse { year, month, used }: MonthUse) {
        self.tell(used);
        let month = u32::try_from(year.max(0)).unwrap_or(0) * 100 + u32::from(month);
        let mut batch = Batch::new();
        let _full = self.state.month.put(&mut batch, Only, Month { month, used });
        self.send(batch);
    }
}

fn stored(key: &[u8; 32], identity: Identity) -> Option<StoredIdentity> {
    let digits: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
    let one = match identity.one {
        None => None,
        Some(known) => Some(Remembered {
            slug: Slug::parse(&known.slug).ok()?,
            discogs_id: DiscogsId::from_number(known.discogs_id.into())?,
            mbid: match known.mbid {
                None => None,
                Some(mbid) => Some(Mbid::parse(&mbid).ok()?),
            },
            is_alone: known.is_alone,
        }),
    };
    Some(StoredIdentity {
        cluster_id: ClusterId::parse(&digits).ok()?,
        one,
        seen_at: moment(identity.seen_ms)?,
    })
}

fn key_of(id: &ClusterId) -> Option<[u8; 32]> {
    let mut key = [0; 32];
    for (at, byte) in key.iter_mut().enumerate() {
        *byte = u8::from_str_radix(id.as_str().get(at * 2..at * 2 + 2)?, 16).ok()?;
    }
    Some(key)
}

fn moment(unix_ms: u64) -> Option<OffsetDateTime> {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(unix_ms) * 1_000_000).ok()
}

fn unix_ms(at: OffsetDateTime) -> u64 {
    u64::try_from(at.unix_timestamp_nanos() / 1_000_000).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::model::family::Family;
    use crate::store::{MemoryStore, Store};
    use time::macros::datetime;

    fn shelf(store: &Arc<MemoryStore>, clock: &Clock) -> Shelf {
        let state = Arc::new(State::load(Arc::clone(store) as Arc<dyn Store>, clock).unwrap());
        Shelf { ladder: Arc::new(Ladder::new(Arc::clone(&state))), state, per_month: 200 }
    }

    #[test]
    fn what_was_put_there_is_found_after_a_restart() {
        let now = datetime!(2027-01-31 12:00 UTC);
        let (store, clock) = (Arc::new(MemoryStore::new()), Clock::wound_to(now));
        let before = shelf(&store, &clock);
        let windows = [
            StoredWindow { scope: Scope::Service, until: now },
            StoredWindow { scope: Scope::Family(Family::Artist), until: now },
        ];
        before.save_windows(&windows);
        before.save_windows(&windows[1..]);
        let identity = |digit: &str, one| StoredIdentity {
            cluster_id: ClusterId::parse(&digit.repeat(64)).unwrap(),
            one,
            seen_at: now,
        };
        let remembered = Remembered {
            slug: Slug::parse("four-tet").unwrap(),
            discogs_id: DiscogsId::from_number(1234).unwrap(),
            mbid: Mbid::parse("3bcff06f-675a-451f-9075-99e8657047e8").ok(),
            is_alone: true,
        };
        let identities = [identity("a", Some(remembered)), identity("b", None)];
        identities.iter().for_each(|identity| before.save_identity(identity));
        let used = MonthUse { year: 2027, month: 1, used: 161 };
        before.save_month(used);
        let after = shelf(&store, &clock);
        assert_eq!(after.load_windows(), windows[1..]);
        let mut found = after.load_identities();
        found.sort_by(|a, b| a.cluster_id.as_str().cmp(b.cluster_id.as_str()));
        assert_eq!(found, identities);
        assert_eq!(after.load_month(), Some(used));
        assert_eq!(after.ladder.rung(), crate::admission::ladder::Rung::L1);
    }
}
