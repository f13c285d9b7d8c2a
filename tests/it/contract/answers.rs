//! Every kind of answer that the demo catalogue gives, held to the contract.

use std::collections::BTreeSet;
use std::path::Path;

use ono_sendai::catalogue::{Catalogue, CatalogueRequest};
use serde_json::{Value, json};
use time::macros::date;

use super::{Contract, contract};
use crate::harness::artists;

type Query = Vec<(String, String)>;

/// Requests that show every kind of answer.
fn requests() -> Vec<(String, Query)> {
    let mut out = Vec::new();
    let mut add = |path: &str, query: &[(&str, &str)]| {
        let query = query.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        out.push((path.to_owned(), query));
    };
    for artist in artists() {
        add("/api/v2/resolve", &[("q", &artist.name)]);
        add("/api/v2/search", &[("q", &artist.name)]);
        add(&format!("/api/v2/artist/{}", artist.slug), &[]);
        add(&format!("/api/v2/artist/{}/gigs", artist.slug), &[]);
        add(&format!("/api/v2/artist/{}/similar", artist.slug), &[]);
        if let Some(cluster) = &artist.cluster_id {
            add("/api/v2/resolve", &[("cluster", cluster)]);
            add(&format!("/api/v2/artist/{cluster}"), &[]);
            add(&format!("/api/v2/aura/{cluster}"), &[]);
            add(&format!("/api/v2/artist/{cluster}/similar"), &[("limit", "5")]);
            for name in ["seen.artist_festival_co_appearance", "seen.radio_co_play"] {
                add(&format!("/api/v2/surface/{name}"), &[("cluster", cluster)]);
                add(&format!("/api/v2/surface/{name}"), &[("cluster", cluster), ("limit", "2")]);
            }
        }
    }
    for slug in labels() {
        add(&format!("/api/v2/label/{slug}"), &[]);
    }
    add("/api/v2/dossier/label/svek", &[]);
    add("/api/v2/dossier/artist/four-tet", &[]);
    add("/api/v2/dossier/festival/none", &[]);
    for query in
        [("discogs", "1975486"), ("discogs", "artist:1"), ("q", "nirv"), ("url", "https://example.org/x")]
    {
        add("/api/v2/resolve", &[query]);
    }
    for path in ["/api/v2/artist/nobody", "/api/v2/label/nothing", "/api/v2/artist/x/bandcamp/1"] {
        add(path, &[]);
    }
    for (slug, id) in [("the-persuader", "4242"), ("four-tet", "4242"), ("nobody", "1")] {
        add(&format!("/api/v2/artist/{slug}/master/{id}"), &[]);
    }
    add("/api/v2/search", &[("genre", "Rock"), ("genre", "Jazz"), ("year_from", "1990")]);
    add("/api/v2/tracks", &[("title", "a"), ("fuzzy", "true")]);
    add("/api/v2/tracks", &[("title", "the"), ("fuzzy", "true")]);
    add("/api/v2/tracks", &[("title", "Intro")]);
    add("/api/v2/track", &[("title", "Vasastaden"), ("artist", "The Persuader"), ("want", "fingerprint")]);
    add("/api/v2/track", &[("title", "No Such Title")]);
    add("/api/v2/artists", &[("tier", "breakout")]);
    add("/api/v2/artists", &[("genre", "Electronic"), ("sort", "reach"), ("limit", "2"), ("offset", "1")]);
    add("/api/v2/artists", &[("genre", "No Such Genre")]);
    add("/api/v2/facets", &[("genre", "Rock")]);
    add("/api/v2/preview/artist", &[("q", "Four Tet")]);
    add("/api/v2/breakouts", &[("tier", "rising"), ("corroboration", "corroborated"), ("limit", "1")]);
    for path in [
        "/api/v2",
        "/api/v2/openapi.json",
        "/api/v2/artists",
        "/api/v2/aura",
        "/api/v2/breakouts",
        "/api/v2/facets",
        "/api/v2/surface",
        "/api/v2/tastemakers",
        "/api/v2/tastemakers/ones-to-watch",
        "/api/v2/dossier/manifest",
        "/api/v2/semantics/dictionary",
        "/api/v2/semantics/dictionary.json",
    ] {
        add(path, &[]);
    }
    out
}

fn labels() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/labels/index.jsonl");
    let text = std::fs::read_to_string(path).expect("an index");
    let slugs = |line: &str| serde_json::from_str::<Value>(line).expect("a record")["slugs"].clone();
    let all: Vec<String> = text
        .lines()
        .flat_map(|line| serde_json::from_value::<Vec<String>>(slugs(line)).expect("slugs"))
        .collect();
    assert!(all.len() > 40);
    all
}

fn get(catalogue: &Catalogue, path: &str, query: &Query) -> (u16, Value) {
    let request = CatalogueRequest { path, query, today: date!(2026 - 11 - 30) };
    let answer = catalogue.answer(&request);
    (answer.status, serde_json::from_slice(&answer.body).expect("JSON"))
}

/// Holds every answer to `contract`; gives the templates that were seen.
fn hold_all(contract: &Contract, extensions: &Contract) -> BTreeSet<String> {
    let catalogue = Catalogue::embedded().expect("a catalogue");
    let mut seen = BTreeSet::new();
    for (path, query) in requests() {
        let (template, _) = extensions.template(&path).unwrap_or_else(|| panic!("{path} is not described"));
        let contract = if extensions.is_extension(&template, "get") { extensions } else { contract };
        let (status, body) = get(&catalogue, &path, &query);
        assert_eq!(status, 200, "{path} {query:?}: {body}");
        let mut problems = contract.answer("get", &path, status, &body);
        // An identifier of another kind is answered, though the document would not have it asked.
        problems.extend(
            contract.request("get", &path, &query).into_iter().filter(|_| !path.ends_with("resolve")),
        );
        assert!(problems.is_empty(), "{path} {query:?}: {problems:?}");
        seen.insert(template);
    }
    seen
}

#[test]
fn every_answer_of_the_demo_is_valid_by_the_services_own_description() {
    hold_all(contract(), &Contract::of_the_demo());
}

#[test]
fn every_answer_of_the_demo_is_valid_by_its_own_document_and_nothing_in_that_is_left_unasked() {
    let own = Contract::of_the_demo();
    let seen = hold_all(&own, &own);
    let described: BTreeSet<String> =
        own.operations().into_iter().filter(|(_, method)| method == "get").map(|(path, _)| path).collect();
    assert_eq!(seen, described);
}

#[test]
fn titles_are_resolved_in_the_services_form() {
    let catalogue = Catalogue::embedded().expect("a catalogue");
    let ask = |body: Value| {
        let answer = catalogue.resolve_tracks(body.to_string().as_bytes());
        (answer.status, serde_json::from_slice::<Value>(&answer.body).expect("JSON"))
    };
    let (status, body) = ask(json!({"want": ["duration", "fingerprint"], "tracks": [
        {"artist": "The Persuader", "title": "Vasastaden"}, {"title": "vasastaden!"},
        {"artist": "Nobody", "title": "Vasastaden"}, {"artist": "wings", "title": "1882"},
    ]}));
    assert_eq!(status, 200, "{body}");
    for contract in [contract(), &Contract::of_the_demo()] {
        assert_eq!(contract.answer("post", "/api/v2/tracks/resolve", 200, &body), [""; 0]);
    }
    let sure: Vec<f64> = body["results"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| row["confidence"].as_f64().expect("one"))
        .collect();
    assert_eq!(sure, [1.0, 0.5, 0.0, 0.8]);
    assert_eq!(body["results"][1]["artist"], "The Persuader");
    assert_eq!(body["unsupported"][0]["want"], "fingerprint");
    for wrong in [
        json!({}),
        json!({"tracks": []}),
        json!({"tracks": [{"title": 1}]}),
        json!({"want": ["x"],
        "tracks": [{"title": "x"}]}),
        json!({"tracks": vec![json!({"title": "x"}); 51]}),
    ] {
        let (status, body) = ask(wrong.clone());
        assert_eq!((status, &body["error"]), (400, &json!("invalid_query")), "{wrong}");
    }
}

#[test]
fn the_pages_of_a_surface_are_disjoint_and_complete() {
    let catalogue = Catalogue::embedded().expect("a catalogue");
    let path = "/api/v2/surface/seen.radio_co_play";
    let cluster = artists()
        .iter()
        .filter_map(|artist| artist.cluster_id.clone())
        .find(|id| {
            let rows = get(&catalogue, path, &vec![("cluster".to_owned(), id.clone())]).1["rows"].clone();
            rows.as_array().expect("rows").len() >= 5
        })
        .expect("an artist who is played with others");
    let ask = |more: &[(&str, &str)]| {
        let mut query = vec![("cluster".to_owned(), cluster.clone())];
        query.extend(more.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())));
        get(&catalogue, path, &query)
    };
    let (_, whole) = ask(&[]);
    assert_eq!((&whole["state"], &whole["next_after"]), (&json!("present"), &Value::Null));
    let mut rows = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let mut more = vec![("limit", "2")];
        more.extend(after.as_deref().map(|after| ("after", after)));
        let (status, page) = ask(&more);
        assert_eq!(status, 200, "{page}");
        rows.extend(page["rows"].as_array().expect("rows").clone());
        match page["next_after"].as_str() {
            Some(next) => after = Some(next.to_owned()),
            None => break,
        }
    }
    assert_eq!(json!(rows), whole["rows"]);
    for (query, code) in [(&[("after", "x")][..], "invalid_query"), (&[("limit", "x")], "invalid_query")] {
        assert_eq!(ask(query).1["error"], code, "{query:?}");
    }
    let unknown = get(&catalogue, "/api/v2/surface/seen.none", &Vec::new());
    assert_eq!((unknown.0, &unknown.1["error"]), (400, &json!("invalid_name")));
    let nobody = ask(&[]).1["surface"].clone();
    assert_eq!(nobody, "seen.radio_co_play");
    let (_, gap) = get(&catalogue, path, &vec![("cluster".to_owned(), "a".repeat(64))]);
    assert_eq!(
        (&gap["present"], &gap["state"], &gap["rows"]),
        (&json!(false), &json!("honest_gap"), &json!([]))
    );
}

/// The demo's document says nothing of the service that the service's own does not say.
#[test]
fn the_demos_document_is_part_of_the_services() {
    let Some(service) = Contract::of_the_service() else {
        println!("SKIPPED: the service's own description is not here (ONO_SHARED names its folder)");
        return;
    };
    let own = Contract::of_the_demo();
    let mut compared = 0;
    for (path, method) in own.operations() {
        if own.is_extension(&path, &method) {
            assert!(service.operation(&path, &method).is_null(), "{path} is no extension any more");
            continue;
        }
        let (mine, theirs) = (own.operation(&path, &method), service.operation(&path, &method));
        assert!(theirs.is_object(), "{method} {path}");
        for parameter in mine["parameters"].as_array().into_iter().flatten() {
            let theirs = theirs["parameters"].as_array().expect("parameters");
            let same = |other: &&Value| other["name"] == parameter["name"] && other["in"] == parameter["in"];
            let other = theirs.iter().find(same).unwrap_or_else(|| panic!("{path}: {parameter}"));
            assert_eq!(parameter["required"] == true, other["required"] == true, "{path}: {parameter}");
            compared += 1;
        }
    }
    assert!(compared > 50, "{compared}");
}
