//! Pages of an artist elsewhere.

use serde_json::{Value, json};

use crate::model::link::LinkSite;

/// A list of pages, each a link or the name of a profile.
pub(super) fn list() -> Value {
    json!({"type": "array", "items": {
        "type": "object",
        "properties": {
            "site": {"enum": LinkSite::ALL},
            "url": {"type": "string"},
            "handle": {"type": "string"},
        },
        "required": ["site"],
        "oneOf": [{"required": ["url"]}, {"required": ["handle"]}],
        "additionalProperties": false,
    }})
}
