//! An answer as it is kept for identical calls: everything but the facts about the answer itself.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use super::draft::{Draft, META, tail, with_estimate};
use crate::answer::Data;
use crate::envelope::Envelope;
use crate::envelope::meta::Meta;
use crate::model::gap::GapReason;
use crate::shape::{self, Weight};

/// How answers are kept. Part of what makes two calls the same, so that no program reads what another one wrote
/// differently.
pub(super) const FORM: &str = "2";

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
    pub(super) fn of(envelope: &Envelope<Data>, draft: &Draft) -> Option<Arc<str>> {
        let body = draft.body();
        if !envelope.is_ok() || envelope.degraded().is_some() || !body.ends_with(META) || may_better(body)? {
            return None;
        }
        let trimmed = match envelope.meta.trimmed.as_slice() {
            [] => String::new(),
            trimmed => serde_json::to_string(trimmed).ok()?,
        };
        let text = serde_json::to_string(draft.text()).ok()?;
        let (truncated, tokens) = (u8::from(envelope.meta.truncated), draft.text_tokens());
        let (weight, trimmed_bytes, text_bytes) = (draft.body_weight().as_u64(), trimmed.len(), text.len());
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
        let mut tail = tail(&Meta { tokens_estimate: 0, ..meta }).ok()?;
        if !self.trimmed.is_empty() {
            tail = tail.replacen(AFTER_TRIMMED, &format!("\"trimmed\":{},{AFTER_TRIMMED}", self.trimmed), 1);
        }
        let weight = self.body_weight.and(shape::weigh(&tail));
        let size = |weight: Weight| self.text_tokens.saturating_add(weight.tokens());
        // The number counts for itself, as in an answer that is made anew.
        let estimate = size(weight.with_number(size(weight)));
        Some([Cow::Borrowed(self.body), Cow::Owned(with_estimate(&tail, estimate)?)])
    }
}

/// The gaps that may have closed by the next call. What is refused now may be granted to the same key tomorrow,
/// whatever the caller does.
const TRANSIENT: [GapReason; 3] =
    [GapReason::UpstreamDegraded, GapReason::MalformedUpstream, GapReason::RefusedUpstream];

/// Whether something is missing in an envelope up to [`META`] that may be there at the next call; `None` when it cannot
/// be read. It is only read where one of the words for that stands in it, which might also be somebody's name.
fn may_better(body: &str) -> Option<bool> {
    if !TRANSIENT.iter().any(|gap| body.contains(gap.as_str())) {
        return Some(false);
    }
    serde_json::from_str(&format!("{body}\":null}}")).ok().map(|value| has_transient_gap(&value))
}

/// Whether a gap may close, at any depth.
fn has_transient_gap(value: &Value) -> bool {
    let is_transient = |reason: &str| TRANSIENT.iter().any(|gap| gap.as_str() == reason);
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

    fn body_of(envelope: &str) -> &str {
        envelope.strip_suffix("\":{}}").unwrap()
    }

    #[test]
    fn a_gap_that_may_close_is_seen_at_any_depth() {
        for reason in GapReason::ALL {
            let value =
                json!({"data": [{"gaps": {"similar": {"present": false, "reason": reason}}}], "meta": {}})
                    .to_string();
            let transient = matches!(
                reason,
                GapReason::UpstreamDegraded | GapReason::MalformedUpstream | GapReason::RefusedUpstream
            );
            assert_eq!(may_better(body_of(&value)), Some(transient), "{reason:?}");
        }
        let named = json!({"data": {"name": "upstream_degraded"}, "meta": {}}).to_string();
        assert_eq!(may_better(body_of(&named)), Some(false), "a name is no gap");
    }
}
