//! What the tools that answer with a list have in common.
//!
//! Decides how many rows are asked for and shown. It must never know what is in a row.

use super::arguments::Arguments;
use super::upstream_error;
use crate::answer::RowForm;
use crate::crate_client::UpstreamFault;
use crate::envelope::degraded::Degraded;
use crate::envelope::error::ToolError;
use crate::model::gap::{Fact, GapReason};

/// How many rows a call wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    rows: u32,
    /// The most rows that are shown in full.
    full: u32,
}

impl Limit {
    /// The limit that was given, or `unasked`.
    pub(super) fn parse(arguments: &Arguments, unasked: u32) -> Self {
        Self::parse_with(arguments, unasked, unasked)
    }

    /// The same where as many as `full` rows are shown in full.
    pub(super) fn parse_with(arguments: &Arguments, unasked: u32, full: u32) -> Self {
        let given = arguments.integer("limit").and_then(|limit| u32::try_from(limit).ok());
        Self { rows: given.unwrap_or(unasked), full }
    }

    /// The limit of a call that names none.
    #[cfg(test)]
    pub(super) fn of(unasked: u32) -> Self {
        Self { rows: unasked, full: unasked }
    }

    /// How many rows are shown at most.
    pub(super) fn rows(self) -> usize {
        usize::try_from(self.rows).unwrap_or(usize::MAX)
    }

    /// How many rows to ask for: one more than is shown says whether there are more.
    pub(super) fn asked(self) -> u32 {
        self.rows.saturating_add(1)
    }

    /// Whoever asks for many rows gets shorter ones.
    pub(super) fn form(self) -> RowForm {
        if self.rows > self.full { RowForm::Compact } else { RowForm::Full }
    }
}

/// What became of a request whose failure can be told as a gap.
pub(super) struct Outcome<T> {
    /// The facts, or why there are none.
    pub(super) found: Fact<T>,
    /// Set when the service calls its own answer degraded.
    pub(super) degraded: Option<Degraded>,
}

/// Puts the ways in which a request ends in one row: an answer, nothing on record, the service's own doubt.
///
/// # Errors
/// Every other failure.
pub(super) fn outcome<T>(answered: Result<Option<Fact<T>>, UpstreamFault>) -> Result<Outcome<T>, ToolError> {
    match answered {
        Ok(found) => Ok(Outcome { found: found.unwrap_or(Err(GapReason::NotFoundUpstream)), degraded: None }),
        Err(fault @ UpstreamFault::Degraded) => Ok(Outcome {
            found: Err(GapReason::UpstreamDegraded),
            degraded: Some(upstream_error::degraded(fault)),
        }),
        Err(fault) => Err(upstream_error::from(fault)),
    }
}

/// The same for a list that is asked for without a key, so that none can be missing.
///
/// # Errors
/// As [`outcome`].
pub(super) fn keyless<T>(answered: Result<Option<Fact<T>>, UpstreamFault>) -> Result<Outcome<T>, ToolError> {
    outcome(answered.map(|found| Some(found.unwrap_or(Err(GapReason::HonestGap)))))
}
