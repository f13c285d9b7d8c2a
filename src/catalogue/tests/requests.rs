//! Whether a request finds whom it means, and is refused where it means nobody.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use time::Date;

use super::super::CatalogueRequest;
use super::{cluster_of, demo, exact, get, resolved};

#[test]
fn a_name_is_resolved_whatever_its_case_and_says_so() {
    let body = resolved(&[("q", "  four TET ")]);
    assert_eq!(body["display"], "Four Tet");
    assert_eq!(body["resolved_via"], "discogs");
    assert_eq!(body["resolved_from"], "name");
    assert_eq!(body["locators"]["discogs"], 3543);
    assert_eq!(body["locators"]["bandcamp"], json!(["fourtet"]));
    assert!(body.get("candidates").is_none());
}

#[test]
fn every_identifier_of_an_artist_leads_to_the_same_cluster() {
    let cluster = cluster_of(&[("q", "Aphex Twin")]);
    for query in [
        ("discogs", "45"),
        ("mbid", "F22942A1-6f70-4f48-866e-238cb2308fbd"),
        ("url", "https://www.discogs.com/artist/45-Aphex-Twin"),
        ("url", "https://musicbrainz.org/artist/f22942a1-6f70-4f48-866e-238cb2308fbd"),
        ("url", "https://aphextwin.bandcamp.com/album/syro"),
        ("url", "open.spotify.com/artist/6kBDZFXuLrZgHnvmPu9NsG"),
        ("url", "https://example.org/people/aphex-twin"),
        ("cluster", &cluster),
    ] {
        assert_eq!(cluster_of(&[query]), cluster, "{query:?}");
    }
    assert_eq!(
        cluster_of(&[("artist", "burial"), ("track", "etched headplate")]),
        cluster_of(&[("q", "Burial")])
    );
}

#[test]
fn a_cluster_id_is_never_bound_back_to_discogs() {
    let cluster = cluster_of(&[("q", "Aphex Twin")]);
    let body = resolved(&[("cluster", &cluster)]);
    assert_eq!(body["resolved_via"], "cluster");
    assert_eq!(body["locators"]["discogs"], Value::Null);
    let (_, dossier) = get(demo(), &format!("/api/v2/artist/{cluster}"), &[]);
    assert_eq!(dossier["resolved_via"], "cluster");
    assert_eq!(dossier["identity"]["discogsArtistId"], Value::Null);
    assert_eq!(dossier["identity"]["profile"], Value::Null);
    assert_eq!(dossier["identity"]["name"], "Aphex Twin");
    assert_eq!(dossier["id"], Value::Null);
    let (_, by_slug) = get(demo(), "/api/v2/artist/aphex-twin", &[]);
    assert_eq!(by_slug["identity"]["discogsArtistId"], 45);
    assert_eq!(by_slug["identity"]["realname"], "Richard David James");
}

#[test]
fn facts_are_withheld_where_only_the_cluster_id_is_known() {
    let (_, by_slug) = get(demo(), "/api/v2/artist/four-tet", &[]);
    assert_eq!(by_slug["facts"]["signals"]["originCity"], "Putney");
    let cluster = cluster_of(&[("q", "Four Tet")]);
    let (_, by_cluster) = get(demo(), &format!("/api/v2/artist/{}", cluster.to_uppercase()), &[]);
    assert_eq!(by_cluster["facts"], json!({ "state": "honest_gap", "signals": null }));
    assert_eq!(by_cluster["cluster_id"], json!(cluster));
}

#[test]
fn an_artist_without_records_has_a_gap_for_a_discography() {
    let (_, body) = get(demo(), "/api/v2/artist/four-tet", &[]);
    assert_eq!(body["discography"]["state"], "honest_gap");
    assert_eq!(body["discography"]["signals"]["total"], 0);
}

#[test]
fn two_discogs_ids_of_one_musicbrainz_artist_mean_one_identity() {
    assert_eq!(cluster_of(&[("discogs", "1975486")]), cluster_of(&[("discogs", "306157")]));
    assert_eq!(resolved(&[("discogs", "1975486")])["locators"]["discogs"], 306_157);
}

#[test]
fn an_unknown_identifier_is_an_answer_of_nulls() {
    for query in [
        vec![("q", "Nobody At All")],
        vec![("discogs", "4294967296")],
        vec![("discogs", "artist:45")],
        vec![("mbid", "00000000-0000-0000-0000-000000000000")],
        vec![("isrc", "US-AKS-05-00539")],
        vec![("artist", "Nobody"), ("track", "Nothing")],
        vec![("url", "https://soundcloud.com/nobody-at-all")],
    ] {
        let body = resolved(&query);
        assert_eq!(body["cluster_id"], Value::Null, "{query:?}");
        assert_eq!(body["resolved_via"], Value::Null, "{query:?}");
    }
}

#[test]
fn placeholders_are_never_an_identity() {
    for query in
        [("discogs", "194"), ("discogs", "355"), ("discogs", "151641"), ("q", "Various"), ("discogs", "0")]
    {
        assert_eq!(resolved(&[query])["cluster_id"], Value::Null, "{query:?}");
    }
    assert!(exact("Various").iter().all(Option::is_none) && !exact("Various").is_empty());
}

#[test]
fn a_name_that_ends_without_a_cluster_suggests_names_that_start_like_it() {
    let body = resolved(&[("q", "Nirvana 2")]);
    assert_eq!(body["cluster_id"], Value::Null);
    assert_eq!(body["candidates"][0]["name"], "Nirvana 2002");
    assert_eq!(resolved(&[("q", "nirv")])["candidates"].as_array().unwrap().len(), 5);
    let clusterless = resolved(&[("q", "Care Company")]);
    assert_eq!(clusterless["cluster_id"], Value::Null);
    assert_eq!(clusterless["locators"]["discogs"], 9);
    assert!(clusterless["candidates"].is_array());
}

#[test]
fn requests_that_mean_nothing_are_refused_with_the_documented_codes() {
    for (path, query, code) in [
        ("/api/v2/resolve", vec![], "missing_locator"),
        ("/api/v2/resolve", vec![("q", " ")], "missing_locator"),
        ("/api/v2/resolve", vec![("artist", "Burial")], "missing_locator"),
        ("/api/v2/resolve", vec![("cluster", "abc")], "invalid_locator"),
        ("/api/v2/resolve", vec![("discogs", "-45")], "invalid_locator"),
        ("/api/v2/resolve", vec![("mbid", "45")], "invalid_locator"),
        ("/api/v2/resolve", vec![("isrc", "45")], "invalid_locator"),
        ("/api/v2/resolve", vec![("url", "a b")], "invalid_locator"),
        ("/api/v2/artist/discogs:45", vec![], "use_resolve_for_locator"),
        ("/api/v2/artist/a:b", vec![], "invalid_artist_key"),
        ("/api/v2/artist/ ", vec![], "invalid_artist_key"),
        ("/api/v2/artist/four-tet", vec![("fields", "identity,shoe_size")], "invalid_fields"),
        ("/api/v2/label/discogs:5", vec![], "invalid_label_key"),
        ("/api/v2/search", vec![], "invalid_query"),
        ("/api/v2/search", vec![("q", "x"), ("limit", "101")], "invalid_query"),
        ("/api/v2/search", vec![("q", "x"), ("limit", "0")], "invalid_query"),
        ("/api/v2/search", vec![("q", "x"), ("offset", "10001")], "invalid_query"),
        ("/api/v2/search", vec![("q", "x"), ("genre_mode", "xor")], "invalid_query"),
        ("/api/v2/tracks", vec![], "invalid_query"),
        ("/api/v2/tracks", vec![("title", "x"), ("limit", "51")], "invalid_query"),
        ("/api/v2/breakouts", vec![("tier", "huge")], "invalid_query"),
        ("/api/v2/aura/abc", vec![], "invalid_locator"),
    ] {
        let (status, body) = get(demo(), path, &query);
        assert_eq!((status, body["error"].as_str()), (400, Some(code)), "{path} {query:?}");
    }
    let (_, body) = get(demo(), "/api/v2/artist/mbid:1-a", &[]);
    assert_eq!(body["next"], "/api/v2/resolve?mbid=1-a");
    let (_, body) = get(demo(), "/api/v2/artist/x", &[("fields", "y")]);
    assert!(body["valid"].as_array().unwrap().contains(&json!("discography")));
}

#[test]
fn an_unknown_path_is_not_found() {
    for path in
        ["/", "/api/v1/resolve", "/api/v2/none", "/api/v2/artist", "/api/v2/artist/x/y", "", "/api/v2resolve"]
    {
        let (status, body) = get(demo(), path, &[]);
        assert_eq!((status, body), (404, json!({ "error": "not_found" })), "{path}");
    }
}

#[test]
fn an_unknown_key_is_answered_without_an_identity() {
    for path in [
        "/api/v2/artist/nobody-at-all",
        "/api/v2/label/no-label",
        &format!("/api/v2/artist/{}", "a".repeat(64)),
    ] {
        let (status, body) = get(demo(), path, &[]);
        assert_eq!((status, &body["identity"]), (200, &Value::Null), "{path}");
        assert_eq!(body["cluster_id"], Value::Null);
    }
}

#[test]
fn fields_trim_a_dossier_to_what_was_asked_for() {
    let (_, body) = get(demo(), "/api/v2/artist/the-persuader", &[("fields", "identity, discography")]);
    let keys: BTreeSet<&str> = body.as_object().unwrap().keys().map(String::as_str).collect();
    assert!(keys.contains("identity") && keys.contains("discography") && keys.contains("cluster_id"));
    assert!(!keys.contains("connections") && !keys.contains("provenance"));
}

proptest! {
    #[test]
    fn whatever_is_asked_there_is_a_json_answer(
        path in prop_oneof![
            Just("/api/v2/resolve".to_owned()), Just("/api/v2/search".to_owned()), Just("/api/v2/tracks".to_owned()),
            "/api/v2/artist/.{0,8}", "/api/v2/label/.{0,8}", "/api/v2/aura/.{0,8}", ".{0,20}",
        ],
        key in prop_oneof![
            Just("q"), Just("url"), Just("discogs"), Just("mbid"), Just("isrc"), Just("cluster"), Just("title"),
            Just("fields"), Just("limit"), Just("offset"), Just("genre"), Just("year_from"),
        ],
        value in ".{0,40}",
    ) {
        let query = [(key.to_owned(), value), ("fuzzy".to_owned(), "true".to_owned())];
        let request = CatalogueRequest { path: &path, query: &query, today: Date::MAX };
        let answer = demo().answer(&request);
        prop_assert!(matches!(answer.status, 200 | 400 | 404));
        let body: Value = serde_json::from_slice(&answer.body).unwrap();
        prop_assert_eq!(answer.status == 200, body.get("error").is_none());
    }
}
