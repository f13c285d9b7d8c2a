//! `get_label`.

use ono_sendai::tools::registry::ToolName;
use serde_json::{Value, json};

use super::samples::{cluster, label};
use super::{Service, Told, set};

fn get(service: &Service, key: &str) -> Told {
    service.call(ToolName::GetLabel, json!({"key": key}))
}

fn card(body: &Value) -> Told {
    get(&Service::saying(body), "some-label")
}

#[test]
fn a_card_holds_every_facet_and_quotes_the_profile_apart() {
    let told = card(&label());
    let website = |url: &str| json!({"site": "website", "url": url});
    assert_eq!(
        told.data(),
        &json!({
            "cluster_id": cluster(8), "slug": "some-label", "name": "Some Label", "resolved_via": "discogs",
            "discogs_id": 23528, "mbid": "46f0f4cd-8aab-4b33-b698-f459faf64190",
            "parent": {"present": true, "name": "Parent Label"},
            "bandcamp": {"present": true, "site": "bandcamp", "url": "https://label.bandcamp.com"},
            "pages": {"present": true, "total": 2,
                "links": [website("https://label.example/"), website("https://shop.example/label")]},
            "presence": {"present": true, "discogs": true, "bandcamp": true, "dj_sets": true, "editorial": false},
            "dj_momentum": {"present": true, "plays": 562, "plays_last_365d": 342, "djs": 80, "artists": 31,
                "tracklists": 200, "velocity": 0.608_540_925, "first_played": "2001-04-05", "last_played": "2026-11-20"},
            "travels": {"present": true, "total": 2, "shown": 2, "truncated": false, "labels": [
                {"name": "Near Label", "cluster_id": cluster(1), "npmi": 0.42, "support": 6},
                {"name": "Far Label", "cluster_id": cluster(2), "npmi": 0.125, "support": 7},
            ]},
        })
    );
    assert_eq!(
        told.json["untrusted_text"],
        json!([{"field": "profile", "text": "A text about the label by others.", "source": "Discogs", "licence": "CC0",
            "handling": "display_only"}])
    );
    assert_eq!(told.json["ambiguity"]["state"], "none");
    assert_eq!(told.units, 1);
    assert_eq!(
        told.text,
        format!(
            "Some Label: verified identity.\n\
             cluster_id: {}\n\
             Ids: slug some-label, Discogs 23528, MusicBrainz 46f0f4cd-8aab-4b33-b698-f459faf64190.\n\
             Belongs to: Parent Label.\n\
             Bandcamp: https://label.bandcamp.com.\n\
             Pages: 2 of 2: https://label.example/ https://shop.example/label.\n\
             Observed: in Discogs yes, on Bandcamp yes, in DJ sets yes, in writing no.\n\
             DJ plays: 562 in all, 342 in the last 365 days (share 0.608540925); DJs 80, artists 31, tracklists 200; \
             first 2001-04-05, last 2026-11-20.\n\
             Collected together with: Near Label (collectors of both 6, npmi 0.42), Far Label (collectors of both 7, npmi 0.125).\n\
             Data by hosaka (crate.hosaka.fm); sources: Discogs (CC0), MusicBrainz (CC0), hosaka link index (hosaka \
             terms), hosaka signals (hosaka terms).",
            cluster(8)
        )
    );
}

#[test]
fn a_record_of_several_labels_says_so_and_is_no_verified_one() {
    let mut body = label();
    set(&mut body, "/over_merge", json!({"discogs_label_id_count": 2, "folded": true}));
    let told = card(&body);
    assert_eq!(told.json["ambiguity"]["state"], "over_merged");
    assert_eq!(told.json["ambiguity"]["reasons"][0], "dossier:over_merge");
    assert_eq!((&told.data()["resolved_via"], &told.data()["slug"]), (&json!("cluster"), &json!(null)));
    assert!(
        told.text.starts_with("Some Label: a record that is known to mix more than one label.\n"),
        "{}",
        told.text
    );
    set(&mut body, "/over_merge", json!({"discogs_label_id_count": "some", "folded": true}));
    assert_eq!(card(&body).json["ambiguity"]["state"], "unknown");
}

#[test]
fn a_bare_cluster_id_is_only_ever_observed() {
    let told = get(&Service::saying(&label()), &cluster(8));
    assert_eq!(told.json["ambiguity"]["state"], "observed");
    assert_eq!(told.data()["resolved_via"], "cluster");
    assert_eq!(told.json["next_actions"][0]["args"], json!({"key": "some-label"}));
}

#[test]
fn a_label_that_is_not_held_is_a_gap_with_the_next_step() {
    for service in [
        Service::saying(&json!({"identity": null, "slug": "x", "display": "x"})),
        Service::script([(404, r#"{"error":"not_found"}"#.to_owned())]),
        Service::demo(),
    ] {
        let told = get(&service, "no-such-label-77");
        assert_eq!(
            (&told.json["present"], &told.json["reason"]),
            (&json!(false), &json!("not_found_upstream"))
        );
        assert_eq!(told.json["ambiguity"]["state"], "unresolved");
        assert_eq!(told.json["next_actions"][0]["tool"], "resolve_artist");
        assert_eq!(told.units, 1);
        let told = get(&service, &cluster(77));
        assert_eq!(told.json["next_actions"][0]["tool"], "get_artist");
    }
}

#[test]
fn what_the_service_lacks_is_a_gap_in_its_place() {
    let told = get(&Service::demo(), "planet-e");
    let data = told.data();
    assert_eq!(data["dj_momentum"], json!({"present": false, "reason": "honest_gap"}));
    assert_eq!(
        (&data["pages"]["total"], data["pages"]["links"].as_array().map(Vec::len)),
        (&json!(13), Some(6))
    );
    assert!(told.text.contains("DJ plays: not present, hosaka holds no value for it."), "{}", told.text);
    assert!(told.line().ends_with("demo fixtures; sources: Discogs (CC0)."), "{}", told.line());
    let mut body = label();
    set(&mut body, "/dj_momentum/state", json!("degraded"));
    set(&mut body, "/presence", json!("everywhere"));
    set(&mut body, "/identity/urls", json!([5, "javascript:alert(1)"]));
    let told = card(&body);
    assert_eq!(told.json["degraded"]["fallback_tier"], "suspect");
    for (facet, reason) in [
        ("dj_momentum", "upstream_degraded"),
        ("presence", "malformed_upstream"),
        ("pages", "malformed_upstream"),
    ] {
        assert_eq!(told.data()[facet], json!({"present": false, "reason": reason}));
    }
}

#[test]
fn a_name_in_place_of_a_key_is_refused_with_its_slug() {
    let service = Service::saying(&label());
    let told = get(&service, "Warp Records");
    assert_eq!(told.refusal(), ("invalid_argument", "key"));
    assert_eq!(
        told.json["suggested_tool_calls"],
        json!([{"tool": "get_label", "args": {"key": "warp-records"}}])
    );
    for (key, kind) in [
        ("https://www.discogs.com/label/5-Svek", "invalid_argument"),
        ("discogs:5", "invalid_argument"),
        ("46f0f4cd-8aab-4b33-b698-f459faf64190", "invalid_argument"),
        ("../../etc/passwd", "invalid_argument"),
        ("<label_key>", "placeholder_detected"),
        ("TODO", "placeholder_detected"),
        ("", "invalid_argument"),
    ] {
        let told = get(&service, key);
        assert_eq!(told.refusal(), (kind, "key"), "{key}");
        assert_eq!(told.json["suggested_tool_calls"], json!([]), "{key}");
    }
    assert_eq!(service.asked(), [], "nothing was sent");
}
