//! Artists on the way up, as the data service lists them.

use crate::identity::{ClusterId, DiscogsId, Tier};
use crate::model::artist::Origin;
use crate::model::gap::Fact;
use crate::model::score::Score;
use crate::model::text::CleanName;
use crate::model::word::Word;

/// An artist whose bookings are picking up.
#[derive(Clone, Debug, PartialEq)]
pub struct Breakout {
    /// The service's key.
    pub cluster_id: Fact<ClusterId>,
    /// Name.
    pub name: Fact<CleanName>,
    /// How the identity is bound.
    pub tier: Fact<Tier>,
    /// Discogs artist id.
    pub discogs_id: Fact<DiscogsId>,
    /// How far up.
    pub emergence_tier: Fact<Word>,
    /// The score behind it.
    pub emergence_score: Fact<Score>,
    /// How often the press wrote about the artist.
    pub press_count: Fact<u64>,
    /// Whether the press bears out the bookings.
    pub corroboration: Fact<Word>,
    /// Where the artist is at home.
    pub location: Fact<Origin>,
}

/// An artist to watch, by rank.
#[derive(Clone, Debug, PartialEq)]
pub struct OneToWatch {
    /// Place in the list, from 1.
    pub rank: Fact<u64>,
    /// Name.
    pub name: Fact<CleanName>,
    /// Discogs artist id.
    pub discogs_id: Fact<DiscogsId>,
    /// How far up.
    pub emergence_tier: Fact<Word>,
    /// The direction.
    pub momentum_tier: Fact<Word>,
    /// The score behind the rank.
    pub emergence_score: Fact<Score>,
    /// What kind of rise it is.
    pub profile: Fact<Word>,
    /// How many festivals that look ahead booked the artist.
    pub culture_forward_festivals: Fact<u64>,
}

/// The list of those to watch.
#[derive(Clone, Debug, PartialEq)]
pub struct Watchlist {
    /// The day of the snapshot.
    pub snapshot_on: Fact<crate::model::date::Day>,
    /// Whether the service calls the snapshot old.
    pub is_stale: Fact<bool>,
    /// The rows.
    pub rows: crate::model::listed::Listed<OneToWatch>,
}
