//! Tolerant reading: what cannot be read becomes a gap, never a failed answer and never a default.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::model::gap::{Fact, GapReason};

/// A value as it stands on the wire, not yet looked at.
pub type Raw<'a> = Option<&'a RawValue>;

/// Reads a value: missing is not covered, null is the service's own gap, another type is malformed.
///
/// # Errors
/// The reason why there is no value.
pub fn value<'a, T: Deserialize<'a>>(raw: Raw<'a>) -> Fact<T> {
    match raw {
        None => Err(GapReason::NotCovered),
        Some(raw) if raw.get() == "null" => Err(GapReason::HonestGap),
        Some(raw) => serde_json::from_str(raw.get()).map_err(|_| GapReason::MalformedUpstream),
    }
}

/// Reads a value that may be absent; malformed counts as absent here, so use it only where an absent
/// value is told as absent.
#[must_use]
pub fn optional<'a, T: Deserialize<'a>>(raw: Raw<'a>) -> Option<T> {
    value(raw).ok()
}

/// The frame that the service puts around a facet.
#[derive(Deserialize)]
struct Frame<'a> {
    #[serde(borrow, default)]
    state: Raw<'a>,
    #[serde(borrow, default)]
    signals: Raw<'a>,
}

/// Reads a facet: its signals when the service says that it has them.
///
/// # Errors
/// The reason why there are none.
pub fn facet<'a, T: Deserialize<'a>>(raw: Raw<'a>) -> Fact<T> {
    let frame: Frame<'a> = value(raw)?;
    match optional::<&str>(frame.state) {
        Some("degraded") => Err(GapReason::UpstreamDegraded),
        Some("honest_gap" | "empty") => Err(GapReason::HonestGap),
        _ => value(frame.signals).map_err(|reason| match reason {
            // A facet without signals is the service's way of saying that it has none.
            GapReason::NotCovered => GapReason::HonestGap,
            other => other,
        }),
    }
}

/// Reads the elements of a list one by one, so that one bad row does not spoil the others.
///
/// # Errors
/// The reason why there is no list.
pub fn rows<'a, T: Deserialize<'a>>(raw: Raw<'a>) -> Fact<Vec<Fact<T>>> {
    let rows: Vec<&'a RawValue> = value(raw)?;
    Ok(rows.into_iter().map(|row| value(Some(row))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Box<RawValue> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn missing_null_and_mistyped_values_are_told_apart() {
        assert_eq!(value::<u32>(None), Err(GapReason::NotCovered));
        assert_eq!(value::<u32>(Some(&raw("null"))), Err(GapReason::HonestGap));
        assert_eq!(value::<u32>(Some(&raw("\"5\""))), Err(GapReason::MalformedUpstream));
        assert_eq!(value::<u32>(Some(&raw("5"))), Ok(5));
    }

    #[test]
    fn the_state_of_a_facet_decides_before_its_signals() {
        let read = |json: &str| facet::<u32>(Some(&raw(json)));
        assert_eq!(read(r#"{"state":"present","signals":5}"#), Ok(5));
        assert_eq!(read(r#"{"state":"honest_gap","signals":5}"#), Err(GapReason::HonestGap));
        assert_eq!(read(r#"{"state":"degraded","signals":5}"#), Err(GapReason::UpstreamDegraded));
        assert_eq!(read(r#"{"state":"present"}"#), Err(GapReason::HonestGap));
        assert_eq!(read(r#"{"state":"present","signals":"x"}"#), Err(GapReason::MalformedUpstream));
        assert_eq!(read("7"), Err(GapReason::MalformedUpstream));
    }

    #[test]
    fn one_bad_row_does_not_spoil_the_others() {
        let list = raw(r#"[1,"x",null,3]"#);
        assert_eq!(
            rows::<u32>(Some(&list)),
            Ok(vec![Ok(1), Err(GapReason::MalformedUpstream), Err(GapReason::HonestGap), Ok(3)])
        );
    }
}
