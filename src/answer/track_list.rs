//! The answer of `find_tracks`.

use serde::Serialize;

use super::cell::Cell;
use super::identity_facts::IdentityFacts;
use super::shapeable::Shapeable;
use crate::model::text::CleanName;
use crate::shape::{List, Role};

/// How `find_tracks` was asked, as `mode` says it when it was by artist and track.
pub const BY_ARTIST_AND_TRACK: &str = "artist_track";

/// The answer of `find_tracks`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrackList {
    /// How titles were compared, in the service's word; [`BY_ARTIST_AND_TRACK`] when an artist was given.
    pub mode: Cell<&'static str>,
    /// What was searched.
    pub corpus: Cell<&'static str>,
    /// Who performs it, when an artist was given.
    pub artist: Option<IdentityFacts>,
    /// Who has a track of the title, in the service's order.
    pub results: Vec<TrackHit>,
    /// How many are shown here.
    pub shown: usize,
    /// How many the service sent, those that cannot be read included.
    pub listed: usize,
    /// How many of those cannot be read; for the text.
    #[serde(skip)]
    pub unreadable: usize,
    /// Whether the service ranked only a part of what matches.
    pub truncated: Cell<bool>,
}

/// One artist who has a track of the title.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrackHit {
    /// The artist as credited.
    pub artist: Cell<CleanName>,
    /// The artist's key.
    pub cluster_id: Cell<String>,
    /// Releases that carry it.
    pub releases: Cell<u64>,
    /// Recordings of it.
    pub recordings: Cell<u64>,
}

const RESULTS: &str = "data.results";

impl Shapeable for TrackList {
    fn lists(&self) -> Vec<List> {
        vec![List::of(RESULTS, Role::Main, &self.results)]
    }

    fn keep(&mut self, path: &str, rows: usize) {
        if path == RESULTS {
            self.results.truncate(rows);
            self.shown = self.results.len();
        }
    }
}
