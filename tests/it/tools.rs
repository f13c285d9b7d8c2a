//! The tools on the wire: what they publish, what they take, and the shape of every answer.

mod arguments;
mod errors;
mod gigs;
mod helpful;
mod lists;
mod published;
mod signed_in;
mod similar;
mod sizes;

use std::sync::OnceLock;

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::harness::{Demo, Direct, Envelope};

/// Calls a tool and holds the answer against what is promised of every answer.
fn call(tool: &str, arguments: Value) -> Envelope {
    let envelope = Demo::shared().call(tool, arguments.clone());
    let what = format!("{tool} {arguments}");
    assert_valid(&envelope, &what);
    let error = &envelope.json["error"];
    assert_eq!(error.is_null(), !envelope.is_error, "{what}");
    for key in ["data", "present", "ambiguity"] {
        assert_eq!(envelope.json[key].is_null(), envelope.is_error, "{what}: {key}");
    }
    assert_eq!(envelope.json["reason"].is_string(), envelope.json["present"] == false, "{what}");
    assert_eq!(envelope.json["meta"]["fixture_mode"], true, "{what}");
    let line = envelope.json["attribution"]["line"].as_str().expect("a line");
    assert!(envelope.is_error || envelope.text.ends_with(line), "{what}: {}", envelope.text);
    for source in envelope.json["attribution"]["sources"].as_array().expect("sources") {
        let credit = format!(
            "{} ({})",
            source["name"].as_str().expect("a name"),
            source["licence"].as_str().expect("a licence")
        );
        assert!(line.contains(&credit), "{what}: {credit} is not in {line}");
    }
    envelope
}

/// Against the schema that the server itself hands out, formats included.
fn assert_valid(envelope: &Envelope, what: &str) {
    static SCHEMA: OnceLock<Validator> = OnceLock::new();
    let schema = SCHEMA.get_or_init(|| {
        let schema = Demo::shared().resource("hosaka://envelope-schema");
        assert!(jsonschema::meta::is_valid(&schema), "{schema}");
        jsonschema::options().should_validate_formats(true).build(&schema).expect("a schema")
    });
    let faults: Vec<String> = schema
        .iter_errors(&envelope.json)
        .map(|error| format!("{} at {}", error, error.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{what}: {faults:?}\n{}", envelope.json);
}

/// The same for a tool that is run without a server around it.
fn direct(direct: &Direct, tool: &str, arguments: Value) -> Envelope {
    let envelope = direct.call(tool, &arguments);
    let what = format!("{tool} {arguments}");
    assert_valid(&envelope, &what);
    assert_eq!(envelope.json["reason"].is_string(), envelope.json["present"] == false, "{what}");
    envelope
}

fn resolve(arguments: Value) -> Envelope {
    call("resolve_artist", arguments)
}

fn card(arguments: Value) -> Envelope {
    call("get_artist", arguments)
}

/// The tools as `/mcp/full` lists them.
fn listed() -> Vec<Value> {
    let result = Demo::shared().modern_at("/mcp/full", "tools/list", json!({})).result();
    result["tools"].as_array().expect("tools").clone()
}

#[test]
fn the_schema_that_is_handed_out_rejects_what_is_no_envelope() {
    let good = resolve(json!({"q": "Four Tet"}));
    let schema = Demo::shared().resource("hosaka://envelope-schema");
    let schema = jsonschema::options().should_validate_formats(true).build(&schema).expect("a schema");
    for (at, value) in [
        ("/ok", json!("true")),
        ("/envelope_version", json!("2")),
        ("/data/cluster_id", json!("made up")),
        ("/data/mbid", json!("made up")),
        ("/data/links", json!([{"site": "nowhere", "url": "x"}])),
        ("/ambiguity/state", json!("sure")),
        ("/meta/request_id", json!("1")),
        ("/meta/generated_at", json!("today")),
        ("/meta/units", json!(-1)),
        (
            "/error",
            json!({"type": "other", "message": "", "recoverable": true, "retryable": true, "data": {}}),
        ),
    ] {
        let mut broken = good.json.clone();
        *broken.pointer_mut(at).unwrap_or_else(|| panic!("no {at}")) = value;
        assert!(!schema.is_valid(&broken), "{at}");
    }
    for key in good.json.as_object().expect("an object").keys() {
        let mut broken = good.json.clone();
        broken.as_object_mut().expect("an object").remove(key);
        assert!(!schema.is_valid(&broken), "without {key}");
    }
}
