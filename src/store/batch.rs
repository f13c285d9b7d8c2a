//! Changes that become durable together or not at all.

use std::fmt;

/// One row as it lies in the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its key, the class first.
    pub key: Vec<u8>,
    /// Its framed value; see [`super::record`].
    pub value: Vec<u8>,
}

/// One change of one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Writes a row, whether or not it was there.
    Put(Row),
    /// Removes a row, whether or not it was there.
    Remove(Vec<u8>),
}

impl Change {
    fn bytes(&self) -> usize {
        match self {
            Self::Put(row) => row.key.len() + row.value.len(),
            Self::Remove(key) => key.len(),
        }
    }
}

/// Changes in their order; of two for the same row the later one counts.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Batch {
    changes: Vec<Change>,
    bytes: usize,
}

impl Batch {
    /// No change yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a change.
    pub fn push(&mut self, change: Change) {
        self.bytes = self.bytes.saturating_add(change.bytes());
        self.changes.push(change);
    }

    /// How many changes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.changes.len()
    }

    /// Whether nothing would change.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// What the keys and values take, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The changes in their order.
    #[must_use]
    pub fn into_changes(self) -> Vec<Change> {
        self.changes
    }
}

impl fmt::Debug for Batch {
    /// Sizes only: rows hold what callers asked for.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch").field("changes", &self.changes.len()).field("bytes", &self.bytes).finish()
    }
}
