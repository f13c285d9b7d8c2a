//! One page of a search as an answer.

use std::collections::BTreeMap;

use serde_json::json;

use super::FULL_MAX;
use super::place::Going;
use super::query::CatalogSearch;
use crate::answer::{
    CatalogArtist, CatalogHit, CatalogList, Cell, CompactHit, Data, Finding, FullHit, Pagination,
    PaginationMode,
};
use crate::envelope::attribution::{Attribution, Origin};
use crate::envelope::next::NextAction;
use crate::model::catalog::{CatalogPage, CatalogRow, TotalMode};
use crate::model::gap::GapReason;
use crate::model::source::Sources;
use crate::tools::credit;
use crate::tools::registry::ToolName;

const COUNTED: &str =
    "Rows are counted off: none comes twice, but one may be missing when the catalogue changes meanwhile.";
const LONGEST: &str = "A walk ends after 10000 rows; a narrower query goes deeper.";
const NOT_KEPT: &str =
    "The place of this walk could not be kept, so it ends here; a narrower query is a new walk.";

/// The answer with this page; `next` is the cursor that was issued for where it goes on.
pub(super) fn finding(
    search: &CatalogSearch,
    page: CatalogPage,
    before: u32,
    going: &Going,
    next: Option<String>,
    origin: Origin,
) -> Finding {
    let mut sources = Sources::default();
    credit::records(&mut sources, &page.rows, origin);
    let present = match (page.rows.is_empty(), page.listed) {
        // Rows that are counted and not sent are not none.
        (true, 0) if !search.is_page_of_walk() && page.total.is_ok_and(|total| total > 0) => {
            Err(GapReason::MalformedUpstream)
        }
        (true, 0) if !search.is_page_of_walk() => Err(GapReason::NotFoundUpstream),
        (true, 1..) if !search.is_page_of_walk() => Err(GapReason::MalformedUpstream),
        _ => Ok(()),
    };
    let walks_on = next.is_some() || search.is_page_of_walk();
    let pagination = Pagination {
        mode: going.mode(),
        offset: (going.mode() == PaginationMode::OffsetWalk).then_some(before),
        total_results: Cell(page.total),
        total_results_mode: Cell::of(page.total_mode, TotalMode::as_str),
        walk_ended_early: match going {
            Going::EndedEarly { why, .. } => Some(why),
            Going::On { .. } if next.is_none() => Some(NOT_KEPT),
            Going::On { .. } | Going::Ended { .. } => None,
        },
        note: match going {
            Going::Ended { at_limit: true, .. } => Some(LONGEST),
            _ if walks_on && going.mode() == PaginationMode::OffsetWalk => Some(COUNTED),
            _ => None,
        },
        next_cursor: next,
    };
    let (results, artists) = if search.limit() > FULL_MAX {
        let (rows, artists) = compact(page.rows);
        (rows, Some(artists))
    } else {
        (page.rows.into_iter().map(full).collect(), None)
    };
    let data = CatalogList {
        shown: results.len(),
        results,
        artists,
        listed: page.listed,
        unreadable: page.unreadable,
        pagination,
    };
    let next_actions = if present.is_err() { wider(search) } else { Vec::new() };
    answer(data, present, &sources, origin, next_actions)
}

/// The answer when the service says itself that there is nothing.
pub(super) fn nothing(search: &CatalogSearch, origin: Origin) -> Finding {
    let missing = GapReason::NotFoundUpstream;
    let data = CatalogList {
        results: Vec::new(),
        artists: None,
        shown: 0,
        listed: 0,
        unreadable: 0,
        pagination: Pagination {
            mode: PaginationMode::OffsetWalk,
            offset: Some(0),
            total_results: Cell(Err(missing)),
            total_results_mode: Cell(Err(missing)),
            next_cursor: None,
            walk_ended_early: None,
            note: None,
        },
    };
    answer(data, Err(missing), &Sources::default(), origin, wider(search))
}

fn full(row: CatalogRow) -> CatalogHit {
    CatalogHit::Full(FullHit {
        master_id: row.master_id,
        title: Cell(row.title),
        artist: Cell(row.artist),
        artist_cluster_id: Cell::of(row.artist_cluster_id, |id| id.to_string()),
        year: Cell(row.year),
    })
}

/// Each artist once. Who differs in name or id is another one, so that homonyms keep their own id; without an id
/// nobody can tell whether two of one name are one.
fn compact(rows: Vec<CatalogRow>) -> (Vec<CatalogHit>, BTreeMap<String, CatalogArtist>) {
    let mut known: Vec<CatalogArtist> = Vec::new();
    let hits = rows
        .into_iter()
        .map(|row| {
            let artist = CatalogArtist {
                name: Cell(row.artist),
                cluster_id: Cell::of(row.artist_cluster_id, |id| id.to_string()),
            };
            let at = known
                .iter()
                .position(|other| artist.cluster_id.0.is_ok() && *other == artist)
                .unwrap_or_else(|| {
                    known.push(artist);
                    known.len() - 1
                });
            CatalogHit::Compact(CompactHit {
                master_id: row.master_id,
                title: Cell(row.title),
                artist: key(at),
                year: Cell(row.year),
            })
        })
        .collect();
    (hits, known.into_iter().enumerate().map(|(at, artist)| (key(at), artist)).collect())
}

fn key(at: usize) -> String {
    format!("a{}", at + 1)
}

/// Fewer conditions are the one thing that may still find something.
fn wider(search: &CatalogSearch) -> Vec<NextAction> {
    let words = search.words_beside_filters();
    let action = words.map(|words| {
        let args = [("q", json!(words))];
        NextAction::repeating(ToolName::SearchCatalog.as_str(), args, "finds the words without the filters")
    });
    action.into_iter().collect()
}

fn answer(
    data: CatalogList,
    present: Result<(), GapReason>,
    sources: &Sources,
    origin: Origin,
    next_actions: Vec<NextAction>,
) -> Finding {
    Finding {
        data: Data::CatalogList(data),
        present,
        // Rows name artists as recorded and assert nobody's identity.
        ambiguity: None,
        degraded: None,
        untrusted_text: Vec::new(),
        attribution: Attribution::of(sources, origin),
        next_actions,
    }
}
