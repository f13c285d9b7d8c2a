//! Rows of the catalogue, and where the service says the list goes on.

use crate::identity::ClusterId;
use crate::model::gap::Fact;
use crate::model::text::CleanName;

/// One record: a Discogs master.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogRow {
    /// Discogs master id.
    pub master_id: u64,
    /// Its title.
    pub title: Fact<CleanName>,
    /// The artist as the record names it, number included.
    pub artist: Fact<CleanName>,
    /// The artist's key; the service has none for records of several artists.
    pub artist_cluster_id: Fact<ClusterId>,
    /// Its year.
    pub year: Fact<u16>,
}

/// How the service counted what matches. Closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TotalMode {
    /// All of it.
    Exact,
    /// From a sample.
    ApproximateSample,
    /// At least so many.
    LowerBound,
}

impl TotalMode {
    /// Every way.
    pub const ALL: [Self; 3] = [Self::Exact, Self::ApproximateSample, Self::LowerBound];

    /// The service's word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::ApproximateSample => "approximate_50k_sample",
            Self::LowerBound => "lower_bound",
        }
    }
}

/// How the service carries a walk on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Onward {
    /// It has no cursors.
    NoCursors,
    /// This is the last page.
    Last,
    /// By this cursor of its own.
    Cursor(String),
    /// By something that cannot be sent back.
    Unusable,
}

/// One page of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogPage {
    /// The rows that could be read, in the service's order.
    pub rows: Vec<CatalogRow>,
    /// How many rows the service sent.
    pub listed: usize,
    /// How many of them could not be read.
    pub unreadable: usize,
    /// How many records match.
    pub total: Fact<u64>,
    /// How that was counted.
    pub total_mode: Fact<TotalMode>,
    /// How the walk goes on.
    pub onward: Onward,
}
