//! Asks who has a track of a title, and reads the answer.

use serde::Deserialize;

use super::CrateClient;
use super::fault::UpstreamFault;
use super::ledger::CallLedger;
use super::reading::{self, Raw};
use super::transport::Request;
use crate::identity::{ClusterId, TrackTitle};
use crate::model::family::Family;
use crate::model::gap::{Fact, GapReason};
use crate::model::text::CleanName;
use crate::model::track::{TitleMatch, TrackCorpus, TrackRow, TrackSearch};

impl CrateClient {
    /// Who has a track of this title; `None` when the service says itself that it holds none.
    ///
    /// # Errors
    /// When the service could not answer, or says that what it could read is not all.
    pub async fn tracks(
        &self,
        title: &TrackTitle,
        title_match: TitleMatch,
        limit: u32,
        ledger: &CallLedger,
    ) -> Result<Option<TrackSearch>, UpstreamFault> {
        let mut query = vec![("title", title.as_str().to_owned()), ("limit", limit.to_string())];
        if title_match == TitleMatch::Fuzzy {
            query.push(("fuzzy", "true".to_owned()));
        }
        let request = Request { family: Family::Tracks, path: "/api/v2/tracks", query: &query };
        self.fetch(request, ledger, read).await.map(Option::flatten)
    }
}

#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(borrow, default)]
    state: Raw<'a>,
    #[serde(borrow, default)]
    source: Raw<'a>,
    #[serde(borrow, default)]
    mode: Raw<'a>,
    #[serde(borrow, default)]
    truncated: Raw<'a>,
    #[serde(borrow, default)]
    results: Raw<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireRow<'a> {
    #[serde(borrow, default)]
    artist_credit: Raw<'a>,
    #[serde(borrow, default)]
    cluster_id: Raw<'a>,
    #[serde(borrow, default)]
    releases: Raw<'a>,
    #[serde(borrow, default)]
    recordings: Raw<'a>,
}

/// An empty list is only believed together with a state that says that the search ran.
fn read(body: &[u8]) -> Result<Option<TrackSearch>, UpstreamFault> {
    let wire: Wire<'_> = reading::body(body)?;
    match reading::optional::<String>(wire.state).as_deref() {
        Some("ok") => {}
        Some("degraded") => return Err(UpstreamFault::Degraded),
        Some("honest_gap") => return Ok(None),
        _ => return Err(UpstreamFault::Unreadable),
    }
    let rows = reading::objects::<WireRow<'_>>(wire.results).map_err(|_| UpstreamFault::Unreadable)?;
    let listed = rows.len();
    Ok(Some(TrackSearch {
        title_match: word(wire.mode, &TitleMatch::ALL, TitleMatch::as_str),
        corpus: word(wire.source, &TrackCorpus::ALL, TrackCorpus::as_str),
        truncated: reading::value(wire.truncated),
        rows: rows.into_iter().flatten().filter_map(|row| track_row(&row)).collect(),
        listed,
    }))
}

/// A row that names nobody is none.
fn track_row(wire: &WireRow<'_>) -> Option<TrackRow> {
    let row = TrackRow {
        artist: name(wire.artist_credit),
        cluster_id: cluster_id(wire.cluster_id),
        releases: reading::value(wire.releases),
        recordings: reading::value(wire.recordings),
    };
    (row.artist.is_ok() || row.cluster_id.is_ok()).then_some(row)
}

/// A word of a closed list.
pub(super) fn word<T: Copy>(raw: Raw<'_>, all: &[T], as_str: fn(T) -> &'static str) -> Fact<T> {
    let found: String = reading::value(raw)?;
    all.iter().copied().find(|word| as_str(*word) == found).ok_or(GapReason::MalformedUpstream)
}

/// A name that can be shown.
pub(super) fn name(raw: Raw<'_>) -> Fact<CleanName> {
    let name: String = reading::value(raw)?;
    CleanName::new(&name).ok_or(GapReason::HonestGap)
}

/// The service's own key.
pub(super) fn cluster_id(raw: Raw<'_>) -> Fact<ClusterId> {
    let id: String = reading::value(raw)?;
    ClusterId::parse(&id).map_err(|_| GapReason::MalformedUpstream)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(rows: &str) -> TrackSearch {
        let body = format!(
            r#"{{"state":"ok","source":"mb","mode":"exact","truncated":false,"count":9,"results":{rows}}}"#
        );
        read(body.as_bytes()).unwrap().unwrap()
    }

    #[test]
    fn an_empty_list_is_no_match_only_when_the_search_ran() {
        assert_eq!(search("[]").listed, 0);
        for (state, fault) in [
            (r#""degraded""#, UpstreamFault::Degraded),
            (r#""later""#, UpstreamFault::Unreadable),
            ("null", UpstreamFault::Unreadable),
            ("5", UpstreamFault::Unreadable),
        ] {
            let body = format!(r#"{{"state":{state},"results":[]}}"#);
            assert_eq!(read(body.as_bytes()), Err(fault), "{state}");
        }
        assert_eq!(read(br#"{"state":"honest_gap"}"#), Ok(None));
        assert_eq!(read(br#"{"state":"ok"}"#), Err(UpstreamFault::Unreadable));
        assert_eq!(read(br#"{"state":"ok","results":"none"}"#), Err(UpstreamFault::Unreadable));
    }

    #[test]
    fn a_row_that_cannot_be_read_is_counted_and_left_out() {
        let id = "a".repeat(64);
        let found = search(&format!(
            r#"[{{"artistCredit":"X","clusterId":"{id}","releases":"3","recordings":1}},7,null,{{}},
            {{"artistCredit":5,"clusterId":"short"}},{{"artistCredit":null,"clusterId":"{id}"}}]"#
        ));
        assert_eq!((found.rows.len(), found.listed), (2, 6));
        assert_eq!(found.rows[0].releases, Err(GapReason::MalformedUpstream));
        assert_eq!(found.rows[0].recordings, Ok(1));
        assert_eq!(found.rows[1].artist, Err(GapReason::HonestGap));
        assert_eq!(found.rows[1].releases, Err(GapReason::NotCovered));
    }

    #[test]
    fn words_outside_the_lists_are_gaps() {
        let found =
            read(br#"{"state":"ok","mode":"phonetic","truncated":"no","results":[]}"#).unwrap().unwrap();
        assert_eq!(found.title_match, Err(GapReason::MalformedUpstream));
        assert_eq!(found.corpus, Err(GapReason::NotCovered));
        assert_eq!(found.truncated, Err(GapReason::MalformedUpstream));
    }
}
