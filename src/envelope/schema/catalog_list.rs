//! `data` of `search_catalog`.

use serde_json::{Value, json};

use super::fragment::{cell, closed, cluster_id, count, text};
use crate::model::catalog::TotalMode;

/// Its schema.
pub(super) fn schema() -> Value {
    let year = || cell(json!({"type": "integer", "minimum": 1860, "maximum": 2100}));
    let words = || json!({"type": ["string", "null"]});
    let key = || json!({"type": "string", "pattern": "^a[0-9]+$"});
    closed(json!({
        "results": {"type": "array", "items": {"anyOf": [
            closed(json!({
                "master_id": count(), "title": cell(text()), "artist": cell(text()),
                "artist_cluster_id": cell(cluster_id()), "year": year(),
            })),
            closed(json!({"master_id": count(), "title": cell(text()), "artist": key(), "year": year()})),
        ]}},
        "artists": {"anyOf": [{"type": "null"}, {
            "type": "object",
            "propertyNames": key(),
            "additionalProperties": closed(json!({"name": cell(text()), "cluster_id": cell(cluster_id())})),
        }]},
        "shown": count(),
        "listed": count(),
        "unreadable": count(),
        "pagination": closed(json!({
            "mode": {"enum": ["keyset", "offset_walk"]},
            "offset": {"type": ["integer", "null"], "minimum": 0},
            "total_results": cell(count()),
            "total_results_mode": cell(json!({"enum": TotalMode::ALL.map(TotalMode::as_str)})),
            "next_cursor": {"type": ["string", "null"], "maxLength": 1024},
            "walk_ended_early": words(),
            "note": words(),
        })),
    }))
}
