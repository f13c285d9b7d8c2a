//! Whether each value of an answer was said by the service at its declared place.
//!
//! The tables of the tools say where a value comes from and what happens to it; here is only how that is looked up
//! in what the service said. A row of a list need not have the place in the answer that it had at the service, since
//! what cannot be read is left out; so any row of the service's list will do, or, where rows of several lists are
//! brought together, any that is about the same artist.

use std::ptr;

use ono_sendai::tools::provenance::{Given, INCLUDED, Provenance, Reading, TABLES, Table};
use ono_sendai::tools::search_catalog::{COMPACT_PROVENANCE, FULL_PROVENANCE};
use serde_json::{Value, json};

use super::reading::{found, reads_as, values};
use crate::recorder::Exchange;

/// An answer, or an included part of one, with the tables that explain it and what the service said for it.
struct Told<'a> {
    data: &'a Value,
    tables: Vec<&'static Table>,
    said: &'a [Exchange],
}

/// The values under `data` that no table explains.
pub fn strangers(tool: &str, data: &Value, said: &[Exchange]) -> Vec<String> {
    let mut leaves = Vec::new();
    scalars(data, String::new(), &mut leaves);
    // What is not there needs no place.
    leaves.retain(|(_, value)| !value.is_null());
    let tables = TABLES.iter().copied().filter(|table| table.tool.as_str() == tool && describes(table, data));
    let whole = Told { data, tables: tables.collect(), said };
    let included: Vec<(&str, Told<'_>)> = INCLUDED
        .iter()
        .filter(|_| tool == "get_artist")
        .filter_map(|(at, table)| Some((*at, Told { data: data.pointer(at)?, tables: vec![*table], said })))
        .collect();
    let is_explained = |place: &str, value: &Value| {
        whole.explains(place, value)
            || included
                .iter()
                .any(|(at, part)| place.strip_prefix(at).is_some_and(|within| part.explains(within, value)))
    };
    let unexplained = leaves.into_iter().filter(|(place, value)| !is_explained(place, value));
    unexplained.map(|(place, value)| format!("{place} = {value} was not said")).collect()
}

/// Of the two forms of a search, only the one with the artists apart has them.
fn describes(table: &Table, data: &Value) -> bool {
    let is_compact = data["artists"].is_object();
    match table {
        table if ptr::eq(table, &COMPACT_PROVENANCE) => is_compact,
        table if ptr::eq(table, &FULL_PROVENANCE) => !is_compact,
        _ => true,
    }
}

impl Told<'_> {
    fn explains(&self, place: &str, value: &Value) -> bool {
        let was_asked = |table: &Table| self.said_to(table).next().is_some();
        // The tables of what was not asked say nothing, unless nothing was.
        let nothing_was_asked = !self.tables.iter().any(|table| was_asked(table));
        self.tables.iter().any(|table| {
            (nothing_was_asked || was_asked(table))
                && (is_gap(table, place) || self.explains_by(table, place, value))
        })
    }

    fn said_to(&self, table: &Table) -> impl Iterator<Item = &Exchange> {
        let endpoint = table.endpoint.replace("{key}", "*");
        self.said.iter().filter(move |exchange| fits(&endpoint, &exchange.path()))
    }

    /// A row that names a place of the service goes before one that says that the server makes it.
    fn explains_by(&self, table: &Table, place: &str, value: &Value) -> bool {
        let rows: Vec<&Provenance> = table.rows.iter().filter(|row| fits(row.data, place)).collect();
        let mut given = rows.iter().filter_map(|row| match row.from {
            Given::Upstream(from, reading) => Some((row.data, from, reading)),
            Given::Made(_) => None,
        });
        let is_made = rows
            .iter()
            .any(|row| matches!(row.from, Given::Made(_)) && !is_overruled(table, row.data, place));
        match given.clone().next() {
            None => is_made,
            Some(_) => given.any(|(pattern, from, reading)| match reading {
                Reading::Joined | Reading::JoinedName | Reading::Keyed | Reading::NameOfKeyed => {
                    self.is_joined(table, (pattern, from, reading), place, value)
                }
                // Whatever else is said of that, and nothing as well, is the lower one.
                Reading::Lowered if value == "cluster" => self.said_to(table).next().is_some(),
                _ => self
                    .said_to(table)
                    .flat_map(|exchange| found(&exchange.body, from))
                    .any(|said| reads_as(said, reading, value)),
            }),
        }
    }

    /// Whether a row of the service that is about the same artist as the shown one says so.
    fn is_joined(
        &self,
        table: &Table,
        (pattern, from, reading): (&str, &str, Reading),
        place: &str,
        value: &Value,
    ) -> bool {
        let list = row_of(pattern, pattern);
        let Some(shown) = self.data.pointer(row_of(pattern, place)) else { return false };
        let rows_said = self.rows_of(table, from);
        let says_so = |row: &Value| {
            below(from, from)
                .is_some_and(|at| values(row, at).iter().any(|said| reads_as(said, reading, value)))
        };
        let mut known: Vec<Id> =
            Id::NAMES.iter().filter_map(|name| Some(Id(name, plain(shown.get(name)?)?))).collect();
        if known.is_empty() {
            // Somebody without an id is known by name, and is never brought together with others.
            let rows = table.rows.iter().filter(|row| row.data == format!("{list}/name"));
            let name = &shown["name"];
            let named = |row: &Value| {
                rows.clone().any(|by| match by.from {
                    Given::Upstream(at, reading) => below(from, at)
                        .is_some_and(|at| values(row, at).iter().any(|said| reads_as(said, reading, name))),
                    Given::Made(_) => false,
                })
            };
            return rows_said.into_iter().any(|row| named(row) && says_so(row));
        }
        // Rows are brought together by any id, so that one leads to the next.
        let everyone: Vec<Vec<Id>> = self.everyone(list);
        loop {
            let linked = everyone.iter().filter(|ids| ids.iter().any(|id| known.contains(id)));
            let more: Vec<Id> = linked.flatten().filter(|id| !known.contains(id)).cloned().collect();
            if more.is_empty() {
                break;
            }
            known.extend(more);
        }
        let is_known = |row: &Value| ids(table, list, from, row).iter().any(|id| known.contains(id));
        rows_said.into_iter().any(|row| is_known(row) && says_so(row))
    }

    /// The rows of the service's list that `from` is of.
    fn rows_of(&self, table: &Table, from: &str) -> Vec<&Value> {
        self.said_to(table).flat_map(|exchange| values(&exchange.body, row_of(from, from))).collect()
    }

    /// The ids of every row that the rows of `list` are made of.
    fn everyone(&self, list: &str) -> Vec<Vec<Id>> {
        let mut everyone = Vec::new();
        for table in &self.tables {
            let mut lists: Vec<&str> = Vec::new();
            for row in table.rows.iter().filter(|row| row_of(row.data, row.data) == list) {
                if let Given::Upstream(from, _) = row.from
                    && !lists.contains(&row_of(from, from))
                {
                    lists.push(row_of(from, from));
                    everyone
                        .extend(self.rows_of(table, from).into_iter().map(|row| ids(table, list, from, row)));
                }
            }
        }
        everyone
    }
}

/// One id of an artist: which, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Id(&'static str, String);

impl Id {
    const NAMES: [&'static str; 3] = ["cluster_id", "discogs_id", "mbid"];
}

/// The ids that a row of the service has, by the table's word for where they stand.
fn ids(table: &Table, list: &str, from: &str, row: &Value) -> Vec<Id> {
    let of = |name: &'static str| {
        let declared = table.rows.iter().filter(move |known| known.data == format!("{list}/{name}"));
        let places = declared.filter_map(|known| match known.from {
            Given::Upstream(at, _) => below(from, at),
            Given::Made(_) => None,
        });
        let said = places.flat_map(|at| values(row, at)).filter_map(plain);
        said.map(|text| Id(name, text)).collect::<Vec<_>>()
    };
    Id::NAMES.into_iter().flat_map(of).collect()
}

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.to_lowercase()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// As much of `path` as the part of `pattern` up to its first `*`.
fn row_of<'p>(pattern: &str, path: &'p str) -> &'p str {
    let steps = pattern.split('/').position(|step| step == "*").unwrap_or(usize::MAX);
    path.match_indices('/').nth(steps).map_or(path, |(end, _)| &path[..end])
}

/// What `place` is within a row of the list that `from` is of.
fn below<'p>(from: &str, place: &'p str) -> Option<&'p str> {
    place.strip_prefix(row_of(from, from)).filter(|rest| rest.starts_with('/'))
}

/// Whether the tool takes the value at `place` from the service by a row that says more closely where it is.
fn is_overruled(table: &Table, pattern: &str, place: &str) -> bool {
    let stars = |pattern: &str| pattern.matches('*').count();
    let rows = TABLES.iter().filter(|other| other.tool == table.tool).flat_map(|other| other.rows);
    rows.filter(|row| matches!(row.from, Given::Upstream(..)) && fits(row.data, place))
        .any(|row| stars(row.data) < stars(pattern))
}

/// Whether a gap stands in the place of a value.
fn is_gap(table: &Table, place: &str) -> bool {
    let of = ["/present", "/reason"].iter().find_map(|end| place.strip_suffix(end));
    of.is_some_and(|place| table.rows.iter().any(|row| fits(row.data, place)))
}

fn fits(pattern: &str, path: &str) -> bool {
    let (pattern, path): (Vec<&str>, Vec<&str>) = (pattern.split('/').collect(), path.split('/').collect());
    pattern.len() == path.len()
        && pattern.iter().zip(&path).all(|(wanted, step)| *wanted == "*" || wanted == step)
}

fn scalars(value: &Value, place: String, found: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                scalars(value, format!("{place}/{key}"), found);
            }
        }
        Value::Array(list) => {
            for (at, value) in list.iter().enumerate() {
                scalars(value, format!("{place}/{at}"), found);
            }
        }
        scalar => found.push((place, scalar.clone())),
    }
}

#[test]
fn a_value_that_nobody_said_is_found_out() {
    let exchange = |body: Value| Exchange {
        method: "get".to_owned(),
        target: "/api/v2/artist/x?fields=a".to_owned(),
        status: 200,
        body,
    };
    let said = [exchange(json!({
        "slug": "x", "identity": {"name": "X (2)", "aliases": ["A", 5, "B"], "realname": null},
        "discography": {"signals": {"total": 7}},
        "debut": {"signals": {"firstReleaseDate": "1991-05-01"}},
    }))];
    let honest = json!({
        "name": "X", "slug": "x", "aliases": {"present": true, "names": ["A", "B"], "total": 3},
        "debut": {"present": true, "year": 1991}, "discography": {"present": true, "total": 7},
        "real_name": {"present": false, "reason": "honest_gap"}, "mbid": null,
    });
    assert_eq!(strangers("get_artist", &honest, &said), [""; 0]);
    for (wrong, place) in [
        (json!({"name": "Y"}), "/name"),
        (json!({"aliases": {"names": ["C"]}}), "/aliases/names/0"),
        (json!({"debut": {"year": 1992}}), "/debut/year"),
        (json!({"discography": {"total": 8}}), "/discography/total"),
        (json!({"real_name": {"name": "X"}}), "/real_name/name"),
        (json!({"mood": "blue"}), "/mood"),
    ] {
        let found = strangers("get_artist", &wrong, &said);
        assert!(found.len() == 1 && found[0].starts_with(place), "{wrong}: {found:?}");
    }
    assert_eq!(strangers("resolve_artist", &json!({"name": "X"}), &said).len(), 1, "said by another path");
}

#[test]
fn what_is_said_of_another_artist_or_by_another_form_is_found_out() {
    let exchange = |target: &str, body: Value| Exchange {
        method: "get".to_owned(),
        target: target.to_owned(),
        status: 200,
        body,
    };
    let id = |n: u32| format!("{n:064x}");
    let said = [
        exchange(
            "/api/v2/artist/x?fields=a",
            json!({"connections": {"signals": {"related": [
                {"clusterId": id(1), "discogsArtistId": 5, "name": "One (2)", "coEventCount": 3},
                {"clusterId": id(2), "discogsArtistId": 3, "name": "Two", "coEventCount": 4},
                {"name": "Three", "coEventCount": 6},
            ]}}, "credits": {"signals": {"writing": [{"discogsArtistId": 5, "count": 9}]}}}),
        ),
        exchange(
            "/api/v2/surface/seen.radio_co_play?cluster=x",
            json!({"rows": [{"co_cluster_id_hex": id(1), "co_play_count": 8}]}),
        ),
    ];
    let honest = json!({"similar": [
        {"cluster_id": id(1), "name": "One", "axes": {"co_booking": 3, "radio": 8, "credits": {"works": 9}}},
        {"cluster_id": id(2), "name": "Two", "axes": {"co_booking": 4}},
        {"name": "Three", "axes": {"co_booking": 6}},
    ], "shown": 3});
    assert_eq!(strangers("find_similar_artists", &honest, &said), [""; 0]);
    let mut included = honest.clone();
    included["similar"][0]["axes"].as_object_mut().expect("axes").remove("radio");
    let card = json!({"similar": included});
    assert_eq!(strangers("get_artist", &card, &said[..1]), [""; 0]);
    for (at, wrong) in [
        ("/similar/0/axes/co_booking", json!(4)),
        ("/similar/1/axes/radio", json!(8)),
        ("/similar/1/axes/festivals", json!(2)),
        ("/similar/1/axes/co_booking", json!(3)),
        ("/similar/1/name", json!("One")),
        ("/similar/2/axes/co_booking", json!(3)),
        ("/similar/2/cluster_id", json!(id(3))),
    ] {
        let mut answer = honest.clone();
        let (row, key) = at.rsplit_once('/').expect("a place");
        answer.pointer_mut(row).expect("a row")[key] = wrong;
        let found = strangers("find_similar_artists", &answer, &said);
        assert!(found.iter().any(|stranger| stranger.starts_with(at)), "{at}: {found:?}");
    }
    // How the other way of asking reads is no excuse.
    let tracks = [exchange("/api/v2/tracks?title=x", json!({"mode": "exact"}))];
    assert_eq!(strangers("find_tracks", &json!({"mode": "artist_track"}), &tracks).len(), 1);
    let search = [exchange("/api/v2/search?q=x", json!({"results": [{"artist": "A"}]}))];
    assert_eq!(strangers("search_catalog", &json!({"results": [{"artist": "B"}]}), &search).len(), 1);
}
