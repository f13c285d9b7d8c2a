//! The typed answers of the tools, as they stand under `data`: facts, and gaps with their reasons.
//!
//! Decides what each answer may hold. Third-party prose has no place here by type.

mod account;
mod artist_card;
mod artist_signals;
mod aura;
mod facet;
mod gigs;
mod identity_facts;
mod resolved_artist;
mod rising;
mod row;
mod similar;

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
pub use self::aura::{AuraRow, Auras};
pub use self::facet::Facet;
pub use self::gigs::{GigList, GigRow, UpcomingGigs};
pub use self::identity_facts::IdentityFacts;
pub use self::resolved_artist::{LINKS_SHOWN, ResolvedArtist};
pub use self::rising::{BreakoutRow, Breakouts, OneToWatchRow, OnesToWatch, RowForm};
pub use self::similar::{AxisFacet, AxisStates, SimilarArtists, SimilarList, SimilarRow};
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
    /// Of `find_similar_artists`.
    SimilarArtists(SimilarArtists),
    /// Of `get_upcoming_gigs`.
    UpcomingGigs(UpcomingGigs),
    /// Of `list_breakouts`.
    Breakouts(Breakouts),
    /// Of `list_ones_to_watch`.
    OnesToWatch(OnesToWatch),
    /// Of `get_aura`.
    Auras(Auras),
    /// Of `get_profile`.
    AccountProfile(AccountProfile),
    /// Of `get_usage`.
    AccountUsage(AccountUsage),
}
