//! Who has a track of a title, as the service's track search tells it.

use crate::identity::ClusterId;
use crate::model::gap::Fact;
use crate::model::text::CleanName;

/// How titles were compared. Closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TitleMatch {
    /// The whole title, whatever its case and punctuation.
    Exact,
    /// Any part of the title.
    Fuzzy,
}

impl TitleMatch {
    /// Every way.
    pub const ALL: [Self; 2] = [Self::Exact, Self::Fuzzy];

    /// The service's word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Fuzzy => "fuzzy",
        }
    }
}

/// Which collection of tracks was searched. Closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackCorpus {
    /// Discogs tracklists that are linked to MusicBrainz.
    Mb,
    /// Tracks on Bandcamp.
    Bandcamp,
    /// Both.
    All,
}

impl TrackCorpus {
    /// Every corpus.
    pub const ALL: [Self; 3] = [Self::Mb, Self::Bandcamp, Self::All];

    /// The service's word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mb => "mb",
            Self::Bandcamp => "bandcamp",
            Self::All => "all",
        }
    }
}

/// One artist who has a track of the title.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackRow {
    /// The artist as credited; never who is meant.
    pub artist: Fact<CleanName>,
    /// The artist's own key.
    pub cluster_id: Fact<ClusterId>,
    /// Releases that carry the artist's track of that title.
    pub releases: Fact<u64>,
    /// Recordings of that title by the artist.
    pub recordings: Fact<u64>,
}

/// What a search for a title found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackSearch {
    /// How titles were compared.
    pub title_match: Fact<TitleMatch>,
    /// What was searched.
    pub corpus: Fact<TrackCorpus>,
    /// Whether the service ranked only a part of what matches.
    pub truncated: Fact<bool>,
    /// The rows that could be read, in the service's order.
    pub rows: Vec<TrackRow>,
    /// How many rows the service sent.
    pub listed: usize,
}
