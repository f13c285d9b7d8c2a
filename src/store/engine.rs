//! What the owner's thread needs of a database. Anything that is swapped for sled implements this.

use super::batch::Change;
use super::space::Space;

/// A database that one thread owns.
pub(super) trait Engine: Send + 'static {
    /// Makes all changes durable together, in their order.
    fn commit(&mut self, changes: Vec<Change>) -> Result<(), EngineError>;
    /// Opens it anew after an error; some databases stay in theirs until then.
    fn reopen(&mut self) -> Result<(), EngineError>;
    /// The room on its disk; `None` when it cannot be told or has no disk.
    fn space(&self) -> Option<Space>;
    /// Gives up the ballast, so that there is room to open anew.
    fn drop_ballast(&mut self);
    /// Makes sure that there is ballast of that size.
    fn keep_ballast(&mut self, bytes: u64);
}

/// A database that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EngineError {
    /// Whether the disk is full.
    pub(super) is_full: bool,
    /// What it said, for the log.
    pub(super) reason: String,
}

impl EngineError {
    pub(super) fn other(reason: impl Into<String>) -> Self {
        Self { is_full: false, reason: reason.into() }
    }
}
