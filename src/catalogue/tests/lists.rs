//! Searches and lists, and the time it takes to open the catalogue.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::folding;
use super::{cluster_of, demo, exact, get, rows};

#[test]
fn rows_of_the_artist_asked_for_come_first() {
    let catalogue = demo();
    for artist in catalogue.artists.names() {
        let own = exact(artist);
        let first: Vec<_> =
            rows(artist).into_iter().take(own.len()).map(|(name, _)| name.to_lowercase()).collect();
        assert!(
            first.iter().all(|name| folding::words(name) == folding::words(artist)),
            "{artist}: {first:?}"
        );
    }
}

#[test]
fn pages_of_a_search_are_disjoint_and_complete() {
    let catalogue = demo();
    let page = |offset: &str| {
        let query = [("genre", "electronic"), ("limit", "7"), ("offset", offset)];
        get(catalogue, "/api/v2/search", &query).1
    };
    let total = usize::try_from(page("0")["pagination"]["total_results"].as_u64().unwrap()).unwrap();
    assert!(total > 20);
    let mut seen = BTreeSet::new();
    for offset in (0..total).step_by(7) {
        for row in page(&offset.to_string())["results"].as_array().unwrap() {
            assert!(seen.insert(row["master_id"].as_u64().unwrap()));
        }
    }
    assert_eq!(seen.len(), total);
    assert_eq!(page("7")["pagination"]["page"], 2);
    assert_eq!(page("10000")["results"], json!([]));
}

#[test]
fn filters_narrow_a_search() {
    let found = |query: &[(&str, &str)]| {
        let (status, body) = get(demo(), "/api/v2/search", query);
        assert_eq!(status, 200, "{body}");
        body["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|r| r["master_id"].as_u64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        found(&[("q", "persuader"), ("label", "svek"), ("country", "Sweden")]),
        [4242, 374_577, 1_660_109]
    );
    assert_eq!(found(&[("q", "persuader"), ("year_from", "1999"), ("year_to", "1999")]), [1_660_109]);
    assert!(found(&[("q", "persuader"), ("exclude_label", "Svek")]).is_empty());
    assert!(found(&[("q", "persuader"), ("dj_count_min", "1")]).is_empty());
    let or = found(&[("style", "Techno"), ("style", "Deep House"), ("limit", "100")]);
    let and = found(&[("style", "Techno"), ("style", "Deep House"), ("style_mode", "and"), ("limit", "100")]);
    assert!(and.len() < or.len() && and.iter().all(|id| or.contains(id)));
}

#[test]
fn tracks_are_found_whole_or_in_part() {
    let (_, body) = get(demo(), "/api/v2/tracks", &[("title", "Bonus Videos:")]);
    assert_eq!(body["count"], 0, "a heading in a track list is no track");
    let (_, body) = get(demo(), "/api/v2/tracks", &[("title", "vasastaden!")]);
    assert_eq!(body["results"][0]["clusterId"], json!(cluster_of(&[("q", "The Persuader")])));
    let (_, body) = get(demo(), "/api/v2/tracks", &[("title", "sastad"), ("fuzzy", "true")]);
    assert_eq!(body["count"], 1);
    let (_, body) = get(demo(), "/api/v2/tracks", &[("title", "sa"), ("fuzzy", "true")]);
    assert_eq!((&body["count"], &body["state"]), (&json!(0), &json!("ok")));
    let (_, body) = get(demo(), "/api/v2/tracks", &[("title", "Vasastaden"), ("source", "bandcamp")]);
    assert_eq!(body["count"], 0);
}

#[test]
fn a_label_is_found_by_either_slug_and_a_folded_one_is_only_observed() {
    let get = |path: &str| get(demo(), path, &[]).1;
    assert_eq!(get("/api/v2/label/warp")["id"], 23528);
    assert_eq!(
        get("/api/v2/label/warp-records")["binds"]["label_mbid"],
        "46f0f4cd-8aab-4b33-b698-f459faf64190"
    );
    assert_eq!(get("/api/v2/label/Svek")["identity"]["parentLabel"], "Goldhead Music");
    let columbia = get("/api/v2/label/columbia");
    assert_eq!(columbia["over_merge"], json!({ "discogs_label_id_count": 2, "folded": true }));
    assert_eq!(columbia["resolved_via"], "cluster");
    let cluster = get("/api/v2/label/svek")["cluster_id"].as_str().unwrap().to_owned();
    let by_cluster = get(&format!("/api/v2/label/{cluster}"));
    assert_eq!((&by_cluster["resolved_via"], &by_cluster["id"]), (&json!("cluster"), &Value::Null));
}

#[test]
fn lists_keep_to_their_filters_and_limits() {
    let get = |path: &str, query: &[(&str, &str)]| get(demo(), path, query).1;
    let all = get("/api/v2/breakouts", &[]);
    assert!(!all["items"].as_array().unwrap().is_empty());
    for word in ["corroborated", "booking_ahead"] {
        let some = get("/api/v2/breakouts", &[("corroboration", word)]);
        assert!(some["items"].as_array().unwrap().iter().all(|row| row["corroboration"] == word));
    }
    assert_eq!(
        get("/api/v2/tastemakers/ones-to-watch", &[("limit", "2")])["onesToWatch"].as_array().unwrap().len(),
        2
    );
    let aura = get("/api/v2/aura", &[("limit", "1")]);
    let row = &aura["items"][0];
    let one = get(&format!("/api/v2/aura/{}", row["cluster_id"].as_str().unwrap()), &[]);
    assert_eq!(&one["aura"], row);
    assert_eq!(get(&format!("/api/v2/aura/{}", "a".repeat(64)), &[])["state"], "honest_gap");
}

#[test]
fn events_lie_ahead_of_the_day_of_the_request() {
    let (_, body) = get(demo(), "/api/v2/artist/four-tet/gigs", &[]);
    let gigs = body["gigs"].as_array().unwrap();
    assert!(!gigs.is_empty());
    assert!(gigs.iter().all(|gig| gig["date"].as_str().unwrap() > "2026-11-30"), "{body}");
    assert!(gigs.iter().all(|gig| gig["title"].as_str().unwrap().contains("invented")));
    assert_eq!(get(demo(), "/api/v2/artist/autechre-none/gigs", &[]).1["state"], "honest_gap");
}

// A build for tests is slower by a factor that says nothing.
#[cfg(not(debug_assertions))]
#[test]
fn loading_is_fast() {
    use std::time::{Duration, Instant};

    let fastest = (0..5)
        .map(|_| {
            let start = Instant::now();
            super::super::Catalogue::embedded().unwrap();
            start.elapsed()
        })
        .min()
        .unwrap();
    assert!(fastest < Duration::from_millis(10), "{fastest:?}");
}
