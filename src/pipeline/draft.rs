//! An answer as it is sent but for the facts about the answer itself, which are known last: written once, measured and
//! sent with new facts as often as these change.

use bytes::Bytes;

use crate::answer::Data;
use crate::envelope::Envelope;
use crate::envelope::meta::Meta;
use crate::protocol::era::Era;
use crate::protocol::jsonrpc::RequestId;
use crate::protocol::reply;
use crate::render::text;
use crate::shape::{self, Weight};

/// What stands before the facts about the answer, which every envelope ends with. Weights of what is before and behind
/// it add up, as it ends with a letter.
pub(super) const META: &str = "\"meta";
/// What stands between that and the facts.
const COLON: &str = "\":";
/// Where the facts begin. No text holds this, since marks of quotation are escaped in it.
const FACTS: &str = "\"meta\":{";
/// What stands before the size of an answer.
const ESTIMATE: &str = "\"tokens_estimate\":";
/// Room for the facts about an answer.
const META_BYTES: usize = 1024;

/// An answer's two forms.
#[derive(Debug)]
pub struct Draft {
    text: String,
    text_tokens: u32,
    /// The envelope up to [`META`].
    body: String,
    body_weight: Weight,
    /// The facts that it was measured with last.
    end: Option<End>,
}

/// The end of an envelope.
#[derive(Debug)]
struct End {
    /// What it tells.
    meta: Meta,
    /// Behind [`META`].
    tail: String,
    weight: Weight,
}

impl Draft {
    /// What is written of an answer, whatever its facts about itself become.
    pub(super) fn of(envelope: &Envelope<Data>) -> Self {
        let text = text::render(envelope);
        let mut body = serde_json::to_string(envelope).unwrap_or_default();
        if let Some(at) = body.rfind(FACTS) {
            body.truncate(at + META.len());
        }
        let (text_tokens, body_weight) = (shape::tokens(&text), shape::weigh(&body));
        Self { text, text_tokens, body, body_weight, end: None }
    }

    /// Its text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// What reading the text costs, in tokens.
    pub(super) fn text_tokens(&self) -> u32 {
        self.text_tokens
    }

    /// The envelope up to [`META`].
    pub(super) fn body(&self) -> &str {
        &self.body
    }

    /// What that weighs.
    pub(super) fn body_weight(&self) -> Weight {
        self.body_weight
    }

    /// Writes the answer of a call that went well.
    pub(super) fn encode(&self, id: &RequestId, era: Era, meta: &Meta) -> Result<Bytes, serde_json::Error> {
        // One whose facts could not be written is no answer.
        if !self.body.ends_with(META) {
            return Err(serde::ser::Error::custom("an envelope that does not end in the facts about itself"));
        }
        let text = serde_json::to_string(&self.text)?;
        let known = match &self.end {
            Some(end) if is_same(&end.meta, meta) => with_estimate(&end.tail, meta.tokens_estimate),
            _ => None,
        };
        let end = known.map_or_else(|| tail(meta), Ok)?;
        reply::encode_pieces(id, era, &text, &[self.body.as_str(), &end])
    }

    /// What reading the answer costs, text and JSON together, in estimated tokens. The estimate that it tells counts too:
    /// that of `meta`.
    pub(super) fn tokens(&mut self, meta: &Meta) -> u32 {
        let end = match self.end.take() {
            Some(end) if is_same(&end.meta, meta) => end,
            _ => {
                let meta = Meta { tokens_estimate: 0, ..meta.clone() };
                let tail = tail(&meta).unwrap_or_default();
                End { weight: shape::weigh(&tail), tail, meta }
            }
        };
        let weight = self.body_weight.and(end.weight).with_number(meta.tokens_estimate);
        self.end = Some(end);
        self.text_tokens.saturating_add(weight.tokens())
    }
}

/// Whether two ends of an answer tell the same but for its size.
fn is_same(one: &Meta, other: &Meta) -> bool {
    *one == Meta { tokens_estimate: one.tokens_estimate, ..other.clone() }
}

/// An end that tells 0 as its size, with its size.
pub(super) fn with_estimate(tail: &str, estimate: u32) -> Option<String> {
    let place = tail.find(ESTIMATE)? + ESTIMATE.len();
    let (before, behind) = tail.split_at_checked(place)?;
    Some([before, &estimate.to_string(), behind.strip_prefix('0')?].concat())
}

/// The end of an envelope, behind [`META`].
pub(super) fn tail(meta: &Meta) -> Result<String, serde_json::Error> {
    let mut tail = Vec::with_capacity(META_BYTES);
    tail.extend_from_slice(COLON.as_bytes());
    serde_json::to_writer(&mut tail, meta)?;
    tail.push(b'}');
    String::from_utf8(tail).map_err(serde::ser::Error::custom)
}
