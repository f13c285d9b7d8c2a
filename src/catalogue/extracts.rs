//! From the records of dump files to the files that a catalogue is made of.
//!
//! Decides which cluster an artist is in, and what of a record is served. Facts that no record has are left out, never
//! guessed. Knows nothing of requests and answers.

use std::collections::{BTreeMap, BTreeSet};

use ring::digest::{SHA256, digest};
use serde_json::{Value, json};
use time::Date;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::files::{File, Files};
use super::folding::{lower, without_suffix};
use super::lines::Lines;
use super::web_link::{self, WebLink};
use crate::dumps::{Credit, DumpArtist, DumpMaster, Dumps, MusicBrainzArtist};

/// Discogs records that stand for nobody in particular: names without a record, Various, Unknown Artist, No Artist.
const NOBODY: [u64; 4] = [0, 194, 355, 118_760];

/// How artists of one name, apart from the number that Discogs gives them, are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Homonyms {
    /// In one cluster, whose id is made from the name: as the service does.
    #[default]
    Shared,
    /// Each in a cluster of its own, and listed as same-name siblings.
    Apart,
}

/// One artist, whatever named it.
#[derive(Default)]
struct Known<'a> {
    name: String,
    discogs: Vec<u64>,
    record: Option<&'a DumpArtist>,
    musicbrainz: Option<&'a MusicBrainzArtist>,
    cluster: String,
    urls: Vec<String>,
    masters: Vec<(usize, u64)>,
}

/// A master as the search gives it.
#[derive(Default)]
struct Work {
    title: String,
    artists: Vec<Credit>,
    year: Option<u16>,
    genres: Vec<String>,
    styles: Vec<String>,
    countries: Vec<String>,
    labels: Vec<String>,
    formats: Vec<String>,
}

/// Takes the place of whatever `files` holds about artists, masters, tracks and labels, and empties what is invented.
pub(super) fn files(dumps: &Dumps, homonyms: Homonyms, files: Files) -> Files {
    let mut artists = artists(dumps, homonyms);
    let works = works(dumps);
    let by_discogs: BTreeMap<u64, usize> = artists
        .iter()
        .enumerate()
        .flat_map(|(at, artist)| artist.discogs.iter().map(move |id| (*id, at)))
        .collect();
    for (id, work) in &works {
        for (position, credit) in work.artists.iter().enumerate() {
            if let Some(artist) = by_discogs.get(&credit.id).and_then(|at| artists.get_mut(*at)) {
                artist.masters.push((position + 1, *id));
            }
        }
    }
    let alone = |credits: &[Credit]| match credits {
        [one] => by_discogs.get(&one.id).and_then(|at| artists.get(*at)),
        _ => None,
    };
    let families = families(&artists);
    let tracks = tracks(dumps, alone);
    Files {
        artists_index: lines("artists/index.jsonl", artists.iter().map(Known::index)),
        artists_resolutions: lines("artists/resolutions.jsonl", artists.iter().map(Known::resolution)),
        artists_dossiers: lines(
            "artists/dossiers.jsonl",
            artists
                .iter()
                .map(|artist| dated(artist.dossier(&works, merged(artist, &artists, &families)), dumps.day)),
        ),
        same_name_clusters: lines("extensions/same_name_clusters.jsonl", siblings(&artists, &families)),
        masters_rows: lines(
            "masters/rows.jsonl",
            works.iter().map(|(id, work)| work.row(*id, alone(&work.artists).map(|artist| &*artist.cluster))),
        ),
        masters_facets: lines("masters/facets.jsonl", works.iter().map(|(id, work)| work.facets(*id))),
        tracks: lines("tracks/tracks.jsonl", tracks),
        labels_index: none("labels/index.jsonl"),
        labels_dossiers: none("labels/dossiers.jsonl"),
        invented_index: none("invented/index.jsonl"),
        invented_resolutions: none("invented/resolutions.jsonl"),
        invented_dossiers: none("invented/dossiers.jsonl"),
        invented_rows: none("invented/rows.jsonl"),
        invented_facets: none("invented/facets.jsonl"),
        invented_signals: none("invented/signals.jsonl"),
        invented_aura: none("invented/aura.jsonl"),
        invented_breakouts: none("invented/breakouts.jsonl"),
        invented_ones_to_watch: none("invented/ones_to_watch.jsonl"),
        invented_surfaces: none("invented/surfaces.jsonl"),
        invented_gigs: none("invented/gigs.jsonl"),
        ..files
    }
}

/// Everybody with a record of their own or a credit, in the order of their Discogs ids; then those whom only
/// MusicBrainz has.
fn artists(dumps: &Dumps, homonyms: Homonyms) -> Vec<Known<'_>> {
    let mut names: BTreeMap<u64, &str> = BTreeMap::new();
    let credits = dumps.masters.iter().flat_map(|master| &master.artists);
    let credits = credits.chain(dumps.releases.iter().flat_map(|one| one.artists.iter().chain(&one.others)));
    for credit in credits {
        names.entry(credit.id).or_insert(&credit.name);
    }
    let records: BTreeMap<u64, &DumpArtist> = dumps.artists.iter().map(|one| (one.id, one)).collect();
    for (id, record) in &records {
        names.insert(*id, &record.name);
    }
    let linked: BTreeMap<u64, &MusicBrainzArtist> =
        dumps.musicbrainz.iter().filter_map(|one| Some((*one.discogs.first()?, one))).collect();
    // A further Discogs id of an artist of MusicBrainz is that artist, and nobody beside it.
    let further: BTreeSet<u64> =
        linked.values().flat_map(|one| one.discogs.iter().skip(1).copied()).collect();
    for (id, one) in &linked {
        names.entry(*id).or_insert(&one.name);
    }
    let mut all: Vec<Known<'_>> = names
        .into_iter()
        .filter(|(id, _)| !NOBODY.contains(id) && !further.contains(id))
        .map(|(id, name)| {
            let (record, musicbrainz) = (records.get(&id).copied(), linked.get(&id).copied());
            let also = musicbrainz.into_iter().flat_map(|one| one.discogs.iter().skip(1).copied());
            let discogs = [id].into_iter().chain(also).collect();
            Known { name: name.to_owned(), discogs, record, musicbrainz, ..Known::default() }
        })
        .collect();
    all.extend(dumps.musicbrainz.iter().filter(|one| one.discogs.is_empty()).map(|one| Known {
        name: one.name.clone(),
        musicbrainz: Some(one),
        ..Known::default()
    }));
    for artist in &mut all {
        artist.cluster = cluster(artist, homonyms);
        let own = artist.record.map(|record| &record.urls).into_iter().flatten();
        let theirs = artist.musicbrainz.map(|one| &one.urls).into_iter().flatten();
        artist.urls = unique(own.chain(theirs).cloned());
    }
    all
}

fn cluster(artist: &Known<'_>, homonyms: Homonyms) -> String {
    let of = match (homonyms, artist.discogs.first(), artist.musicbrainz) {
        (Homonyms::Shared, ..) => format!("name:{}", lower(without_suffix(&artist.name))),
        (Homonyms::Apart, Some(id), _) => format!("discogs:{id}"),
        (Homonyms::Apart, None, other) => format!("musicbrainz:{}", other.map_or("", |one| &*one.id)),
    };
    let sum = digest(&SHA256, format!("ono-extracts-v1:{of}").as_bytes());
    sum.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The artists of each name, where there are several.
fn families(artists: &[Known<'_>]) -> BTreeMap<String, Vec<usize>> {
    let mut families: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, artist) in artists.iter().enumerate() {
        families.entry(lower(without_suffix(&artist.name))).or_default().push(at);
    }
    families.retain(|_, of| of.len() > 1);
    families
}

/// How many Discogs artists are in the cluster of this one, if there are several.
fn merged(artist: &Known<'_>, all: &[Known<'_>], families: &BTreeMap<String, Vec<usize>>) -> Option<usize> {
    let family = families.get(&lower(without_suffix(&artist.name)))?;
    let inside = family.iter().filter_map(|at| all.get(*at));
    let ids = inside.filter(|other| other.cluster == artist.cluster).map(|other| other.discogs.len()).sum();
    Some(ids).filter(|count| *count > 1)
}

fn siblings(artists: &[Known<'_>], families: &BTreeMap<String, Vec<usize>>) -> Vec<Value> {
    let mut rows = Vec::new();
    for family in families.values() {
        let of: Vec<&Known<'_>> = family.iter().filter_map(|at| artists.get(*at)).collect();
        for artist in &of {
            let others: Vec<Value> = of
                .iter()
                .filter(|other| other.cluster != artist.cluster)
                .map(|other| {
                    json!({
                        "cluster_id": other.cluster, "name": other.name, "tier": other.tier(),
                        "discogs": other.discogs.first(), "mbid": other.mbid(),
                        "country": other.musicbrainz.and_then(|one| one.country.as_deref()),
                    })
                })
                .collect();
            if !others.is_empty() {
                rows.push(json!({ "cluster_id": artist.cluster, "same_name_clusters": others }));
            }
        }
    }
    rows
}

/// Masters, and what their editions add; of a master that is not there its main edition says the title.
fn works(dumps: &Dumps) -> BTreeMap<u64, Work> {
    let mut works: BTreeMap<u64, Work> = dumps.masters.iter().map(|one| (one.id, Work::of(one))).collect();
    let mut releases: Vec<_> = dumps.releases.iter().filter_map(|one| Some((one.master?, one))).collect();
    releases.sort_by_key(|(_, one)| (!one.is_main, one.id));
    for (id, release) in releases {
        let work = works.entry(id).or_default();
        if work.title.is_empty() {
            work.title.clone_from(&release.title);
            work.artists.clone_from(&release.artists);
            work.year = release.year.filter(|_| release.is_main);
        }
        for (list, more) in [
            (&mut work.genres, &release.genres),
            (&mut work.styles, &release.styles),
            (&mut work.labels, &release.labels),
            (&mut work.formats, &release.formats),
        ] {
            *list = unique(list.drain(..).chain(more.iter().cloned()));
        }
        work.countries = unique(work.countries.drain(..).chain(release.country.clone()));
    }
    works.retain(|_, work| !work.artists.is_empty());
    works
}

fn tracks<'a>(dumps: &Dumps, alone: impl Fn(&[Credit]) -> Option<&'a Known<'a>>) -> Vec<Value> {
    let mut found: BTreeMap<(&str, &str, &str), BTreeSet<u64>> = BTreeMap::new();
    for release in &dumps.releases {
        for (title, performers) in &release.tracks {
            if let Some(artist) = alone(performers) {
                let key = (title.as_str(), artist.cluster.as_str(), artist.name.as_str());
                found.entry(key).or_default().insert(release.id);
            }
        }
    }
    let row = |((title, cluster, credit), on): ((&str, &str, &str), BTreeSet<u64>)| {
        json!({
            "title": title, "clusterId": cluster, "artistCredit": credit, "releases": on.len(), "recordings": 1,
        })
    };
    found.into_iter().map(row).collect()
}

impl Known<'_> {
    fn tier(&self) -> &'static str {
        if self.discogs.is_empty() { "cluster" } else { "discogs" }
    }

    fn mbid(&self) -> Option<&str> {
        self.musicbrainz.map(|one| one.id.as_str())
    }

    /// Letters and digits of the Latin alphabet; who has none is told by number.
    fn slug(&self) -> String {
        let plain = self.name.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase);
        let mut slug = String::new();
        for letter in plain {
            match letter {
                'a'..='z' | '0'..='9' => slug.push(letter),
                _ if slug.ends_with('-') || slug.is_empty() => {}
                _ => slug.push('-'),
            }
        }
        let slug = slug.trim_end_matches('-');
        match self.discogs.first() {
            Some(id) if slug.is_empty() => format!("artist-{id}"),
            _ => slug.to_owned(),
        }
    }

    fn pages(&self) -> Vec<(String, &str)> {
        let page = |url: &str| match web_link::read(url)? {
            WebLink::Page(page) | WebLink::Elsewhere { page, .. } => Some(page),
            WebLink::Discogs(_) | WebLink::MusicBrainz(_) => None,
        };
        self.urls.iter().filter_map(|url| Some((page(url)?, url.as_str()))).collect()
    }

    fn index(&self) -> Value {
        let links: Vec<String> = self.pages().into_iter().map(|(page, _)| page).collect();
        json!({
            "name": self.name, "slug": self.slug(), "cluster_id": self.cluster, "tier": self.tier(),
            "discogs": self.discogs, "mbid": self.mbid(), "links": links,
        })
    }

    fn resolution(&self) -> Value {
        let mut locators = json!({
            "discogs": self.discogs.first(), "mbid": self.mbid(), "bandcamp": [], "soundcloud": [],
            "instagram": [], "spotify": [], "youtube": [], "website": [],
        });
        for (page, url) in self.pages() {
            if let Some((site, value)) = locator(&page, url)
                && let Some(Value::Array(list)) = locators.get_mut(site)
                && !list.contains(&json!(value))
            {
                list.push(json!(value));
            }
        }
        json!({
            "cluster_id": self.cluster, "slug": self.slug(), "display": self.name, "locators": locators,
            "resolved_via": self.tier(), "resolved_from": "locator",
        })
    }

    fn dossier(&self, works: &BTreeMap<u64, Work>, merged: Option<usize>) -> Value {
        let mut masters = self.masters.clone();
        masters.sort_by_key(|(position, id)| {
            (*position, works.get(id).and_then(|work| work.year).unwrap_or(u16::MAX), *id)
        });
        let entries: Vec<Value> = masters
            .iter()
            .filter_map(|(position, id)| {
                Some(json!({
                    "discogsMasterId": id, "representativeName": works.get(id)?.title,
                    "isPrimary": *position == 1, "billingPosition": position,
                }))
            })
            .collect();
        let over = merged.map(|count| json!({ "discogsArtistIdCount": count, "folded": true }));
        let state = if entries.is_empty() { "honest_gap" } else { "present" };
        json!({
            "contract_version": "2.47.0", "grain": "artist", "slug": self.slug(), "display": self.name,
            "id": self.discogs.first(), "cluster_id": self.cluster, "resolved_via": self.tier(),
            "identity": {
                "discogsArtistId": self.discogs.first(), "clusterId": self.cluster, "resolvedVia": self.tier(),
                "name": self.name, "realname": self.record.and_then(|record| record.real_name.as_deref()),
                "profile": null, "urls": self.urls,
                "aliases": self.record.map(|record| record.aliases.as_slice()).unwrap_or_default(),
            },
            "discography": { "state": state, "signals": {
                "clusterId": self.cluster, "total": entries.len(), "shown": entries.len(), "truncated": false,
                "entries": entries, "overMerge": over, "observedAt": null,
            } },
            "provenance": [],
        })
    }
}

impl Work {
    fn of(master: &DumpMaster) -> Self {
        Self {
            title: master.title.clone(),
            artists: master.artists.clone(),
            year: master.year,
            genres: master.genres.clone(),
            styles: master.styles.clone(),
            ..Self::default()
        }
    }

    /// All artists in one text, as the service writes them.
    fn artist(&self) -> String {
        let mut text = String::new();
        for (at, credit) in self.artists.iter().enumerate() {
            text.push_str(&credit.name);
            if at + 1 < self.artists.len() {
                match credit.join.as_deref() {
                    None | Some(",") => text.push_str(", "),
                    Some(join) => text.push_str(&format!(" {join} ")),
                }
            }
        }
        text
    }

    fn row(&self, id: u64, cluster: Option<&str>) -> Value {
        json!({
            "master_id": id, "title": self.title, "artist": self.artist(), "year": self.year,
            "cube_quadrant": null, "owner_count": null, "dj_count": null, "critic_count": null,
            "formats": self.formats, "link_to_cube": format!("/cube/{id}"), "artist_cluster_id": cluster,
        })
    }

    fn facets(&self, id: u64) -> Value {
        json!({
            "master_id": id, "genres": self.genres, "styles": self.styles, "countries": self.countries,
            "labels": self.labels,
        })
    }
}

/// The list of a resolve answer that a page belongs to, and what stands there.
fn locator(page: &str, url: &str) -> Option<(&'static str, String)> {
    let (host, path) = page.split_once('/').unwrap_or((page, ""));
    let first = path.split('/').next().filter(|step| !step.is_empty());
    match host {
        "soundcloud.com" => Some(("soundcloud", first?.to_owned())),
        "instagram.com" => Some(("instagram", first?.to_owned())),
        "open.spotify.com" => Some(("spotify", path.strip_prefix("artist/")?.to_owned())),
        "youtube.com" => first.map(|_| ("youtube", url.to_owned())),
        _ => Some(("bandcamp", host.strip_suffix(".bandcamp.com").filter(|_| path.is_empty())?.to_owned())),
    }
}

/// A dossier with the day of what it is made from, where that is known.
fn dated(mut dossier: Value, day: Option<Date>) -> Value {
    if let (Some(dossier), Some(day)) = (dossier.as_object_mut(), day) {
        dossier.insert("generated_at".to_owned(), json!(format!("{day}T00:00:00.000Z")));
    }
    dossier
}

fn unique(values: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    values.filter(|value| seen.insert(value.clone())).collect()
}

/// One record a line. The records of a catalogue live as long as the program.
fn lines(path: &'static str, records: impl IntoIterator<Item = Value>) -> Lines {
    let mut text = String::new();
    for record in records {
        text.push_str(&record.to_string());
        text.push('\n');
    }
    Lines::of(File { path, bytes: Box::leak(text.into_boxed_str()).as_bytes() })
}

fn none(path: &'static str) -> Lines {
    Lines::of(File { path, bytes: b"" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{Catalogue, CatalogueRequest};

    fn artist(id: u64, name: &str) -> DumpArtist {
        DumpArtist { id, name: name.to_owned(), real_name: None, urls: Vec::new(), aliases: Vec::new() }
    }

    fn answer(homonyms: Homonyms, path: &str, query: &[(&str, &str)]) -> Value {
        let credit = |id, name: &str| Credit { id, name: name.to_owned(), join: None };
        let master = |id, title: &str, artists| DumpMaster {
            id,
            title: title.to_owned(),
            artists,
            year: Some(1990),
            genres: Vec::new(),
            styles: Vec::new(),
        };
        let dumps = Dumps {
            artists: vec![artist(1, "Wings"), artist(2, "Wings (2)"), artist(194, "Various")],
            masters: vec![
                master(10, "First", vec![credit(2, "Wings (2)")]),
                master(11, "Both", vec![credit(1, "Wings"), credit(3, "Somebody")]),
            ],
            day: Some(time::macros::date!(2019 - 05 - 01)),
            ..Dumps::default()
        };
        let catalogue = Catalogue::of_dumps(&dumps, homonyms).unwrap();
        let query: Vec<(String, String)> =
            query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let today = time::macros::date!(2027 - 01 - 31);
        let answer = catalogue.answer(&CatalogueRequest { path, query: &query, today });
        serde_json::from_slice(&answer.body).unwrap()
    }

    #[test]
    fn namesakes_share_a_cluster_or_are_listed_beside_each_other() {
        let who = |homonyms, name| answer(homonyms, "/api/v2/resolve", &[("q", name)]);
        let (plain, second) = (who(Homonyms::Shared, "Wings"), who(Homonyms::Shared, "wings (2)"));
        assert_eq!((&plain["locators"]["discogs"], &second["locators"]["discogs"]), (&json!(1), &json!(2)));
        assert_eq!((&plain["cluster_id"], plain.get("same_name_clusters")), (&second["cluster_id"], None));
        let dossier = answer(Homonyms::Shared, "/api/v2/artist/wings", &[]);
        assert_eq!(dossier["discography"]["signals"]["overMerge"]["discogsArtistIdCount"], 2);
        let master = answer(Homonyms::Shared, "/api/v2/artist/wings/master/11", &[]);
        for of in [&dossier, &master["master"]] {
            assert_eq!(of["generated_at"], "2019-05-01T00:00:00.000Z", "the day of the dump: {of}");
        }
        let (plain, second) = (who(Homonyms::Apart, "Wings"), who(Homonyms::Apart, "Wings (2)"));
        assert_ne!(plain["cluster_id"], second["cluster_id"]);
        assert_eq!(plain["same_name_clusters"][0]["discogs"], 2);
        assert!(
            answer(Homonyms::Apart, "/api/v2/artist/wings", &[])["discography"]["signals"]["overMerge"]
                .is_null()
        );
    }

    #[test]
    fn only_a_row_of_one_artist_is_bound_and_nobody_in_particular_is_no_artist() {
        let rows = answer(Homonyms::Apart, "/api/v2/search", &[("q", "wings")]);
        let bound: Vec<(u64, bool)> = rows["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| (row["master_id"].as_u64().unwrap(), row["artist_cluster_id"].is_string()))
            .collect();
        assert!(bound.contains(&(10, true)) && bound.contains(&(11, false)), "{rows}");
        let various = answer(Homonyms::Apart, "/api/v2/resolve", &[("q", "Various")]);
        assert!(various["resolved_via"].is_null(), "{various}");
    }

    #[test]
    fn what_the_demo_invents_is_not_among_what_was_read() {
        let aura = answer(Homonyms::Shared, "/api/v2/aura", &[]);
        assert_eq!(aura["items"], json!([]), "{aura}");
        let four_tet = answer(Homonyms::Shared, "/api/v2/resolve", &[("q", "Four Tet")]);
        assert!(four_tet["resolved_via"].is_null(), "{four_tet}");
    }
}
