//! Errors of the tools: their types, their hints, and that they repeat nothing.

use serde_json::{Value, json};

use super::call;
use crate::harness::Envelope;

/// In every value below, so that a repeated value is found.
const MARK: &str = "zqxjkv";

/// Tool, arguments, error type, `data.param`.
fn table() -> Vec<(&'static str, Value, &'static str, &'static str)> {
    let long = MARK.repeat(40);
    let (resolve, get) = ("resolve_artist", "get_artist");
    let (invalid, placeholder) = ("invalid_argument", "placeholder_detected");
    vec![
        (resolve, json!({"q": long}), invalid, "q"),
        (resolve, json!({"q": [MARK]}), invalid, "q"),
        (resolve, json!({"q": "\u{200b}\u{feff}"}), invalid, "q"),
        (resolve, json!({"q": format!("{{{{{MARK}}}}}")}), placeholder, "q"),
        (resolve, json!({"q": "<artist_name>"}), placeholder, "q"),
        (resolve, json!({"q": format!("https://www.discogs.com/artist/3543-{MARK}")}), invalid, "q"),
        (resolve, json!({"q": "3bcff06f-675a-451f-9075-99e8657047e8"}), invalid, "q"),
        (resolve, json!({"url": MARK}), invalid, "url"),
        (resolve, json!({"url": format!("javascript:{MARK}")}), invalid, "url"),
        (resolve, json!({"url": format!("https://open.spotify.com.evil.tld/artist/{MARK}")}), invalid, "url"),
        (resolve, json!({"url": format!("https://open.spotify.com/track/{MARK}")}), invalid, "url"),
        (resolve, json!({"url": format!("https://www.discogs.com/release/12130-{MARK}")}), invalid, "url"),
        (resolve, json!({"url": format!("https://www.discogs.com/artist/{MARK}")}), invalid, "url"),
        (resolve, json!({"cluster_id": MARK}), invalid, "cluster_id"),
        (resolve, json!({"cluster_id": format!("<{MARK}>")}), placeholder, "cluster_id"),
        (resolve, json!({"cluster_id": "TODO"}), placeholder, "cluster_id"),
        (resolve, json!({"cluster_id": "string"}), placeholder, "cluster_id"),
        (resolve, json!({"discogs_id": MARK}), invalid, "discogs_id"),
        (resolve, json!({"discogs_id": "-1"}), invalid, "discogs_id"),
        (resolve, json!({"discogs_id": "0301"}), invalid, "discogs_id"),
        (resolve, json!({"discogs_id": "0"}), invalid, "discogs_id"),
        (resolve, json!({"discogs_id": "4294967296"}), invalid, "discogs_id"),
        (resolve, json!({"discogs_id": "null"}), placeholder, "discogs_id"),
        (resolve, json!({"discogs_id": "3bcff06f-675a-451f-9075-99e8657047e8"}), invalid, "discogs_id"),
        (resolve, json!({"mbid": "301"}), invalid, "mbid"),
        (resolve, json!({"mbid": "00000000-0000-0000-0000-000000000000"}), invalid, "mbid"),
        (resolve, json!({"mbid": format!("your_{MARK}_id")}), placeholder, "mbid"),
        (resolve, json!({"isrc": MARK}), invalid, "isrc"),
        (resolve, json!({"artist": MARK}), invalid, "track"),
        (resolve, json!({"track": MARK}), invalid, "artist"),
        (resolve, json!({"artist": MARK, "track": long}), invalid, "track"),
        (resolve, json!({MARK: "x"}), invalid, "arguments"),
        (resolve, json!({"qq": MARK}), invalid, "arguments"),
        (get, json!({"key": format!("{MARK} {MARK}")}), invalid, "key"),
        (get, json!({"key": "Sigur Rós"}), invalid, "key"),
        (get, json!({"key": format!("https://www.discogs.com/artist/3543-{MARK}")}), invalid, "key"),
        (get, json!({"key": long}), invalid, "key"),
        (get, json!({"key": format!("{{{MARK}}}")}), placeholder, "key"),
        (get, json!({"key": "<cluster_id>"}), placeholder, "key"),
        (get, json!({"key": "four-tet", "view": MARK}), invalid, "view"),
        (get, json!({"key": "four-tet", MARK: 1}), invalid, "arguments"),
    ]
}

/// Everything that an error says in its own words: all but the corrected calls.
fn said(envelope: &Envelope) -> String {
    let mut json = envelope.json.clone();
    json["suggested_tool_calls"] = Value::Null;
    format!("{json}\n{}", envelope.text)
}

#[test]
fn every_bad_argument_is_named_with_a_way_to_mend_it_and_costs_nothing() {
    for (tool, arguments, kind, param) in table() {
        let envelope = call(tool, arguments.clone());
        let error = &envelope.json["error"];
        assert_eq!(
            (envelope.error_type(), &error["data"]["param"]),
            (kind, &json!(param)),
            "{arguments}: {error}"
        );
        assert!(error["data"]["fix_hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{arguments}");
        assert_eq!(
            (&error["recoverable"], &error["retryable"]),
            (&json!(true), &json!(false)),
            "{arguments}"
        );
        assert_eq!(
            (&envelope.json["meta"]["units"], &envelope.json["meta"]["upstream_2xx"]),
            (&json!(0), &json!(0)),
            "{arguments}"
        );
        assert!(envelope.text.starts_with(&format!("Error {kind}: ")), "{}", envelope.text);
        let hint = error["data"]["fix_hint"].as_str().expect("a hint");
        assert!(envelope.text.contains(hint), "{hint} is not in {}", envelope.text);
    }
}

#[test]
fn an_error_never_repeats_what_was_sent() {
    for (tool, arguments, _, _) in table() {
        let said = said(&call(tool, arguments.clone()));
        assert!(!said.contains(MARK), "{arguments}: {said}");
        for value in ["Sigur", "evil.tld", "3bcff06f", "0301", "4294967296", "javascript", "12130", "3543"] {
            assert!(!arguments.to_string().contains(value) || !said.contains(value), "{arguments}: {said}");
        }
    }
}

#[test]
fn a_corrected_call_can_be_made_as_it_stands() {
    let mut tried = 0;
    for (tool, arguments, _, _) in table() {
        for suggested in
            call(tool, arguments.clone()).json["suggested_tool_calls"].as_array().expect("a list")
        {
            let tool = suggested["tool"].as_str().expect("a tool");
            let envelope = call(tool, suggested["args"].clone());
            assert!(
                !envelope.is_error,
                "{arguments} led to {suggested}, and that to {}",
                envelope.json["error"]
            );
            tried += 1;
        }
    }
    assert!(tried >= 5, "only {tried} corrected calls");
}

#[test]
fn an_id_in_the_wrong_place_leads_to_the_right_one() {
    for (arguments, meant) in [
        (json!({"discogs_id": "3bcff06f-675a-451f-9075-99e8657047e8"}), "mbid"),
        (json!({"mbid": "3543"}), "discogs_id"),
        (json!({"q": "https://www.discogs.com/artist/3543-Four-Tet"}), "url"),
        (json!({"q": "3bcff06f-675a-451f-9075-99e8657047e8"}), "mbid"),
    ] {
        let envelope = call("resolve_artist", arguments.clone());
        assert_eq!(envelope.json["error"]["data"]["did_you_mean"], meant, "{arguments}");
        let args = &envelope.json["suggested_tool_calls"][0]["args"];
        assert!(args[meant].is_string(), "{arguments}: {args}");
        assert_eq!(call("resolve_artist", args.clone()).data()["name"], "Four Tet", "{arguments}");
    }
}

#[test]
fn a_record_that_is_not_held_is_no_error() {
    for (tool, arguments, reason) in [
        ("resolve_artist", json!({"q": "No Such Band 77"}), "no_verified_identity"),
        ("resolve_artist", json!({"discogs_id": "4000000000"}), "not_found_upstream"),
        ("resolve_artist", json!({"mbid": "3bcff06f-675a-451f-9075-99e8657047e9"}), "not_found_upstream"),
        ("resolve_artist", json!({"cluster_id": "f".repeat(64)}), "not_found_upstream"),
        ("resolve_artist", json!({"url": "https://nobody77.bandcamp.com/"}), "not_found_upstream"),
        ("get_artist", json!({"key": "nobody-77"}), "not_found_upstream"),
        ("get_artist", json!({"key": "f".repeat(64)}), "not_found_upstream"),
    ] {
        let envelope = call(tool, arguments.clone());
        assert_eq!(
            (&envelope.json["present"], &envelope.json["reason"]),
            (&json!(false), &json!(reason)),
            "{arguments}"
        );
        assert_eq!(envelope.state(), "unresolved", "{arguments}");
        assert!(envelope.data()["name"].is_null() && envelope.data()["cluster_id"].is_null(), "{arguments}");
        assert!(envelope.json["meta"]["units"].as_u64().is_some_and(|units| units > 0), "{arguments}");
    }
}

#[test]
fn what_is_sent_is_never_logged() {
    let demo = crate::harness::Demo::start();
    for (tool, arguments, _, _) in table() {
        demo.call(tool, arguments);
    }
    demo.call("resolve_artist", json!({"q": MARK}));
    demo.modern("tools/call", json!({"name": MARK}));
    demo.modern("prompts/get", json!({"name": "same_name_check", "arguments": {"artist": MARK}}));
    let log = demo.log();
    assert!(log.contains("invalid_argument"), "calls leave a line each: {log}");
    assert!(!log.contains(MARK) && !log.contains("3bcff06f"), "{log}");
}
