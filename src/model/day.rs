//! Days, months and years as a record gives them.

use serde::Serialize;

use super::date::Day;

/// A calendar day, a month or a year of four digits, written as far as the record knows it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct RecordedDay(String);

impl RecordedDay {
    /// Reads `YYYY`, `YYYY-MM` or `YYYY-MM-DD`; a time behind a day is left out. `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let day = text.split_once(['T', ' ']).map_or(text, |(day, _time)| day);
        let mut parts = day.split('-');
        let year = digits(parts.next()?, 4)?;
        let month = parts.next().map(|month| digits(month, 2));
        let of_month = parts.next().map(|of_month| digits(of_month, 2));
        let is_whole = parts.next().is_none() && (day.len() == text.len() || of_month.is_some());
        let is_real = match (month, of_month) {
            (None, None) => true,
            (Some(Some(month)), None) => (1..=12).contains(&month),
            (Some(Some(month)), Some(Some(of_month))) => is_day(year, month, of_month),
            _ => false,
        };
        (is_whole && is_real).then(|| Self(day.to_owned()))
    }

    /// Whether it lies behind `day` as a whole.
    #[must_use]
    pub fn is_after(&self, day: Day) -> bool {
        // Written from the largest part to the smallest, days compare as their texts do; a month that has begun is
        // shorter than each of its days, and so before them.
        *self.0 > *day.to_string()
    }

    /// Whether all of it lies before `day`.
    #[must_use]
    pub fn is_before(&self, day: Day) -> bool {
        let day = day.to_string();
        // Of the day only as much counts as the record knows.
        day.get(..self.0.len()).is_some_and(|day| *self.0 < *day)
    }

    /// Whether it lies behind all of `other`, which may be a month or a year.
    #[must_use]
    pub fn is_wholly_after(&self, other: &Self) -> bool {
        self.0 > other.0 && !self.0.starts_with(&*other.0)
    }

    /// The day as the record has it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for RecordedDay {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.0)
    }
}

fn digits(text: &str, count: usize) -> Option<u16> {
    let plain = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

fn is_day(year: u16, month: u16, of_month: u16) -> bool {
    let (Ok(month), Ok(of_month)) = (u8::try_from(month), u8::try_from(of_month)) else { return false };
    let Ok(month) = time::Month::try_from(month) else { return false };
    time::Date::from_calendar_date(i32::from(year), month, of_month).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_a_month_or_a_year_is_after_a_day_when_all_of_it_is() {
        let day = Day::parse("2026-11-30").unwrap();
        for (text, is_after) in [
            ("2026-11-30", false),
            ("2026-12-01", true),
            ("2026-11", false),
            ("2026-12", true),
            ("2026", false),
            ("2027", true),
            ("0999-01-01", false),
        ] {
            assert_eq!(RecordedDay::parse(text).map(|found| found.is_after(day)), Some(is_after), "{text}");
        }
    }

    #[test]
    fn a_day_a_month_or_a_year_is_before_a_day_when_all_of_it_is() {
        let day = Day::parse("2026-11-30").unwrap();
        for (text, is_before) in [
            ("2026-11-29", true),
            ("2026-11-30", false),
            ("2026-11", false),
            ("2026-10", true),
            ("2026", false),
            ("2025", true),
        ] {
            assert_eq!(RecordedDay::parse(text).map(|found| found.is_before(day)), Some(is_before), "{text}");
        }
    }

    #[test]
    fn a_day_is_kept_as_far_as_the_record_knows_it_and_nothing_is_guessed() {
        for (raw, kept) in [
            ("1977", "1977"),
            ("1977-09", "1977-09"),
            ("2024-02-29", "2024-02-29"),
            ("2024-05-01T00:00:00.000Z", "2024-05-01"),
        ] {
            assert_eq!(RecordedDay::parse(raw).as_ref().map(RecordedDay::as_str), Some(kept), "{raw}");
        }
        for noise in
            ["", "soon", "77", "1977-13", "2023-02-29", "1977-9", "1999-03-00", "2024-05-01-02", "1977T00:00"]
        {
            assert_eq!(RecordedDay::parse(noise), None, "{noise}");
        }
    }
}
