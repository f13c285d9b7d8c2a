//! `list_breakouts`, `list_ones_to_watch` and `get_aura`.

use std::sync::Arc;

use ono_sendai::crate_client::Extension;
use ono_sendai::profile::Profile;
use ono_sendai::tools::provenance::{Given, TABLES};
use ono_sendai::tools::registry::ToolName;
use serde_json::{Value, json};

use super::direct;
use crate::harness::{Demo, Direct, Scripted};

const LISTS: [(&str, &str, &str, &str); 3] = [
    ("list_breakouts", "/api/v2/breakouts", "items", "breakouts"),
    ("list_ones_to_watch", "/api/v2/tastemakers/ones-to-watch", "onesToWatch", "ones_to_watch"),
    ("get_aura", "/api/v2/aura", "items", "aura"),
];

/// A list of `rows` as the service would answer it.
fn list(path: &str, items: &str, rows: usize) -> Value {
    let row = |n: usize| match path {
        "/api/v2/breakouts" => json!({"discogsArtistId": n + 1, "clusterId": format!("{n:064x}"),
            "resolvedVia": "discogs", "name": format!("Artist {n}"), "slug": "x", "emergenceTier": "rising",
            "emergenceScore": 0.5, "pressCount": n, "corroboration": "booking_ahead",
            "location": {"city": "Lyon", "region": null, "country": null}}),
        "/api/v2/aura" => json!({"cluster_id": format!("{n:064x}"), "artist_name": format!("Artist {n}"),
            "convergence_dim_count": 3, "dimensions": ["booking", "radio", "press"], "break_odds": 12.9,
            "first_signal_at": "2025-08-15", "latest_appearance_at": "2026-08-01", "has_break_event": true,
            "break_event_at": "2026-09-01"}),
        _ => json!({"rank": n + 1, "name": format!("Artist {n}"), "discogsArtistId": n + 1, "slug": "x",
            "emergenceTier": "rising", "momentumTier": "steady", "emergenceScore": 1, "profile": "network-velocity",
            "cultureForwardFestivals": 3}),
    };
    let rows: Vec<Value> = (0..rows).map(row).collect();
    json!({"state": "present", items: rows, "snapshotDate": "2026-10-01", "stale": false})
}

/// The most rows that a tool gives.
fn most(tool: &str) -> usize {
    let tool = ToolName::find(tool, Profile::Full).expect("a tool");
    let most = tool.spec().input_schema()["properties"]["limit"]["maximum"].as_u64().expect("a maximum");
    usize::try_from(most).expect("a few")
}

fn over(path: &str, status: u16, body: &Value) -> Direct {
    let service = Scripted::catalogue().says(path, status, body.to_string());
    Direct::over(Arc::new(service), &[Extension::Gigs])
}

#[test]
fn the_lists_of_the_demo_are_there_for_accounts_alone() {
    let demo = Direct::demo();
    for (tool, ..) in LISTS {
        let plain = direct(&demo, tool, json!({}));
        assert_eq!(
            (&plain.json["present"], &plain.json["ambiguity"]),
            (&json!(true), &Value::Null),
            "{tool}"
        );
        let refused =
            Demo::shared().modern_at("/mcp/full", "tools/call", json!({"name": tool, "arguments": {}}));
        let refused = refused.envelope();
        assert_eq!(refused.error_type(), "unauthorized", "{tool}");
    }
    let none = direct(&demo, "list_breakouts", json!({"tier": "rising", "corroboration": "booking_ahead"}));
    assert_eq!(none.json["reason"], "honest_gap");
    assert_eq!(none.json["next_actions"][0]["tool"], "list_breakouts");
}

#[test]
fn only_accounts_may_call_them_and_only_the_full_profile_lists_them() {
    for (tool, ..) in LISTS {
        let core = Demo::shared().modern_at("/mcp", "tools/call", json!({"name": tool, "arguments": {}}));
        assert_eq!(core.error()["code"], -32602, "{tool}");
    }
}

#[test]
fn a_list_shows_as_many_rows_as_were_asked_for_and_says_whether_there_are_more() {
    for (tool, path, items, rows) in LISTS {
        let service = Arc::new(Scripted::catalogue().says(path, 200, list(path, items, 51).to_string()));
        let served = Direct::over(Arc::clone(&service), &[Extension::Gigs]);
        let unasked = 8;
        let most = most(tool);
        for (asked, shown) in [(json!({}), unasked), (json!({"limit": 1}), 1), (json!({"limit": most}), most)]
        {
            let answer = direct(&served, tool, asked);
            assert_eq!(answer.data()[rows].as_array().map(Vec::len), Some(shown), "{tool}");
            assert_eq!((&answer.data()["shown"], &answer.data()["more"]), (&json!(shown), &json!(true)));
            assert_eq!(answer.json["meta"]["units"], 1);
            let lines = answer.text.matches("Artist ").count();
            assert!(lines >= shown.min(10) && lines <= shown.min(10) + 1, "{tool}: {}", answer.text);
            assert_eq!(
                answer.text.contains(&format!("{} more stand in the JSON.", most - 10)),
                shown == most,
                "{}",
                answer.text
            );
        }
        let limits: Vec<String> = service.asked();
        assert_eq!(limits, [unasked + 1, 2, most + 1].map(|limit| format!("{path}?limit={limit}")), "{tool}");
        let whole = direct(&over(path, 200, &list(path, items, 3)), tool, json!({}));
        assert_eq!((&whole.data()["shown"], &whole.data()["more"]), (&json!(3), &json!(false)), "{tool}");
    }
}

#[test]
fn the_state_of_a_list_is_told_and_never_taken_for_another() {
    for (tool, path, items, rows) in LISTS {
        let mut said = list(path, items, 2);
        for (state, reason) in [
            (json!("empty"), "honest_gap"),
            (json!("degraded"), "upstream_degraded"),
            (json!("suppressed"), "malformed_upstream"),
            (Value::Null, "malformed_upstream"),
        ] {
            said["state"] = state;
            let answer = direct(&over(path, 200, &said), tool, json!({}));
            assert_eq!(answer.json["reason"], reason, "{tool}");
            assert_eq!(answer.data()[rows], json!([]), "{tool}");
            assert_eq!(answer.json["attribution"]["sources"], json!([]), "{tool}");
            let tier = &answer.json["degraded"]["fallback_tier"];
            assert_eq!(tier == "suspect", reason == "upstream_degraded", "{tool}: {tier}");
        }
        let gone = direct(&over(path, 404, &json!({"error": "not_found"})), tool, json!({}));
        // Without a key there is none that could be missing.
        assert_eq!(gone.json["reason"], "honest_gap", "{tool}");
        let failed = direct(&over(path, 500, &json!({})), tool, json!({}));
        assert_eq!(failed.error_type(), "upstream_error", "{tool}");
    }
}

#[test]
fn what_a_row_lacks_is_told_with_its_reason_and_spoils_nothing_else() {
    for (tool, path, items, rows) in LISTS {
        let said = list(path, items, 1);
        let fields: Vec<String> =
            said[items][0].as_object().expect("a row").keys().filter(|key| *key != "slug").cloned().collect();
        // The days of an aura stand in the answer about one artist only.
        for field in fields.iter().filter(|field| !field.ends_with("_at")) {
            let wrong = if field == "location" { json!([5]) } else { json!({"no": "value"}) };
            for (value, reason) in [
                (wrong, "malformed_upstream"),
                (Value::Null, "honest_gap"),
                (json!("\0"), "malformed_upstream"),
            ] {
                let mut said = said.clone();
                said[items][0][field] = value;
                let answer = direct(&over(path, 200, &said), tool, json!({}));
                let gaps = answer.data()[rows][0]["gaps"].as_object().expect("gaps");
                let lacks: Vec<&String> = gaps.keys().collect();
                assert_eq!(
                    (lacks.len(), gaps.values().next()),
                    (1, Some(&json!(reason))),
                    "{tool} {field}: {gaps:?}"
                );
            }
        }
        let mut said = said.clone();
        said[items] = json!([5, said[items][0], null]);
        let answer = direct(&over(path, 200, &said), tool, json!({}));
        assert_eq!((&answer.data()["shown"], &answer.data()["unreadable"]), (&json!(1), &json!(2)), "{tool}");
        assert!(answer.text.contains("2 more could not be read."), "{}", answer.text);
    }
}

#[test]
fn a_filter_reaches_the_service_and_an_unknown_word_does_not() {
    let service = Arc::new(Scripted::catalogue());
    let served = Direct::over(Arc::clone(&service), &[Extension::Gigs]);
    direct(&served, "list_breakouts", json!({"tier": "Rising", "corroboration": "corroborated", "limit": 3}));
    assert_eq!(service.asked(), ["/api/v2/breakouts?limit=4&tier=rising&corroboration=corroborated"]);
    let refused = direct(&served, "list_breakouts", json!({"tier": "famous"}));
    assert_eq!(refused.error_type(), "invalid_argument");
    let over = direct(&served, "list_breakouts", json!({"limit": 51}));
    assert_eq!((over.error_type(), &over.json["error"]["data"]["maximum"]), ("range_too_large", &json!(50)));
    assert_eq!(service.asked().len(), 1);
}

#[test]
fn the_aura_of_one_artist_is_its_own_or_an_honest_gap() {
    let demo = Direct::demo();
    let listed = direct(&demo, "get_aura", json!({"limit": 1}));
    let id = listed.data()["aura"][0]["cluster_id"].clone();
    let observed = direct(&demo, "get_aura", json!({"cluster_id": id}));
    assert_eq!((observed.state(), &observed.data()["aura"][0]["cluster_id"]), ("observed", &id));
    let name = listed.data()["aura"][0]["name"].clone();
    assert_eq!(direct(&demo, "resolve_artist", json!({"q": name})).state(), "none");
    let verified = direct(&demo, "get_aura", json!({"cluster_id": id}));
    assert_eq!((verified.state(), &verified.data()["aura"]), ("none", &observed.data()["aura"]));
    let unknown = direct(&demo, "get_aura", json!({"cluster_id": "f".repeat(64)}));
    assert_eq!((&unknown.json["reason"], unknown.state()), (&json!("not_found_upstream"), "observed"));
    assert_eq!(unknown.json["meta"]["units"], 1);
    assert_eq!(unknown.json["next_actions"][0]["tool"], "resolve_artist", "{}", unknown.json);
    let placeholder = direct(&demo, "get_aura", json!({"cluster_id": "<cluster_id>"}));
    assert_eq!(placeholder.error_type(), "placeholder_detected");
    let slug = direct(&demo, "get_aura", json!({"cluster_id": "four-tet"}));
    assert_eq!(slug.error_type(), "invalid_argument");
}

#[test]
fn the_aura_of_somebody_else_is_no_answer() {
    let id = "0".repeat(64);
    let mut said = list("/api/v2/aura", "items", 1);
    said["aura"] = said["items"][0].take();
    said["present"] = json!(true);
    let right = direct(&over("/api/v2/aura/", 200, &said), "get_aura", json!({"cluster_id": id}));
    assert_eq!(right.data()["aura"][0]["cluster_id"], id);
    said["aura"]["cluster_id"] = json!("1".repeat(64));
    let wrong = direct(&over("/api/v2/aura/", 200, &said), "get_aura", json!({"cluster_id": id}));
    assert_eq!((&wrong.json["reason"], &wrong.data()["aura"]), (&json!("malformed_upstream"), &json!([])));
    assert_eq!(wrong.state(), "observed");
    for (state, reason) in [("honest_gap", "not_found_upstream"), ("degraded", "upstream_degraded")] {
        let said = json!({"present": false, "state": state, "aura": null});
        let answer = direct(&over("/api/v2/aura/", 200, &said), "get_aura", json!({"cluster_id": id}));
        assert_eq!(answer.json["reason"], reason);
    }
}

/// Every scalar within `value` with its place; numbers of a list are told apart from names.
fn scalars(place: &str, value: &Value, found: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(object) => {
            object.iter().for_each(|(name, value)| scalars(&format!("{place}/{name}"), value, found));
        }
        Value::Array(rows) => {
            rows.iter().enumerate().for_each(|(at, value)| scalars(&format!("{place}/{at}"), value, found));
        }
        scalar => found.push((place.to_owned(), scalar.clone())),
    }
}

/// What the stars of `pattern` stand for in `place`.
fn stars<'a>(pattern: &str, place: &'a str) -> Option<Vec<&'a str>> {
    let (steps, found) = (pattern.split('/').collect::<Vec<_>>(), place.split('/').collect::<Vec<_>>());
    let fits =
        steps.len() == found.len() && steps.iter().zip(&found).all(|(step, at)| *step == "*" || step == at);
    fits.then(|| steps.iter().zip(&found).filter(|(step, _)| **step == "*").map(|(_, at)| *at).collect())
}

#[test]
fn every_value_of_a_list_is_the_one_at_its_declared_place() {
    for (tool, path, items, _) in LISTS {
        let said = list(path, items, 9);
        let table = TABLES.iter().find(|table| table.endpoint == path).expect("a table");
        for limit in [8, 9, most(tool)] {
            let answer = direct(&over(path, 200, &said), tool, json!({"limit": limit}));
            let (mut found, mut held) = (Vec::new(), 0);
            scalars("", answer.data(), &mut found);
            for (place, value) in found {
                let row = table.rows.iter().find_map(|row| Some((row, stars(row.data, &place)?)));
                let (row, stars) = row.unwrap_or_else(|| panic!("{tool}: {place} is declared nowhere"));
                let Given::Upstream(upstream, _) = row.from else { continue };
                let mut at = upstream.to_owned();
                stars.iter().for_each(|star| at = at.replacen('*', star, 1));
                assert_eq!(said.pointer(&at), Some(&value), "{tool}: {place} is not {at}");
                held += 1;
            }
            assert!(held >= 8 * 4, "{tool}: only {held} values");
        }
    }
}
