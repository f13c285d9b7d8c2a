//! The answer of `get_artist`.

use serde::Serialize;

use super::artist_signals::{FullFacts, StandardFacts};
use super::facet::Facet;
use super::identity_facts::IdentityFacts;
use crate::model::gap::GapReason;
use crate::model::text::CleanName;

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
    /// What the standard view adds, which the full view holds too.
    #[serde(flatten)]
    pub standard: Option<StandardFacts>,
    /// What only the full view adds.
    #[serde(flatten)]
    pub full: Option<FullFacts>,
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
            standard: None,
            full: None,
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
