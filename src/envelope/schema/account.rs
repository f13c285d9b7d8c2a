//! `data` of `get_profile` and `get_usage`.

use serde_json::{Value, json};

use super::fragment::{closed, count, nullable_text};

/// The schema of `get_profile`.
pub(super) fn profile() -> Value {
    closed(json!({
        "account_mode": {"enum": ["interim", "hooked"]},
        "plan": nullable_text(),
        "units_per_month": count(),
        "calls_per_minute": count(),
        "calls_at_once": count(),
    }))
}

/// The schema of `get_usage`.
pub(super) fn usage() -> Value {
    closed(json!({
        "used": count(),
        "allowance": count(),
        "remaining": count(),
        "warning_80": {"type": "boolean"},
        "reset_at": {"type": "string", "format": "date-time"},
    }))
}
