//! The one shape of every tool's answer.
//!
//! Decides which keys an answer has and what they may hold. It must never know how an answer was
//! found, what it cost to find, or how it is written on the wire.

pub mod attribution;
pub mod degraded;
pub mod error;
pub mod identity;
pub mod meta;
pub mod next;
pub mod schema;
pub mod untrusted;

use serde::Serialize;

use self::attribution::Attribution;
use self::degraded::Degraded;
use self::error::ToolError;
use self::identity::Ambiguity;
use self::meta::Meta;
use self::next::{NextAction, SuggestedCall};
use self::untrusted::UntrustedText;
use crate::model::gap::GapReason;

/// The version of the envelope's shape that this program speaks.
pub const ENVELOPE_VERSION: &str = "1";

/// What a tool found, before it is put into an envelope.
///
/// `D` is the tool's own typed answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding<D> {
    /// The facts.
    pub data: D,
    /// `Err` with the reason when hosaka does not hold what was asked for.
    pub present: Result<(), GapReason>,
    /// How sure the identity is; `None` for tools that name no artist.
    pub ambiguity: Option<Ambiguity>,
    /// Set when a signal was not available just now.
    pub degraded: Option<Degraded>,
    /// Quotations.
    pub untrusted_text: Vec<UntrustedText>,
    /// Whose data it is.
    pub attribution: Attribution,
    /// What to do next.
    pub next_actions: Vec<NextAction>,
}

/// A tool's answer in full. Every key is always there.
#[derive(Clone, Debug, Serialize)]
pub struct Envelope<D> {
    envelope_version: &'static str,
    ok: bool,
    data: Option<D>,
    present: Option<bool>,
    reason: Option<GapReason>,
    ambiguity: Option<Ambiguity>,
    degraded: Option<Degraded>,
    untrusted_text: Vec<UntrustedText>,
    attribution: Attribution,
    next_actions: Vec<NextAction>,
    error: Option<ToolError>,
    suggested_tool_calls: Vec<SuggestedCall>,
    /// What the answer cost and how it came about.
    pub meta: Meta,
}

impl<D> Envelope<D> {
    /// The envelope of a tool that ran.
    #[must_use]
    pub fn success(finding: Finding<D>, mut meta: Meta) -> Self {
        meta.truncated |= finding.ambiguity.as_ref().is_some_and(Ambiguity::is_cut);
        Self {
            envelope_version: ENVELOPE_VERSION,
            ok: true,
            data: Some(finding.data),
            present: Some(finding.present.is_ok()),
            reason: finding.present.err(),
            ambiguity: finding.ambiguity,
            degraded: finding.degraded,
            untrusted_text: finding.untrusted_text,
            attribution: finding.attribution,
            next_actions: finding.next_actions,
            error: None,
            suggested_tool_calls: Vec::new(),
            meta,
        }
    }

    /// The envelope of a call that could not be answered.
    #[must_use]
    pub fn failure(mut error: ToolError, attribution: Attribution, meta: Meta) -> Self {
        Self {
            envelope_version: ENVELOPE_VERSION,
            ok: false,
            data: None,
            present: None,
            reason: None,
            ambiguity: None,
            degraded: error.degraded.take(),
            untrusted_text: Vec::new(),
            attribution,
            next_actions: std::mem::take(&mut error.next_actions),
            suggested_tool_calls: std::mem::take(&mut error.suggested_tool_calls),
            error: Some(error),
            meta,
        }
    }

    /// Puts an error in the place of what was found.
    pub fn fail(&mut self, error: ToolError, attribution: Attribution) {
        let meta = Meta { truncated: false, trimmed: Vec::new(), ..self.meta.clone() };
        *self = Self::failure(error, attribution, meta);
    }

    /// Whether the tool ran.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.ok
    }

    /// The facts; `None` on an error.
    #[must_use]
    pub fn data(&self) -> Option<&D> {
        self.data.as_ref()
    }

    /// The facts, for shortening them.
    pub fn data_mut(&mut self) -> Option<&mut D> {
        self.data.as_mut()
    }

    /// The quotations.
    #[must_use]
    pub fn untrusted_text(&self) -> &[UntrustedText] {
        &self.untrusted_text
    }

    /// Keeps the first `count` quotations.
    pub fn keep_untrusted_text(&mut self, count: usize) {
        self.untrusted_text.truncate(count);
    }

    /// Keeps the first `count` of those who may be meant.
    pub fn keep_candidates(&mut self, count: usize) {
        if let Some(ambiguity) = &mut self.ambiguity {
            ambiguity.keep(count);
        }
    }

    /// Adds something to do next.
    pub fn recommend(&mut self, action: NextAction) {
        self.next_actions.push(action);
    }

    /// The reason when hosaka does not hold what was asked for.
    #[must_use]
    pub fn reason(&self) -> Option<GapReason> {
        self.reason
    }

    /// How sure the identity is.
    #[must_use]
    pub fn ambiguity(&self) -> Option<&Ambiguity> {
        self.ambiguity.as_ref()
    }

    /// What was not available just now.
    #[must_use]
    pub fn degraded(&self) -> Option<&Degraded> {
        self.degraded.as_ref()
    }

    /// The line to show.
    #[must_use]
    pub fn attribution(&self) -> &Attribution {
        &self.attribution
    }

    /// What to do next.
    #[must_use]
    pub fn next_actions(&self) -> &[NextAction] {
        &self.next_actions
    }

    /// The error; `None` when the tool ran.
    #[must_use]
    pub fn error(&self) -> Option<&ToolError> {
        self.error.as_ref()
    }

    /// The corrected calls of an input error.
    #[must_use]
    pub fn suggested_tool_calls(&self) -> &[SuggestedCall] {
        &self.suggested_tool_calls
    }
}
