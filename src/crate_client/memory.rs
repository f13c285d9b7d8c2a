//! What earlier resolves learned about cluster ids.
//!
//! The service answers a bare cluster id at the observed tier only. Remembering which slug and which
//! Discogs id stood behind it lets a later question be asked in the form that keeps the verification.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use lru::LruCache;

use crate::identity::{ClusterId, DiscogsId, Mbid, Slug, Tier};
use crate::model::artist::ArtistIdentity;

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

/// A bounded memory, the longest unused identity forgotten first. Lives as long as the program.
#[derive(Debug)]
pub struct IdentityMemory(Mutex<LruCache<ClusterId, Memory>>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Memory {
    One(Remembered),
    /// Homonyms share the cluster: which of them it stands for cannot be told from the id.
    Several,
}

impl IdentityMemory {
    /// A memory of at most `capacity` identities.
    #[must_use]
    pub fn new(capacity: NonZeroUsize) -> Self {
        Self(Mutex::new(LruCache::new(capacity)))
    }

    /// Keeps a verified identity; `is_alone` as in [`Remembered::is_alone`].
    pub(super) fn remember(&self, identity: &ArtistIdentity, is_alone: bool) {
        let (Some(cluster_id), Some(slug), Some(discogs_id), Tier::Discogs) =
            (&identity.cluster_id, &identity.slug, identity.discogs_id, identity.tier)
        else {
            return;
        };
        let remembered = Remembered { slug: slug.clone(), discogs_id, mbid: identity.mbid, is_alone };
        let mut memory = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = match memory.get(cluster_id) {
            None => Memory::One(remembered),
            Some(Memory::One(known)) if known.discogs_id == discogs_id => {
                Memory::One(Remembered { is_alone: is_alone || known.is_alone, ..remembered })
            }
            Some(Memory::One(_) | Memory::Several) => Memory::Several,
        };
        memory.put(cluster_id.clone(), now);
    }

    /// Notes that homonyms share the cluster.
    pub(super) fn mark_shared(&self, cluster_id: &ClusterId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).put(cluster_id.clone(), Memory::Several);
    }

    pub(super) fn recall(&self, cluster_id: &ClusterId) -> Option<Remembered> {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).get(cluster_id) {
            Some(Memory::One(remembered)) => Some(remembered.clone()),
            Some(Memory::Several) | None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::text::CleanName;

    fn identity(discogs: u64, slug: &str, tier: Tier) -> ArtistIdentity {
        ArtistIdentity {
            name: CleanName::new("X").unwrap(),
            record_name: "X".to_owned(),
            cluster_id: ClusterId::parse(&"a".repeat(64)).ok(),
            slug: Slug::parse(slug).ok(),
            tier,
            discogs_id: DiscogsId::from_number(discogs),
            mbid: None,
        }
    }

    #[test]
    fn a_cluster_that_homonyms_share_never_answers_with_the_one_asked_for_last() {
        let memory = IdentityMemory::new(NonZeroUsize::MIN);
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
        let memory = IdentityMemory::new(NonZeroUsize::MIN);
        let cluster = ClusterId::parse(&"a".repeat(64)).unwrap();
        memory.remember(&identity(1, "x", Tier::Discogs), true);
        memory.mark_shared(&cluster);
        memory.remember(&identity(1, "x", Tier::Discogs), true);
        assert_eq!(memory.recall(&cluster), None);
    }

    #[test]
    fn an_identity_that_is_only_observed_is_not_remembered() {
        let memory = IdentityMemory::new(NonZeroUsize::MIN);
        memory.remember(&identity(1, "x", Tier::Cluster), false);
        assert_eq!(memory.recall(&ClusterId::parse(&"a".repeat(64)).unwrap()), None);
    }
}
