//! The typed answers of the tools, as they stand under `data`: facts, and gaps with their reasons.
//!
//! Decides what each answer may hold. Third-party prose has no place here by type.

mod account;
mod artist_card;
mod artist_signals;
mod aura;
mod catalog_list;
mod cell;
mod facet;
mod gigs;
mod identity_facts;
mod label_card;
mod resolved_artist;
mod rising;
mod row;
mod shapeable;
mod similar;
mod track_list;

use serde::Serialize;

pub use self::account::{AccountProfile, AccountUsage};
pub use self::artist_card::{
    AliasFacet, ArtistCard, DebutFacet, DiscographyFacet, EmergenceFacet, GenreFacet, NameFacet, OriginFacet,
    ReleaseRow,
};
pub use self::artist_signals::{FullFacts, StandardFacts};
pub use self::aura::{AuraRow, Auras};
pub use self::catalog_list::{
    CatalogArtist, CatalogHit, CatalogList, CompactHit, FullHit, Pagination, PaginationMode,
};
pub use self::cell::Cell;
pub use self::facet::Facet;
pub use self::gigs::{GigList, GigRow, UpcomingGigs};
pub use self::identity_facts::IdentityFacts;
pub use self::label_card::{
    DjMomentumFacet, LABEL_PAGES_SHOWN, LabelCard, LabelPagesFacet, LinkFacet, PresenceFacet,
    RELATED_LABELS_SHOWN, RelatedLabelRow, TravelsFacet,
};
pub use self::resolved_artist::{LINKS_SHOWN, ResolvedArtist};
pub use self::rising::{BreakoutRow, Breakouts, OneToWatchRow, OnesToWatch, RowForm};
pub use self::shapeable::Shapeable;
pub use self::similar::{AxisFacet, AxisStates, SimilarArtists, SimilarList, SimilarRow};
pub use self::track_list::{BY_ARTIST_AND_TRACK, TrackHit, TrackList};
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
    /// Of `search_catalog`.
    CatalogList(CatalogList),
    /// Of `find_tracks`.
    TrackList(TrackList),
    /// Of `get_label`.
    LabelCard(Box<LabelCard>),
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

impl Data {
    /// The answer as its size is kept; `None` for answers without a list.
    #[must_use]
    pub fn shapeable(&self) -> Option<&dyn Shapeable> {
        match self {
            Self::ResolvedArtist(data) => Some(data),
            Self::ArtistCard(data) => Some(data.as_ref()),
            Self::CatalogList(data) => Some(data),
            Self::TrackList(data) => Some(data),
            Self::LabelCard(data) => Some(data.as_ref()),
            Self::SimilarArtists(data) => Some(data),
            Self::UpcomingGigs(data) => Some(data),
            Self::Breakouts(data) => Some(data),
            Self::OnesToWatch(data) => Some(data),
            Self::Auras(data) => Some(data),
            Self::AccountProfile(_) | Self::AccountUsage(_) => None,
        }
    }

    /// The same, for shortening it.
    pub fn shapeable_mut(&mut self) -> Option<&mut dyn Shapeable> {
        match self {
            Self::ResolvedArtist(data) => Some(data),
            Self::ArtistCard(data) => Some(data.as_mut()),
            Self::CatalogList(data) => Some(data),
            Self::TrackList(data) => Some(data),
            Self::LabelCard(data) => Some(data.as_mut()),
            Self::SimilarArtists(data) => Some(data),
            Self::UpcomingGigs(data) => Some(data),
            Self::Breakouts(data) => Some(data),
            Self::OnesToWatch(data) => Some(data),
            Self::Auras(data) => Some(data),
            Self::AccountProfile(_) | Self::AccountUsage(_) => None,
        }
    }
}
