//! The one daily budget that all callers without an account share.

use std::sync::{Mutex, PoisonError};

use time::Date;

use crate::envelope::meta::BudgetBucket;

/// Units of one UTC day. Lives as long as the program.
#[derive(Debug)]
pub struct AnonymousBudget {
    allowance: u64,
    day: Mutex<Day>,
}

#[derive(Clone, Copy, Debug)]
struct Day {
    date: Date,
    used: u64,
}

/// Nothing is left that would suffice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted;

impl AnonymousBudget {
    /// A budget of `allowance` units a day.
    #[must_use]
    pub fn new(allowance: u64) -> Self {
        Self { allowance, day: Mutex::new(Day { date: Date::MIN, used: 0 }) }
    }

    /// Sets `units` aside.
    ///
    /// # Errors
    /// When they are not left.
    pub fn reserve(&self, units: u32, today: Date) -> Result<(), Exhausted> {
        let mut day = self.on(today);
        let used = day.used.saturating_add(u64::from(units));
        if used > self.allowance {
            return Err(Exhausted);
        }
        day.used = used;
        Ok(())
    }

    /// Gives back what was reserved on `reserved_on` and not used; a day that is over keeps its own count.
    pub fn give_back(&self, units: u32, reserved_on: Date, today: Date) {
        let mut day = self.on(today);
        if day.date == reserved_on {
            day.used = day.used.saturating_sub(u64::from(units));
        }
    }

    /// What is left, in broad terms: high above a half, medium above a fifth.
    #[must_use]
    pub fn bucket(&self, today: Date) -> BudgetBucket {
        let left = self.allowance.saturating_sub(self.on(today).used);
        if left.saturating_mul(2) > self.allowance {
            BudgetBucket::High
        } else if left.saturating_mul(5) > self.allowance {
            BudgetBucket::Medium
        } else {
            BudgetBucket::Low
        }
    }

    /// The running day. A clock that steps back does not bring an old day's budget back.
    fn on(&self, today: Date) -> std::sync::MutexGuard<'_, Day> {
        let mut day = self.day.lock().unwrap_or_else(PoisonError::into_inner);
        if today > day.date {
            *day = Day { date: today, used: 0 };
        }
        day
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::date;

    #[test]
    fn a_clock_that_steps_back_grants_nothing() {
        let budget = AnonymousBudget::new(2);
        assert_eq!(budget.reserve(2, date!(2027 - 02 - 01)), Ok(()));
        for day in [date!(2027 - 01 - 31), date!(1970 - 01 - 01), date!(2027 - 02 - 01)] {
            assert_eq!(budget.reserve(1, day), Err(Exhausted));
        }
        assert_eq!(budget.reserve(2, date!(2027 - 02 - 02)), Ok(()));
    }

    #[test]
    fn what_is_left_is_told_in_broad_terms() {
        let budget = AnonymousBudget::new(100);
        let today = date!(2027 - 02 - 01);
        for (units, bucket) in [
            (49, BudgetBucket::High),
            (1, BudgetBucket::Medium),
            (29, BudgetBucket::Medium),
            (1, BudgetBucket::Low),
            (20, BudgetBucket::Low),
        ] {
            assert_eq!(budget.reserve(units, today), Ok(()));
            assert_eq!(budget.bucket(today), bucket);
        }
    }

    #[test]
    fn racing_callers_never_overdraw_it() {
        let budget = AnonymousBudget::new(10);
        let today = date!(2027 - 02 - 01);
        let granted: usize = std::thread::scope(|scope| {
            let callers: Vec<_> = (0..50).map(|_| scope.spawn(|| budget.reserve(1, today).is_ok())).collect();
            callers.into_iter().map(|caller| usize::from(caller.join().unwrap())).sum()
        });
        assert_eq!(granted, 10);
    }
}
