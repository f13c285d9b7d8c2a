//! Reads similar artists out of one list, of a service that has that extension.
//!
//! No contract of the service describes such a list, so there is no form of it that could be known. What is read here
//! is the form that `crate-sim` serves, and a real service is only asked for it where its own document names the
//! members of that form, or where the operator says so.

use serde::Deserialize;

use super::fault::UpstreamFault;
use super::ledger::CallLedger;
use super::reading::{self, Raw};
use super::{CrateClient, rows, transport};
use crate::identity::ClusterId;
use crate::model::family::Family;
use crate::model::gap::{Fact, GapReason};
use crate::model::listed::Listed;
use crate::model::neighbour::{Axis, Count, Neighbour, Neighbours};

/// How many artists are asked for.
const ROWS: u32 = 50;

#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(borrow, default)]
    state: Raw<'a>,
    #[serde(borrow, default)]
    cluster_id: Raw<'a>,
    #[serde(borrow, default)]
    similar: Raw<'a>,
}

#[derive(Deserialize)]
struct WireRow<'a> {
    #[serde(borrow, default)]
    cluster_id: Raw<'a>,
    #[serde(borrow, default)]
    name: Raw<'a>,
    #[serde(borrow, default)]
    discogs_id: Raw<'a>,
    #[serde(borrow, default)]
    mbid: Raw<'a>,
    #[serde(borrow, default)]
    axes: Raw<'a>,
}

#[derive(Deserialize)]
struct WireAxes<'a> {
    #[serde(borrow, default)]
    co_booking: Raw<'a>,
    #[serde(borrow, default)]
    festivals: Raw<'a>,
    #[serde(borrow, default)]
    radio: Raw<'a>,
    #[serde(borrow, default)]
    dj_champions: Raw<'a>,
    #[serde(borrow, default)]
    credits: Raw<'a>,
}

#[derive(Deserialize)]
struct WireCounts<'a> {
    #[serde(borrow, default)]
    events: Raw<'a>,
    #[serde(borrow, default)]
    editions: Raw<'a>,
    #[serde(borrow, default)]
    plays: Raw<'a>,
    #[serde(borrow, default)]
    works: Raw<'a>,
    #[serde(borrow, default)]
    recordings: Raw<'a>,
}

impl CrateClient {
    /// Who is found beside an artist, by axis. Only for a service that has the extension.
    ///
    /// # Errors
    /// When the service could not answer.
    pub async fn similar(
        &self,
        cluster_id: &ClusterId,
        ledger: &CallLedger,
    ) -> Result<Fact<Vec<(Axis, Neighbours)>>, UpstreamFault> {
        let path = format!("/api/v2/artist/{cluster_id}/similar");
        let query = [("limit", ROWS.to_string())];
        let request = transport::Request { family: Family::Similar, path: &path, query: &query };
        let found = self.fetch(request, ledger, |body| read(body, cluster_id)).await?;
        Ok(found.unwrap_or(Err(GapReason::NotFoundUpstream)))
    }
}

fn read(body: &[u8], asked: &ClusterId) -> Result<Fact<Vec<(Axis, Neighbours)>>, UpstreamFault> {
    let wire: Wire<'_> = reading::body(body)?;
    if let Err(reason) = rows::state(wire.state)? {
        return Ok(Err(reason));
    }
    if rows::cluster_id(wire.cluster_id).as_ref() != Ok(asked) {
        // Somebody else's neighbours are no answer.
        return Ok(Err(GapReason::MalformedUpstream));
    }
    Ok(rows::listed(wire.similar, row).map(|found| by_axis(&found)))
}

/// One artist with what is counted on each axis; a row that names nobody, or no axis, is none.
fn row(wire: &WireRow<'_>) -> Fact<Vec<(Axis, Neighbour)>> {
    let axes: WireAxes<'_> = reading::object(wire.axes).map_err(|_| GapReason::MalformedUpstream)?;
    let (cluster_id, name) = (rows::cluster_id(wire.cluster_id), rows::artist_name(wire.name));
    let (discogs_id, mbid) = (rows::discogs_id(wire.discogs_id), rows::mbid(wire.mbid));
    if cluster_id.is_err() && name.is_err() && discogs_id.is_err() && mbid.is_err() {
        return Err(GapReason::MalformedUpstream);
    }
    let found: Vec<(Axis, Neighbour)> = Axis::ALL
        .into_iter()
        .filter_map(|axis| {
            let counts = counts(axis, &axes)?;
            let (cluster_id, name) = (cluster_id.clone(), name.clone());
            Some((axis, Neighbour { cluster_id, name, discogs_id, mbid, counts }))
        })
        .collect();
    if found.is_empty() { Err(GapReason::MalformedUpstream) } else { Ok(found) }
}

/// What is counted on an axis; `None` when the row is not on it.
fn counts(axis: Axis, axes: &WireAxes<'_>) -> Option<Vec<Count>> {
    let raw = match axis {
        Axis::CoBooking => axes.co_booking,
        Axis::Festivals => axes.festivals,
        Axis::Radio => axes.radio,
        Axis::DjChampions => axes.dj_champions,
        Axis::Credits => axes.credits,
    };
    let wire: Fact<WireCounts<'_>> = reading::object(raw);
    let of = |word, pick: fn(&WireCounts<'_>) -> Fact<u64>| {
        (word, wire.as_ref().map_err(|reason| *reason).and_then(pick))
    };
    match &wire {
        Err(GapReason::NotCovered | GapReason::HonestGap) => None,
        _ => Some(match axis {
            Axis::CoBooking => vec![of("events", |wire| reading::value(wire.events))],
            Axis::Festivals => vec![of("editions", |wire| reading::value(wire.editions))],
            Axis::Radio | Axis::DjChampions => vec![of("plays", |wire| reading::value(wire.plays))],
            Axis::Credits => [
                of("works", |wire| reading::value(wire.works)),
                of("recordings", |wire| reading::value(wire.recordings)),
            ]
            .into_iter()
            .filter(|(_, count)| *count != Err(GapReason::NotCovered))
            .collect(),
        }),
    }
}

/// The rows of each axis. Rows that could not be read belong to none; they are counted with the first one that has
/// rows. The list says nothing of an axis that is in no row: it is not covered, unless a row that could not be read may
/// have been on it.
fn by_axis(found: &Listed<Vec<(Axis, Neighbour)>>) -> Vec<(Axis, Neighbours)> {
    let mut unreadable = found.unreadable;
    let none = if unreadable > 0 { GapReason::MalformedUpstream } else { GapReason::NotCovered };
    let on = |wanted: Axis| {
        let all = found.rows.iter().flatten();
        all.filter(move |(axis, _)| *axis == wanted).map(|(_, row)| row.clone()).collect::<Vec<_>>()
    };
    Axis::ALL
        .into_iter()
        .map(|axis| match on(axis) {
            rows if rows.is_empty() => (axis, Err(none)),
            rows => (axis, Ok(Listed { rows, unreadable: std::mem::take(&mut unreadable) })),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> ClusterId {
        ClusterId::parse(&"ab".repeat(32)).unwrap()
    }

    fn similar(rows: &str) -> Fact<Vec<(Axis, Neighbours)>> {
        let cluster_id = asked();
        let body = format!(r#"{{"state":"present","cluster_id":"{cluster_id}","similar":{rows}}}"#);
        read(body.as_bytes(), &cluster_id).unwrap()
    }

    #[test]
    fn each_axis_has_the_rows_that_name_it_with_their_own_counts() {
        let found = similar(
            r#"[{"name":"A","discogs_id":5,"axes":{"co_booking":{"events":4},"radio":{"plays":"many"}}},
                {"name":"B","axes":{"co_booking":{"events":2},"credits":{"works":3}}},
                {"name":"C","axes":{}},{"axes":{"radio":{"plays":1}}},7]"#,
        )
        .unwrap();
        let counts: Vec<(Axis, Vec<Vec<Count>>)> = found
            .iter()
            .filter_map(|(axis, rows)| {
                Some((*axis, rows.as_ref().ok()?.rows.iter().map(|row| row.counts.clone()).collect()))
            })
            .collect();
        assert_eq!(
            counts,
            [
                (Axis::CoBooking, vec![vec![("events", Ok(4))], vec![("events", Ok(2))]]),
                (Axis::Radio, vec![vec![("plays", Err(GapReason::MalformedUpstream))]]),
                (Axis::Credits, vec![vec![("works", Ok(3))]]),
            ]
        );
        let unreadable: usize =
            found.iter().filter_map(|(_, rows)| Some(rows.as_ref().ok()?.unreadable)).sum();
        assert_eq!(unreadable, 3);
        assert_eq!(
            found[1],
            (Axis::Festivals, Err(GapReason::MalformedUpstream)),
            "a row that is lost may have it"
        );
        let whole = similar(r#"[{"name":"A","axes":{"co_booking":{"events":4},"radio":null}}]"#).unwrap();
        for axis in [Axis::Festivals, Axis::Radio, Axis::DjChampions, Axis::Credits] {
            assert!(
                whole.contains(&(axis, Err(GapReason::NotCovered))),
                "nobody said anything of it: {whole:?}"
            );
        }
    }

    #[test]
    fn a_list_of_another_form_or_of_somebody_else_is_no_fact() {
        for rows in ["[]", "{}", "null", "[7]", r#"[{"name":"A","score":0.9}]"#] {
            assert!(similar(rows).is_err(), "{rows}");
        }
        let other = format!(r#"{{"state":"present","cluster_id":"{}","similar":[]}}"#, "cd".repeat(32));
        assert_eq!(read(other.as_bytes(), &asked()), Ok(Err(GapReason::MalformedUpstream)));
        assert_eq!(read(br#"{"state":"honest_gap"}"#, &asked()), Ok(Err(GapReason::HonestGap)));
        assert_eq!(read(br#"{"artists":[]}"#, &asked()), Ok(Err(GapReason::MalformedUpstream)));
        assert_eq!(read(br#"{"state":"degraded"}"#, &asked()), Err(UpstreamFault::Degraded));
    }
}
