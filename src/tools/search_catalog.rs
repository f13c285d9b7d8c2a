//! `search_catalog`: records by words and filters, page by page.

mod page;
mod place;
mod query;

use super::argument::ArgumentSpec;
use super::arguments::invalid;
use super::provenance::{Provenance, Reading, Table};
use super::registry::ToolName;
use super::spec::{Access, ToolSpec};
use super::upstream_error;
use crate::answer::Finding;
use crate::crate_client::{CallLedger, CrateClient, Start, UpstreamFault};
use crate::cursors::{CURSOR_CHARS_MAX, CursorRefusal, WALK_ROWS_MAX, Walks};
use crate::envelope::attribution::Origin;
use crate::envelope::error::ToolError;
use crate::model::catalog::{CatalogPage, TotalMode};
use crate::model::family::Family;
use crate::model::gap::GapReason;
use crate::profile::Profile;

use self::place::{Going, Place};
pub use self::query::CatalogSearch;

/// Rows when the caller does not say how many; longer pages are compact.
const LIMIT_DEFAULT: u32 = 8;
/// The most rows that name their artist themselves; longer lists have the artists apart.
const FULL_MAX: u32 = 10;
/// The most rows: so many fit an answer with the longest titles and as many artists as rows.
const LIMIT_MAX: u32 = 30;
/// The most values of one filter, and the most characters of one.
const VALUES_MAX: usize = 20;
const VALUE_CHARS_MAX: usize = 200;
const MODES: &[&str] = &["and", "or"];

const fn filter(name: &'static str, description: &'static str) -> ArgumentSpec {
    ArgumentSpec::texts(name, VALUES_MAX, VALUE_CHARS_MAX, description)
}

const fn mode(name: &'static str) -> ArgumentSpec {
    ArgumentSpec::choice(name, MODES, "All or any")
}

const fn year(name: &'static str, description: &'static str) -> ArgumentSpec {
    ArgumentSpec::integer(name, 1900, 2100, description)
}

/// What is published about it.
pub(super) static SPEC: ToolSpec = ToolSpec {
    name: ToolName::SearchCatalog,
    title: "Search the catalogue",
    description: "Finds records (Discogs masters) by words, filters or both. Next page: pagination.next_cursor as \
        cursor. Artists are as recorded, not verified. Show attribution.line.",
    arguments: &[
        ArgumentSpec::text("q", VALUE_CHARS_MAX, "Words"),
        filter("genre", "Genres"),
        mode("genre_mode"),
        filter("style", "Styles"),
        mode("style_mode"),
        filter("format", "Formats"),
        mode("format_mode"),
        filter("country", "Countries"),
        mode("country_mode"),
        filter("label", "Label names"),
        mode("label_mode"),
        year("year_from", "First"),
        year("year_to", "Last"),
        ArgumentSpec::integer("limit", 1, LIMIT_MAX as i64, "Default 8"),
        ArgumentSpec::text("cursor", CURSOR_CHARS_MAX, "next_cursor"),
    ],
    access: Access::SignedIn,
    profile: Profile::Core,
    cost: "1",
    families: &[Family::Search],
};

/// Where the values of an answer with full rows come from.
pub static FULL_PROVENANCE: Table = Table {
    tool: ToolName::SearchCatalog,
    endpoint: "/api/v2/search",
    rows: &[
        Provenance::same("/results/*/master_id", "/results/*/master_id"),
        Provenance::read("/results/*/title", "/results/*/title", Reading::Name),
        Provenance::read("/results/*/artist", "/results/*/artist", Reading::Name),
        Provenance::same("/results/*/artist_cluster_id", "/results/*/artist_cluster_id"),
        Provenance::same("/results/*/year", "/results/*/year"),
        Provenance::made("/artists", "null: rows are full"),
        Provenance::made("/shown", "rows in this answer"),
        Provenance::made("/listed", "rows that the service sent"),
        Provenance::made("/unreadable", "rows of them that cannot be read"),
        Provenance::made("/pagination/mode", "whether the service carries cursors"),
        Provenance::made("/pagination/offset", "rows of the walk before this page"),
        Provenance::same("/pagination/total_results", "/pagination/total_results"),
        Provenance::same("/pagination/total_results_mode", "/pagination/total_results_mode"),
        Provenance::made("/pagination/next_cursor", "issued by this server"),
        Provenance::made("/pagination/walk_ended_early", "why this server cannot go on"),
        Provenance::made("/pagination/note", "what this server knows of the walk"),
    ],
};

/// Where the values of an answer with compact rows come from.
pub static COMPACT_PROVENANCE: Table = Table {
    tool: ToolName::SearchCatalog,
    endpoint: "/api/v2/search",
    rows: &[
        Provenance::same("/results/*/master_id", "/results/*/master_id"),
        Provenance::read("/results/*/title", "/results/*/title", Reading::Name),
        Provenance::made("/results/*/artist", "the artist's key in artists"),
        Provenance::same("/results/*/year", "/results/*/year"),
        Provenance::read("/artists/*/name", "/results/*/artist", Reading::NameOfKeyed),
        Provenance::read("/artists/*/cluster_id", "/results/*/artist_cluster_id", Reading::Keyed),
        Provenance::made("/shown", "rows in this answer"),
        Provenance::made("/listed", "rows that the service sent"),
        Provenance::made("/unreadable", "rows of them that cannot be read"),
        Provenance::made("/pagination/mode", "whether the service carries cursors"),
        Provenance::made("/pagination/offset", "rows of the walk before this page"),
        Provenance::same("/pagination/total_results", "/pagination/total_results"),
        Provenance::same("/pagination/total_results_mode", "/pagination/total_results_mode"),
        Provenance::made("/pagination/next_cursor", "issued by this server"),
        Provenance::made("/pagination/walk_ended_early", "why this server cannot go on"),
        Provenance::made("/pagination/note", "what this server knows of the walk"),
    ],
};

/// Opens the walk, asks for one page, and keeps where it goes on.
pub(super) async fn run(
    search: &CatalogSearch,
    client: &CrateClient,
    ledger: &CallLedger,
    origin: Origin,
    walks: Walks<'_>,
) -> Result<Finding, ToolError> {
    let question = search.question();
    let (place, before) = match search.cursor() {
        None => (Place::beginning(), 0),
        // Nothing is asked before the cursor is known to be good.
        Some(cursor) => {
            let walk = walks.open(cursor, question).map_err(|refusal| refused(search, refusal))?;
            let place = Place::read(&walk.place);
            (place.ok_or_else(|| refused(search, CursorRefusal::NotIssued))?, walk.rows)
        }
    };
    let limit = search.limit().min(WALK_ROWS_MAX.saturating_sub(before)).max(1);
    let start = match &place {
        Place::Counted(_) => Start::Offset(before),
        Place::Upstream(trail) => Start::Cursor(&trail.cursor),
    };
    let found = client.search(search.pairs(), start, limit, ledger).await;
    let mut found = match (found, &place) {
        (Ok(Some(page)), _) => page,
        (Ok(None), Place::Counted(_)) => return Ok(page::nothing(search, origin)),
        // The question was good when the walk began, so it is the cursor that is refused.
        (Err(UpstreamFault::Status { status: 400 | 404 | 410 | 422, .. }) | Ok(None), Place::Upstream(_)) => {
            return Err(service_refused(search));
        }
        (Err(fault), _) => return Err(upstream_error::from(fault)),
    };
    doubt_total(&mut found, &place, before);
    found.rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    let going = place.go_on(&found, before, limit);
    leave_out_seen(&mut found, &place);
    let next = match going.next() {
        Some(walk) => walks.issue(question, walk).await,
        None => None,
    };
    Ok(page::finding(search, found, before, &going, next, origin))
}

/// A total that is smaller than the rows that are there: of the two one must be wrong, so it is no fact. A catalogue
/// that has shrunk sends no rows behind its end.
fn doubt_total(found: &mut CatalogPage, place: &Place, before: u32) {
    let passed = match place {
        Place::Counted(_) => u64::from(before),
        Place::Upstream(_) => 0,
    };
    let there = passed.saturating_add(found.listed as u64);
    let is_exact = found.total_mode == Ok(TotalMode::Exact);
    if found.listed > 0 && is_exact && found.total.is_ok_and(|total| total < there) {
        found.total = Err(GapReason::MalformedUpstream);
        found.total_mode = Err(GapReason::MalformedUpstream);
    }
}

/// Rows that an earlier page of the walk has shown; a catalogue that grows pushes them down.
fn leave_out_seen(found: &mut CatalogPage, place: &Place) {
    if let Place::Counted(seen) = place {
        let mut seen = seen.clone();
        found.rows.retain(|row| seen.insert(row.master_id));
    }
}

fn refused(search: &CatalogSearch, refusal: CursorRefusal) -> ToolError {
    start_over(search, format!("The cursor {refusal}."), refusal)
}

fn service_refused(search: &CatalogSearch) -> ToolError {
    let message = "The data service does not accept this cursor any more.".to_owned();
    start_over(search, message, CursorRefusal::Expired)
}

fn start_over(search: &CatalogSearch, message: String, refusal: CursorRefusal) -> ToolError {
    invalid("cursor", message)
        .with("reason", refusal.as_str())
        .hint("Leave cursor out and start the same search again.")
        .suggest(ToolName::SearchCatalog.as_str(), search.without_cursor())
}

impl Going {
    /// The walk to keep; `None` where it ends.
    fn next(&self) -> Option<crate::cursors::Walk> {
        match self {
            Self::On { walk, .. } => Some(walk.clone()),
            Self::Ended { .. } | Self::EndedEarly { .. } => None,
        }
    }
}
