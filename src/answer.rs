//! The typed answers of the tools, as they stand under `data`: facts, and gaps with their reasons.
//!
//! Decides what each answer may hold. Third-party prose has no place here by type.

mod account;
mod artist_card;
mod artist_signals;
mod facet;
mod identity_facts;
mod resolved_artist;

use serde::Serialize;

pub use self::account::{AccountProfile, AccountUsage};
pub use self::artist_card::{
    AliasFacet, ArtistCard, DebutFacet, DiscographyFacet, EmergenceFacet, GenreFacet, NameFacet, OriginFacet,
    ReleaseRow,
};
pub use self::artist_signals::{
    FullFacts, LifeFacet, PagesFacet, PressFacet, RadioFacet, RecordLabelsFacet, SceneFacet, StageFacet,
    StandardFacts, WorksFacet,
};
pub use self::facet::Facet;
pub use self::identity_facts::IdentityFacts;
pub use self::resolved_artist::{LINKS_SHOWN, ResolvedArtist};
use crate::envelope;

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
    /// Of `get_profile`.
    AccountProfile(AccountProfile),
    /// Of `get_usage`.
    AccountUsage(AccountUsage),
}
