//! An answer as it is kept for identical calls: everything but the facts about the answer itself.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use crate::answer::Data;
use crate::envelope::Envelope;
use crate::envelope::meta::Meta;
use crate::model::gap::GapReason;
use crate::shape::{self, Weight};

/// How answers are kept. Part of what makes two calls the same, so that no program reads what another one wrote
/// differently.
pub(super) const FORM: &str = "2";

/// What stands before the facts about the answer, which every envelope ends with: up to here it is kept.
const META: &str = "\"meta";
/// What stands between that and the facts.
const COLON: &str = "\":";
/// What is put in the place of the size of an answer before that is known.
const NO_ESTIMATE: &str = "\"tokens_estimate\":0,";

/// Room for the facts about an answer.
const META_BYTES: usize = 1024;
/// What stands behind the list of what was shortened.
const AFTER_TRIMMED: &str = "\"degraded_limits\"";

/// An answer that was given once: a line of figures, then its parts one after the other, so that giving it again takes
/// no parsing.
#[derive(Debug)]
pub(super) struct StoredAnswer<'s> {
    /// Its text, as a JSON string.
    pub(super) text: &'s str,
    /// What its text costs to read, in tokens.
    text_tokens: u32,
    /// Its envelope up to [`META`].
    body: &'s str,
    body_weight: Weight,
    /// Whether the hard cap shortened it.
    pub(super) truncated: bool,
    /// Which includes were shortened, as JSON; "" for none.
    trimmed: &'s str,
}

impl<'s> StoredAnswer<'s> {
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
        let body = json.strip_suffix('}')?.strip_suffix(&meta)?.strip_suffix(COLON)?;
        if !body.ends_with(META) {
            return None;
        }
        let trimmed = match envelope.meta.trimmed.as_slice() {
            [] => String::new(),
            trimmed => serde_json::to_string(trimmed).ok()?,
        };
        let figures = [
            u64::from(envelope.meta.truncated),
            u64::from(shape::tokens(text)),
            shape::weigh(body).as_u64(),
            trimmed.len() as u64,
        ];
        let text = serde_json::to_string(text).ok()?;
        let [truncated, tokens, weight, trimmed_bytes] = figures;
        let text_bytes = text.len();
        Some(
            format!("{truncated} {tokens} {weight} {trimmed_bytes} {text_bytes}\n{trimmed}{text}{body}")
                .into(),
        )
    }

    /// Reads what was kept; `None` when it is of another form.
    pub(super) fn read(stored: &'s str) -> Option<Self> {
        let (figures, parts) = stored.split_once('\n')?;
        let mut figures = figures.split(' ');
        let truncated = match figures.next()? {
            "0" => false,
            "1" => true,
            _ => return None,
        };
        let text_tokens = figures.next()?.parse().ok()?;
        let body_weight = Weight::from_u64(figures.next()?.parse().ok()?);
        let (trimmed, parts) = parts.split_at_checked(figures.next()?.parse().ok()?)?;
        let (text, body) = parts.split_at_checked(figures.next()?.parse().ok()?)?;
        if figures.next().is_some() || !body.ends_with(META) {
            return None;
        }
        Some(Self { text, text_tokens, body, body_weight, truncated, trimmed })
    }

    /// The answer's envelope with new facts about it, in two pieces. What reading the answer costs is counted here.
    pub(super) fn envelope(&self, meta: Meta) -> Option<[Cow<'s, str>; 2]> {
        let mut tail = Vec::with_capacity(META_BYTES);
        tail.extend_from_slice(COLON.as_bytes());
        serde_json::to_writer(&mut tail, &Meta { tokens_estimate: 0, ..meta }).ok()?;
        tail.push(b'}');
        let mut tail = String::from_utf8(tail).ok()?;
        if !self.trimmed.is_empty() {
            tail = tail.replacen(AFTER_TRIMMED, &format!("\"trimmed\":{},{AFTER_TRIMMED}", self.trimmed), 1);
        }
        let estimate = self.text_tokens + self.body_weight.and(shape::weigh(&tail)).tokens();
        let tail = tail.replacen(NO_ESTIMATE, &format!("\"tokens_estimate\":{estimate},"), 1);
        Some([Cow::Borrowed(self.body), Cow::Owned(tail)])
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
