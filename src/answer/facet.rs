//! A part of an answer.

use serde::Serialize;

use crate::model::gap::{Fact, GapReason};

/// A part of an answer: there, or missing for a reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Facet<T>(pub Fact<T>);

impl<T> Facet<T> {
    /// The fact, when it is there.
    #[must_use]
    pub fn fact(&self) -> Option<&T> {
        self.0.as_ref().ok()
    }

    /// Why it is missing.
    #[must_use]
    pub fn gap(&self) -> Option<GapReason> {
        self.0.as_ref().err().copied()
    }
}

impl<T: Serialize> Serialize for Facet<T> {
    fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct There<'a, T> {
            present: bool,
            #[serde(flatten)]
            fact: &'a T,
        }
        #[derive(Serialize)]
        struct Missing {
            present: bool,
            reason: GapReason,
        }
        match &self.0 {
            Ok(fact) => There { present: true, fact }.serialize(out),
            Err(reason) => Missing { present: false, reason: *reason }.serialize(out),
        }
    }
}
