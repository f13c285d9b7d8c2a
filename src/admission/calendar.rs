//! Which UTC day and month it is, for everything that is granted by the day or the month.
//!
//! Decides whether the wall clock is believed. It may be stepped by anybody who can set it, and must not grant
//! anything by that: a day that was counted in never comes back, and a jump is believed only after it has stood for an
//! hour of monotonic time. It must never know what is granted.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use time::{Date, Month, OffsetDateTime};

use crate::clock::Clock;

/// How far the wall clock may be from where it was going without having been stepped.
const SLEW_MAX: Duration = Duration::from_secs(60);
/// How long a step has to stand before it is believed.
const STEP_STANDS: Duration = Duration::from_secs(60 * 60);

/// A calendar that steps of the wall clock cannot turn.
#[derive(Debug)]
pub struct Calendar {
    clock: Clock,
    belief: Mutex<Belief>,
}

#[derive(Clone, Copy, Debug)]
struct Belief {
    /// A moment that was believed, on both clocks.
    utc: OffsetDateTime,
    at: Instant,
    /// Since when the wall clock goes elsewhere, and by how much.
    step: Option<(Instant, time::Duration)>,
    /// The latest day that was told.
    latest: Date,
}

impl Calendar {
    /// Believes the wall clock as it stands, but no day before `latest`.
    #[must_use]
    pub fn new(clock: Clock, latest: Option<Date>) -> Self {
        let (utc, at) = (clock.utc(), clock.monotonic());
        let latest = latest.map_or(utc.date(), |latest| latest.max(utc.date()));
        Self { clock, belief: Mutex::new(Belief { utc, at, step: None, latest }) }
    }

    /// The UTC day.
    #[must_use]
    pub fn today(&self) -> Date {
        let (wall, now) = (self.clock.utc(), self.clock.monotonic());
        let mut belief = self.belief.lock().unwrap_or_else(PoisonError::into_inner);
        let passed = now.saturating_duration_since(belief.at);
        let expected =
            belief.utc.saturating_add(time::Duration::try_from(passed).unwrap_or(time::Duration::MAX));
        let off = wall - expected;
        let utc = if off.unsigned_abs() <= SLEW_MAX {
            belief.step = None;
            wall
        } else {
            let since = match belief.step {
                Some((since, by)) if (by - off).unsigned_abs() <= SLEW_MAX => since,
                _ => now,
            };
            belief.step = Some((since, off));
            if now.saturating_duration_since(since) < STEP_STANDS {
                return told(&mut belief, expected.date());
            }
            belief.step = None;
            wall
        };
        (belief.utc, belief.at) = (utc, now);
        told(&mut belief, utc.date())
    }
}

fn told(belief: &mut Belief, day: Date) -> Date {
    belief.latest = belief.latest.max(day);
    belief.latest
}

/// A day as the number of days since 1970-01-01; days before count as that one.
#[must_use]
pub fn day_number(day: Date) -> u32 {
    let since = i64::from(day.to_julian_day())
        - i64::from(Date::from_ordinal_date(1970, 1).map_or(0, Date::to_julian_day));
    u32::try_from(since.max(0)).unwrap_or(u32::MAX)
}

/// The day of a number.
#[must_use]
pub fn day_of_number(number: u32) -> Option<Date> {
    let first = Date::from_ordinal_date(1970, 1).ok()?.to_julian_day();
    Date::from_julian_day(first.checked_add(i32::try_from(number).ok()?)?).ok()
}

/// The month of a day, as year * 100 + month.
#[must_use]
pub fn month_number(day: Date) -> u32 {
    u32::try_from(day.year().max(0)).unwrap_or(0) * 100 + u32::from(u8::from(day.month()))
}

/// When the month of a number is over.
#[must_use]
pub fn month_end(number: u32) -> OffsetDateTime {
    let (year, month) = (i32::try_from(number / 100).unwrap_or(i32::MAX), number % 100);
    let (year, month) = if month >= 12 { (year.saturating_add(1), 1) } else { (year, month + 1) };
    let first = u8::try_from(month)
        .ok()
        .and_then(|month| Month::try_from(month).ok())
        .and_then(|month| Date::from_calendar_date(year, month, 1).ok());
    // Only the last month of the calendar has no next one.
    first.unwrap_or(Date::MAX).midnight().assume_utc()
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::{date, datetime};

    const HOUR: Duration = Duration::from_secs(3_600);

    #[test]
    fn a_day_ends_when_its_time_has_passed() {
        for (last, next) in [
            (datetime!(2027-01-31 23:59:59.9 UTC), date!(2027 - 02 - 01)),
            (datetime!(2027-02-28 23:59:59.9 UTC), date!(2027 - 03 - 01)),
            (datetime!(2028-02-28 23:59:59.9 UTC), date!(2028 - 02 - 29)),
            (datetime!(2027-12-31 23:59:59.9 UTC), date!(2028 - 01 - 01)),
        ] {
            let clock = Clock::wound_to(last);
            let calendar = Calendar::new(clock.clone(), None);
            assert_eq!(calendar.today(), last.date());
            clock.advance(Duration::from_millis(100));
            assert_eq!(calendar.today(), next);
        }
    }

    #[test]
    fn a_step_of_the_wall_clock_turns_nothing_until_it_has_stood_for_an_hour() {
        let start = datetime!(2027-01-31 12:00 UTC);
        for to in [
            datetime!(1970-01-01 0:00 UTC),
            datetime!(2027-01-30 12:00 UTC),
            datetime!(2027-01-31 11:00 UTC),
            datetime!(2027-02-01 12:00 UTC),
            datetime!(2099-01-01 0:00 UTC),
        ] {
            let clock = Clock::wound_to(start);
            let calendar = Calendar::new(clock.clone(), None);
            clock.step_utc(to);
            assert_eq!(calendar.today(), start.date(), "{to}");
            clock.advance(HOUR / 2);
            assert_eq!(calendar.today(), start.date(), "{to}");
            clock.step_utc(start + HOUR / 2);
            assert_eq!(calendar.today(), start.date(), "{to} and back");
            clock.step_utc(to);
            assert_eq!(calendar.today(), start.date(), "{to} again");
            clock.advance(HOUR);
            assert_eq!(calendar.today(), start.date().max((to + HOUR).date()), "{to} stood");
        }
    }

    #[test]
    fn a_clock_that_is_stepped_back_does_not_hold_up_the_day() {
        let clock = Clock::wound_to(datetime!(2027-01-31 23:30 UTC));
        let calendar = Calendar::new(clock.clone(), None);
        clock.step_utc(datetime!(2027-01-31 23:00 UTC));
        assert_eq!(calendar.today(), date!(2027 - 01 - 31));
        clock.advance(HOUR / 2);
        assert_eq!(calendar.today(), date!(2027 - 02 - 01), "half an hour has passed");
    }

    #[test]
    fn a_clock_that_is_slewed_is_followed() {
        let clock = Clock::wound_to(datetime!(2027-01-31 12:00 UTC));
        let calendar = Calendar::new(clock.clone(), None);
        for minute in 0..720 {
            clock.advance(Duration::from_secs(60));
            clock.step_utc(datetime!(2027-01-31 12:00 UTC) + Duration::from_secs((minute + 1) * 66));
            let _day = calendar.today();
        }
        assert_eq!(calendar.today(), date!(2027 - 02 - 01), "six seconds a minute make more than an hour");
    }

    #[test]
    fn no_day_before_the_latest_of_an_earlier_run_comes_back() {
        let clock = Clock::wound_to(datetime!(2027-01-31 12:00 UTC));
        let latest = date!(2027 - 02 - 03);
        assert_eq!(Calendar::new(clock.clone(), Some(latest)).today(), latest);
        assert_eq!(Calendar::new(clock, Some(date!(2027 - 01 - 01))).today(), date!(2027 - 01 - 31));
    }

    #[test]
    fn days_and_months_have_numbers_in_their_order() {
        for day in [date!(1970 - 01 - 01), date!(2027 - 02 - 28), date!(2028 - 02 - 29)] {
            assert_eq!(day_of_number(day_number(day)), Some(day));
        }
        assert_eq!((day_number(date!(1969 - 12 - 31)), day_number(date!(1970 - 01 - 02))), (0, 1));
        assert_eq!(day_of_number(u32::MAX), None);
        assert_eq!(month_number(date!(2027 - 02 - 28)), 202_702);
        assert_eq!(month_end(202_701), datetime!(2027-02-01 0:00 UTC));
        assert_eq!(month_end(202_712), datetime!(2028-01-01 0:00 UTC));
        assert_eq!(month_end(u32::MAX), Date::MAX.midnight().assume_utc());
    }
}
