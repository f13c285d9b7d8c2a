//! Reads lists under the service's word for their state.

use std::ops::RangeInclusive;

use serde::Deserialize;

use super::fault::UpstreamFault;
use super::reading::{self, Raw, text};
use crate::identity::{ClusterId, DiscogsId, Mbid, Slug, Tier, display_name};
use crate::model::date::Day;
use crate::model::gap::{Fact, GapReason};
use crate::model::listed::Listed;
use crate::model::score::Score;
use crate::model::text::CleanName;
use crate::model::word::Word;

/// The largest whole number up to which all of them are told apart everywhere.
const COUNT_MAX: u64 = 1 << 53;

/// What the service says of its own answer.
///
/// # Errors
/// [`UpstreamFault::Degraded`] when it calls the answer degraded.
pub(super) fn state(raw: Raw<'_>) -> Result<Fact<()>, UpstreamFault> {
    match text(raw).as_deref() {
        Some("degraded") => Err(UpstreamFault::Degraded),
        Some("present" | "ok") => Ok(Ok(())),
        Some("empty" | "honest_gap") => Ok(Err(GapReason::HonestGap)),
        // A state that is not known may mean that the rows must not be used.
        Some(_) | None => Ok(Err(GapReason::MalformedUpstream)),
    }
}

/// The rows of a list one by one, so that one bad row does not spoil the others; a list without rows is the
/// service's own gap.
pub(super) fn listed<'a, W: Deserialize<'a>, T>(
    raw: Raw<'a>,
    read: impl Fn(&W) -> Fact<T>,
) -> Fact<Listed<T>> {
    let found = reading::objects::<W>(raw).map_err(|_| GapReason::MalformedUpstream)?;
    let listed = found.len();
    let rows: Vec<T> = found.into_iter().flatten().filter_map(|row| read(&row).ok()).collect();
    match (listed, rows.len()) {
        (0, _) => Err(GapReason::HonestGap),
        (_, 0) => Err(GapReason::MalformedUpstream),
        (_, read) => Ok(Listed { rows, unreadable: listed - read }),
    }
}

fn of<T>(raw: Raw<'_>, read: impl FnOnce(&str) -> Option<T>) -> Fact<T> {
    let text: String = reading::value(raw)?;
    read(&text).ok_or(GapReason::MalformedUpstream)
}

pub(super) fn cluster_id(raw: Raw<'_>) -> Fact<ClusterId> {
    of(raw, |id| ClusterId::parse(id).ok())
}

pub(super) fn slug(raw: Raw<'_>) -> Fact<Slug> {
    of(raw, |slug| Slug::parse(slug).ok())
}

pub(super) fn mbid(raw: Raw<'_>) -> Fact<Mbid> {
    of(raw, |id| Mbid::parse(id).ok())
}

pub(super) fn discogs_id(raw: Raw<'_>) -> Fact<DiscogsId> {
    DiscogsId::from_number(reading::value(raw)?).ok_or(GapReason::MalformedUpstream)
}

pub(super) fn tier(raw: Raw<'_>) -> Fact<Tier> {
    of(raw, |word| Tier::ALL.into_iter().find(|tier| tier.as_str() == word))
}

/// An artist's name, without its Discogs number.
pub(super) fn artist_name(raw: Raw<'_>) -> Fact<CleanName> {
    of(raw, |name| CleanName::new(display_name(name)))
}

pub(super) fn title(raw: Raw<'_>) -> Fact<CleanName> {
    of(raw, CleanName::new)
}

pub(super) fn word(raw: Raw<'_>) -> Fact<Word> {
    of(raw, Word::new)
}

pub(super) fn day(raw: Raw<'_>) -> Fact<Day> {
    of(raw, Day::parse)
}

/// A day on which something has happened already. A clock that is ahead of this one may be a day ahead.
pub(super) fn past_day(raw: Raw<'_>, today: Day) -> Fact<Day> {
    day(raw).and_then(|day| if day <= today.next() { Ok(day) } else { Err(GapReason::MalformedUpstream) })
}

/// How many there are. Beyond 2^53 a number is not the same to every reader, and nothing here comes near it.
pub(super) fn count(raw: Raw<'_>) -> Fact<u64> {
    let count: u64 = reading::value(raw)?;
    if count <= COUNT_MAX { Ok(count) } else { Err(GapReason::MalformedUpstream) }
}

/// Both, or neither where they contradict each other: nothing says which of them is wrong.
pub(super) fn unless<A, B>(contradict: bool, one: Fact<A>, other: Fact<B>) -> (Fact<A>, Fact<B>) {
    if contradict {
        (Err(GapReason::MalformedUpstream), Err(GapReason::MalformedUpstream))
    } else {
        (one, other)
    }
}

/// So many in a hundred.
pub(super) fn percent(raw: Raw<'_>) -> Fact<Score> {
    within(raw, 0.0..=100.0)
}

/// A number within its bounds; outside of them it is not what it is called.
pub(super) fn within(raw: Raw<'_>, bounds: RangeInclusive<f64>) -> Fact<Score> {
    let number: f64 = reading::value(raw)?;
    Score::new(number).filter(|_| bounds.contains(&number)).ok_or(GapReason::MalformedUpstream)
}

pub(super) fn score(raw: Raw<'_>) -> Fact<Score> {
    Score::new(reading::value(raw)?).ok_or(GapReason::MalformedUpstream)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Raw<'_> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn the_state_of_an_answer_decides_before_its_rows() {
        for there in [r#""present""#, r#""ok""#] {
            assert_eq!(state(raw(there)), Ok(Ok(())));
        }
        assert_eq!(state(raw(r#""empty""#)), Ok(Err(GapReason::HonestGap)));
        assert_eq!(state(raw(r#""degraded""#)), Err(UpstreamFault::Degraded));
        for unknown in [r#""suppressed""#, "null", "7"] {
            assert_eq!(state(raw(unknown)), Ok(Err(GapReason::MalformedUpstream)), "{unknown}");
        }
        assert_eq!(state(Raw::default()), Ok(Err(GapReason::MalformedUpstream)));
    }

    #[test]
    fn a_number_outside_its_bounds_and_a_past_day_ahead_are_not_facts() {
        for (number, is_fact) in
            [("0", true), ("100", true), ("12.5", true), ("-0.1", false), ("100.1", false), ("1e300", false)]
        {
            assert_eq!(percent(raw(number)).is_ok(), is_fact, "{number}");
        }
        let today = Day::parse("2026-11-30").unwrap();
        for (day, is_fact) in [("2026-11-30", true), ("2026-12-01", true), ("2026-12-02", false)] {
            assert_eq!(past_day(raw(&format!("\"{day}\"")), today).is_ok(), is_fact, "{day}");
        }
    }

    #[test]
    fn rows_that_cannot_be_read_are_counted_and_the_others_kept() {
        #[derive(Deserialize)]
        struct Row {
            n: u32,
        }
        let read = |json| listed::<Row, u32>(raw(json), |row| Ok(row.n));
        assert_eq!(read(r#"[{"n":1},{"n":"x"},7,{"n":2}]"#), Ok(Listed { rows: vec![1, 2], unreadable: 2 }));
        assert_eq!(read("[]"), Err(GapReason::HonestGap));
        for bad in ["[7]", "7", "null", "{}"] {
            assert_eq!(read(bad), Err(GapReason::MalformedUpstream), "{bad}");
        }
    }
}
