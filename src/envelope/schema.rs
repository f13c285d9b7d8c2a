//! The machine-readable shape of every answer, built from the same closed vocabularies as the answers.

mod account;
mod artist_card;
mod artist_signals;
mod catalog_list;
mod fragment;
mod label_card;
mod link;
mod resolved_artist;
mod track_list;

use serde_json::{Map, Value, json};

use self::fragment::{closed, count, nullable_enum};
use super::ENVELOPE_VERSION;
use super::degraded::{FallbackTier, RecommendedAction};
use super::error::ErrorType;
use super::meta::{BudgetBucket, ClientClass, View};
use crate::identity::{AmbiguityState, Tier};
use crate::model::gap::GapReason;

/// The address of the schema as a resource.
pub const SCHEMA_URI: &str = "hosaka://envelope-schema";

/// Writes the schema of one kind of `data`.
type Definition = fn() -> Value;

/// The kinds of `data`, by the name of their definition.
const DATA: [(&str, Definition); 7] = [
    ("resolved_artist", resolved_artist::schema),
    ("artist_card", artist_card::schema),
    ("catalog_list", catalog_list::schema),
    ("track_list", track_list::schema),
    ("label_card", label_card::schema),
    ("account_profile", account::profile),
    ("account_usage", account::usage),
];

/// JSON Schema 2020-12 of every answer, success or error, of every tool.
#[must_use]
pub fn envelope() -> Value {
    let kinds = DATA.iter().map(|(name, _)| json!({"$ref": format!("#/$defs/{name}")}));
    let any: Vec<Value> = std::iter::once(json!({"type": "null"})).chain(kinds).collect();
    let mut schema = shape(json!({"anyOf": any}));
    let definitions: Map<String, Value> =
        DATA.iter().map(|(name, schema)| ((*name).to_owned(), schema())).collect();
    if let Some(object) = schema.as_object_mut() {
        object.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
        object.insert("$id".to_owned(), json!(SCHEMA_URI));
        object.insert("title".to_owned(), json!("hosaka music data envelope"));
        object.insert("$defs".to_owned(), Value::Object(definitions));
    }
    schema
}

/// The compact schema that stands beside a tool in the list: enough to read an answer by.
#[must_use]
pub fn output() -> Value {
    // One type a property, as some clients demand; what may be null says so in words.
    json!({
        "type": "object",
        "description": format!("Envelope; full schema: {SCHEMA_URI}"),
        "properties": {
            "ok": {"type": "boolean"},
            "data": {"description": "Facts; null on errors"},
            "present": {"description": "false: not held, see reason; null on errors"},
            "reason": {"description": "Why not held, or null"},
            "ambiguity": {"description": "state, reasons, candidates; null on errors"},
            "attribution": {"type": "object"},
            "next_actions": {"type": "array", "items": {"type": "object"}},
            "error": {"description": "type, message, data; null when ok"},
            "meta": {"type": "object"},
        },
        "required": ["ok", "data", "error", "meta"],
    })
}

fn shape(data: Value) -> Value {
    closed(json!({
        "envelope_version": {"const": ENVELOPE_VERSION},
        "ok": {"type": "boolean"},
        "data": data,
        "present": {"type": ["boolean", "null"]},
        "reason": nullable_enum(GapReason::ALL.map(GapReason::as_str)),
        "ambiguity": {"anyOf": [{"type": "null"}, ambiguity()]},
        "degraded": {"anyOf": [{"type": "null"}, closed(json!({
            "fallback_tier": {"enum": FallbackTier::ALL.map(FallbackTier::as_str)},
            "recommended_action": {"enum": RecommendedAction::ALL.map(RecommendedAction::as_str)},
        }))]},
        "untrusted_text": {"type": "array", "maxItems": super::untrusted::UNTRUSTED_TEXTS_MAX, "items": closed(json!({
            "field": {"type": "string"},
            "text": {"type": "string", "maxLength": crate::model::prose::PROSE_MAX_CHARS},
            "source": {"type": "string"},
            "licence": {"type": "string"},
            "handling": {"const": "display_only"},
        }))},
        "attribution": closed(json!({
            "provider": {"type": "string"},
            "url": {"type": "string"},
            "sources": {"type": "array", "items": closed(json!({"name": {"type": "string"}, "licence": {"type": "string"}}))},
            "line": {"type": "string"},
        })),
        "next_actions": {"type": "array", "items": closed(json!({
            "tool": {"type": "string"}, "args": {"type": "object"}, "why": {"type": "string"},
        }))},
        "error": {"anyOf": [{"type": "null"}, closed(json!({
            "type": {"enum": ErrorType::ALL.map(ErrorType::as_str)},
            "message": {"type": "string"},
            "recoverable": {"type": "boolean"},
            "retryable": {"type": "boolean"},
            "data": {"type": "object"},
        }))]},
        "suggested_tool_calls": {"type": "array", "items": closed(json!({
            "tool": {"type": "string"}, "args": {"type": "object"},
        }))},
        "meta": meta(),
    }))
}

fn ambiguity() -> Value {
    closed(json!({
        "state": {"enum": AmbiguityState::ALL.map(AmbiguityState::as_str)},
        "reasons": {"type": "array", "items": {"type": "string"}},
        "candidates": {"type": "array", "maxItems": super::identity::CANDIDATES_MAX, "items": {
            "type": "object",
            "properties": {
                "cluster_id": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
                "name": {"type": "string", "minLength": 1},
                "tier": {"enum": Tier::ALL.map(Tier::as_str)},
                "support": {"type": "integer", "minimum": 0},
                "hint": {"type": "string"},
            },
            "required": ["cluster_id", "name"],
            "additionalProperties": false,
        }},
    }))
}

fn meta() -> Value {
    let mut meta = closed(json!({
        "request_id": {"type": "string", "format": "uuid"},
        "generated_at": {"type": "string", "format": "date-time"},
        "anonymous": {"type": "boolean"},
        "account_mode": nullable_enum(["interim", "hooked"]),
        "client_class": {"enum": ClientClass::ALL},
        "view": nullable_enum(View::ALL.map(View::as_str)),
        "view_coerced": {"type": "boolean"},
        "units": count(),
        "upstream_2xx": count(),
        "cache_hit": {"type": "boolean"},
        "replay": {"type": "boolean"},
        "tokens_estimate": count(),
        "truncated": {"type": "boolean"},
        "degraded_limits": {"type": "boolean"},
        "anon_budget_bucket": nullable_enum(BudgetBucket::ALL),
        "idempotency": {"enum": ["ok", "unavailable"]},
        "quota": {"anyOf": [{"type": "null"}, closed(json!({
            "used": count(), "allowance": count(), "warning_80": {"type": "boolean"},
            "reset_at": {"type": "string", "format": "date-time"},
        }))]},
        "fixture_mode": {"type": "boolean"},
    }));
    // Only there when something was trimmed.
    if let Some(properties) = meta.pointer_mut("/properties").and_then(Value::as_object_mut) {
        let row = closed(json!({"path": {"type": "string"}, "kept": count(), "total": count()}));
        properties.insert("trimmed".to_owned(), json!({"type": "array", "minItems": 1, "items": row}));
    }
    meta
}
