//! An answer as it is kept for identical calls: everything but the facts about the answer itself.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::answer::Data;
use crate::envelope::Envelope;
use crate::envelope::meta::Meta;
use crate::model::gap::GapReason;

/// What stands before the facts about the answer, which every envelope ends with.
const META: &str = "\"meta\":";

/// An answer that was given once.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredAnswer {
    /// Its text.
    pub(super) text: String,
    /// Its envelope up to `"meta":`.
    body: String,
    /// Whether the hard cap shortened it.
    pub(super) truncated: bool,
    /// Which includes were shortened, as JSON; "" for none.
    trimmed: String,
}

impl StoredAnswer {
    /// The answer as it may be given again; `None` for one that the next call might better.
    pub(super) fn of(envelope: &Envelope<Data>, text: &str) -> Option<Arc<str>> {
        if !envelope.is_ok() || envelope.degraded().is_some() {
            return None;
        }
        let json = serde_json::to_string(envelope).ok()?;
        if has_transient_gap(&serde_json::from_str(&json).ok()?) {
            return None;
        }
        let meta = serde_json::to_string(&envelope.meta).ok()?;
        let body = json.strip_suffix('}')?.strip_suffix(&meta)?;
        if !body.ends_with(META) {
            return None;
        }
        let trimmed = match envelope.meta.trimmed.as_slice() {
            [] => String::new(),
            trimmed => serde_json::to_string(trimmed).ok()?,
        };
        let stored = Self {
            text: text.to_owned(),
            body: body.to_owned(),
            truncated: envelope.meta.truncated,
            trimmed,
        };
        serde_json::to_string(&stored).ok().map(Arc::from)
    }

    /// Reads what was kept; `None` when it is of another form.
    pub(super) fn read(stored: &str) -> Option<Self> {
        serde_json::from_str(stored).ok()
    }

    /// The envelope with new facts about the answer.
    pub(super) fn envelope(&self, meta: &Meta) -> Option<Box<RawValue>> {
        let mut meta = serde_json::to_string(meta).ok()?;
        if !self.trimmed.is_empty() {
            let next = "\"degraded_limits\"";
            meta = meta.replacen(next, &format!("\"trimmed\":{},{next}", self.trimmed), 1);
        }
        RawValue::from_string(format!("{}{meta}}}", self.body)).ok()
    }
}

/// Whether something is missing that may be there at the next call.
fn has_transient_gap(value: &Value) -> bool {
    let is_transient = |reason: &str| {
        // What is refused now may be granted to the same key tomorrow, whatever the caller does.
        [GapReason::UpstreamDegraded, GapReason::MalformedUpstream, GapReason::RefusedUpstream]
            .iter()
            .any(|gap| gap.as_str() == reason)
    };
    match value {
        Value::Object(fields) => fields.iter().any(|(key, value)| {
            let says_so = key == "reason" && value.as_str().is_some_and(is_transient);
            says_so || has_transient_gap(value)
        }),
        Value::Array(entries) => entries.iter().any(has_transient_gap),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_gap_that_may_close_is_seen_at_any_depth() {
        for reason in GapReason::ALL {
            let value = json!({"data": [{"gaps": {"similar": {"present": false, "reason": reason}}}]});
            let transient = matches!(
                reason,
                GapReason::UpstreamDegraded | GapReason::MalformedUpstream | GapReason::RefusedUpstream
            );
            assert_eq!(has_transient_gap(&value), transient, "{reason:?}");
        }
        assert!(!has_transient_gap(&json!({"name": "upstream_degraded"})), "a name is no gap");
    }
}
