//! The facts about an answer itself: each key of `meta` and of `degraded` is seen set and seen without, from outside.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::harness::{Demo, Envelope, Kept as _};
use crate::plenty::{self, Full, KEY, Words};
use crate::store::disk_full::Small;
use crate::store::support::eventually;
use crate::upstream::peer;

/// A key, and what its value is when it says something and when it does not.
struct Fact {
    key: &'static str,
    set: fn(&Value) -> bool,
    unset: fn(&Value) -> bool,
}

/// A key that is there on every answer and says something of each.
fn always(key: &'static str) -> Fact {
    Fact { key, set: |value| !value.is_null(), unset: |_| true }
}

fn flag(key: &'static str) -> Fact {
    Fact { key, set: |value| *value == json!(true), unset: |value| *value == json!(false) }
}

fn optional(key: &'static str) -> Fact {
    Fact { key, set: |value| !value.is_null(), unset: Value::is_null }
}

fn counted(key: &'static str) -> Fact {
    Fact {
        key,
        set: |value| value.as_u64().is_some_and(|count| count > 0),
        unset: |value| *value == json!(0),
    }
}

/// Every key of `meta`.
fn facts() -> Vec<Fact> {
    vec![
        always("request_id"),
        always("generated_at"),
        flag("anonymous"),
        optional("account_mode"),
        // One word in this version.
        Fact { key: "client_class", set: |value| value == "unknown", unset: |value| value == "unknown" },
        optional("view"),
        flag("view_coerced"),
        counted("units"),
        counted("upstream_2xx"),
        flag("cache_hit"),
        flag("replay"),
        always("tokens_estimate"),
        flag("truncated"),
        // Not there at all when nothing was trimmed.
        Fact {
            key: "trimmed",
            set: |value| value.as_array().is_some_and(|rows| !rows.is_empty()),
            unset: Value::is_null,
        },
        flag("degraded_limits"),
        Fact {
            key: "anon_budget_bucket",
            set: |value| ["high", "medium", "low"].iter().any(|word| value == word),
            unset: Value::is_null,
        },
        Fact { key: "idempotency", set: |value| value == "unavailable", unset: |value| value == "ok" },
        optional("quota"),
        flag("fixture_mode"),
    ]
}

/// Answers of the demo: to somebody, to an account, and once more to the same account.
fn of_the_demo(seen: &mut Vec<Envelope>) {
    let demo = Demo::shared();
    let token = demo.token_of("facts");
    let card = json!({"key": "four-tet", "view": "full"});
    seen.push(demo.call("get_artist", card.clone()));
    seen.extend((0..2).map(|_| demo.call_as(&token, "get_artist", card.clone())));
    seen.push(demo.call_as(&token, "get_usage", json!({})));
    seen.push(demo.call_as(&token, "resolve_artist", json!({})));
}

/// Answers over a service that has more than can be sent, and calls a list degraded.
fn of_a_full_service(seen: &mut Vec<Envelope>) {
    let service = plenty::peer(&Words::usual(0), Full(100));
    let endless = plenty::search(&Words::endless(), 100);
    service.set("/api/v2/search", peer::json(200, &endless.to_string()));
    service.set("/api/v2/breakouts", peer::json(200, r#"{"state":"degraded","items":[]}"#));
    let server = Demo::serving(
        "fixture_mode = false",
        &format!(
            "[crate]\nbase_url = \"http://127.0.0.1:{}\"\nkey = \"ck_test_5EcReT0123456789abcdefABCDEF\"\n\
             in_flight = 100\nper_minute = 1000000\nper_month = 0\n[issuer]\nenabled = true",
            service.port
        ),
    );
    for name in ["one", "two"] {
        let token = server.token_of(name);
        seen.push(server.call_as(
            &token,
            "get_artist",
            json!({"key": KEY, "view": "summary", "include": ["similar"]}),
        ));
        seen.push(server.call_as(&token, "search_catalog", json!({"q": "record", "limit": 30})));
        seen.push(server.call_as(&token, "list_breakouts", json!({})));
    }
}

/// Answers of a server that an operator has put under reduced limits.
fn under_reduced_limits(seen: &mut Vec<Envelope>) {
    let server = Demo::start();
    let told = Command::new(env!("CARGO_BIN_EXE_ono-sendai"))
        .args(["admin", "--data"])
        .arg(server.data())
        .args(["ladder", "1"])
        .kept_output()
        .expect("the program runs");
    assert!(told.status.success(), "{told:?}");
    seen.push(server.call_as(server.token(), "resolve_artist", json!({"q": "Four Tet"})));
}

/// The free room of a disk, in KiB.
fn free_kib(path: &Path) -> u64 {
    let output = Command::new("df").args(["--output=avail", "-k"]).arg(path).output().expect("df runs");
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().last().and_then(|line| line.trim().parse().ok()).expect("a number")
}

/// Answers of a server whose disk has little room left, so that none is kept for identical calls; whether there were
/// any.
fn with_little_room(seen: &mut Vec<Envelope>) -> bool {
    let Some(disk) = Small::mount("64m") else { return false };
    let server = Demo::on(disk.path().join("data"));
    let mut filler = std::fs::File::create(disk.path().join("filler")).expect("a file");
    while free_kib(disk.path()) > 4 * 1024 {
        filler.write_all(&[1; 256 * 1024]).expect("room");
    }
    let mut n = 0;
    eventually("nothing is kept for identical calls", || {
        n += 1;
        let answer = server.call_as(server.token(), "get_artist", json!({"key": format!("nobody-{n}")}));
        let is_told = answer.json["meta"]["idempotency"] == "unavailable";
        seen.push(answer);
        is_told
    });
    true
}

#[test]
fn every_fact_about_an_answer_is_seen_set_and_seen_without() {
    let mut seen = Vec::new();
    of_the_demo(&mut seen);
    of_a_full_service(&mut seen);
    under_reduced_limits(&mut seen);
    let has_small_disk = with_little_room(&mut seen);
    let schema = Demo::shared().resource("hosaka://envelope-schema");
    let published = find(&schema, "degraded_limits").expect("the schema of meta");
    let facts = facts();
    let keys: Vec<&str> = facts.iter().map(|fact| fact.key).collect();
    for key in published.keys() {
        assert!(keys.contains(&key.as_str()), "nobody looks at meta.{key}");
    }
    assert_eq!(published.len(), keys.len());
    for Fact { key, set, unset } in facts {
        let values: Vec<&Value> = seen.iter().map(|answer| &answer.json["meta"][key]).collect();
        // A disk of its own can only be had where something may be mounted.
        let can_be_set = key != "idempotency" || has_small_disk;
        assert!(!can_be_set || values.iter().any(|value| set(value)), "meta.{key} is never set: {values:?}");
        assert!(values.iter().any(|value| unset(value)), "meta.{key} is never without: {values:?}");
    }
    let quota = |key: &str| seen.iter().any(|answer| !answer.json["meta"]["quota"][key].is_null());
    assert!(["used", "allowance", "warning_80", "reset_at"].into_iter().all(quota));
    let notice = json!({"fallback_tier": "suspect", "recommended_action": "verify_later"});
    assert!(seen.iter().any(|answer| answer.json["degraded"] == notice));
    assert!(seen.iter().any(|answer| answer.json["degraded"].is_null()));
}

/// The properties among which `key` is, wherever they stand in a schema.
fn find<'a>(schema: &'a Value, key: &str) -> Option<&'a serde_json::Map<String, Value>> {
    match schema {
        Value::Object(fields) => match fields.get("properties").and_then(Value::as_object) {
            Some(properties) if properties.contains_key(key) => Some(properties),
            _ => fields.values().find_map(|value| find(value, key)),
        },
        Value::Array(parts) => parts.iter().find_map(|part| find(part, key)),
        _ => None,
    }
}
