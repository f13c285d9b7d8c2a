//! Reads the rows of a catalogue search for the same-name probe.

use serde::Deserialize;

use super::fault::UpstreamFault;
use super::reading::{self, Raw, text};
use crate::identity::{ClusterId, ProbeRow};
use crate::model::gap::GapReason;

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

/// Uniqueness is concluded from what is not among the rows, so one row that cannot be read, or a list
/// that is missing, spoils the probe: leaving it out would make a name more unique than it is.
pub(super) fn read(body: &[u8]) -> Result<Vec<ProbeRow>, UpstreamFault> {
    let wire: Wire<'_> = reading::body(body)?;
    let rows = reading::objects::<Row<'_>>(wire.results).map_err(|_| UpstreamFault::Unreadable)?;
    rows.into_iter()
        .map(|row| row.ok().and_then(|row| probe_row(&row)).ok_or(UpstreamFault::Unreadable))
        .collect()
}

fn probe_row(row: &Row<'_>) -> Option<ProbeRow> {
    let cluster_id = match reading::value::<String>(row.artist_cluster_id) {
        Ok(id) => Some(ClusterId::parse(&id).ok()?),
        Err(GapReason::MalformedUpstream) => return None,
        Err(_) => None,
    };
    Some(ProbeRow { artist: text(row.artist)?, cluster_id })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_row_that_cannot_be_read_spoils_the_probe() {
        let id = "a".repeat(64);
        let good = format!(
            r#"{{"artist":"X","artist_cluster_id":"{id}"}},{{"artist":"X","artist_cluster_id":null}}"#
        );
        let rows = read(format!(r#"{{"results":[{good},{{"artist":"Y"}}]}}"#).as_bytes()).unwrap();
        assert_eq!(rows.iter().filter(|row| row.cluster_id.is_some()).count(), 1);
        assert_eq!(rows.len(), 3);
        for bad in [r#"{"artist":5}"#, "{}", "7", r#"{"artist":"X","artist_cluster_id":"short"}"#] {
            assert!(read(format!(r#"{{"results":[{good},{bad}]}}"#).as_bytes()).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_answer_without_rows_is_not_taken_for_an_empty_one() {
        assert!(read(b"{}").is_err());
        assert!(read(br#"{"results":"none"}"#).is_err());
        assert_eq!(read(br#"{"results":[]}"#).map(|rows| rows.len()), Ok(0));
    }
}
