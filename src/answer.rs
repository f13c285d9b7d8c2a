//! The typed answers of the tools, as they stand under `data`: facts, and gaps with their reasons.
//!
//! Decides what each answer may hold. Third-party prose has no place here by type.

use serde::Serialize;

use crate::envelope;
use crate::identity::Tier;
use crate::model::artist::ArtistIdentity;
use crate::model::gap::{Fact, GapReason};
use crate::model::link::Link;
use crate::model::text::CleanName;

/// What a tool found, with its facts.
pub type Finding = envelope::Finding<Data>;

/// The facts of one answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Data {
    /// Of `resolve_artist`.
    ResolvedArtist(ResolvedArtist),
    /// Of `get_artist`.
    ArtistCard(Box<ArtistCard>),
}

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

/// The answer of `resolve_artist`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResolvedArtist {
    /// Who was found.
    #[serde(flatten)]
    pub identity: IdentityFacts,
    /// Pages of the artist elsewhere, the first [`LINKS_SHOWN`].
    pub links: Vec<Link>,
    /// How many pages the service lists.
    pub links_total: usize,
}

/// The most links in one answer.
pub const LINKS_SHOWN: usize = 8;

/// The answer of `get_artist`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ArtistCard {
    /// Who it is about.
    #[serde(flatten)]
    pub identity: IdentityFacts,
    /// The name behind the name.
    pub real_name: Facet<NameFacet>,
    /// Other names.
    pub aliases: Facet<AliasFacet>,
    /// Where the artist comes from.
    pub origin: Facet<OriginFacet>,
    /// First release.
    pub debut: Facet<DebutFacet>,
    /// Genre and styles.
    pub genre: Facet<GenreFacet>,
    /// Releases.
    pub discography: Facet<DiscographyFacet>,
    /// Where the artist stands on the way up.
    pub emergence: Facet<EmergenceFacet>,
}

impl ArtistCard {
    /// The card of nobody: every part is missing for the same reason.
    #[must_use]
    pub fn empty(reason: GapReason) -> Self {
        Self {
            identity: IdentityFacts::nobody(),
            real_name: Facet(Err(reason)),
            aliases: Facet(Err(reason)),
            origin: Facet(Err(reason)),
            debut: Facet(Err(reason)),
            genre: Facet(Err(reason)),
            discography: Facet(Err(reason)),
            emergence: Facet(Err(reason)),
        }
    }
}

/// A part of an answer: there, or missing for a reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Facet<T>(pub Fact<T>);

impl<T> Facet<T> {
    /// The fact, when it is there.
    #[must_use]
    pub fn fact(&self) -> Option<&T> {
        self.0.as_ref().ok()
    }

    /// Why it is missing.
    #[must_use]
    pub fn gap(&self) -> Option<GapReason> {
        self.0.as_ref().err().copied()
    }
}

impl<T: Serialize> Serialize for Facet<T> {
    fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct There<'a, T> {
            present: bool,
            #[serde(flatten)]
            fact: &'a T,
        }
        #[derive(Serialize)]
        struct Missing {
            present: bool,
            reason: GapReason,
        }
        match &self.0 {
            Ok(fact) => There { present: true, fact }.serialize(out),
            Err(reason) => Missing { present: false, reason: *reason }.serialize(out),
        }
    }
}

/// A single name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NameFacet {
    /// The name.
    pub name: CleanName,
}

/// Other names of the same artist.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AliasFacet {
    /// The first few, in the service's order.
    pub names: Vec<CleanName>,
    /// How many there are.
    pub total: usize,
}

/// Where an artist comes from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OriginFacet {
    /// City.
    pub city: Option<CleanName>,
    /// Country.
    pub country: Option<CleanName>,
}

/// First release.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DebutFacet {
    /// Its year.
    pub year: u16,
}

/// Genre and styles.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GenreFacet {
    /// The most frequent genre.
    pub primary: CleanName,
    /// The most frequent styles.
    pub styles: Vec<CleanName>,
}

/// Releases.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DiscographyFacet {
    /// How many the service counts.
    pub total: u64,
    /// How many are shown here.
    pub shown: usize,
    /// Whether there are more than are shown.
    pub truncated: bool,
    /// The first ones, in the service's order: lead credits first.
    pub releases: Vec<ReleaseRow>,
}

/// One release.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReleaseRow {
    /// Discogs master id.
    pub master_id: u64,
    /// Title.
    pub title: CleanName,
}

/// Where an artist stands on the way up.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EmergenceFacet {
    /// How established.
    pub tier: CleanName,
    /// The direction.
    pub momentum: Option<CleanName>,
}
