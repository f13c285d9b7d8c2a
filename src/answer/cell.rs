//! One value of a row.

use serde::Serialize;

use crate::model::gap::{Fact, GapReason};

/// One value of a row: the value itself, null where the data service says that it has none, and otherwise the
/// reason in place of the value. Rows are many, so that the usual gap has to be short.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell<T>(pub Fact<T>);

impl<T> Cell<T> {
    /// The value, when it is there.
    #[must_use]
    pub fn value(&self) -> Option<&T> {
        self.0.as_ref().ok()
    }

    /// Why it is missing.
    #[must_use]
    pub fn gap(&self) -> Option<GapReason> {
        self.0.as_ref().err().copied()
    }

    /// The same with another value.
    #[must_use]
    pub fn of<U>(fact: Fact<U>, show: impl FnOnce(U) -> T) -> Self {
        Self(fact.map(show))
    }
}

impl<T: Serialize> Serialize for Cell<T> {
    fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Missing {
            present: bool,
            reason: GapReason,
        }
        match &self.0 {
            Ok(value) => value.serialize(out),
            Err(GapReason::HonestGap) => out.serialize_none(),
            Err(reason) => Missing { present: false, reason: *reason }.serialize(out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_value_stands_for_itself_and_a_gap_says_why() {
        let shown = |cell: Cell<u32>| serde_json::to_value(cell).unwrap();
        assert_eq!(shown(Cell(Ok(1992))), json!(1992));
        assert_eq!(shown(Cell(Err(GapReason::HonestGap))), json!(null));
        for reason in GapReason::ALL.into_iter().filter(|reason| *reason != GapReason::HonestGap) {
            assert_eq!(shown(Cell(Err(reason))), json!({"present": false, "reason": reason.as_str()}));
        }
    }
}
