//! MCP on the wire: what a client of either era may rely on.

mod callers;
mod calls;
mod completions;
mod eras;
mod headers;
mod jsonrpc;
mod lists;
mod prompts;
mod refusals;
mod resources;

use serde_json::{Value, json};

use crate::harness::{Answer, Demo, JSON};

const ACCEPT: (&str, &str) = ("accept", "application/json, text/event-stream");

/// Sends text as a client that never agreed on a revision.
fn post(body: &str) -> Answer {
    Demo::shared().post(&[JSON, ACCEPT], body)
}

/// The same request in each era.
fn in_both_eras(method: &str, params: Value) -> [Answer; 2] {
    let demo = Demo::shared();
    [demo.modern(method, params.clone()), demo.legacy(method, params)]
}

/// The methods that every client may use, with parameters that are right.
fn good_requests() -> Vec<(&'static str, Value)> {
    vec![
        ("tools/list", json!({})),
        ("tools/call", json!({"name": "resolve_artist", "arguments": {"q": "Four Tet"}})),
        ("tools/call", json!({"name": "resolve_artist", "arguments": {}})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({"uri": "hosaka://capabilities"})),
        ("prompts/list", json!({})),
        ("prompts/get", json!({"name": "same_name_check", "arguments": {"artist": "Nirvana"}})),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "y", "value": ""}}),
        ),
    ]
}
