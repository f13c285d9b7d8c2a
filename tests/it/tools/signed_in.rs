//! The tools for accounts, over TLS with a token of the demo's own issuer.

use serde_json::{Value, json};

use super::assert_valid;
use crate::harness::{Demo, Envelope};

fn ask(tool: &str, arguments: Value) -> Envelope {
    let envelope = Demo::shared().call_signed_in(tool, arguments.clone());
    assert_valid(&envelope, &format!("{tool} {arguments}"));
    envelope
}

const CALLS: [(&str, &str); 3] = [
    ("search_catalog", r#"{"genre": "Electronic"}"#),
    ("find_tracks", r#"{"title": "a little less conversation"}"#),
    ("get_label", r#"{"key": "planet-e"}"#),
];

#[test]
fn an_account_is_answered_and_charged_one_unit_and_nobody_else_is_answered() {
    // An account of its own, to which nothing was answered before.
    let token = Demo::shared().token_of("charged once");
    for (tool, arguments) in CALLS {
        let arguments: Value = serde_json::from_str(arguments).expect("arguments");
        let told = Demo::shared().call_as(&token, tool, arguments.clone());
        assert_valid(&told, &format!("{tool} {arguments}"));
        assert_eq!(
            (&told.json["present"], &told.json["meta"]["anonymous"]),
            (&json!(true), &json!(false)),
            "{tool}"
        );
        let cost = told.json["meta"]["units"].as_u64().expect("units");
        assert!(cost == 1 || told.json["meta"]["cache_hit"] == true, "{tool}: {cost} units");
        let nobody = Demo::shared().call(tool, arguments);
        assert_eq!(
            (nobody.error_type(), &nobody.json["meta"]["units"]),
            ("unauthorized", &json!(0)),
            "{tool}"
        );
    }
}

#[test]
fn a_cursor_walks_on_for_its_account_only() {
    let demo = Demo::shared();
    let first = ask("search_catalog", json!({"genre": "Electronic", "limit": 5}));
    let cursor = first.data()["pagination"]["next_cursor"].clone();
    assert!(cursor.is_string(), "{}", first.json);
    let arguments = json!({"genre": "Electronic", "limit": 5, "cursor": cursor});
    let second = ask("search_catalog", arguments.clone());
    assert_eq!(second.data()["pagination"]["offset"], 5);
    assert_ne!(second.data()["results"], first.data()["results"]);
    let other = demo.call_as(&demo.token_of("somebody-else"), "search_catalog", arguments);
    let error = &other.json["error"];
    assert_eq!((&error["type"], &error["data"]["param"]), (&json!("invalid_argument"), &json!("cursor")));
    assert_eq!(other.json["meta"]["units"], 0);
}
