//! `data` of the tools that answer with a list.

use serde_json::{Value, json};

use super::fragment::{closed, count, text};
use crate::identity::Tier;
use crate::model::gap::GapReason;
use crate::model::word::WORD_MAX_BYTES;

/// A row in which each of `facts` stands, or has its reason under `gaps`; `always` stands in every row.
pub(super) fn row(facts: Value, always: Value) -> Value {
    let names: Vec<String> =
        facts.as_object().map(|facts| facts.keys().cloned().collect()).unwrap_or_default();
    let required: Vec<String> =
        always.as_object().map(|always| always.keys().cloned().collect()).unwrap_or_default();
    let mut properties = facts;
    if let (Some(properties), Value::Object(always)) = (properties.as_object_mut(), always) {
        properties.extend(always);
        properties.insert(
            "gaps".to_owned(),
            json!({
                "type": "object",
                "minProperties": 1,
                "propertyNames": {"enum": names},
                "additionalProperties": {"enum": GapReason::ALL.map(GapReason::as_str)},
            }),
        );
    }
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// `data` of `list_breakouts`.
pub(super) fn breakouts() -> Value {
    let row = row(
        json!({
            "name": text(), "cluster_id": cluster_id(), "discogs_id": discogs_id(), "resolved_via": {"enum": Tier::ALL.map(Tier::as_str)},
            "emergence_tier": word(), "press_count": count(), "corroboration": word(),
            "emergence_score": {"type": "number"},
            "location": {
                "type": "object", "properties": {"city": text(), "country": text()},
                "minProperties": 1, "additionalProperties": false,
            },
        }),
        json!({}),
    );
    closed(json!({
        "breakouts": {"type": "array", "items": row},
        "shown": count(), "more": {"type": "boolean"}, "unreadable": count(),
    }))
}

/// `data` of `list_ones_to_watch`.
pub(super) fn ones_to_watch() -> Value {
    let rows = row(
        json!({
            "rank": count(), "name": text(), "discogs_id": discogs_id(), "emergence_tier": word(),
            "momentum_tier": word(), "emergence_score": {"type": "number"}, "profile": word(),
            "culture_forward_festivals": count(),
        }),
        json!({}),
    );
    row(
        json!({"snapshot_on": day(), "stale": {"type": "boolean"}}),
        json!({
            "ones_to_watch": {"type": "array", "items": rows},
            "shown": count(), "more": {"type": "boolean"}, "unreadable": count(),
        }),
    )
}

/// `data` of `get_aura`.
pub(super) fn auras() -> Value {
    let row = row(
        json!({
            "name": text(), "cluster_id": cluster_id(), "dimension_count": count(),
            "dimensions": {"type": "array", "items": word()}, "break_odds_percent": {"type": "number", "minimum": 0, "maximum": 100},
            "first_signal_on": day(), "latest_signal_on": day(), "has_broken": {"type": "boolean"}, "broke_on": day(),
        }),
        json!({}),
    );
    closed(json!({
        "aura": {"type": "array", "items": row},
        "shown": count(), "more": {"type": "boolean"}, "unreadable": count(),
    }))
}

/// `data` of `get_upcoming_gigs`.
pub(super) fn upcoming_gigs() -> Value {
    let mut whole = gig_list();
    if let Some(whole) = whole.as_object_mut() {
        whole.insert(
            "cluster_id".to_owned(),
            json!({"type": ["string", "null"], "pattern": "^[0-9a-f]{64}$"}),
        );
    }
    closed(whole)
}

/// The properties of a list of gigs.
pub(super) fn gig_list() -> Value {
    let row = row(
        json!({
            "title": text(), "venue": text(), "city": text(), "country": text(), "cancelled": {"type": "boolean"},
        }),
        json!({"date": day()}),
    );
    json!({
        "as_of": day(), "gigs": {"type": "array", "items": row},
        "shown": count(), "total": count(), "unreadable": count(),
    })
}

fn word() -> Value {
    json!({"type": "string", "minLength": 1, "maxLength": WORD_MAX_BYTES, "pattern": "^[a-z0-9][a-z0-9_@/.-]*$"})
}

fn day() -> Value {
    json!({"type": "string", "format": "date"})
}

pub(super) fn cluster_id() -> Value {
    json!({"type": "string", "pattern": "^[0-9a-f]{64}$"})
}

pub(super) fn discogs_id() -> Value {
    json!({"type": "integer", "minimum": 1})
}
