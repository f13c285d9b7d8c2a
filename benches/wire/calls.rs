//! What is asked.

use serde_json::{Value, json};

/// Artists of the demo, a record a line.
const ARTISTS: [&str; 2] =
    [include_str!("../../fixtures/artists/index.jsonl"), include_str!("../../fixtures/invented/index.jsonl")];

/// The views of a card.
const VIEWS: [&str; 3] = ["summary", "standard", "full"];

/// A call as it is sent.
pub fn call(tool: &str, arguments: &Value) -> String {
    let params = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string()
}

/// The card that is asked for again and again.
pub fn card() -> String {
    call("get_artist", &json!({"key": "four-tet"}))
}

/// Cards that differ from one another: of every artist, by each of its keys, in each view.
pub fn cards() -> Vec<String> {
    let records = ARTISTS.iter().flat_map(|index| index.lines());
    let records: Vec<Value> = records.map(|line| serde_json::from_str(line).expect("a record")).collect();
    let mut cards = Vec::new();
    for view in VIEWS {
        for key in ["slug", "cluster_id"] {
            cards.extend(
                records.iter().map(|record| call("get_artist", &json!({"key": record[key], "view": view}))),
            );
        }
    }
    cards
}

/// The fields of the header that every call has.
pub fn headers(token: Option<&String>) -> Vec<String> {
    let mut headers = vec![
        "Content-Type: application/json".to_owned(),
        "Accept: application/json, text/event-stream".to_owned(),
    ];
    headers.extend(token.map(|token| format!("Authorization: Bearer {token}")));
    headers
}
