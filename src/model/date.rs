//! Days of the calendar, as the data service dates what it saw.

use serde::{Serialize, Serializer};
use time::Date;
use time::macros::format_description;

/// A day. The service's times of day are left out: it dates by the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Day(Date);

impl Day {
    /// Reads `2026-08-01`, also where a time of day follows it; `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (day, rest) = text.split_at_checked(10)?;
        if !(rest.is_empty() || rest.starts_with(['T', ' '])) {
            return None;
        }
        Date::parse(day, format_description!("[year]-[month]-[day]")).ok().map(Self)
    }

    /// Its year.
    #[must_use]
    pub fn year(self) -> i32 {
        self.0.year()
    }

    /// So many days earlier.
    #[must_use]
    pub fn before(self, days: u16) -> Self {
        Self(self.0.checked_sub(time::Duration::days(i64::from(days))).unwrap_or(Date::MIN))
    }

    /// The day after it. Whoever dates by a clock of their own may be as far ahead.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.next_day().unwrap_or(self.0))
    }
}

impl From<Date> for Day {
    fn from(date: Date) -> Self {
        Self(date)
    }
}

impl std::fmt::Display for Day {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{:04}-{:02}-{:02}", self.0.year(), u8::from(self.0.month()), self.0.day())
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_read_and_shown_as_a_day() {
        for (text, day) in [
            ("2026-08-01", "2026-08-01"),
            ("2026-08-01T10:00:00Z", "2026-08-01"),
            ("0999-12-31", "0999-12-31"),
        ] {
            assert_eq!(Day::parse(text).map(|day| day.to_string()).as_deref(), Some(day));
        }
        for bad in [
            "",
            "2026-13-01",
            "2026-02-30",
            "2026-08",
            "tomorrow!!",
            "2026-08-01x",
            "２026-08-01",
            "2026-08-1",
        ] {
            assert_eq!(Day::parse(bad), None, "{bad}");
        }
        assert!(Day::parse("2026-08-01") < Day::parse("2026-08-02"));
        assert_eq!(Day::parse("2026-02-28").map(Day::next), Day::parse("2026-03-01"));
    }
}
