//! What earlier resolves learned about cluster ids.
//!
//! The service answers a bare cluster id at the observed tier only. Remembering which slug and which
//! Discogs id stood behind it lets a later question be asked in the form that keeps the verification.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use lru::LruCache;
use time::{Duration, OffsetDateTime};

use super::shelf::IdentityShelf;
use crate::clock::Clock;
use crate::identity::{ClusterId, DiscogsId, Mbid, Slug, Tier};
use crate::model::artist::{ArtistIdentity, is_unreadable};

/// How long an identity is remembered after it was last seen.
pub const REMEMBERED_FOR: Duration = Duration::days(30);
/// How old an unchanged entry is before it is saved anew.
const SAVED_AGAIN_AFTER: Duration = Duration::hours(1);

/// What a verified identity was bound to when it was last resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remembered {
    /// The readable key that leads to it.
    pub slug: Slug,
    /// The Discogs artist that must be found there again.
    pub discogs_id: DiscogsId,
    /// The MusicBrainz artist, when one was bound.
    pub mbid: Option<Mbid>,
    /// Whether a search for the name has shown nobody else in the cluster. Without that, only a dossier, which
    /// says whether it merges several, can vouch for the cluster.
    pub is_alone: bool,
}

impl Remembered {
    /// Whether a record is bound to the same artists elsewhere: to the Discogs artist, and to no other MusicBrainz
    /// artist. One that cannot be read may be another.
    #[must_use]
    pub fn is_bound_to(&self, who: &ArtistIdentity) -> bool {
        let is_other = |found: Mbid| self.mbid.is_some_and(|known| known != found);
        who.discogs_id == Ok(self.discogs_id) && !is_unreadable(&who.mbid) && !who.mbid.is_ok_and(is_other)
    }
}

/// What is known of one cluster id, as it is kept over a restart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredIdentity {
    /// The id.
    pub cluster_id: ClusterId,
    /// Whom it stands for; `None` when homonyms share the cluster, so that it cannot be told from the id.
    pub one: Option<Remembered>,
    /// When it was last seen, in UTC. May be dropped [`REMEMBERED_FOR`] later.
    pub seen_at: OffsetDateTime,
}

/// A bounded memory, the longest unused identity forgotten first. Reaches over a restart as far as its shelf
/// does.
#[derive(Debug)]
pub struct IdentityMemory {
    known: Mutex<LruCache<ClusterId, Memory>>,
    /// How often anything changed.
    changes: AtomicU64,
    shelf: Arc<dyn IdentityShelf>,
    clock: Clock,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Memory {
    /// `None`: homonyms share the cluster.
    one: Option<Remembered>,
    seen_at: OffsetDateTime,
}

impl IdentityMemory {
    /// A memory of at most `capacity` identities, beginning with what `shelf` has kept.
    #[must_use]
    pub fn new(capacity: NonZeroUsize, shelf: Arc<dyn IdentityShelf>, clock: Clock) -> Self {
        let mut known = LruCache::new(capacity);
        for StoredIdentity { cluster_id, one, seen_at } in shelf.load_identities() {
            known.put(cluster_id, Memory { one, seen_at });
        }
        Self { known: Mutex::new(known), changes: AtomicU64::new(0), shelf, clock }
    }

    /// Keeps a verified identity; `is_alone` as in [`Remembered::is_alone`].
    pub(super) fn remember(&self, identity: &ArtistIdentity, is_alone: bool) {
        let (Ok(cluster_id), Ok(slug), Ok(discogs_id), Tier::Discogs) =
            (&identity.cluster_id, &identity.slug, identity.discogs_id, identity.tier)
        else {
            return;
        };
        // Later it would pass for none, which any other agrees with.
        if is_unreadable(&identity.mbid) {
            return;
        }
        let remembered = Remembered { slug: slug.clone(), discogs_id, mbid: identity.mbid.ok(), is_alone };
        self.change(cluster_id, |known| match known {
            None => Some(remembered),
            Some(Some(known)) if known.discogs_id == discogs_id => {
                Some(Remembered { is_alone: is_alone || known.is_alone, ..remembered })
            }
            Some(_) => None,
        });
    }

    /// Notes that homonyms share the cluster.
    pub(super) fn mark_shared(&self, cluster_id: &ClusterId) {
        self.change(cluster_id, |_| None);
    }

    /// Notes that somebody else may be in the cluster, whatever an earlier search has shown.
    pub(super) fn doubt(&self, cluster_id: &ClusterId) {
        if self.recall(cluster_id).is_some() {
            self.change(cluster_id, |known| {
                known.and_then(Option::clone).map(|one| Remembered { is_alone: false, ..one })
            });
        }
    }

    /// Whether homonyms are known to share the cluster.
    pub(super) fn is_shared(&self, cluster_id: &ClusterId) -> bool {
        let utc = self.clock.utc();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(cluster_id).filter(|memory| memory.is_good(utc)).is_some_and(|memory| memory.one.is_none())
    }

    /// How often anything changed. What is forgotten by the clock alone is no change.
    pub(super) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    pub(super) fn recall(&self, cluster_id: &ClusterId) -> Option<Remembered> {
        let utc = self.clock.utc();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(cluster_id).filter(|memory| memory.is_good(utc))?.one.clone()
    }

    /// Puts `new` in the place of what is known, `None` being nothing, and saves it where that changes
    /// anything.
    fn change(
        &self,
        cluster_id: &ClusterId,
        new: impl FnOnce(Option<&Option<Remembered>>) -> Option<Remembered>,
    ) {
        let utc = self.clock.utc();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let before = known.get(cluster_id).filter(|memory| memory.is_good(utc));
        let one = new(before.map(|memory| &memory.one));
        let is_saved =
            before.is_some_and(|memory| memory.one == one && utc - memory.seen_at < SAVED_AGAIN_AFTER);
        if is_saved {
            return;
        }
        known.put(cluster_id.clone(), Memory { one: one.clone(), seen_at: utc });
        self.changes.fetch_add(1, Ordering::Release);
        // Under the lock, so that two changes of one cluster are not saved in the wrong order.
        self.shelf.save_identity(&StoredIdentity { cluster_id: cluster_id.clone(), one, seen_at: utc });
    }
}

impl Memory {
    /// A clock that was set back makes nothing older.
    fn is_good(&self, utc: OffsetDateTime) -> bool {
        utc - self.seen_at < REMEMBERED_FOR
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;
    use crate::crate_client::shelf::Forgetful;
    use crate::model::gap::GapReason;
    use crate::model::text::CleanName;

    /// A shelf that lies open to the test.
    #[derive(Debug, Default)]
    struct Open(Mutex<Vec<StoredIdentity>>);

    impl IdentityShelf for Open {
        fn load_identities(&self) -> Vec<StoredIdentity> {
            self.0.lock().unwrap().clone()
        }

        fn save_identity(&self, identity: &StoredIdentity) {
            let mut kept = self.0.lock().unwrap();
            kept.retain(|other| other.cluster_id != identity.cluster_id);
            kept.push(identity.clone());
        }
    }

    fn memory() -> IdentityMemory {
        over(Arc::new(Forgetful), &clock())
    }

    fn over(shelf: Arc<dyn IdentityShelf>, clock: &Clock) -> IdentityMemory {
        IdentityMemory::new(NonZeroUsize::MIN, shelf, clock.clone())
    }

    fn clock() -> Clock {
        Clock::wound_to(datetime!(2027-01-31 12:00 UTC))
    }

    fn identity(discogs: u64, slug: &str, tier: Tier) -> ArtistIdentity {
        ArtistIdentity {
            name: CleanName::new("X").unwrap(),
            record_name: "X".to_owned(),
            cluster_id: ClusterId::parse(&"a".repeat(64)).map_err(|_| GapReason::HonestGap),
            slug: Slug::parse(slug).map_err(|_| GapReason::HonestGap),
            tier,
            is_tier_unreadable: false,
            discogs_id: DiscogsId::from_number(discogs).ok_or(GapReason::HonestGap),
            mbid: Err(GapReason::HonestGap),
        }
    }

    #[test]
    fn a_cluster_that_homonyms_share_never_answers_with_the_one_asked_for_last() {
        let memory = memory();
        let cluster = ClusterId::parse(&"a".repeat(64)).unwrap();
        memory.remember(&identity(1, "x", Tier::Discogs), false);
        assert_eq!(memory.recall(&cluster).map(|one| one.discogs_id.get()), Some(1));
        memory.remember(&identity(1, "x", Tier::Discogs), false);
        assert!(memory.recall(&cluster).is_some());
        memory.remember(&identity(2, "x-2", Tier::Discogs), false);
        assert_eq!(memory.recall(&cluster), None);
        memory.remember(&identity(1, "x", Tier::Discogs), false);
        assert_eq!(memory.recall(&cluster), None);
    }

    #[test]
    fn a_cluster_that_was_seen_to_be_shared_stays_so() {
        let memory = memory();
        let cluster = ClusterId::parse(&"a".repeat(64)).unwrap();
        memory.remember(&identity(1, "x", Tier::Discogs), true);
        memory.mark_shared(&cluster);
        memory.remember(&identity(1, "x", Tier::Discogs), true);
        assert_eq!(memory.recall(&cluster), None);
    }

    #[test]
    fn a_namesake_who_cannot_be_read_ends_what_an_earlier_search_has_shown() {
        let memory = memory();
        let cluster = ClusterId::parse(&"a".repeat(64)).unwrap();
        memory.doubt(&cluster);
        assert!(!memory.is_shared(&cluster), "of nobody there is nothing to doubt");
        memory.remember(&identity(1, "x", Tier::Discogs), true);
        memory.doubt(&cluster);
        assert_eq!(memory.recall(&cluster).map(|one| one.is_alone), Some(false));
        memory.mark_shared(&cluster);
        memory.doubt(&cluster);
        assert!(memory.is_shared(&cluster));
    }

    #[test]
    fn an_identity_that_is_only_observed_is_not_remembered() {
        let memory = memory();
        memory.remember(&identity(1, "x", Tier::Cluster), false);
        assert_eq!(memory.recall(&ClusterId::parse(&"a".repeat(64)).unwrap()), None);
    }

    #[test]
    fn an_id_that_cannot_be_read_is_neither_remembered_nor_taken_for_the_remembered_one() {
        let (memory, cluster) = (memory(), ClusterId::parse(&"a".repeat(64)).unwrap());
        let mut who = identity(1, "x", Tier::Discogs);
        who.mbid = Err(GapReason::MalformedUpstream);
        memory.remember(&who, true);
        assert_eq!(memory.recall(&cluster), None);
        memory.remember(&identity(1, "x", Tier::Discogs), true);
        let remembered = memory.recall(&cluster).unwrap();
        assert!(remembered.is_bound_to(&identity(1, "x", Tier::Discogs)));
        assert!(!remembered.is_bound_to(&who));
    }

    #[test]
    fn what_is_remembered_survives_a_restart_and_ends_after_thirty_days() {
        let (shelf, clock) = (Arc::new(Open::default()), clock());
        let cluster = ClusterId::parse(&"a".repeat(64)).unwrap();
        over(Arc::clone(&shelf) as _, &clock).remember(&identity(1, "x", Tier::Discogs), true);
        clock.advance(std::time::Duration::from_secs(30 * 86_400 - 1));
        let again = over(Arc::clone(&shelf) as _, &clock);
        let known = again.recall(&cluster).unwrap();
        assert_eq!((known.slug.as_str(), known.discogs_id.get(), known.is_alone), ("x", 1, true));
        clock.advance(std::time::Duration::from_secs(1));
        assert_eq!(again.recall(&cluster), None);
        again.mark_shared(&cluster);
        let shared = over(Arc::clone(&shelf) as _, &clock);
        shared.remember(&identity(1, "x", Tier::Discogs), true);
        assert_eq!(shared.recall(&cluster), None, "that homonyms share a cluster survives too");
    }
}
