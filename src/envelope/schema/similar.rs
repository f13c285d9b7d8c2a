//! `data` of `find_similar_artists`.

use serde_json::{Map, Value, json};

use super::fragment::{closed, count, facet, identity, text};
use super::rows::{cluster_id, discogs_id, row};
use crate::model::neighbour::{Axis, ONE_LIST};

/// Its schema.
pub(super) fn schema() -> Value {
    let mut whole = identity();
    if let Value::Object(list) = list() {
        whole.extend(list);
    }
    closed(Value::Object(whole))
}

/// The properties of a list of similar artists.
pub(super) fn list() -> Value {
    let words = Axis::ALL.map(Axis::as_str);
    let sources: Vec<&str> = Axis::ALL.map(Axis::source).into_iter().chain([ONE_LIST]).collect();
    let state = facet(json!({"source": {"enum": sources}, "listed": count()}));
    // A count that could not be read leaves the axis with its reason.
    let counted =
        |word: &'static str| json!({"anyOf": [count(), row(json!({word: {"not": {}}}), json!({}))]});
    let full = json!({
        "type": "object",
        "properties": {
            "co_booking": counted("events"),
            "festivals": counted("editions"),
            "radio": counted("plays"),
            "dj_champions": counted("plays"),
            "credits": row(json!({"works": count(), "recordings": count()}), json!({})),
        },
        "minProperties": 1,
        "additionalProperties": false,
    });
    let compact = json!({"type": "array", "items": {"enum": words}, "minItems": 1});
    let rows = row(
        json!({
            "name": text(), "cluster_id": cluster_id(), "discogs_id": discogs_id(),
            "mbid": {"type": "string", "format": "uuid"},
        }),
        json!({"axes": {"anyOf": [full, compact]}}),
    );
    json!({
        "axes": {
            "type": "object", "properties": named(words, &state), "minProperties": 1, "additionalProperties": false,
        },
        "similar": {"type": "array", "items": rows},
        "shown": count(), "found": count(), "unreadable": count(),
    })
}

fn named<const N: usize>(names: [&str; N], schema: &Value) -> Value {
    Value::Object(names.into_iter().map(|name| (name.to_owned(), schema.clone())).collect::<Map<_, _>>())
}
