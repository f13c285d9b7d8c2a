//! Reads the rows of a catalogue search for the same-name probe.

use serde::Deserialize;

use super::fault::UpstreamFault;
use super::reading::{self, Raw};
use super::resolution::text;
use crate::identity::{ClusterId, ProbeRow};

#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(borrow, default)]
    results: Raw<'a>,
}

#[derive(Deserialize)]
struct Row<'a> {
    #[serde(borrow, default)]
    artist: Raw<'a>,
    #[serde(borrow, default)]
    artist_cluster_id: Raw<'a>,
}

/// A row without a readable artist says nothing about names and is left out; a list that is missing
/// means that the probe did not run.
pub(super) fn read(body: &[u8]) -> Result<Vec<ProbeRow>, UpstreamFault> {
    let wire: Wire<'_> = reading::body(body)?;
    let rows = reading::objects::<Row<'_>>(wire.results).map_err(|_| UpstreamFault::Unreadable)?;
    Ok(rows
        .into_iter()
        .flatten()
        .filter_map(|row| {
            Some(ProbeRow {
                artist: text(row.artist)?,
                cluster_id: text(row.artist_cluster_id).and_then(|id| ClusterId::parse(&id).ok()),
            })
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_one_by_one() {
        let id = "a".repeat(64);
        let body = format!(
            r#"{{"results":[{{"artist":"X","artist_cluster_id":"{id}"}},{{"artist":"X","artist_cluster_id":null}},{{"artist":5}},7]}}"#
        );
        let rows = read(body.as_bytes()).unwrap();
        assert_eq!(rows.len(), 2);
        assert!(rows.first().is_some_and(|row| row.cluster_id.is_some()));
    }

    #[test]
    fn an_answer_without_rows_is_not_taken_for_an_empty_one() {
        assert!(read(b"{}").is_err());
        assert!(read(br#"{"results":"none"}"#).is_err());
        assert_eq!(read(br#"{"results":[]}"#).map(|rows| rows.len()), Ok(0));
    }
}
