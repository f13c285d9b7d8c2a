//! `data` of `resolve_artist`.

use serde_json::{Value, json};

use super::fragment::{closed, count, identity, link};

/// Its schema.
pub(super) fn schema() -> Value {
    let mut resolved = identity();
    resolved.insert("links".to_owned(), json!({"type": "array", "items": link()}));
    resolved.insert("links_total".to_owned(), count());
    closed(Value::Object(resolved))
}
