//! Tolerant reading: what cannot be read becomes a gap, never a failed answer and never a default.

use std::time::Duration;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::fault::UpstreamFault;
use crate::model::gap::{Fact, GapReason};

/// A value as it stands on the wire, not yet looked at; a null is a value too, and differs from none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Raw<'a>(Option<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for Raw<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        <&'a RawValue>::deserialize(from).map(|raw| Self(Some(raw)))
    }
}

/// Reads a whole body, which must be an object: a struct would be read from an array as well, and an
/// empty one would pass for an answer that says nothing.
///
/// # Errors
/// When the body is anything else.
pub fn body<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, UpstreamFault> {
    if !bytes.trim_ascii_start().starts_with(b"{") {
        return Err(UpstreamFault::Unreadable);
    }
    serde_json::from_slice(bytes).map_err(|_| UpstreamFault::Unreadable)
}

/// Whether a body is an error in the service's own form. A proxy's page is none, whatever its status.
#[must_use]
pub fn is_error(bytes: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct ErrorBody<'a> {
        #[serde(borrow, default)]
        error: Raw<'a>,
    }
    body::<ErrorBody<'_>>(bytes).is_ok_and(|found| optional::<String>(found.error).is_some())
}

/// The longest period of a plan: no wait that the service names is taken for longer.
pub(super) const WAIT_MAX: Duration = Duration::from_secs(31 * 24 * 3_600);

/// What a refusal for too many requests says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateRefusal {
    /// How long to wait.
    pub retry_after: Option<Duration>,
    /// Whether too many came at once.
    pub at_once: bool,
}

/// Reads a refusal for too many requests; what it does not say is not known.
#[must_use]
pub fn rate_refusal(bytes: &[u8]) -> RateRefusal {
    #[derive(Deserialize)]
    struct Wire<'a> {
        #[serde(borrow, default)]
        retry_after_seconds: Raw<'a>,
        #[serde(borrow, default)]
        reason: Raw<'a>,
    }
    let Ok(wire) = body::<Wire<'_>>(bytes) else { return RateRefusal::default() };
    RateRefusal {
        retry_after: optional(wire.retry_after_seconds).map(|s| Duration::from_secs(s).min(WAIT_MAX)),
        at_once: optional::<&str>(wire.reason) == Some("concurrency"),
    }
}

/// Reads a value: missing is not covered, null is the service's own gap, another type is malformed.
///
/// # Errors
/// The reason why there is no value.
pub fn value<'a, T: Deserialize<'a>>(raw: Raw<'a>) -> Fact<T> {
    match raw.0 {
        None => Err(GapReason::NotCovered),
        Some(raw) if raw.get() == "null" => Err(GapReason::HonestGap),
        Some(raw) => serde_json::from_str(raw.get()).map_err(|_| GapReason::MalformedUpstream),
    }
}

/// Reads an object; anything else is malformed.
///
/// # Errors
/// The reason why there is no value.
pub fn object<'a, T: Deserialize<'a>>(raw: Raw<'a>) -> Fact<T> {
    match raw.0 {
        Some(found) if found.get() != "null" && !found.get().starts_with('{') => {
            Err(GapReason::MalformedUpstream)
        }
        _ => value(raw),
    }
}

/// Reads a value that may be absent; malformed counts as absent here, so use it only where an absent
/// value is told as absent.
#[must_use]
pub fn optional<'a, T: Deserialize<'a>>(raw: Raw<'a>) -> Option<T> {
    value(raw).ok()
}

/// Reads a text that may be absent, as [`optional`] does.
#[must_use]
pub fn text(raw: Raw<'_>) -> Option<String> {
    optional(raw)
}

/// Whether there is a value that says more than `null` or `false`.
#[must_use]
pub fn is_something(raw: Raw<'_>) -> bool {
    raw.0.is_some_and(|raw| !matches!(raw.get(), "null" | "false"))
}

/// Whether a text stands anywhere in a value, as it is written.
#[must_use]
pub fn mentions(raw: Raw<'_>, text: &str) -> bool {
    raw.0.is_some_and(|raw| raw.get().contains(text))
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
    let frame: Frame<'a> = object(raw)?;
    match optional::<&str>(frame.state) {
        Some("degraded") => Err(GapReason::UpstreamDegraded),
        Some("honest_gap" | "empty") => Err(GapReason::HonestGap),
        // A facet that is said to be there and has no signals contradicts itself.
        Some("present" | "ok") => object(frame.signals).map_err(|_| GapReason::MalformedUpstream),
        // A state that is not known may mean that the signals must not be used.
        Some(_) | None => Err(GapReason::MalformedUpstream),
    }
}

/// The signals of a facet whatever its state, for what is said about the record and not about the facet. `Ok(None)` where
/// the facet is not there, or says that it has none.
///
/// # Errors
/// When it cannot be told whether there are any, or what they are.
pub fn signals<'a, T: Deserialize<'a>>(raw: Raw<'a>) -> Fact<Option<T>> {
    let frame: Frame<'a> = match object(raw) {
        Ok(frame) => frame,
        Err(GapReason::MalformedUpstream) => return Err(GapReason::MalformedUpstream),
        Err(_) => return Ok(None),
    };
    match object(frame.signals) {
        Ok(signals) => Ok(Some(signals)),
        Err(GapReason::MalformedUpstream) => Err(GapReason::MalformedUpstream),
        Err(_) if matches!(optional::<&str>(frame.state), Some("honest_gap" | "empty")) => Ok(None),
        Err(_) => Err(GapReason::UpstreamDegraded),
    }
}

/// Reads the objects of a list one by one, so that one bad row does not spoil the others.
///
/// # Errors
/// The reason why there is no list.
pub fn objects<'a, T: Deserialize<'a>>(raw: Raw<'a>) -> Fact<Vec<Fact<T>>> {
    let rows: Vec<Raw<'a>> = value(raw)?;
    Ok(rows.into_iter().map(object).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Raw<'_> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn missing_null_and_mistyped_values_are_told_apart() {
        assert_eq!(value::<u32>(Raw::default()), Err(GapReason::NotCovered));
        assert_eq!(value::<u32>(raw("null")), Err(GapReason::HonestGap));
        assert_eq!(value::<u32>(raw("\"5\"")), Err(GapReason::MalformedUpstream));
        assert_eq!(value::<u32>(raw("5")), Ok(5));
    }

    #[test]
    fn the_state_of_a_facet_decides_before_its_signals() {
        #[derive(Debug, Deserialize, PartialEq)]
        struct Count {
            n: u32,
        }
        let read = |json: &str| facet::<Count>(raw(json)).map(|count| count.n);
        assert_eq!(read(r#"{"state":"present","signals":{"n":5}}"#), Ok(5));
        assert_eq!(read(r#"{"state":"honest_gap","signals":{"n":5}}"#), Err(GapReason::HonestGap));
        assert_eq!(read(r#"{"state":"degraded","signals":{"n":5}}"#), Err(GapReason::UpstreamDegraded));
        assert_eq!(read(r#"{"state":"present"}"#), Err(GapReason::MalformedUpstream));
        assert_eq!(read(r#"{"state":"suppressed","signals":{"n":5}}"#), Err(GapReason::MalformedUpstream));
        assert_eq!(read(r#"{"signals":{"n":5}}"#), Err(GapReason::MalformedUpstream));
        assert_eq!(read(r#"{"state":"present","signals":"x"}"#), Err(GapReason::MalformedUpstream));
        assert_eq!(read(r#"{"state":"present","signals":[5]}"#), Err(GapReason::MalformedUpstream));
        assert_eq!(read("[]"), Err(GapReason::MalformedUpstream));
        assert_eq!(read("7"), Err(GapReason::MalformedUpstream));
    }

    #[test]
    fn one_bad_row_does_not_spoil_the_others() {
        #[derive(Debug, Deserialize, PartialEq)]
        struct Row {
            n: u32,
        }
        let rows = objects::<Row>(raw(r#"[{"n":1},{"n":"x"},null,[3],{"n":3}]"#)).unwrap();
        let (bad, gap) = (Err(GapReason::MalformedUpstream), Err(GapReason::HonestGap));
        assert_eq!(rows, [Ok(Row { n: 1 }), bad, gap, Err(GapReason::MalformedUpstream), Ok(Row { n: 3 })]);
    }
}
