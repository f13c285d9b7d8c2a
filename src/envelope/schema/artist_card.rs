//! `data` of `get_artist`.

use serde_json::{Value, json};

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
                "releases": {"type": "array", "items": closed(json!({"master_id": count(), "title": text()}))},
            }),
        ),
        ("emergence", json!({"tier": text(), "momentum": nullable_text()})),
    ] {
        card.insert(name.to_owned(), facet(fact));
    }
    closed(Value::Object(card))
}
