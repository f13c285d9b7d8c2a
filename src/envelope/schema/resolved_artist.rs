//! `data` of `resolve_artist`.

use serde_json::Value;

use super::fragment::{closed, count, identity};
use super::link;

/// Its schema.
pub(super) fn schema() -> Value {
    let mut resolved = identity();
    resolved.insert("links".to_owned(), link::list());
    resolved.insert("links_total".to_owned(), count());
    closed(Value::Object(resolved))
}
