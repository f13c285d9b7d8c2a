//! What `tools/list` publishes, by the rules of the strictest clients.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{card, listed, resolve};
use crate::harness::Demo;

fn is_plain(name: &str, longest: usize, marks: &[u8]) -> bool {
    (1..=longest).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || marks.contains(&byte))
}

/// Every schema within `schema`, itself included, with its path.
fn walk(path: &str, schema: &Value, visit: &mut dyn FnMut(&str, &Value)) {
    visit(path, schema);
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        walk(&format!("{path}.{name}"), property, visit);
    }
    if let Some(items) = schema.get("items") {
        walk(&format!("{path}[]"), items, visit);
    }
}

#[test]
fn an_input_schema_is_a_flat_object_without_combinators_or_references() {
    for tool in listed() {
        let schema = &tool["inputSchema"];
        let name = tool["name"].as_str().expect("a name");
        assert_eq!(
            (&schema["type"], &schema["additionalProperties"]),
            (&json!("object"), &json!(false)),
            "{name}"
        );
        for property in schema["properties"].as_object().expect("properties").keys() {
            assert!(is_plain(property, 64, b"_.-"), "{name}.{property}");
        }
        let text = schema.to_string();
        for word in [
            "$ref",
            "$defs",
            "$dynamicRef",
            "definitions",
            "oneOf",
            "anyOf",
            "allOf",
            "\"not\"",
            "\"if\"",
            "$schema",
        ] {
            assert!(!text.contains(word), "{name}: {word}");
        }
    }
}

#[test]
fn every_schema_has_one_type_known_formats_and_described_properties() {
    let formats = ["date-time", "date", "uri", "email", "uuid"];
    for tool in listed() {
        for which in ["inputSchema", "outputSchema"] {
            assert!(jsonschema::meta::is_valid(&tool[which]), "{which}");
            let root = format!("{} {which}", tool["name"]);
            walk(&root, &tool[which], &mut |path, schema| {
                let schema = schema.as_object().unwrap_or_else(|| panic!("{path}: {schema}"));
                assert!(!schema.is_empty(), "{path} is empty");
                assert!(schema.get("type").is_none_or(Value::is_string), "{path}: {schema:?}");
                assert!(
                    schema.get("format").is_none_or(|format| formats.iter().any(|known| format == known)),
                    "{path}: {schema:?}"
                );
                assert!(
                    schema.get("type") != Some(&json!("array")) || schema["items"]["type"].is_string(),
                    "{path}"
                );
            });
        }
        for (name, property) in tool["inputSchema"]["properties"].as_object().expect("properties") {
            assert!(
                property["type"].is_string() && property["description"].is_string(),
                "{name}: {property}"
            );
        }
    }
}

#[test]
fn every_answer_fits_the_output_schema_that_its_tool_publishes() {
    for tool in listed() {
        let schema = &tool["outputSchema"];
        assert_eq!(schema["type"], "object");
        let schema = jsonschema::validator_for(schema).expect("a schema");
        let answers = match tool["name"].as_str() {
            Some("resolve_artist") => {
                vec![
                    resolve(json!({"q": "Four Tet"})),
                    resolve(json!({"q": "No Such Band 77"})),
                    resolve(json!({})),
                ]
            }
            Some("get_artist") => {
                vec![card(json!({"key": "four-tet"})), card(json!({"key": "nobody-77"})), card(json!({}))]
            }
            Some(tool) => {
                let demo = Demo::shared();
                vec![
                    demo.call_signed_in(tool, json!({})),
                    demo.modern_at("/mcp/full", "tools/call", json!({"name": tool, "arguments": {}}))
                        .envelope(),
                    demo.call_signed_in(tool, json!({"q": 1})),
                ]
            }
            None => panic!("a tool without a name"),
        };
        for answer in answers {
            assert!(schema.is_valid(&answer.json), "{}", answer.json);
        }
    }
}

#[test]
fn names_are_short_plain_and_unique_in_any_case() {
    let names: Vec<String> =
        listed().iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect();
    assert!(names.iter().all(|name| is_plain(name, 40, b"_-")), "{names:?}");
    let folded: BTreeSet<String> = names.iter().map(|name| name.to_ascii_lowercase()).collect();
    assert_eq!(folded.len(), names.len());
}

#[test]
fn every_hint_is_an_explicit_boolean() {
    for tool in listed() {
        let hints = &tool["annotations"];
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(hints[hint].is_boolean(), "{}: {hint}", tool["name"]);
        }
        assert_eq!(
            (&hints["readOnlyHint"], &hints["destructiveHint"]),
            (&json!(true), &json!(false)),
            "{}",
            tool["name"]
        );
        assert!(tool["title"].is_string() && hints["title"] == tool["title"]);
    }
}

#[test]
fn a_description_is_short_and_ends_with_the_error_codes() {
    let capabilities = Demo::shared().resource("hosaka://capabilities");
    let codes: Vec<&str> = capabilities["errors"]
        .as_array()
        .expect("errors")
        .iter()
        .filter(|row| row["issued"] == true)
        .filter_map(|row| row["type"].as_str())
        .collect();
    assert_eq!(codes.len(), 15, "{codes:?}");
    let ending = format!("Errors: {}.", codes.join(", "));
    for tool in listed() {
        let description = tool["description"].as_str().expect("a description");
        assert!(description.len() <= 1_024, "{}: {} bytes", tool["name"], description.len());
        assert!(description.ends_with(&ending), "{description}");
    }
}

#[test]
fn security_schemes_stand_in_both_places_and_are_the_same_for_everyone() {
    let anonymous = listed();
    for tool in &anonymous {
        let schemes = &tool["securitySchemes"];
        assert_eq!(schemes, &tool["_meta"]["securitySchemes"], "{}", tool["name"]);
        let schemes = schemes.as_array().expect("schemes");
        assert!(!schemes.is_empty(), "{}", tool["name"]);
        for scheme in schemes {
            assert!(scheme["type"] == "noauth" || scheme["type"] == "oauth2", "{scheme}");
        }
        // A tool that answers without a token says so first, and every tool can be called with one.
        let kinds: Vec<&Value> = schemes.iter().map(|scheme| &scheme["type"]).collect();
        let without = ["resolve_artist", "get_artist"].iter().any(|name| tool["name"] == *name);
        let wanted = if without { vec!["noauth", "oauth2"] } else { vec!["oauth2"] };
        assert_eq!(kinds, wanted, "{}", tool["name"]);
    }
}
