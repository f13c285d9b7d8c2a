//! How the backups stand that the server writes by itself, for whoever asks.

use serde::{Deserialize, Serialize};
use time::format_description::well_known::Rfc3339;

use crate::store::backups::{Outcome, Outcomes};

/// What became of those that were due.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupReport {
    /// Whether any are written.
    pub is_on: bool,
    /// Those that were written since the start.
    pub written: u64,
    /// Those that could not be.
    pub failed: u64,
    /// Those that were put off, since the disk had little room or the store refused.
    pub put_off: u64,
    /// When the last one was written, as RFC 3339; `None` when there is none.
    pub last: Option<String>,
    /// Why the one that was due last is not there; `None` when it is.
    pub missing: Option<String>,
}

impl BackupReport {
    pub(super) fn of(outcomes: &Outcomes) -> Self {
        let (counts, standing) = (outcomes.counts(), outcomes.standing());
        let last = standing.last.and_then(|last| last.replace_nanosecond(0).ok()?.format(&Rfc3339).ok());
        Self {
            is_on: standing.is_on,
            written: counts.get(Outcome::Written),
            failed: counts.get(Outcome::Failed),
            put_off: counts.get(Outcome::PutOff),
            last,
            missing: standing.missing,
        }
    }
}
