//! Measures that are no counts: scores and percentages.

use serde::{Serialize, Serializer};

/// A finite number, shown as the data service gave it.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Score(f64);

impl Score {
    /// Takes a number; `None` for one that is not finite.
    #[must_use]
    pub fn new(number: f64) -> Option<Self> {
        number.is_finite().then_some(Self(number))
    }
}

impl std::fmt::Display for Score {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}", self.0)
    }
}

impl Serialize for Score {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        // A whole number is written as one, as the service writes it.
        if self.0.fract() == 0.0 && self.0.abs() < 9_007_199_254_740_992.0 {
            #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53, so exact")]
            return out.serialize_i64(self.0 as i64);
        }
        out.serialize_f64(self.0)
    }
}
