//! Artists beside one artist, in one list: `/api/v2/artist/{key}/similar`, which version 2.47.0 of the service does not
//! have. The form is the demo's own.
//!
//! Decides which rows of the dossier and of the surfaces are about one artist. What is counted is invented, as there.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::answer::{Answered, json_answer};
use super::artists::{Artists, cluster_form};
use super::dossier::cluster_of;
use super::params::Params;
use super::surfaces::Surfaces;

/// Rows of a page that says nothing of their number, and the most there can be.
const ROWS_DEFAULT: u32 = 50;
const ROWS_MOST: u32 = 100;

/// Where the rows of an axis stand in a dossier: the axis, the list, and the names of cluster, Discogs id, MBID, name and
/// count in its rows, with the word for what is counted.
const FACETS: [Axis; 2] = [
    Axis {
        word: "co_booking",
        at: "/connections/signals/related",
        ids: ["clusterId", "discogsArtistId", "mbid", "name"],
        count: ("coEventCount", "events"),
    },
    Axis {
        word: "dj_champions",
        at: "/dj_champion/signals/topChampions",
        ids: ["djClusterId", "", "", ""],
        count: ("playCount", "plays"),
    },
];

/// The same for the surfaces, which are lists themselves.
const SURFACES: [Axis; 2] = [
    Axis {
        word: "festivals",
        at: "seen.artist_festival_co_appearance",
        ids: [
            "co_cluster_id_hex",
            "co_resolved_discogs_artist_id",
            "co_resolved_mbid",
            "co_artist_name_display",
        ],
        count: ("co_edition_count", "editions"),
    },
    Axis {
        word: "radio",
        at: "seen.radio_co_play",
        ids: ["co_cluster_id_hex", "", "", ""],
        count: ("co_play_count", "plays"),
    },
];

struct Axis {
    word: &'static str,
    at: &'static str,
    ids: [&'static str; 4],
    count: (&'static str, &'static str),
}

#[derive(Debug, Serialize)]
struct Row {
    cluster_id: Value,
    discogs_id: Value,
    mbid: Value,
    name: Value,
    axes: Map<String, Value>,
}

pub(super) fn answer(artists: &Artists, surfaces: &Surfaces, key: &str, params: &Params<'_>) -> Answered {
    let limit = params.clamped("limit", 1..=ROWS_MOST)?.unwrap_or(ROWS_DEFAULT);
    let cluster = cluster_of(artists, key)?;
    let mut rows: Vec<Row> = Vec::new();
    let artist = match cluster_form(key) {
        Some(cluster) => artists.by_cluster(&cluster),
        None => artists.by_slug(key),
    };
    let dossier = artist.map(|artist| Value::Object(artists.dossier(artist))).unwrap_or_default();
    for axis in &FACETS {
        let found = dossier.pointer(axis.at).and_then(Value::as_array);
        found.into_iter().flatten().for_each(|row| add(&mut rows, axis, row));
    }
    for axis in &SURFACES {
        let found = surfaces.rows_of(axis.at, cluster.unwrap_or_default()).iter();
        found
            .filter_map(|row| serde_json::from_str(row.get()).ok())
            .for_each(|row| add(&mut rows, axis, &row));
    }
    rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    let state = if rows.is_empty() { "honest_gap" } else { "present" };
    Ok(json_answer(&json!({ "state": state, "cluster_id": cluster, "similar": rows })))
}

/// Puts a row beside those of the same artist: of the same cluster, and of no other Discogs artist.
fn add(rows: &mut Vec<Row>, axis: &Axis, row: &Value) {
    let [cluster_id, discogs_id, mbid, name] =
        axis.ids.map(|field| row.get(field).cloned().unwrap_or_default());
    let (field, word) = axis.count;
    let counted = json!({ word: row.get(field) });
    let same = rows.iter_mut().find(|known| {
        known.cluster_id == cluster_id
            && (known.discogs_id.is_null() || discogs_id.is_null() || known.discogs_id == discogs_id)
            && !known.axes.contains_key(axis.word)
    });
    match same {
        Some(known) => {
            known.axes.insert(axis.word.to_owned(), counted);
            for (known, more) in
                [(&mut known.discogs_id, discogs_id), (&mut known.mbid, mbid), (&mut known.name, name)]
            {
                if known.is_null() {
                    *known = more;
                }
            }
        }
        None => {
            let axes = Map::from_iter([(axis.word.to_owned(), counted)]);
            rows.push(Row { cluster_id, discogs_id, mbid, name, axes });
        }
    }
}
