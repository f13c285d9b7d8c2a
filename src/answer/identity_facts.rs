//! Who an answer is about.

use serde::Serialize;

use super::cell::Cell;
use crate::identity::{DiscogsId, Tier};
use crate::model::artist::{ArtistIdentity, is_unreadable};
use crate::model::gap::GapReason;
use crate::model::text::CleanName;

/// Who an answer is about. Every value is the data service's own.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct IdentityFacts {
    /// The key to pass on.
    pub cluster_id: Cell<String>,
    /// The readable key; only of verified identities.
    pub slug: Cell<String>,
    /// The name.
    pub name: Option<CleanName>,
    /// How the identity is bound: `discogs` is verified, `cluster` is only observed.
    pub resolved_via: Cell<&'static str>,
    /// Discogs artist id.
    pub discogs_id: Cell<u32>,
    /// MusicBrainz artist id.
    pub mbid: Cell<String>,
}

impl IdentityFacts {
    /// Nobody.
    #[must_use]
    pub fn nobody() -> Self {
        const NONE: GapReason = GapReason::HonestGap;
        Self {
            cluster_id: Cell(Err(NONE)),
            slug: Cell(Err(NONE)),
            name: None,
            resolved_via: Cell(Err(NONE)),
            discogs_id: Cell(Err(NONE)),
            mbid: Cell(Err(NONE)),
        }
    }

    /// What of it cannot be told, each under the name that a reader knows it by; what the record does not have is
    /// not among it.
    pub fn gaps(&self) -> impl Iterator<Item = (&'static str, GapReason)> {
        let gaps = [
            ("cluster_id", self.cluster_id.gap()),
            ("Slug", self.slug.gap()),
            ("Kind of identity", self.resolved_via.gap()),
            ("Discogs id", self.discogs_id.gap()),
            ("MusicBrainz id", self.mbid.gap()),
        ];
        gaps.into_iter()
            .filter_map(|(what, gap)| Some((what, gap.filter(|reason| *reason != GapReason::HonestGap)?)))
    }
}

impl From<&ArtistIdentity> for IdentityFacts {
    fn from(identity: &ArtistIdentity) -> Self {
        // A slug leads to the verified record of its name, which may be another artist's.
        let is_shown = identity.tier == Tier::Discogs || is_unreadable(&identity.slug);
        let slug = identity.slug.as_ref().map(|slug| slug.as_str().to_owned()).map_err(|gap| *gap);
        Self {
            cluster_id: Cell::of(identity.cluster_id.clone(), |id| id.to_string()),
            slug: Cell(if is_shown { slug } else { Err(GapReason::HonestGap) }),
            name: Some(identity.name.clone()),
            resolved_via: Cell(match identity.is_tier_unreadable {
                true => Err(GapReason::MalformedUpstream),
                false => Ok(identity.tier.as_str()),
            }),
            discogs_id: Cell::of(identity.discogs_id, DiscogsId::get),
            mbid: Cell::of(identity.mbid, |id| id.to_string()),
        }
    }
}
