//! `data` of `get_label`.

use serde_json::{Value, json};

use super::fragment::{cell, closed, cluster_id, count, facet, identity, text};
use super::link;

/// Its schema.
pub(super) fn schema() -> Value {
    let mut card = identity();
    let flag = || cell(json!({"type": "boolean"}));
    let day = || cell(json!({"type": "string", "format": "date"}));
    for (name, fact) in [
        ("parent", json!({"name": text()})),
        ("bandcamp", json!({"site": {"const": "bandcamp"}, "url": {"type": "string"}})),
        ("pages", json!({"links": link::list(), "total": count()})),
        ("presence", json!({"discogs": flag(), "bandcamp": flag(), "dj_sets": flag(), "editorial": flag()})),
        (
            "dj_momentum",
            json!({
                "plays": cell(count()), "plays_last_365d": cell(count()), "djs": cell(count()),
                "artists": cell(count()), "tracklists": cell(count()),
                "velocity": cell(json!({"type": "number", "minimum": 0, "maximum": 1})),
                "first_played": day(), "last_played": day(),
            }),
        ),
        (
            "travels",
            json!({
                "total": count(), "shown": count(), "truncated": {"type": "boolean"},
                "labels": {"type": "array", "items": closed(json!({
                    "name": cell(text()),
                    "cluster_id": cell(cluster_id()),
                    "npmi": cell(json!({"type": "number", "minimum": -1, "maximum": 1})),
                    "support": cell(count()),
                }))},
            }),
        ),
    ] {
        card.insert(name.to_owned(), facet(fact));
    }
    closed(Value::Object(card))
}
