//! The answer of `search_catalog`.

use std::collections::BTreeMap;

use serde::Serialize;

use super::cell::Cell;
use super::shapeable::Shapeable;
use crate::model::text::CleanName;
use crate::shape::{List, Role};

/// The answer of `search_catalog`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CatalogList {
    /// The records, in the service's order.
    pub results: Vec<CatalogHit>,
    /// The artists of compact rows, by the key that the rows use; `None` for full rows.
    pub artists: Option<BTreeMap<String, CatalogArtist>>,
    /// How many are shown here.
    pub shown: usize,
    /// How many the service sent, those that cannot be read or were shown before included.
    pub listed: usize,
    /// How many of those could not be read.
    pub unreadable: usize,
    /// Where the walk stands.
    pub pagination: Pagination,
}

/// One record.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum CatalogHit {
    /// With its artist.
    Full(FullHit),
    /// With the key of its artist.
    Compact(CompactHit),
}

/// A record with its artist.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FullHit {
    /// Discogs master id.
    pub master_id: u64,
    /// Title.
    pub title: Cell<CleanName>,
    /// The artist as the record names it.
    pub artist: Cell<CleanName>,
    /// The artist's key.
    pub artist_cluster_id: Cell<String>,
    /// Year.
    pub year: Cell<u16>,
}

/// A record with the key of its artist.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CompactHit {
    /// Discogs master id.
    pub master_id: u64,
    /// Title.
    pub title: Cell<CleanName>,
    /// The artist's key in [`CatalogList::artists`].
    pub artist: String,
    /// Year.
    pub year: Cell<u16>,
}

/// An artist of compact rows. Two artists of one name have a key each.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CatalogArtist {
    /// The artist as the records name it.
    pub name: Cell<CleanName>,
    /// The artist's key.
    pub cluster_id: Cell<String>,
}

/// How a walk goes on. Closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PaginationMode {
    /// By the service's own cursor: no row is missing and none comes twice.
    Keyset,
    /// By counting: no row comes twice, one may be missing.
    OffsetWalk,
}

impl PaginationMode {
    /// Every mode.
    pub const ALL: [Self; 2] = [Self::Keyset, Self::OffsetWalk];
}

/// Where a walk stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pagination {
    /// How it goes on.
    pub mode: PaginationMode,
    /// After how many rows the page begins; `None` where nobody counts.
    pub offset: Option<u32>,
    /// How many records match.
    pub total_results: Cell<u64>,
    /// How that was counted, in the service's word.
    pub total_results_mode: Cell<&'static str>,
    /// The cursor of the next page; `None` at the end.
    pub next_cursor: Option<String>,
    /// Why the walk ends although there may be more.
    pub walk_ended_early: Option<&'static str>,
    /// What to know about the walk.
    pub note: Option<&'static str>,
}

const RESULTS: &str = "data.results";

impl Shapeable for CatalogList {
    fn lists(&self) -> Vec<List> {
        vec![List::of(RESULTS, Role::Main, &self.results)]
    }

    /// A page that is cut has no next one: its cursor would skip what was cut.
    fn keep(&mut self, path: &str, rows: usize) {
        if path != RESULTS || rows >= self.results.len() {
            return;
        }
        self.results.truncate(rows);
        self.shown = self.results.len();
        if let Some(artists) = &mut self.artists {
            let results = &self.results;
            artists.retain(|key, _| {
                results.iter().any(|hit| matches!(hit, CatalogHit::Compact(hit) if hit.artist == *key))
            });
        }
        self.pagination.next_cursor = None;
        self.pagination.walk_ended_early = Some(
            "The rows of this page were too long to be sent together, so the walk ends here; ask again with a smaller limit.",
        );
    }
}
