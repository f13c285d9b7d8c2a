//! Reads who is found beside an artist: three facets of the dossier, and two surfaces keyed by cluster.

use serde::Deserialize;

use super::fault::UpstreamFault;
use super::ledger::CallLedger;
use super::reading::{self, Raw};
use super::{CrateClient, dossier, rows, transport};
use crate::identity::{ArtistKey, ClusterId};
use crate::model::date::Day;
use crate::model::family::Family;
use crate::model::gap::{Fact, GapReason};
use crate::model::neighbour::{Count, Neighbour, Neighbours, Surroundings};

/// What of a dossier is needed; the discography says whether the record merges artists.
const FIELDS: &str = "identity,discography,connections,dj_champion,credits";
/// The surface of those who played the same festivals.
const FESTIVALS: &str = "seen.artist_festival_co_appearance";
/// The surface of those whom the same radio stations played.
const RADIO: &str = "seen.radio_co_play";
/// How many rows of a surface are asked for; the strongest come first.
const SURFACE_ROWS: u32 = 50;

#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(borrow, default)]
    connections: Raw<'a>,
    #[serde(borrow, default)]
    dj_champion: Raw<'a>,
    #[serde(borrow, default)]
    credits: Raw<'a>,
}

#[derive(Deserialize)]
struct WireConnections<'a> {
    #[serde(borrow, default)]
    related: Raw<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireRelated<'a> {
    #[serde(borrow, default)]
    cluster_id: Raw<'a>,
    #[serde(borrow, default)]
    discogs_artist_id: Raw<'a>,
    #[serde(borrow, default)]
    mbid: Raw<'a>,
    #[serde(borrow, default)]
    name: Raw<'a>,
    #[serde(borrow, default)]
    co_event_count: Raw<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireChampions<'a> {
    #[serde(borrow, default)]
    top_champions: Raw<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireChampion<'a> {
    #[serde(borrow, default)]
    dj_cluster_id: Raw<'a>,
    #[serde(borrow, default)]
    play_count: Raw<'a>,
}

#[derive(Deserialize)]
struct WireCredits<'a> {
    #[serde(borrow, default)]
    writing: Raw<'a>,
    #[serde(borrow, default)]
    production: Raw<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireCredit<'a> {
    #[serde(borrow, default)]
    cluster_id: Raw<'a>,
    #[serde(borrow, default)]
    discogs_artist_id: Raw<'a>,
    #[serde(borrow, default)]
    mbid: Raw<'a>,
    #[serde(borrow, default)]
    name: Raw<'a>,
    #[serde(borrow, default)]
    count: Raw<'a>,
}

#[derive(Deserialize)]
struct WireSurface<'a> {
    #[serde(borrow, default)]
    surface: Raw<'a>,
    #[serde(borrow, default)]
    present: Raw<'a>,
    #[serde(borrow, default)]
    state: Raw<'a>,
    #[serde(borrow, default)]
    rows: Raw<'a>,
}

#[derive(Deserialize)]
struct WireFestival<'a> {
    #[serde(borrow, default)]
    cluster_id_hex: Raw<'a>,
    #[serde(borrow, default)]
    co_cluster_id_hex: Raw<'a>,
    #[serde(borrow, default)]
    co_artist_name_display: Raw<'a>,
    #[serde(borrow, default)]
    co_resolved_discogs_artist_id: Raw<'a>,
    #[serde(borrow, default)]
    co_resolved_mbid: Raw<'a>,
    #[serde(borrow, default)]
    co_edition_count: Raw<'a>,
}

#[derive(Deserialize)]
struct WireRadio<'a> {
    #[serde(borrow, default)]
    cluster_id_hex: Raw<'a>,
    #[serde(borrow, default)]
    co_cluster_id_hex: Raw<'a>,
    #[serde(borrow, default)]
    co_play_count: Raw<'a>,
}

impl CrateClient {
    /// What the dossier under `key` says of others; `None` when the service holds none.
    ///
    /// # Errors
    /// When the service could not answer.
    pub async fn surroundings(
        &self,
        key: &ArtistKey,
        ledger: &CallLedger,
    ) -> Result<Option<Surroundings>, UpstreamFault> {
        let query = [("fields", FIELDS.to_owned())];
        let path = format!("/api/v2/artist/{}", key.as_str());
        let request = transport::Request { family: Family::Similar, path: &path, query: &query };
        let today = self.today();
        self.fetch(request, ledger, |body| surroundings(body, today)).await.map(Option::flatten)
    }

    /// Who played the same festivals.
    ///
    /// # Errors
    /// When the service could not answer.
    pub async fn festival_neighbours(
        &self,
        cluster_id: &ClusterId,
        ledger: &CallLedger,
    ) -> Result<Neighbours, UpstreamFault> {
        let read = |body: &[u8]| surface(body, FESTIVALS, |row| festival(row, cluster_id));
        self.surface(FESTIVALS, cluster_id, ledger, read).await
    }

    /// Who was played by the same radio stations. These rows carry no names.
    ///
    /// # Errors
    /// When the service could not answer.
    pub async fn radio_neighbours(
        &self,
        cluster_id: &ClusterId,
        ledger: &CallLedger,
    ) -> Result<Neighbours, UpstreamFault> {
        let read = |body: &[u8]| surface(body, RADIO, |row| radio(row, cluster_id));
        self.surface(RADIO, cluster_id, ledger, read).await
    }

    async fn surface(
        &self,
        name: &str,
        cluster_id: &ClusterId,
        ledger: &CallLedger,
        read: impl FnOnce(&[u8]) -> Result<Neighbours, UpstreamFault>,
    ) -> Result<Neighbours, UpstreamFault> {
        let query = [("cluster", cluster_id.to_string()), ("limit", SURFACE_ROWS.to_string())];
        let path = format!("/api/v2/surface/{name}");
        let request = transport::Request { family: Family::Similar, path: &path, query: &query };
        // A surface says of a cluster without rows that it has a gap: the cluster has a record, which was just read.
        Ok(self.fetch(request, ledger, read).await?.unwrap_or(Err(GapReason::HonestGap)))
    }
}

fn surroundings(body: &[u8], today: Day) -> Result<Option<Surroundings>, UpstreamFault> {
    let Some(dossier) = dossier::read(body, today)? else { return Ok(None) };
    let wire: Wire<'_> = reading::body(body)?;
    let connections: Fact<WireConnections<'_>> = reading::facet(wire.connections);
    let champions: Fact<WireChampions<'_>> = reading::facet(wire.dj_champion);
    let credits: Fact<WireCredits<'_>> = reading::facet(wire.credits);
    Ok(Some(Surroundings {
        identity: dossier.identity,
        merged: dossier.merged,
        co_booking: connections.and_then(|found| rows::listed(found.related, related)),
        dj_champions: champions.and_then(|found| rows::listed(found.top_champions, champion)),
        credits: credits.and_then(|found| credited(&found)),
    }))
}

fn related(row: &WireRelated<'_>) -> Fact<Neighbour> {
    known(Neighbour {
        cluster_id: rows::cluster_id(row.cluster_id),
        name: rows::artist_name(row.name),
        discogs_id: rows::discogs_id(row.discogs_artist_id),
        mbid: rows::mbid(row.mbid),
        counts: vec![count("events", row.co_event_count)],
    })
}

fn champion(row: &WireChampion<'_>) -> Fact<Neighbour> {
    known(by_cluster_only(row.dj_cluster_id, count("plays", row.play_count)))
}

/// Writing and production are lists of their own, strongest first in each.
fn credited(wire: &WireCredits<'_>) -> Neighbours {
    let of = |raw, word| rows::listed(raw, |row: &WireCredit<'_>| credit(row, word));
    match (of(wire.writing, "works"), of(wire.production, "recordings")) {
        (Ok(mut writing), Ok(production)) => {
            writing.rows.extend(production.rows);
            writing.unreadable += production.unreadable;
            Ok(writing)
        }
        (Ok(one), Err(GapReason::HonestGap)) | (Err(GapReason::HonestGap), Ok(one)) => Ok(one),
        // Half of the axis would pass for the whole of it.
        (Err(GapReason::HonestGap), Err(reason)) | (Err(reason), _) | (Ok(_), Err(reason)) => Err(reason),
    }
}

fn credit(row: &WireCredit<'_>, word: &'static str) -> Fact<Neighbour> {
    known(Neighbour {
        cluster_id: rows::cluster_id(row.cluster_id),
        name: rows::artist_name(row.name),
        discogs_id: rows::discogs_id(row.discogs_artist_id),
        mbid: rows::mbid(row.mbid),
        counts: vec![count(word, row.count)],
    })
}

fn surface<'a, W: Deserialize<'a>>(
    body: &'a [u8],
    name: &str,
    read: impl Fn(&W) -> Fact<Neighbour>,
) -> Result<Neighbours, UpstreamFault> {
    let wire: WireSurface<'a> = reading::body(body)?;
    let state = rows::state(wire.state)?;
    // The rows of another surface count something else, and rows that are said not to be there are none.
    let is_its = !matches!(reading::value::<String>(wire.surface),
        Ok(found) if found != name)
        && reading::value::<String>(wire.surface).err() != Some(GapReason::MalformedUpstream);
    let is_there = matches!(reading::value(wire.present), Ok(true) | Err(GapReason::NotCovered));
    Ok(state.and_then(|()| match is_its && is_there {
        true => rows::listed(wire.rows, read),
        false => Err(GapReason::MalformedUpstream),
    }))
}

/// A row about another cluster than the one that was asked for is no row of it.
fn festival(row: &WireFestival<'_>, asked: &ClusterId) -> Fact<Neighbour> {
    if rows::cluster_id(row.cluster_id_hex).as_ref() != Ok(asked) {
        return Err(GapReason::MalformedUpstream);
    }
    known(Neighbour {
        cluster_id: rows::cluster_id(row.co_cluster_id_hex),
        name: rows::artist_name(row.co_artist_name_display),
        discogs_id: rows::discogs_id(row.co_resolved_discogs_artist_id),
        mbid: rows::mbid(row.co_resolved_mbid),
        counts: vec![count("editions", row.co_edition_count)],
    })
}

/// The service may leave out whom a row is about; what it says must be the one that was asked for.
fn radio(row: &WireRadio<'_>, asked: &ClusterId) -> Fact<Neighbour> {
    match rows::cluster_id(row.cluster_id_hex) {
        Ok(found) if found == *asked => {}
        Err(GapReason::NotCovered) => {}
        Ok(_) | Err(_) => return Err(GapReason::MalformedUpstream),
    }
    known(by_cluster_only(row.co_cluster_id_hex, count("plays", row.co_play_count)))
}

fn by_cluster_only(cluster_id: Raw<'_>, count: Count) -> Neighbour {
    Neighbour {
        cluster_id: rows::cluster_id(cluster_id),
        name: Err(GapReason::NotCovered),
        discogs_id: Err(GapReason::NotCovered),
        mbid: Err(GapReason::NotCovered),
        counts: vec![count],
    }
}

/// A row that names nobody is no row.
fn known(row: Neighbour) -> Fact<Neighbour> {
    let names_somebody =
        row.cluster_id.is_ok() || row.name.is_ok() || row.discogs_id.is_ok() || row.mbid.is_ok();
    if names_somebody { Ok(row) } else { Err(GapReason::MalformedUpstream) }
}

fn count(word: &'static str, raw: Raw<'_>) -> Count {
    (word, rows::count(raw))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_another_surface_or_of_another_artist_are_no_neighbours() {
        let asked = ClusterId::parse(&"a".repeat(64)).unwrap();
        let other = "b".repeat(64);
        let read = |frame: &str, row: &str| {
            let body = format!(
                r#"{{{frame}"state":"present","rows":[{{{row}"co_cluster_id_hex":"{other}","co_play_count":3}}]}}"#
            );
            surface(body.as_bytes(), RADIO, |row| radio(row, &asked)).unwrap().map(|found| found.rows.len())
        };
        assert_eq!(read("", ""), Ok(1));
        assert_eq!(read(r#""surface":"seen.radio_co_play","present":true,"#, ""), Ok(1));
        for frame in [
            r#""surface":"seen.song_station_journey","#,
            r#""surface":5,"#,
            r#""present":false,"#,
            r#""present":"yes","#,
        ] {
            assert_eq!(read(frame, ""), Err(GapReason::MalformedUpstream), "{frame}");
        }
        let of = |id: &str| format!(r#""cluster_id_hex":"{id}","#);
        assert_eq!(read("", &of(&"a".repeat(64))), Ok(1));
        assert_eq!(read("", &of(&other)), Err(GapReason::MalformedUpstream));
    }
}
