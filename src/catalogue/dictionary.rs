//! What the metrics mean, as text: `/api/v2/semantics/dictionary`.
//!
//! Says the same as the dictionary that is data, and nothing else.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::CatalogueAnswer;
use super::answer::json_answer;
use super::files::SERVICE_DICTIONARY;

#[derive(Debug, Default, Deserialize)]
struct Dictionary {
    entries: Map<String, Value>,
}

pub(super) fn as_text() -> CatalogueAnswer {
    // The data is compiled in, and the tests read it.
    let dictionary: Dictionary = serde_json::from_slice(SERVICE_DICTIONARY).unwrap_or_default();
    let mut text = "# What the metrics mean\n".to_owned();
    for (name, entry) in dictionary.entries {
        text.push_str(&format!("\n## {name}\n\n"));
        for key in ["audience_blurb", "honest_limits"] {
            text.extend(entry.get(key).and_then(Value::as_str).map(|words| format!("{words}\n")));
        }
        for caveat in entry.get("caveats").and_then(Value::as_array).into_iter().flatten() {
            text.extend(caveat.as_str().map(|words| format!("- {words}\n")));
        }
    }
    json_answer(&json!({
        "object": "semantics.dictionary", "format": "markdown", "source": "the demo catalogue of ono-sendai",
        "source_sha": "none", "vendored_at": "2020-08-06", "note": "Written for the demo.", "body": text,
    }))
}
