//! `data` of `find_similar_artists`.

use serde_json::{Map, Value, json};

use super::fragment::{closed, count, facet, identity, text};
use super::rows::{cluster_id, discogs_id, row};
use crate::model::neighbour::Axis;

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
    let state = facet(json!({"source": {"enum": Axis::ALL.map(Axis::source)}, "listed": count()}));
    let counts = |names: [&str; 2]| row(named(names, &count()), json!({}));
    let full = json!({
        "type": "object",
        "properties": {
            "co_booking": counts(["events", "venues"]),
            "festivals": counts(["editions", "festivals"]),
            "radio": counts(["plays", "stations"]),
            "dj_champions": counts(["plays", "events"]),
            "credits": counts(["works", "recordings"]),
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
