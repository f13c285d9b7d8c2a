//! One row of a list.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::model::gap::{Fact, GapReason};

/// Writes a row: each fact that is there under its name, and each that is missing under `gaps` with its reason.
///
/// A row is the same fact many times over, so that a gap costs a few words in the rows that have one and
/// nothing in the others.
pub(super) struct RowWriter<S: Serializer> {
    map: S::SerializeMap,
    gaps: Vec<(&'static str, GapReason)>,
}

impl<S: Serializer> RowWriter<S> {
    pub(super) fn new(out: S) -> Result<Self, S::Error> {
        Ok(Self { map: out.serialize_map(None)?, gaps: Vec::new() })
    }

    /// Writes a fact, or keeps its gap for the end.
    pub(super) fn fact<T: Serialize>(&mut self, name: &'static str, fact: &Fact<T>) -> Result<(), S::Error> {
        match fact {
            Ok(fact) => self.map.serialize_entry(name, fact),
            Err(reason) => {
                self.gaps.push((name, *reason));
                Ok(())
            }
        }
    }

    /// Writes a value that every row has.
    pub(super) fn value<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), S::Error> {
        self.map.serialize_entry(name, value)
    }

    pub(super) fn end(mut self) -> Result<S::Ok, S::Error> {
        struct Gaps<'a>(&'a [(&'static str, GapReason)]);
        impl Serialize for Gaps<'_> {
            fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                out.collect_map(self.0.iter().copied())
            }
        }
        if !self.gaps.is_empty() {
            self.map.serialize_entry("gaps", &Gaps(&self.gaps))?;
        }
        self.map.end()
    }
}
