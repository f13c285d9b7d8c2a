//! `data` of `get_artist`.

use serde_json::{Value, json};

use super::artist_signals;
use super::fragment::{closed, count, facet, identity, nullable_text, text};

/// Its schema.
pub(super) fn schema() -> Value {
    let mut card = identity();
    for (name, fact) in [
        ("real_name", json!({"name": text()})),
        ("aliases", json!({"names": {"type": "array", "items": text()}, "total": count()})),
        ("origin", json!({"city": nullable_text(), "country": nullable_text()})),
        ("debut", json!({"year": {"type": "integer", "minimum": 1, "maximum": 9999}})),
        ("genre", json!({"primary": text(), "styles": {"type": "array", "items": text()}})),
        (
            "discography",
            json!({
                "total": count(), "shown": count(), "truncated": {"type": "boolean"},
                "releases": {"type": "array", "items": {"anyOf": [
                    closed(json!({"master_id": count(), "title": text()})),
                    {"type": "array", "prefixItems": [count(), text()], "minItems": 2, "maxItems": 2},
                ]}},
            }),
        ),
        ("emergence", json!({"tier": text(), "momentum": nullable_text()})),
    ] {
        card.insert(name.to_owned(), facet(fact));
    }
    let mut schema = closed(Value::Object(card));
    // Which of these are there depends on the view.
    if let Some(properties) = schema.pointer_mut("/properties").and_then(Value::as_object_mut) {
        for (name, fact) in artist_signals::facets() {
            properties.insert(name.to_owned(), facet(fact));
        }
    }
    schema
}
