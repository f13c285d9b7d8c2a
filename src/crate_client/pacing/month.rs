//! So many counted requests in a UTC month.

use std::sync::Arc;

use time::{Date, Month as Name, OffsetDateTime};

use crate::clock::Clock;
use crate::crate_client::fault::Wait;
use crate::crate_client::shelf::{MonthShelf, MonthUse};

/// What was used of the current month.
#[derive(Debug)]
pub(super) struct Month {
    most: u64,
    now: MonthUse,
    shelf: Arc<dyn MonthShelf>,
}

impl Month {
    pub(super) fn new(most: u64, shelf: Arc<dyn MonthShelf>, clock: &Clock) -> Self {
        let this = MonthUse::none(clock.utc());
        let now = shelf.load_month().filter(|kept| kept.is_of(clock.utc())).unwrap_or(this);
        Self { most, now, shelf }
    }

    /// Whether one more fits.
    ///
    /// # Errors
    /// When the next month begins.
    pub(super) fn room(&mut self, clock: &Clock) -> Result<(), Wait> {
        let utc = clock.utc();
        self.turn(utc);
        if self.most > 0 && self.now.used >= self.most {
            return Err(Wait::Until(next_month(utc)));
        }
        Ok(())
    }

    pub(super) fn count(&mut self, clock: &Clock) {
        self.turn(clock.utc());
        self.now.used = self.now.used.saturating_add(1);
        self.shelf.save_month(self.now);
    }

    pub(super) fn used(&mut self, clock: &Clock) -> u64 {
        self.turn(clock.utc());
        self.now.used
    }

    /// Begins a new month; a clock that was set back does not begin an old one again.
    fn turn(&mut self, utc: OffsetDateTime) {
        let this = MonthUse::none(utc);
        if (this.year, this.month) > (self.now.year, self.now.month) {
            self.now = this;
        }
    }
}

/// The first moment of the month after `utc`.
fn next_month(utc: OffsetDateTime) -> OffsetDateTime {
    let (year, month) = match utc.month() {
        Name::December => (utc.year() + 1, Name::January),
        month => (utc.year(), month.next()),
    };
    // The first of a month exists in every year that a clock can show.
    Date::from_calendar_date(year, month, 1).map_or(utc, |first| first.midnight().assume_utc())
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;
    use crate::crate_client::shelf::Forgetful;

    #[test]
    fn a_used_up_month_has_room_again_on_the_first_of_the_next_one() {
        let clock = Clock::wound_to(datetime!(2027-12-31 23:59:58 UTC));
        let mut month = Month::new(2, Arc::new(Forgetful), &clock);
        for _ in 0..2 {
            assert_eq!(month.room(&clock), Ok(()));
            month.count(&clock);
        }
        assert_eq!(month.room(&clock), Err(Wait::Until(datetime!(2028-01-01 0:00 UTC))));
        clock.advance(std::time::Duration::from_secs(2));
        assert_eq!((month.room(&clock), month.used(&clock)), (Ok(()), 0));
    }

    #[test]
    fn a_clock_that_is_set_back_gives_no_month_a_second_time() {
        let clock = Clock::wound_to(datetime!(2027-02-01 0:00 UTC));
        let mut month = Month::new(1, Arc::new(Forgetful), &clock);
        month.count(&clock);
        clock.step_utc(datetime!(2027-01-31 23:00 UTC));
        assert!(month.room(&clock).is_err());
        clock.step_utc(datetime!(2027-02-01 1:00 UTC));
        assert!(month.room(&clock).is_err());
    }
}
