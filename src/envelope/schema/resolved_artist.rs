//! `data` of `resolve_artist`.

use serde_json::{Value, json};

use super::fragment::{closed, count, identity};
use crate::model::link::LinkSite;

/// Its schema.
pub(super) fn schema() -> Value {
    let mut resolved = identity();
    resolved.insert(
        "links".to_owned(),
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
        }}),
    );
    resolved.insert("links_total".to_owned(), count());
    closed(Value::Object(resolved))
}
