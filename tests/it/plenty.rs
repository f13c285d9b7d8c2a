//! A service whose every collection is full: what an answer costs, and what becomes of it, at its largest.
//!
//! `plenty/longest.jsonl` holds the hundred longest titles with their artists among a thousand masters of the
//! Discogs data dump of 2020-08-06 (CC0).

mod listed;
mod shapes;
mod shaping;
mod sizes;

use std::sync::Arc;

use ono_sendai::crate_client::Extension;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::answers::samples;
use crate::harness::{Direct, Scripted};
use crate::upstream::peer::{self, Peer};

/// The key of the artist and of the label that everything is said about.
pub const KEY: &str = "x";

/// The artist's number among the ids.
const SUBJECT: usize = 999;

/// An id with digits as they really come.
pub fn id(n: usize) -> String {
    Sha256::digest(n.to_string()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A MusicBrainz id with digits as they really come.
fn mbid(n: usize) -> String {
    let id = id(n);
    format!("{}-{}-4{}-8{}-{}", &id[..8], &id[8..12], &id[12..15], &id[15..18], &id[18..30])
}

/// The titles and the names of `longest.jsonl`, the longest first; of several names the first.
pub fn longest() -> (Vec<String>, Vec<String>) {
    let rows: Vec<Value> = include_str!("plenty/longest.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).expect("a row"))
        .collect();
    let text = |row: &Value, key: &str| row[key].as_str().expect("a text").to_owned();
    let names = rows.iter().map(|row| text(row, "artist").split(", ").next().unwrap_or_default().to_owned());
    (rows.iter().map(|row| text(row, "title")).collect(), names.collect())
}

/// Where the texts of a service come from.
#[derive(Clone, Debug)]
pub struct Words {
    /// Of records, concerts, tracks.
    pub titles: Vec<String>,
    /// Of artists, labels, places.
    pub names: Vec<String>,
}

impl Words {
    /// Long real ones. Each round has another tenth of them in each place of its lists.
    pub fn real(round: usize) -> Self {
        let (titles, names) = longest();
        let turned = |words: &[String]| {
            (0..words.len()).map(|n| words[(n * 11 + round * 7) % words.len()].clone()).collect()
        };
        Self { titles: turned(&titles), names: turned(&names) }
    }

    /// Ones of two words.
    pub fn usual(round: usize) -> Self {
        let short = |words: Vec<String>| {
            words.iter().map(|word| word.split(' ').take(2).collect::<Vec<_>>().join(" ")).collect()
        };
        let Self { titles, names } = Self::real(round);
        Self { titles: short(titles), names: short(names) }
    }

    /// Ones that no service would have: all as long as a name may be, in letters of which each costs.
    pub fn endless() -> Self {
        let (titles, names) = longest();
        let long = |words: &[String], n: usize| {
            let text = words.iter().cycle().skip(n).take(12).cloned().collect::<Vec<_>>().join(" / ");
            text.chars().take(200).map(costly).collect()
        };
        Self {
            titles: (0..100).map(|n| long(&titles, n)).collect(),
            names: (0..100).map(|n| long(&names, n + 37)).collect(),
        }
    }

    fn title(&self, n: usize) -> &str {
        &self.titles[n % self.titles.len()]
    }

    fn name(&self, n: usize) -> &str {
        &self.names[n % self.names.len()]
    }
}

/// A letter of another script for each of this one.
fn costly(letter: char) -> char {
    let mut small = "абцдефгхийклмнопярстувшжыз".chars();
    match letter {
        'a'..='z' => small.nth(letter as usize - 'a' as usize).unwrap_or(letter),
        'A'..='Z' => costly(letter.to_ascii_lowercase()).to_uppercase().next().unwrap_or(letter),
        other => other,
    }
}

fn rows(count: usize, row: impl Fn(usize) -> Value) -> Vec<Value> {
    (0..count).map(row).collect()
}

fn facet(signals: Value) -> Value {
    json!({"state": "present", "signals": signals})
}

/// How many rows each list has, at most as many as the service would send.
#[derive(Clone, Copy, Debug)]
pub struct Full(pub usize);

/// Everything that it says: the beginning of the path, the list that a limit shortens, the answer.
fn said(words: &Words, full: Full) -> Vec<(String, Option<&'static str>, Value)> {
    let all = |most: usize| full.0.min(most);
    let gigs = json!({"state": "present", "cluster_id": id(SUBJECT), "gigs": gigs(words, all(60))});
    let one = json!({"state": "present", "present": true, "aura": aura(words, SUBJECT)});
    let list = |name: &str, rows: Vec<Value>| json!({"state": "present", name: rows, "snapshotDate": "2026-10-01", "stale": true});
    let auras = rows(all(51), |n| aura(words, n));
    let path = |path: &str| format!("/api/v2/{path}");
    vec![
        // Three artists of one name are many; only more rows than any other list has bring more of them.
        (path("resolve"), None, resolution(words, (full.0 / 50).min(12))),
        (path("search"), Some("results"), search(words, all(100))),
        (path("tracks"), Some("results"), tracks(words, all(50))),
        (path("breakouts"), Some("items"), list("items", breakouts(words, all(51)))),
        (
            path("tastemakers/ones-to-watch"),
            Some("onesToWatch"),
            list("onesToWatch", watched(words, all(51))),
        ),
        (path("aura"), Some("items"), list("items", auras)),
        (path(&format!("aura/{}", id(SUBJECT))), None, one),
        (path("label/"), None, label(words, all(20))),
        (path("artist/"), None, dossier(words, all(100))),
        (path(&format!("artist/{KEY}/gigs")), None, gigs.clone()),
        (path(&format!("artist/{}/gigs", id(SUBJECT))), None, gigs),
        (path("surface/seen.artist_festival_co_appearance"), Some("rows"), festivals(words, all(50))),
        (path("surface/seen.radio_co_play"), Some("rows"), radio(all(50))),
    ]
}

/// Everything in one service.
pub fn service(words: &Words, full: Full) -> Scripted {
    let all = said(words, full).into_iter();
    all.fold(Scripted::catalogue(), |service, (path, rows, body)| match rows {
        Some(rows) => service.lists(&path, rows, &body),
        None => service.says(&path, 200, body.to_string()),
    })
}

/// The same as a service on a socket, which sends all of its rows whatever is asked for.
pub fn peer(words: &Words, full: Full) -> Peer {
    let peer = Peer::start();
    for (path, _, body) in said(words, full) {
        peer.set(&path, peer::json(200, &body.to_string()));
    }
    peer
}

/// The tools over it.
pub fn tools(words: &Words, full: Full) -> Direct {
    Direct::over(Arc::new(service(words, full)), &[Extension::Gigs])
}

/// Everyone of one name whom a service would list, and as many pages as an artist may have.
fn resolution(words: &Words, siblings: usize) -> Value {
    let sibling = |n: usize| {
        json!({"cluster_id": id(n), "name": words.name(0), "tier": "discogs", "discogs": 1_000_000 + n,
        "mbid": mbid(n), "country": "GB", "distinct_events": 120 - n})
    };
    let pages = |site: &str| rows(3, |n| json!(format!("https://{site}/{}-{n}", &id(n)[..20])));
    json!({
        "cluster_id": id(SUBJECT), "slug": KEY, "display": words.name(0), "resolved_via": "discogs",
        "resolved_from": "name",
        "locators": {"discogs": 999, "mbid": mbid(SUBJECT), "bandcamp": ["https://somebody.bandcamp.com"],
            "soundcloud": ["somebody-of-a-long-name"], "instagram": ["somebody.of.a.long.name"],
            "spotify": ["https://open.spotify.com/artist/6kBDZFXuLrZgHnvmPu9NsG"], "youtube": ["somebody-yt"],
            "website": pages("www.somebody-of-a-long-name.example")},
        "candidates": [], "same_name_clusters": rows(siblings, sibling),
    })
}

/// A page of the catalogue.
pub fn search(words: &Words, count: usize) -> Value {
    let row = |n: usize| {
        json!({"master_id": 1_000_003 + n * 7, "title": words.title(n), "artist": words.name(n), "year": 1950 + n % 60,
        "artist_cluster_id": id(n)})
    };
    let pagination = json!({"total_results": 48_211, "total_results_mode": "approximate_50k_sample"});
    json!({"pagination": pagination, "results": rows(count, row)})
}

fn tracks(words: &Words, count: usize) -> Value {
    let mut body = samples::tracks();
    let row = |n: usize| json!({"artistCredit": words.name(n), "clusterId": id(n), "releases": 1_240 - n, "recordings": 103});
    body["results"] = rows(count, row).into();
    body
}

fn breakouts(words: &Words, count: usize) -> Vec<Value> {
    rows(count, |n| {
        json!({"discogsArtistId": 1_000_000 + n, "clusterId": id(n), "resolvedVia": "discogs",
        "name": words.name(n), "slug": "s", "emergenceTier": "breakout", "emergenceScore": 0.8512,
        "pressCount": 20 + n, "corroboration": "booking_ahead",
        "location": {"city": "Kristiansand", "region": null, "country": "Norway"}})
    })
}

fn watched(words: &Words, count: usize) -> Vec<Value> {
    rows(count, |n| {
        json!({"rank": n + 1, "name": words.name(n), "discogsArtistId": 1_000_000 + n, "slug": "s",
        "emergenceTier": "climbing", "momentumTier": "breakout", "emergenceScore": 0.8512,
        "profile": "festival-pedigree", "cultureForwardFestivals": 12})
    })
}

fn aura(words: &Words, n: usize) -> Value {
    json!({"cluster_id": id(n), "artist_name": words.name(n), "convergence_dim_count": 5,
        "dimensions": ["booking", "radio", "press", "dj_support", "collectors"], "break_odds": 12.9,
        "first_signal_at": "2025-08-15", "latest_appearance_at": "2026-08-01", "has_break_event": true,
        "break_event_at": "2026-09-01"})
}

fn gigs(words: &Words, count: usize) -> Vec<Value> {
    rows(count, |n| {
        json!({"date": format!("2027-{:02}-{:02}", 2 + n / 28, 1 + n % 28), "title": words.title(n),
        "venue": "Elbphilharmonie, Großer Saal", "city": "Hamburg", "country": "Germany", "cancelled": false})
    })
}

fn festivals(words: &Words, count: usize) -> Value {
    let row = |n: usize| {
        json!({"cluster_id_hex": id(SUBJECT), "co_cluster_id_hex": id(n), "co_edition_count": 85 - n,
        "co_festival_count": 12, "co_artist_name_display": words.name(n),
        "co_resolved_discogs_artist_id": 1_000_000 + n, "co_resolved_mbid": null})
    };
    json!({"present": true, "state": "present", "rows": rows(count, row)})
}

/// Its rows begin further down, so that not everybody is on every axis.
fn radio(count: usize) -> Value {
    let row =
        |n: usize| json!({"co_cluster_id_hex": id(n + 5), "co_play_count": 377 - n, "distinct_stations": 13});
    json!({"present": true, "state": "present", "rows": rows(count, row)})
}

/// A dossier of which every part is there.
fn dossier(words: &Words, releases: usize) -> Value {
    let entry =
        |n: usize| json!({"discogsMasterId": 1_234_567 + 7_919 * n, "representativeName": words.title(n)});
    let related = |n: usize| {
        json!({"clusterId": id(n), "discogsArtistId": 1_000_000 + n, "mbid": null, "name": words.name(n),
        "slug": "s", "coEventCount": 124 - n, "coVenueCount": 22})
    };
    let champion = |n: usize| json!({"djClusterId": id(n + 100), "playCount": 340 - n, "playEventCount": 33});
    let credit = |n: usize| {
        json!({"name": words.name(n + 40), "mbid": mbid(n + 40), "discogsArtistId": 1_000_040 + n,
        "clusterId": id(n + 40), "role": "composer", "count": 90 - n})
    };
    let day = "2009-04-01";
    json!({
        "slug": KEY, "identity": {
            "name": words.name(0), "resolvedVia": "discogs", "discogsArtistId": 999, "clusterId": id(SUBJECT),
            "realname": words.name(1), "profile": format!("{} was seen by somebody who wrote a text about it. ", words.name(2)).repeat(30),
            "aliases": rows(40, |n| json!(words.name(n + 3))),
        },
        "behavioral": facet(json!({"primaryGenre": "Electronic",
            "primaryStyles": ["Deep House", "Experimental", "Drum n Bass", "Leftfield", "IDM", "Ambient"]})),
        "emergence": facet(json!({"emergenceTier": "established", "momentumTier": "climbing"})),
        "debut": facet(json!({"firstReleaseDate": day, "artistMbid": mbid(SUBJECT)})),
        "discography": facet(json!({"total": releases + 40, "entries": rows(releases, entry),
            "overMerge": {"discogsArtistIdCount": 1}})),
        "geography": facet(json!({"city": "Kristiansand", "region": "Agder", "country": "Norway"})),
        "tier_presence": facet(json!({"clubEvents": 1_234, "festivalEditions": 321, "firstClubAt": day,
            "lastClubAt": day, "firstFestivalAt": day, "lastFestivalAt": day})),
        "journalism": facet(
            json!({"pressCount": 1_234, "reviewCount": 432, "interviewCount": 123, "featureCount": 99}),
        ),
        "facts": facet(json!({"originCity": "Kristiansand", "originCountry": "Norway",
            "birthDate": "1971-08-18", "deathDate": "2024-02-29", "mbid": mbid(SUBJECT)})),
        "connections": facet(json!({"count": 24, "related": rows(releases.min(24), related)})),
        "dj_champion": facet(json!({"topChampions": rows(releases.min(8), champion)})),
        "credits": facet(json!({"writing": rows(releases.min(10), credit),
            "production": rows(releases.min(10), credit)})),
    })
}

fn label(words: &Words, count: usize) -> Value {
    let mut body = samples::label();
    let related = |n: usize| json!({"clusterId": id(n), "labelName": words.name(n), "npmi": 0.123_456_789, "support": 12});
    body["slug"] = json!(KEY);
    body["identity"]["name"] = json!(words.name(0));
    body["identity"]["parentLabel"] = json!(words.name(1));
    body["identity"]["urls"] =
        rows(count, |n| json!(format!("https://www.label-recordings-{n}.example/artists"))).into();
    body["identity"]["profile"] =
        json!(format!("{} was seen by somebody who wrote a text about it. ", words.name(2)).repeat(30));
    body["travels"]["related"] = rows(count, related).into();
    body
}
