//! Who an answer is about.

use serde::Serialize;

use crate::identity::Tier;
use crate::model::artist::ArtistIdentity;
use crate::model::text::CleanName;

/// Who an answer is about. Every value is the data service's own.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct IdentityFacts {
    /// The key to pass on.
    pub cluster_id: Option<String>,
    /// The readable key; only of verified identities.
    pub slug: Option<String>,
    /// The name.
    pub name: Option<CleanName>,
    /// How the identity is bound: `discogs` is verified, `cluster` is only observed.
    pub resolved_via: Option<&'static str>,
    /// Discogs artist id.
    pub discogs_id: Option<u32>,
    /// MusicBrainz artist id.
    pub mbid: Option<String>,
}

impl IdentityFacts {
    /// Nobody.
    #[must_use]
    pub fn nobody() -> Self {
        Self { cluster_id: None, slug: None, name: None, resolved_via: None, discogs_id: None, mbid: None }
    }
}

impl From<&ArtistIdentity> for IdentityFacts {
    fn from(identity: &ArtistIdentity) -> Self {
        Self {
            cluster_id: identity.cluster_id.as_ref().map(ToString::to_string),
            // A slug leads to the verified record of its name, which may be another artist's.
            slug: identity
                .slug
                .as_ref()
                .filter(|_| identity.tier == Tier::Discogs)
                .map(|slug| slug.as_str().to_owned()),
            name: Some(identity.name.clone()),
            resolved_via: Some(identity.tier.as_str()),
            discogs_id: identity.discogs_id.map(crate::identity::DiscogsId::get),
            mbid: identity.mbid.as_ref().map(ToString::to_string),
        }
    }
}
