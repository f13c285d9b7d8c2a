//! Rows of a list, as far as they could be read.

/// The rows that could be read, in the data service's order, and how many could not.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed<T> {
    /// The rows.
    pub rows: Vec<T>,
    /// How many rows could not be read at all.
    pub unreadable: usize,
}
