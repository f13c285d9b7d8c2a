//! A list of an answer, as far as its size is concerned.

use serde::Serialize;

use super::estimate::tokens;

/// What may be done to a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An extra that has a tool of its own: shortened to keep the usual size.
    Include,
    /// What the tool is for: shortened only where the answer would be too large to send.
    Main,
}

/// A list of an answer: where it stands, what may be done to it, what each of its rows weighs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
    path: &'static str,
    role: Role,
    weights: Vec<u32>,
}

impl List {
    /// The list of `rows` that stands at `path`, such as `data.similar`.
    #[must_use]
    pub fn of<T: Serialize>(path: &'static str, role: Role, rows: &[T]) -> Self {
        let weigh = |row: &T| serde_json::to_string(row).map_or(0, |json| tokens(&json));
        Self { path, role, weights: rows.iter().map(weigh).collect() }
    }

    /// A list whose rows weigh so many tokens each.
    #[must_use]
    pub fn weighing(path: &'static str, role: Role, weights: Vec<u32>) -> Self {
        Self { path, role, weights }
    }

    /// Where it stands.
    #[must_use]
    pub fn path(&self) -> &'static str {
        self.path
    }

    /// What may be done to it.
    #[must_use]
    pub fn role(&self) -> Role {
        self.role
    }

    /// How many rows it has.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.weights.len()
    }

    /// What its first `kept` rows weigh, in tokens of their JSON.
    pub(super) fn weight(&self, kept: usize) -> u32 {
        self.weights.iter().take(kept).fold(0, |sum, weight| sum.saturating_add(*weight))
    }

    /// What row number `at` weighs, counted from 0.
    pub(super) fn row_weight(&self, at: usize) -> u32 {
        self.weights.get(at).copied().unwrap_or(0)
    }
}
