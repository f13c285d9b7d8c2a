//! The pieces that schemas are made of.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::identity::Tier;
use crate::model::gap::GapReason;

/// The properties that say who an answer is about.
pub(super) fn identity() -> Map<String, Value> {
    let identity = json!({
        "cluster_id": cell(cluster_id()),
        "slug": cell(text()),
        "name": nullable_text(),
        "resolved_via": cell(json!({"enum": Tier::ALL.map(Tier::as_str)})),
        "discogs_id": cell(json!({"type": "integer", "minimum": 1})),
        "mbid": cell(json!({"type": "string", "format": "uuid"})),
    });
    match identity {
        Value::Object(identity) => identity,
        _ => Map::new(),
    }
}

/// A fact that is there, or the reason why it is not.
pub(super) fn facet(fact: Value) -> Value {
    let mut there = Map::new();
    there.insert("present".to_owned(), json!({"const": true}));
    if let Value::Object(fact) = fact {
        there.extend(fact);
    }
    json!({"oneOf": [
        closed(Value::Object(there)),
        gap(),
    ]})
}

/// One value: the value, null, or the reason in its place.
pub(super) fn cell(value: Value) -> Value {
    json!({"anyOf": [value, {"type": "null"}, gap()]})
}

/// The reason in place of a value.
fn gap() -> Value {
    closed(json!({"present": {"const": false}, "reason": {"enum": GapReason::ALL.map(GapReason::as_str)}}))
}

/// The service's own key.
pub(super) fn cluster_id() -> Value {
    json!({"type": "string", "pattern": "^[0-9a-f]{64}$"})
}

/// An object with exactly these properties.
pub(super) fn closed(properties: Value) -> Value {
    let required: Vec<String> =
        properties.as_object().map(|properties| properties.keys().cloned().collect()).unwrap_or_default();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// One of some words, or null.
pub(super) fn nullable_enum<const N: usize>(words: [impl Serialize; N]) -> Value {
    let mut words: Vec<Value> = words.iter().map(|word| json!(word)).collect();
    words.push(Value::Null);
    json!({"enum": words})
}

/// A clean name.
pub(super) fn text() -> Value {
    json!({"type": "string", "minLength": 1, "maxLength": crate::model::text::NAME_MAX_CHARS})
}

/// A clean name, or null.
pub(super) fn nullable_text() -> Value {
    json!({"type": ["string", "null"], "maxLength": crate::model::text::NAME_MAX_CHARS})
}

/// How many.
pub(super) fn count() -> Value {
    json!({"type": "integer", "minimum": 0})
}
