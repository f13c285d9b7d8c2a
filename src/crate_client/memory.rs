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
}

/// A bounded memory, the longest unused identity forgotten first. Lives as long as the program.
#[derive(Debug)]
pub struct IdentityMemory(Mutex<LruCache<ClusterId, Remembered>>);

impl IdentityMemory {
    /// A memory of at most `capacity` identities.
    #[must_use]
    pub fn new(capacity: NonZeroUsize) -> Self {
        Self(Mutex::new(LruCache::new(capacity)))
    }

    pub(super) fn remember(&self, identity: &ArtistIdentity) {
        let (Some(cluster_id), Some(slug), Some(discogs_id), Tier::Discogs) =
            (&identity.cluster_id, &identity.slug, identity.discogs_id, identity.tier)
        else {
            return;
        };
        let remembered = Remembered { slug: slug.clone(), discogs_id, mbid: identity.mbid };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).put(cluster_id.clone(), remembered);
    }

    pub(super) fn recall(&self, cluster_id: &ClusterId) -> Option<Remembered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(cluster_id).cloned()
    }
}
