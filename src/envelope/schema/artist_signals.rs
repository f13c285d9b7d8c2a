//! What the wider views add to `data` of `get_artist`.

use serde_json::{Value, json};

use super::fragment::{count, nullable_text};

/// Each facet with its properties.
pub(super) fn facets() -> [(&'static str, Value); 4] {
    [
        ("scene", json!({"city": nullable_text(), "region": nullable_text(), "country": nullable_text()})),
        (
            "stage",
            json!({
                "club_events": count(), "festival_editions": count(),
                "first_club": day(), "last_club": day(), "first_festival": day(), "last_festival": day(),
            }),
        ),
        (
            "press",
            json!({"articles": count(), "reviews": count(), "interviews": count(), "features": count()}),
        ),
        ("life", json!({"born": day(), "died": day()})),
    ]
}

/// A year, a month or a day, or null.
fn day() -> Value {
    json!({"type": ["string", "null"], "pattern": "^[0-9]{4}(-[0-9]{2}){0,2}$"})
}
