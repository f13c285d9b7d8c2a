//! `data` of `find_tracks`.

use serde_json::{Value, json};

use super::fragment::{cell, closed, cluster_id, count, identity, text};
use crate::model::track::{TitleMatch, TrackCorpus};

/// Its schema.
pub(super) fn schema() -> Value {
    let mut modes = TitleMatch::ALL.map(TitleMatch::as_str).to_vec();
    modes.push("artist_track");
    closed(json!({
        "mode": cell(json!({"enum": modes})),
        "corpus": cell(json!({"enum": TrackCorpus::ALL.map(TrackCorpus::as_str)})),
        "artist": {"anyOf": [{"type": "null"}, closed(Value::Object(identity()))]},
        "results": {"type": "array", "items": closed(json!({
            "artist": cell(text()),
            "cluster_id": cell(cluster_id()),
            "releases": cell(count()),
            "recordings": cell(count()),
        }))},
        "shown": count(),
        "listed": count(),
        "truncated": cell(json!({"type": "boolean"})),
    }))
}
