//! Every fact in an answer is the data service's own, and nothing else is in it.
//!
//! The catalogue is asked directly, and each scalar under `data` must be the value at its declared
//! place there, or one of the few that the server makes itself. They are marked `made` below.

use std::sync::OnceLock;

use ono_sendai::catalogue::{Catalogue, CatalogueRequest};
use serde_json::{Value, json};
use time::Date;

use crate::harness::{Demo, Envelope, artists};

/// What the data service answers.
fn upstream(path: &str, query: &[(&str, &str)]) -> Value {
    static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
    let catalogue = CATALOGUE.get_or_init(|| Catalogue::embedded().expect("a catalogue"));
    let query: Vec<(String, String)> =
        query.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let answer = catalogue.answer(&CatalogueRequest { path, query: &query, today: Date::MIN });
    assert_eq!(answer.status, 200, "{path} {query:?}");
    serde_json::from_slice(&answer.body).expect("JSON")
}

/// Every scalar within `value`, with the keys that lead to it.
fn scalars(value: &Value) -> Vec<(Vec<String>, Value)> {
    let below = |key: String, value: &Value| {
        scalars(value).into_iter().map(move |(mut path, scalar)| {
            path.insert(0, key.clone());
            (path, scalar)
        })
    };
    match value {
        Value::Object(object) => {
            object.iter().flat_map(|(key, value)| below(key.clone(), value).collect::<Vec<_>>()).collect()
        }
        Value::Array(rows) => rows
            .iter()
            .enumerate()
            .flat_map(|(at, value)| below(at.to_string(), value).collect::<Vec<_>>())
            .collect(),
        scalar => vec![(Vec::new(), scalar.clone())],
    }
}

/// A record's name as people write it: without Discogs number and variation mark.
fn shown_name(record: &Value) -> Value {
    let Some(name) = record.as_str() else { return Value::Null };
    let name = name.strip_suffix('*').filter(|rest| rest.ends_with(char::is_alphanumeric)).unwrap_or(name);
    let base = name.strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("));
    let base = base.filter(|(base, number)| {
        !base.is_empty()
            && !number.starts_with('0')
            && number.parse().is_ok_and(|n: u16| (2..=999).contains(&n))
    });
    json!(base.map_or(name, |(base, _)| base))
}

/// The pages of a resolution in the order in which sites are shown: site, url or handle, value.
fn pages(resolution: &Value) -> Vec<(&'static str, &'static str, Value)> {
    ["bandcamp", "spotify", "soundcloud", "youtube", "instagram", "website"]
        .into_iter()
        .flat_map(|site| {
            let rows = resolution["locators"][site].as_array().cloned().unwrap_or_default();
            rows.into_iter().map(move |row| {
                let is_link = row.as_str().is_some_and(|text| text.starts_with("http"));
                (site, if is_link { "url" } else { "handle" }, row)
            })
        })
        .collect()
}

/// Where each scalar of `resolve_artist` comes from; `None` for a scalar that has no business there.
fn of_resolution(resolution: &Value, path: &[&str]) -> Option<Value> {
    let pages = pages(resolution);
    Some(match path {
        // A slug leads to a verified record, so only those have one.
        ["slug"] if resolution["resolved_via"] != "discogs" => Value::Null,
        ["cluster_id" | "slug" | "resolved_via"] => resolution[path[0]].clone(),
        ["name"] => shown_name(&resolution["display"]),
        ["discogs_id"] => resolution["locators"]["discogs"].clone(),
        ["mbid"] => resolution["locators"]["mbid"].clone(),
        ["links", at, key] => {
            let (site, kind, value) = pages.get(at.parse::<usize>().ok()?)?;
            match *key {
                "site" => json!(site),
                key if key == *kind => value.clone(),
                _ => return None,
            }
        }
        // Made: how many there are.
        ["links_total"] => json!(pages.len()),
        _ => return None,
    })
}

/// The year of a date.
fn year(date: &Value) -> Value {
    date.as_str().and_then(|date| date.get(..4)?.parse::<u16>().ok()).map_or(Value::Null, Value::from)
}

/// Where each fact of a card stands in the dossier. Facts of a part share its first key.
fn of_dossier(dossier: &Value, path: &[&str]) -> Option<Value> {
    let identity = &dossier["identity"];
    let signals = |facet: &str| &dossier[facet]["signals"];
    let row = |at: &str| at.parse::<usize>().ok();
    Some(match path {
        ["name"] => shown_name(&identity["name"]),
        ["discogs_id"] => identity["discogsArtistId"].clone(),
        ["mbid"] => match &signals("facts")["mbid"] {
            Value::Null => signals("debut")["artistMbid"].clone(),
            id => id.clone(),
        },
        ["real_name", "name"] => identity["realname"].clone(),
        ["aliases", "names", at] => shown_name(&identity["aliases"][row(at)?]),
        // Made: how many there are.
        ["aliases", "total"] => json!(identity["aliases"].as_array().map_or(0, Vec::len)),
        ["origin", "city"] => signals("facts")["originCity"].clone(),
        ["origin", "country"] => signals("facts")["originCountry"].clone(),
        // Made: of the date only its year, since the service has no more than that.
        ["debut", "year"] => year(&signals("debut")["firstReleaseDate"]),
        ["genre", "primary"] => signals("behavioral")["primaryGenre"].clone(),
        ["genre", "styles", at] => signals("behavioral")["primaryStyles"][row(at)?].clone(),
        ["discography", "total"] => signals("discography")["total"].clone(),
        ["discography", "releases", at, "master_id"] => {
            signals("discography")["entries"][row(at)?]["discogsMasterId"].clone()
        }
        ["discography", "releases", at, "title"] => {
            signals("discography")["entries"][row(at)?]["representativeName"].clone()
        }
        ["emergence", "tier"] => signals("emergence")["emergenceTier"].clone(),
        ["emergence", "momentum"] => signals("emergence")["momentumTier"].clone(),
        _ => return None,
    })
}

/// The parts of a card, each with the fact without which there is none.
const PARTS: [(&str, &[&str]); 7] = [
    ("real_name", &["real_name", "name"]),
    ("aliases", &["aliases", "names", "0"]),
    ("origin", &["origin", "country"]),
    ("debut", &["debut", "year"]),
    ("genre", &["genre", "primary"]),
    ("discography", &["discography", "releases", "0", "title"]),
    ("emergence", &["emergence", "tier"]),
];

fn assert_resolution(envelope: &Envelope, resolution: &Value, what: &str) {
    let mut shown = 0;
    for (path, value) in scalars(envelope.data()) {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let declared = of_resolution(resolution, &path);
        assert_eq!(declared.as_ref(), Some(&value), "{what}: {path:?}");
        shown += usize::from(path.last() == Some(&"site"));
    }
    assert_eq!(shown, pages(resolution).len().min(8), "{what}: pages are missing");
    let known = |id: &Value| artists().iter().any(|artist| artist.cluster_id.as_deref() == id.as_str());
    for candidate in envelope.json["ambiguity"]["candidates"].as_array().expect("candidates") {
        assert!(known(&candidate["cluster_id"]), "{what}: {candidate} is nobody of the catalogue");
    }
}

/// `cluster_id`, `slug` and `resolved_via` hang on the key that was used, so they are given.
fn assert_card(envelope: &Envelope, dossier: &Value, who: &Value, what: &str) {
    let data = envelope.data();
    for (path, value) in scalars(data) {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let declared = match path.as_slice() {
            // A slug leads to a verified record, so only those have one.
            ["slug"] if who["resolved_via"] == "cluster" => Some(Value::Null),
            ["cluster_id" | "slug" | "resolved_via"] => Some(who[path[0]].clone()),
            ["mbid"] if who.get("mbid").is_some() => {
                of_dossier(dossier, &path).filter(|id| !id.is_null()).or_else(|| who.get("mbid").cloned())
            }
            // Made: whether the part is there, and why not.
            [part, "present"] => {
                let (_, fact) = PARTS.iter().find(|(name, _)| name == part).expect("a part");
                Some(json!(of_dossier(dossier, fact).is_some_and(|fact| !fact.is_null())))
            }
            ["real_name" | "aliases" | "origin" | "debut", "reason"] if who["resolved_via"] == "cluster" => {
                Some(json!("no_verified_identity"))
            }
            [_, "reason"] => Some(json!("honest_gap")),
            // Made: how much of the list is here.
            ["discography", "shown"] => {
                Some(json!(data["discography"]["releases"].as_array().map_or(0, Vec::len)))
            }
            ["discography", "truncated"] => {
                Some(json!(data["discography"]["shown"].as_u64() < data["discography"]["total"].as_u64()))
            }
            path => of_dossier(dossier, path),
        };
        assert_eq!(declared.as_ref(), Some(&value), "{what}: {path:?}");
    }
}

#[test]
fn every_fact_of_a_resolution_is_the_catalogues_own() {
    let demo = Demo::shared();
    for artist in artists() {
        for id in &artist.discogs {
            let mut asked = upstream("/api/v2/resolve", &[("discogs", &id.to_string())]);
            if asked["locators"]["discogs"] != json!(id) {
                // Named by another of the artist's ids, which is not verified by this one.
                asked["resolved_via"] = json!("cluster");
            }
            assert_resolution(&demo.call("resolve_artist", json!({"discogs_id": id})), &asked, &artist.name);
        }
        if let Some(id) = &artist.mbid {
            let asked = upstream("/api/v2/resolve", &[("mbid", id)]);
            assert_resolution(&demo.call("resolve_artist", json!({"mbid": id})), &asked, &artist.name);
        }
        if let Some(id) = &artist.cluster_id {
            // Once a resolve has verified the cluster, its id is as good as the Discogs id behind it.
            let answer = demo.call("resolve_artist", json!({"cluster_id": id}));
            let asked = match answer.data()["discogs_id"].as_u64() {
                Some(discogs) => upstream("/api/v2/resolve", &[("discogs", &discogs.to_string())]),
                None => upstream("/api/v2/resolve", &[("cluster", id)]),
            };
            assert_eq!(answer.data()["cluster_id"], id.as_str());
            assert_resolution(&answer, &asked, &artist.name);
        }
        let by_name = demo.call("resolve_artist", json!({"q": artist.name}));
        let reasons = by_name.json["ambiguity"]["reasons"].to_string();
        assert!(!reasons.contains("folded_match"), "the exact name is found exactly: {reasons}");
        assert_resolution(&by_name, &upstream("/api/v2/resolve", &[("q", &artist.name)]), &artist.name);
    }
}

#[test]
fn every_fact_of_a_card_by_slug_is_the_catalogues_own() {
    for artist in artists() {
        let dossier = upstream(&format!("/api/v2/artist/{}", artist.slug), &[]);
        let who = json!({
            "cluster_id": dossier["identity"]["clusterId"],
            "slug": artist.slug,
            "resolved_via": dossier["identity"]["resolvedVia"],
        });
        assert_card(
            &Demo::shared().call("get_artist", json!({"key": artist.slug})),
            &dossier,
            &who,
            &artist.slug,
        );
    }
}

#[test]
fn a_card_by_cluster_id_is_observed_until_a_resolve_has_vouched_for_it() {
    // A server of its own: what it has resolved before changes what it may say.
    let demo = Demo::start();
    let bound: Vec<_> =
        artists().iter().filter_map(|artist| Some((artist, artist.cluster_id.as_deref()?))).collect();
    for (_, id) in &bound {
        let dossier = upstream(&format!("/api/v2/artist/{id}"), &[]);
        let who = json!({"cluster_id": id, "slug": null, "resolved_via": "cluster"});
        let card = demo.call("get_artist", json!({"key": id}));
        assert_card(&card, &dossier, &who, id);
        assert_ne!(card.state(), "none", "{id}");
    }
    for (artist, id) in bound {
        let Some(discogs) = artist.discogs.first() else { continue };
        let shared = artists().iter().filter(|other| other.cluster_id.as_deref() == Some(id)).count() > 1;
        let resolved = demo.call("resolve_artist", json!({"discogs_id": discogs}));
        if resolved.data()["resolved_via"] != "discogs" || shared {
            continue;
        }
        let dossier = upstream(&format!("/api/v2/artist/{}", artist.slug), &[]);
        let mbid = resolved.data()["mbid"].clone();
        let who = json!({"cluster_id": id, "slug": artist.slug, "resolved_via": "discogs", "mbid": mbid});
        assert_card(&demo.call("get_artist", json!({"key": id})), &dossier, &who, &artist.slug);
    }
}

#[test]
fn the_readable_form_holds_no_name_or_number_that_the_json_does_not() {
    for artist in artists() {
        for (tool, arguments) in
            [("resolve_artist", json!({"q": artist.name})), ("get_artist", json!({"key": artist.slug}))]
        {
            let envelope = Demo::shared().call(tool, arguments);
            let name = envelope.data()["name"].as_str().unwrap_or("No single artist found");
            assert!(envelope.text.contains(name), "{tool} {}: {}", artist.slug, envelope.text);
            let json = envelope.json.to_string();
            let made = envelope.text.split(|c: char| !c.is_ascii_digit()).filter(|digits| digits.len() >= 3);
            for number in made {
                assert!(json.contains(number), "{tool} {}: {number} in {}", artist.slug, envelope.text);
            }
        }
    }
}
