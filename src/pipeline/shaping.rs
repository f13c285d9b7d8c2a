//! Keeps an answer within its size, on its typed form.

use std::borrow::Cow;

use super::draft::Draft;
use crate::answer::{Data, Shapeable};
use crate::envelope::Envelope;
use crate::envelope::attribution::{Attribution, Origin};
use crate::envelope::error::{ErrorType, ToolError};
use crate::envelope::meta::Trimmed;
use crate::model::source::Sources;
use crate::shape::{self, HARD_ESTIMATE, List, Plan, Role, SOFT_TOKENS};

const QUOTATIONS: &str = "untrusted_text";
const CANDIDATES: &str = "ambiguity.candidates";

/// Shortens the lists of an answer as far as its size demands, says so in it, and notes what reading it costs.
pub fn fit(envelope: &mut Envelope<Data>, origin: Origin) -> Draft {
    let draft = Draft::of(envelope);
    fit_again(envelope, draft, origin)
}

/// The same for an answer of which `draft` was written, when nothing of it has changed but the facts about it.
pub(super) fn fit_again(envelope: &mut Envelope<Data>, mut draft: Draft, origin: Origin) -> Draft {
    let whole = draft.tokens(&envelope.meta);
    // As nearly every answer: then no row has to be weighed.
    if whole <= SOFT_TOKENS {
        envelope.meta.tokens_estimate = whole;
        return draft;
    }
    let lists = lists(envelope);
    // The plan asks for the whole first.
    let mut known = Some(whole);
    let plan =
        shape::plan(&lists, |plan| known.take().unwrap_or_else(|| size(&shortened(envelope, &lists, plan))));
    if let Cow::Owned(short) = shortened(envelope, &lists, &plan) {
        *envelope = short;
        draft = Draft::of(envelope);
    }
    envelope.meta.tokens_estimate = draft.tokens(&envelope.meta);
    // Only a record of nothing but huge values comes here.
    if envelope.meta.tokens_estimate > HARD_ESTIMATE && envelope.is_ok() {
        envelope.fail(too_large(), Attribution::of(&Sources::default(), origin));
        draft = Draft::of(envelope);
        envelope.meta.tokens_estimate = draft.tokens(&envelope.meta);
    }
    draft
}

/// What reading an answer costs, text and JSON together, in estimated tokens.
fn size(envelope: &Envelope<Data>) -> u32 {
    Draft::of(envelope).tokens(&envelope.meta)
}

fn lists(envelope: &Envelope<Data>) -> Vec<List> {
    let data = envelope.data().and_then(Data::shapeable);
    let mut lists = data.map(Shapeable::lists).unwrap_or_default();
    lists.push(List::of(QUOTATIONS, Role::Main, envelope.untrusted_text()));
    if let Some(ambiguity) = envelope.ambiguity() {
        lists.push(List::of(CANDIDATES, Role::Main, ambiguity.candidates()));
    }
    lists
}

/// The answer with as many rows as planned; itself when it keeps them all.
fn shortened<'a>(envelope: &'a Envelope<Data>, lists: &[List], plan: &Plan) -> Cow<'a, Envelope<Data>> {
    if plan.shortened(lists).next().is_none() {
        return Cow::Borrowed(envelope);
    }
    let mut short = envelope.clone();
    for (list, kept) in plan.shortened(lists) {
        match list.path() {
            QUOTATIONS => short.keep_untrusted_text(kept),
            CANDIDATES => short.keep_candidates(kept),
            path => {
                if let Some(data) = short.data_mut().and_then(Data::shapeable_mut) {
                    data.keep(path, kept);
                }
            }
        }
        match list.role() {
            Role::Main => short.meta.truncated = true,
            Role::Include => {
                // An answer is measured again once its last figures are known: what it said before is brought up to
                // date and not said twice.
                match short.meta.trimmed.iter_mut().find(|trimmed| trimmed.path == list.path()) {
                    Some(trimmed) => trimmed.kept = kept,
                    None => short.meta.trimmed.push(Trimmed { path: list.path(), kept, total: list.rows() }),
                }
                let data = short.data().and_then(Data::shapeable);
                let whole = data.and_then(|data| data.whole(list.path()));
                if let Some(action) = whole.filter(|action| !short.next_actions().contains(action)) {
                    short.recommend(action);
                }
            }
        }
    }
    Cow::Owned(short)
}

fn too_large() -> ToolError {
    ToolError::new(ErrorType::UpstreamError, "The data service's record is too large to be shown.")
        .with("reason", "too_large")
        .hint("A retry does not help; report it with meta.request_id.")
        .recoverable(false)
}

#[cfg(test)]
mod tests;
