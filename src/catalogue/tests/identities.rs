//! The identity states, each by the facts that show it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::super::folding;
use super::{cluster_of, demo, exact, get, resolved, rows};

#[test]
fn one_verified_identity_has_exact_rows_of_its_own_or_none_at_all() {
    let persuader = cluster_of(&[("q", "The Persuader")]);
    assert_eq!(exact("The Persuader"), vec![Some(persuader); 3]);
    for name in ["Four Tet", "Aphex Twin", "Autechre"] {
        assert_eq!(resolved(&[("q", name)])["resolved_via"], "discogs");
        assert!(rows(name).is_empty(), "{name}");
    }
}

#[test]
fn five_artists_called_nirvana_are_five_clusters_and_only_one_is_verified() {
    let body = resolved(&[("q", "Nirvana")]);
    assert_eq!(body["locators"]["discogs"], 125_246);
    let siblings = body["same_name_clusters"].as_array().unwrap();
    let ids: BTreeSet<&str> = siblings.iter().map(|row| row["cluster_id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 4);
    assert!(!ids.contains(body["cluster_id"].as_str().unwrap()));
    assert!(siblings.iter().all(|row| row["tier"] == "cluster" && row["name"] == "Nirvana"));
    let british = resolved(&[("mbid", "9282c8b4-ca0b-4c6b-b7e3-4f7762dfc4d6")]);
    assert_eq!(british["resolved_via"], "cluster");
    assert!(british.get("same_name_clusters").is_none(), "an id needs no disambiguation");
    assert_eq!(get(demo(), "/api/v2/artist/nirvana", &[]).1["id"], 125_246);
}

#[test]
fn suffix_homonyms_are_verified_and_apart() {
    for (plain, suffixed) in [("252310", "503619"), ("43", "300407"), ("51843", "309557"), ("79947", "54")] {
        let (one, other) = (resolved(&[("discogs", plain)]), resolved(&[("discogs", suffixed)]));
        assert_eq!((&one["resolved_via"], &other["resolved_via"]), (&json!("discogs"), &json!("discogs")));
        assert_ne!(one["cluster_id"], other["cluster_id"]);
        assert!(other["display"].as_str().unwrap().starts_with(one["display"].as_str().unwrap()));
    }
}

#[test]
fn a_search_shows_a_suffix_homonym_that_is_bound_to_another_cluster() {
    let other = cluster_of(&[("discogs", "309557")]);
    assert_eq!(rows("Goldrush"), [("Goldrush (2)".to_owned(), Some(other))]);
    let entity = cluster_of(&[("discogs", "79947")]);
    assert!(exact("Entity").contains(&Some(entity)));
}

#[test]
fn two_artists_of_one_exact_name_are_shown_by_invented_ones_only() {
    let bound: BTreeSet<_> = exact("Invented Homonym").into_iter().flatten().collect();
    assert_eq!(bound.len(), 2);
}

#[test]
fn a_number_that_only_the_slug_carries_is_shown_by_an_invented_artist_only() {
    let body = resolved(&[("q", "Invented Namesake")]);
    assert_eq!(
        (&body["display"], &body["slug"]),
        (&json!("Invented Namesake"), &json!("invented-namesake-2"))
    );
    assert_eq!(exact("Invented Namesake"), [body["cluster_id"].as_str().map(str::to_owned)]);
}

#[test]
fn both_alice_coopers_share_one_cluster_and_their_dossiers_say_so() {
    let (one, other) = (resolved(&[("discogs", "48433")]), resolved(&[("discogs", "463597")]));
    assert_eq!(one["cluster_id"], other["cluster_id"]);
    assert_ne!(one["slug"], other["slug"]);
    for slug in ["alice-cooper", "alice-cooper-2"] {
        let (_, body) = get(demo(), &format!("/api/v2/artist/{slug}"), &[]);
        let signals = &body["discography"]["signals"];
        assert_eq!(signals["overMerge"], json!({ "discogsArtistIdCount": 2, "folded": true }));
        assert_eq!(signals["entries"].as_array().unwrap().len(), 2);
    }
}

#[test]
fn an_artist_known_to_musicbrainz_alone_is_only_observed() {
    let body = resolved(&[("q", "Nirvana 2002")]);
    assert_eq!(body["resolved_via"], "cluster");
    assert_eq!(body["locators"]["discogs"], Value::Null);
}

#[test]
fn some_rows_are_bound_to_nobody() {
    assert_eq!(resolved(&[("q", "DJ Rasoul")])["resolved_via"], "discogs");
    let unbound = exact("DJ Rasoul");
    assert!(!unbound.is_empty() && unbound.iter().all(Option::is_none));
    let some = exact("Pete Moss");
    assert_eq!(some.iter().filter(|cluster| cluster.is_none()).count(), 1);
    assert_eq!(some.iter().flatten().collect::<BTreeSet<_>>().len(), 1);
    assert_eq!(rows("Solitaire"), [("Solitaire (12)".to_owned(), None)]);
}

#[test]
fn a_name_with_nothing_to_compare_is_found_and_is_invented() {
    let body = resolved(&[("q", "?!?")]);
    assert_eq!(body["locators"]["discogs"], 999_999_001);
    assert!(folding::words("?!?").is_empty());
    assert_eq!(rows("?!?").len(), 1);
}

#[test]
fn a_name_written_otherwise_is_found_by_search_though_not_by_name() {
    for (written, name) in
        [("Hakan Lidbo", "Håkan Lidbo"), ("Mateo and Matos", "Mateo & Matos"), ("Persuader", "The Persuader")]
    {
        assert_eq!(resolved(&[("q", written)])["cluster_id"], Value::Null);
        let cluster = cluster_of(&[("q", name)]);
        assert!(rows(written).contains(&(name.to_owned(), Some(cluster))), "{written}");
    }
    let carmels: BTreeSet<_> = rows("Carmel").into_iter().filter_map(|(_, cluster)| cluster).collect();
    assert_eq!(carmels.len(), 2);
}

#[test]
fn a_title_leads_to_the_artist_credited_with_it_and_not_to_a_namesake() {
    let alice = [("artist", "Alice Cooper (2)"), ("track", "18 (Little Flower Of Ulysses)")];
    assert_eq!(resolved(&alice)["locators"]["discogs"], 463_597);
    let mut tried = 0;
    for (title, performer) in demo().tracks.credits() {
        let body = resolved(&[("artist", performer.credit), ("track", title)]);
        assert_eq!(body["display"], performer.credit, "{title}");
        assert_eq!(body["cluster_id"], performer.cluster_id, "{title}");
        tried += 1;
    }
    assert!(tried > 300, "{tried}");
}

/// The form of every page with the case of its letters turned round.
fn other_case(page: &str) -> String {
    let turned = |c: char| if c.is_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
    page.chars().map(turned).collect()
}

#[test]
fn an_id_in_another_case_is_another_id_and_a_name_in_another_case_is_the_name() {
    let (mut ids, mut names) = (0, 0);
    for (artist, page) in demo().artists.pages() {
        let found = || resolved(&[("url", &format!("https://{page}"))])["display"].clone();
        if let Some((front, id)) = ["open.spotify.com/artist/", "youtube.com/channel/"]
            .iter()
            .find_map(|front| page.split_at_checked(front.len()).filter(|(start, _)| start == front))
        {
            assert_eq!(found(), artist, "{page}");
            for id in [id.to_lowercase(), id.to_uppercase(), other_case(id)] {
                let body = resolved(&[("url", &format!("https://{front}{id}"))]);
                assert_eq!(body["cluster_id"], Value::Null, "{front}{id}");
            }
            ids += 1;
        } else if let Some((host, path)) = page.split_once('/')
            && ["soundcloud.com", "instagram.com", "youtube.com"].contains(&host)
        {
            let turned = resolved(&[("url", &format!("https://{host}/{}", other_case(path)))]);
            assert_eq!(turned["display"], found(), "{page}");
            names += usize::from(turned["display"] == artist);
        }
    }
    assert!(ids >= 16 && names >= 10, "{ids} {names}");
}

#[test]
fn every_pair_of_namesakes_is_listed_but_for_those_that_show_another_state() {
    let unlisted = ["Alice Cooper", "Goldrush", "Solitaire"];
    let mut families: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for (name, cluster, discogs) in demo().artists.sourced() {
        families.entry(folding::without_suffix(name)).or_default().push((name, cluster, discogs));
    }
    families.retain(|_, family| family.len() > 1);
    for name in unlisted {
        assert!(families.contains_key(name), "{name} has no namesake");
    }
    for (name, family) in families {
        for (own, cluster, _) in &family {
            let body = resolved(&[("q", own)]);
            let listed = body["same_name_clusters"].as_array().into_iter().flatten();
            let listed: BTreeSet<_> = listed.map(|row| row["cluster_id"].as_str()).collect();
            let others: BTreeSet<_> = family.iter().map(|(_, cluster, _)| *cluster).collect();
            let mut others = if unlisted.contains(&name) { BTreeSet::new() } else { others };
            others.remove(&body["cluster_id"].as_str());
            assert_eq!(listed, others, "{own}");
            assert!(cluster.is_some(), "{own}");
        }
    }
    let entity = resolved(&[("q", "Entity")]);
    assert_eq!(entity["same_name_clusters"][0]["discogs"], 54);
    assert_eq!(resolved(&[("q", "Entity (2)")])["same_name_clusters"][0]["discogs"], 79_947);
}
