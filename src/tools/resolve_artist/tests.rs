//! Whom an answer is about, over a service that answers as told.

use super::*;
use crate::crate_client::faulty::{Behaviour, Faulty, call_of, client};
use crate::envelope::degraded::FallbackTier;
use crate::model::family::Family;

const FOUND: &str = r#"{"cluster_id":null,"slug":"somebody","display":"Somebody","resolved_via":"discogs",
    "locators":{"discogs":5}}"#;

async fn somebody(client: &CrateClient, ledger: &CallLedger) -> Result<Finding, ToolError> {
    let name = ArtistName::parse(Argument::Q, "Somebody").unwrap();
    run(&Lookup::Name(name), client, ledger, Origin::Fixtures).await
}

fn unavailable(finding: &Finding) -> bool {
    let ambiguity = finding.ambiguity.as_ref().unwrap();
    let reason = "same_name_probe:unavailable".to_owned();
    ambiguity.state() == AmbiguityState::Unknown && ambiguity.reasons().contains(&reason)
}

fn found_but_search(faulty: &Faulty, search: Behaviour) {
    faulty.set(Family::Resolve, Behaviour::Says(200, FOUND));
    faulty.set(Family::Search, search);
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_fails_is_told_as_a_missing_signal() {
    for search in [
        Behaviour::Fails(UpstreamFault::Unreachable),
        Behaviour::Hangs,
        Behaviour::Says(500, ""),
        Behaviour::Says(429, ""),
        Behaviour::Says(200, "{}"),
    ] {
        let (client, faulty, _) = client();
        found_but_search(&faulty, search.clone());
        let finding = somebody(&client, &call_of(1)).await.unwrap();
        assert!(unavailable(&finding), "{search:?}");
        assert_eq!(finding.degraded, Some(Degraded::at(FallbackTier::NoSignal)), "{search:?}");
        assert_eq!(finding.present, Ok(()), "{search:?}");
    }
}

#[tokio::test]
async fn a_probe_that_a_window_refuses_is_told_as_unavailable_and_costs_nothing() {
    let (client, faulty, _) = client();
    found_but_search(&faulty, Behaviour::Says(500, ""));
    for caller in 1..=5 {
        assert!(somebody(&client, &call_of(caller)).await.is_ok());
    }
    let ledger = call_of(1);
    let finding = somebody(&client, &ledger).await.unwrap();
    assert!(unavailable(&finding));
    assert_eq!(finding.degraded, Some(Degraded::at(FallbackTier::Unavailable)));
    assert_eq!((faulty.sent(Family::Search), ledger.units()), (5, 1));
}

#[tokio::test]
async fn an_answer_about_another_id_than_the_one_asked_for_is_never_verified() {
    let cluster = "a".repeat(64);
    let discogs = |id| Ask::Discogs(crate::identity::DiscogsId::from_number(id).unwrap());
    let by_cluster = Ask::Cluster(ClusterId::parse(&cluster).unwrap());
    const OTHER: &str = r#"{"cluster_id":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
        "slug":"other","display":"Other","resolved_via":"discogs","locators":{"discogs":6,
        "mbid":"3bcff06f-675a-451f-9075-99e8657047e8","bandcamp":["else"]}}"#;
    let recording = |artist| Ask::Recording {
        artist: ArtistName::parse(Argument::Artist, artist).unwrap(),
        track: TrackTitle::parse(Argument::Track, "T").unwrap(),
    };
    let by_mbid = Ask::Mbid(crate::identity::Mbid::parse("5b11f4ce-a62d-471e-81fc-a69a8278c7da").unwrap());
    use AmbiguityState::{None as Sure, Observed};
    for (kind, ask, state) in [
        (LocatorKind::DiscogsId, discogs(5), Some(Observed)),
        (LocatorKind::ArtistTrack, recording("Somebody"), Some(Observed)),
        (LocatorKind::ArtistTrack, recording("other"), Some(Sure)),
        (LocatorKind::Url, Ask::Url("https://fourtet.bandcamp.com".to_owned()), Some(Observed)),
        (LocatorKind::Url, Ask::Url("https://else.bandcamp.com".to_owned()), Some(Sure)),
        (LocatorKind::DiscogsId, discogs(6), Some(Sure)),
        (LocatorKind::Mbid, by_mbid, Some(Observed)),
        (LocatorKind::ClusterId, by_cluster, None),
    ] {
        let (client, faulty, _) = client();
        faulty.set(Family::Resolve, Behaviour::Says(200, OTHER));
        let lookup = Lookup::Locator(kind, ask);
        let found = run(&lookup, &client, &call_of(1), Origin::Fixtures).await;
        let told = found.ok().and_then(|found| found.ambiguity).map(|ambiguity| ambiguity.state());
        assert_eq!(told, state, "{lookup:?}");
    }
}

fn said(body: &serde_json::Value) -> Behaviour {
    Behaviour::Says(200, Box::leak(body.to_string().into_boxed_str()))
}

fn record(name: &str, cluster: &str) -> serde_json::Value {
    json!({"cluster_id": cluster, "slug": "x", "display": name, "resolved_via": "discogs",
        "resolved_from": "locator", "locators": {"discogs": 5}})
}

async fn state_of(client: &CrateClient, kind: LocatorKind, ask: Ask) -> (AmbiguityState, Vec<String>) {
    let found = run(&Lookup::Locator(kind, ask), client, &call_of(1), Origin::Fixtures).await.unwrap();
    let ambiguity = found.ambiguity.unwrap();
    (ambiguity.state(), ambiguity.reasons().to_vec())
}

#[tokio::test]
async fn a_name_is_never_answered_with_somebody_of_another_name() {
    for (display, is_served) in [
        ("somebody", true),
        ("The Somebody", true),
        ("Somebody (2)", true),
        ("Metallica", false),
        ("Some", false),
    ] {
        let (client, faulty, _) = client();
        faulty.set(Family::Resolve, said(&record(display, &"b".repeat(64))));
        faulty.set(Family::Search, Behaviour::Says(200, r#"{"results":[]}"#));
        match somebody(&client, &call_of(1)).await {
            Ok(found) => assert!(is_served, "{display}: {found:?}"),
            Err(error) => {
                let error = format!("{error:?}");
                assert!(!is_served && error.contains("another_record"), "{display}: {error}");
            }
        }
    }
}

#[tokio::test]
async fn what_was_only_matched_by_name_is_no_surer_than_the_name() {
    let mut body = record("Somebody", &"b".repeat(64));
    body["resolved_from"] = json!("name");
    let recording = Ask::Recording {
        artist: ArtistName::parse(Argument::Artist, "Somebody").unwrap(),
        track: TrackTitle::parse(Argument::Track, "T").unwrap(),
    };
    for (kind, ask) in [
        (LocatorKind::Isrc, Ask::Isrc(Isrc::parse("GBBQY0300123").unwrap())),
        (LocatorKind::ArtistTrack, recording),
        (LocatorKind::Url, Ask::Url("https://somebody.bandcamp.com".to_owned())),
    ] {
        let (client, faulty, _) = client();
        faulty.set(Family::Resolve, said(&body));
        let (state, reasons) = state_of(&client, kind, ask).await;
        assert_eq!(state, AmbiguityState::Unknown, "{kind:?}");
        assert_eq!(reasons, ["same_name_probe:not_run"], "{kind:?}");
    }
}

#[tokio::test]
async fn an_id_that_the_answer_does_not_name_is_not_verified_by_it_and_not_remembered() {
    let cluster = ClusterId::parse(&"b".repeat(64)).unwrap();
    let mut body = record("Somebody", cluster.as_str());
    body["locators"] = json!({});
    let mbid = Mbid::parse("5b11f4ce-a62d-471e-81fc-a69a8278c7da").unwrap();
    for (kind, ask) in [
        (LocatorKind::ClusterId, Ask::Cluster(cluster.clone())),
        (LocatorKind::DiscogsId, Ask::Discogs(DiscogsId::from_number(5).unwrap())),
        (LocatorKind::Mbid, Ask::Mbid(mbid)),
    ] {
        if kind == LocatorKind::ClusterId {
            body["locators"] = json!({"discogs": 5});
        } else {
            body["locators"] = json!({});
        }
        let (client, faulty, _) = client();
        faulty.set(Family::Resolve, said(&body));
        assert_eq!(state_of(&client, kind, ask).await.0, AmbiguityState::Observed, "{kind:?}");
        assert_eq!(client.recall(&cluster), None, "{kind:?}");
    }
}

#[tokio::test]
async fn a_namesake_in_the_same_cluster_ends_its_verification_though_nobody_can_read_who_it_is() {
    let cluster = ClusterId::parse(&"b".repeat(64)).unwrap();
    let (client, faulty, _) = client();
    let mut body = record("Somebody", cluster.as_str());
    faulty.set(Family::Resolve, said(&body));
    faulty.set(Family::Search, Behaviour::Says(200, r#"{"results":[]}"#));
    assert!(somebody(&client, &call_of(1)).await.is_ok());
    assert_eq!(client.recall(&cluster).map(|known| known.is_alone), Some(true));
    for (sibling, alone, is_shared) in [
        (json!({"cluster_id": "c".repeat(64), "name": 5}), Some(true), false),
        (json!(7), Some(false), false),
        (json!({"cluster_id": cluster.as_str(), "name": 5}), None, true),
    ] {
        body["same_name_clusters"] = json!([sibling]);
        faulty.set(Family::Resolve, said(&body));
        assert!(somebody(&client, &call_of(2)).await.is_ok());
        assert_eq!(client.recall(&cluster).map(|known| known.is_alone), alone, "{sibling}");
        assert_eq!(client.is_shared(&cluster), is_shared, "{sibling}");
    }
    let state = state_of(&client, LocatorKind::ClusterId, Ask::Cluster(cluster.clone())).await.0;
    assert_eq!(state, AmbiguityState::Observed);
}

#[tokio::test]
async fn siblings_in_a_form_that_cannot_be_read_never_make_a_name_sure() {
    for siblings in ["\"x\"", "5", "{}", "true"] {
        let body = format!(
            r#"{{"cluster_id":"{}","slug":"somebody","display":"Somebody","resolved_via":"discogs",
            "locators":{{"discogs":5}},"same_name_clusters":{siblings}}}"#,
            "a".repeat(64)
        );
        let (client, faulty, _) = client();
        faulty.set(Family::Resolve, Behaviour::Says(200, Box::leak(body.into_boxed_str())));
        faulty.set(Family::Search, Behaviour::Says(200, r#"{"results":[]}"#));
        let finding = somebody(&client, &call_of(1)).await.unwrap();
        assert!(unavailable(&finding), "{siblings}");
    }
}

#[tokio::test]
async fn a_probe_that_ran_leaves_nothing_degraded() {
    let (client, faulty, _) = client();
    found_but_search(&faulty, Behaviour::Says(200, r#"{"results":[]}"#));
    let finding = somebody(&client, &call_of(1)).await.unwrap();
    assert_eq!(finding.degraded, None);
}
