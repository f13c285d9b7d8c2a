//! Searches the catalogue, and reads one page of what it finds.

use serde::Deserialize;

use super::extensions::Extension;
use super::fault::UpstreamFault;
use super::ledger::CallLedger;
use super::reading::{self, Raw};
use super::tracks::{cluster_id, name, word};
use super::transport::Request;
use super::{CrateClient, rows};
use crate::model::catalog::{CatalogPage, CatalogRow, Onward, TotalMode};
use crate::model::family::Family;
use crate::model::gap::{Fact, GapReason};

/// The longest cursor of the service that is sent back, in bytes.
const CURSOR_BYTES_MAX: usize = 2_000;
/// No sound was recorded before, and later years are slips.
const YEARS: std::ops::RangeInclusive<u16> = 1860..=2100;

/// Where a page begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start<'a> {
    /// After so many rows.
    Offset(u32),
    /// At the service's own cursor.
    Cursor(&'a str),
}

impl CrateClient {
    /// One page of what `query` finds; `None` when the service says itself that there is nothing there.
    ///
    /// # Errors
    /// When the service could not answer.
    pub async fn search(
        &self,
        query: &[(&'static str, String)],
        from: Start<'_>,
        limit: u32,
        ledger: &CallLedger,
    ) -> Result<Option<CatalogPage>, UpstreamFault> {
        let mut query = query.to_vec();
        query.push(("limit", limit.to_string()));
        match from {
            Start::Offset(0) => {}
            Start::Offset(rows) => query.push(("offset", rows.to_string())),
            Start::Cursor(cursor) => query.push(("cursor", cursor.to_owned())),
        }
        let request = Request { family: Family::Search, path: "/api/v2/search", query: &query };
        let mut page = self.fetch(request, ledger, read).await?;
        if let Some(page) = page.as_mut().filter(|_| !self.has(Extension::SearchCursor)) {
            page.onward = Onward::NoCursors;
        }
        Ok(page)
    }
}

#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(borrow, default)]
    pagination: Raw<'a>,
    #[serde(borrow, default)]
    results: Raw<'a>,
}

#[derive(Default, Deserialize)]
struct WirePagination<'a> {
    #[serde(borrow, default)]
    total_results: Raw<'a>,
    #[serde(borrow, default)]
    total_results_mode: Raw<'a>,
    #[serde(borrow, default)]
    next_cursor: Raw<'a>,
}

#[derive(Deserialize)]
struct WireRow<'a> {
    #[serde(borrow, default)]
    master_id: Raw<'a>,
    #[serde(borrow, default)]
    title: Raw<'a>,
    #[serde(borrow, default)]
    artist: Raw<'a>,
    #[serde(borrow, default)]
    artist_cluster_id: Raw<'a>,
    #[serde(borrow, default)]
    year: Raw<'a>,
}

fn read(body: &[u8]) -> Result<CatalogPage, UpstreamFault> {
    let wire: Wire<'_> = reading::body(body)?;
    let rows = reading::objects::<WireRow<'_>>(wire.results).map_err(|_| UpstreamFault::Unreadable)?;
    let listed = rows.len();
    let pagination: WirePagination<'_> = reading::object(wire.pagination).unwrap_or_default();
    let rows: Vec<CatalogRow> = rows.into_iter().flatten().filter_map(|row| catalog_row(&row)).collect();
    Ok(CatalogPage {
        unreadable: listed - rows.len(),
        rows,
        listed,
        total: rows::count(pagination.total_results),
        total_mode: word(pagination.total_results_mode, &TotalMode::ALL, TotalMode::as_str),
        onward: onward(pagination.next_cursor),
    })
}

/// A row without a number is none: a walk tells rows apart by it.
fn catalog_row(wire: &WireRow<'_>) -> Option<CatalogRow> {
    Some(CatalogRow {
        master_id: reading::optional(wire.master_id)?,
        title: name(wire.title),
        artist: name(wire.artist),
        artist_cluster_id: match cluster_id(wire.artist_cluster_id) {
            // The contract lets it out where there is none.
            Err(GapReason::NotCovered) => Err(GapReason::HonestGap),
            id => id,
        },
        year: year(wire.year),
    })
}

fn year(raw: Raw<'_>) -> Fact<u16> {
    let year: u16 = reading::value(raw)?;
    if YEARS.contains(&year) { Ok(year) } else { Err(GapReason::MalformedUpstream) }
}

fn onward(raw: Raw<'_>) -> Onward {
    match reading::value::<String>(raw) {
        Err(GapReason::NotCovered) => Onward::NoCursors,
        Err(GapReason::HonestGap) => Onward::Last,
        Ok(cursor) if is_usable(&cursor) => Onward::Cursor(cursor),
        Ok(_) | Err(_) => Onward::Unusable,
    }
}

fn is_usable(cursor: &str) -> bool {
    (1..=CURSOR_BYTES_MAX).contains(&cursor.len()) && cursor.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(pagination: &str, rows: &str) -> CatalogPage {
        read(format!(r#"{{"pagination":{pagination},"results":{rows}}}"#).as_bytes()).unwrap()
    }

    #[test]
    fn an_answer_without_rows_is_not_taken_for_an_empty_one() {
        for body in ["{}", r#"{"results":null}"#, r#"{"results":{}}"#, "[]"] {
            assert_eq!(read(body.as_bytes()), Err(UpstreamFault::Unreadable), "{body}");
        }
        assert_eq!(page("{}", "[]").listed, 0);
    }

    #[test]
    fn a_row_without_a_number_is_counted_and_left_out() {
        let found = page(
            "{}",
            r#"[{"master_id":5,"title":"A","artist":7,"year":null},{"master_id":"6","title":"B"},7,
            {"master_id":8,"year":197,"artist_cluster_id":"short"}]"#,
        );
        assert_eq!((found.rows.len(), found.listed, found.unreadable), (2, 4, 2));
        let [first, last] = found.rows.as_slice() else { panic!("two rows") };
        assert_eq!(first.artist, Err(GapReason::MalformedUpstream));
        assert_eq!(
            (first.year, &first.artist_cluster_id),
            (Err(GapReason::HonestGap), &Err(GapReason::HonestGap))
        );
        assert_eq!(
            (last.year, &last.title),
            (Err(GapReason::MalformedUpstream), &Err(GapReason::NotCovered))
        );
        assert_eq!(last.artist_cluster_id, Err(GapReason::MalformedUpstream));
    }

    #[test]
    fn a_cursor_that_cannot_be_sent_back_is_told_from_the_last_page() {
        let onward = |cursor: &str| page(&format!(r#"{{"next_cursor":{cursor}}}"#), "[]").onward;
        assert_eq!(onward("\"abc\""), Onward::Cursor("abc".to_owned()));
        assert_eq!(onward("null"), Onward::Last);
        assert_eq!(page("{}", "[]").onward, Onward::NoCursors);
        for bad in ["\"\"", "5", "\"a b\"", "\"\\u202e\"", &format!("\"{}\"", "x".repeat(2_001))] {
            assert_eq!(onward(bad), Onward::Unusable, "{bad}");
        }
    }
}
