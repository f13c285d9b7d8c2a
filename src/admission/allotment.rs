//! Units of one period, as pure arithmetic: what is used, what is held for running calls, and what the disk knows.
//!
//! Decides when a call may start without waiting for the disk. The disk is told in advance of more units than are
//! used: a lease. After a crash everything that it was told of counts as used, so that nothing is granted twice; in
//! return most calls start without a word to the disk. It must never know whose units they are.

use std::collections::VecDeque;

/// The largest lease, in units.
const LEASE_MAX: u64 = 100;
/// A lease is at most this part of what is left.
const LEASE_PART: u64 = 20;
/// Units of a full lease that the disk is not told of, so that a call which spends nothing leaves no more than a lease
/// behind and the disk need not hear of it.
const SLACK: u64 = 4;

/// The units of one period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allotment {
    period: u32,
    /// Units of calls that have ended.
    used: u64,
    /// Units that running calls may still spend.
    held: u64,
    /// What the disk was told last and has confirmed.
    confirmed: u64,
    /// What it was told since, in order; each may or may not be there already.
    told: VecDeque<Told>,
    next: u64,
    /// The first number of this period; words about earlier ones are not heard.
    first: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Told {
    number: u64,
    reserved: u64,
}

/// What the disk is to be told. Has to be handed to the store in the order in which it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Tells entries apart; later ones have larger numbers.
    pub number: u64,
    /// The period.
    pub period: u32,
    /// Units of calls that have ended.
    pub used: u64,
    /// Units that count as used after a crash.
    pub reserved: u64,
}

/// Not as many units are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsedUp;

/// A call that may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grant {
    /// Now: the disk knows of its units.
    Now,
    /// As soon as this is durable.
    After(Entry),
}

impl Allotment {
    /// An untouched period.
    #[must_use]
    pub fn new(period: u32) -> Self {
        Self::found(period, 0)
    }

    /// A period of which the disk was told that so many units may be used.
    #[must_use]
    pub fn found(period: u32, reserved: u64) -> Self {
        let told = VecDeque::new();
        Self { period, used: reserved, held: 0, confirmed: reserved, told, next: 1, first: 1 }
    }

    /// The period.
    #[must_use]
    pub fn period(&self) -> u32 {
        self.period
    }

    /// Units of calls that have ended.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.used
    }

    /// Units that are used or held.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.used.saturating_add(self.held)
    }

    /// Whether nothing was ever held or charged.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        self.taken() == 0 && self.next == 1 && self.confirmed == 0
    }

    /// Begins a later period; an earlier one never comes back, whatever the clock says.
    pub fn roll(&mut self, period: u32) {
        if period > self.period {
            let next = self.next;
            *self = Self { next, first: next, ..Self::new(period) };
        }
    }

    /// Holds `most` units for a call.
    ///
    /// # Errors
    /// When not as many are left of `allowance`.
    pub fn hold(&mut self, most: u64, allowance: u64) -> Result<Grant, UsedUp> {
        let wanted = self.taken().saturating_add(most);
        if most > 0 && wanted > allowance {
            return Err(UsedUp);
        }
        self.held = self.held.saturating_add(most);
        if wanted <= self.covered() || most == 0 {
            return Ok(Grant::Now);
        }
        Ok(Grant::After(self.entry(allowance)))
    }

    /// Ends a call of `period` that held `most` units and spent `spent` of them; what the disk is to be told, if the
    /// period is still the same. It can do without knowing when nothing was spent.
    pub fn settle(&mut self, period: u32, most: u64, spent: u64, allowance: u64) -> Option<Entry> {
        if period != self.period {
            return None;
        }
        self.held = self.held.saturating_sub(most);
        self.used = self.used.saturating_add(spent);
        let lease_is_stale = self.last_told() > self.taken().saturating_add(self.lease(allowance));
        (spent > 0 || lease_is_stale).then(|| self.entry(allowance))
    }

    /// Takes back units of a call whose answer could not be served, unless somebody may have been told of them.
    pub fn take_back(&mut self, entry: Entry, spent: u64) {
        if entry.period == self.period && entry.number + 1 == self.next {
            self.used = self.used.saturating_sub(spent);
        }
    }

    /// Hears that an entry is durable.
    pub fn confirm(&mut self, entry: Entry) {
        if entry.number < self.first {
            return;
        }
        while let Some(told) = self.told.front()
            && told.number <= entry.number
        {
            self.confirmed = told.reserved;
            self.told.pop_front();
        }
    }

    /// Sets what is used, by an operator's word; calls that run keep what they hold.
    pub fn set_used(&mut self, used: u64) -> Entry {
        self.used = used;
        self.push(self.taken())
    }

    /// The entry to leave behind when the program ends: nothing is held any more. `None` when the disk knows.
    pub fn close(&mut self) -> Option<Entry> {
        (self.last_told() != self.used).then(|| self.push(self.used))
    }

    /// Up to where the disk knows for certain, whichever of the entries on their way arrive.
    fn covered(&self) -> u64 {
        self.told.iter().map(|told| told.reserved).fold(self.confirmed, u64::min)
    }

    fn last_told(&self) -> u64 {
        self.told.back().map_or(self.confirmed, |told| told.reserved)
    }

    /// What is taken with a lease on top, never beyond the allowance.
    fn with_lease(&self, allowance: u64) -> u64 {
        let lease = self.lease(allowance).saturating_sub(SLACK).max(1);
        self.taken().saturating_add(lease).min(allowance).max(self.taken())
    }

    fn lease(&self, allowance: u64) -> u64 {
        (allowance.saturating_sub(self.taken()) / LEASE_PART).clamp(1, LEASE_MAX)
    }

    fn entry(&mut self, allowance: u64) -> Entry {
        self.push(self.with_lease(allowance))
    }

    fn push(&mut self, reserved: u64) -> Entry {
        let number = self.next;
        self.next += 1;
        self.told.push_back(Told { number, reserved });
        Entry { number, period: self.period, used: self.used, reserved }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(grant: Grant) -> Entry {
        match grant {
            Grant::After(entry) => entry,
            Grant::Now => panic!("it did not have to wait"),
        }
    }

    #[test]
    fn the_first_call_waits_for_a_lease_and_the_next_ones_do_not() {
        let mut units = Allotment::new(1);
        let entry = wait(units.hold(2, 1_000).unwrap());
        assert_eq!((entry.used, entry.reserved), (0, 2 + 45));
        units.confirm(entry);
        for _ in 0..22 {
            assert_eq!(units.hold(2, 1_000), Ok(Grant::Now));
        }
        wait(units.hold(2, 1_000).unwrap());
    }

    #[test]
    fn the_largest_figures_are_figures_like_others() {
        let mut units = Allotment::found(1, u64::MAX);
        assert_eq!((units.hold(0, u64::MAX), units.used()), (Ok(Grant::Now), u64::MAX));
        units.settle(1, 0, 1, u64::MAX);
        assert_eq!((units.used(), units.taken()), (u64::MAX, u64::MAX));
    }

    #[test]
    fn the_last_units_are_told_nearly_one_by_one_and_never_beyond_the_end() {
        let mut units = Allotment::found(1, 990);
        let mut told = 0;
        for _ in 0..10 {
            if let Grant::After(entry) = units.hold(1, 1_000).unwrap() {
                assert!(entry.reserved <= 1_000 && entry.reserved <= units.taken() + 1);
                units.confirm(entry);
                told += 1;
            }
        }
        assert!(told >= 5, "{told}");
        assert_eq!(units.hold(1, 1_000), Err(UsedUp));
        assert_eq!(units.hold(0, 1_000), Ok(Grant::Now), "what costs nothing is never refused");
    }

    #[test]
    fn an_entry_on_its_way_covers_no_more_than_the_least_that_may_arrive() {
        let mut units = Allotment::new(1);
        let first = wait(units.hold(100, 1_000).unwrap());
        units.confirm(first);
        // Nothing was spent, so that the disk is told of less; until it has, neither figure may be relied on.
        let less = units.settle(1, 100, 0, 1_000).unwrap();
        assert!(less.reserved < first.reserved);
        wait(units.hold(less.reserved + 1, 1_000).unwrap());
    }

    #[test]
    fn a_period_that_is_over_takes_nothing_with_it_and_never_comes_back() {
        let mut units = Allotment::new(202_701);
        let old = wait(units.hold(5, 10).unwrap());
        units.roll(202_702);
        units.confirm(old);
        assert_eq!((units.used(), units.taken()), (0, 0));
        assert_eq!(units.settle(202_701, 5, 5, 10), None);
        let new = wait(units.hold(10, 10).unwrap());
        units.confirm(new);
        assert_eq!(units.settle(202_702, 10, 10, 10).map(|entry| entry.used), Some(10));
        for earlier in [202_701, 197_001] {
            units.roll(earlier);
            assert_eq!(units.hold(1, 10), Err(UsedUp));
        }
    }

    #[test]
    fn what_may_have_been_told_to_somebody_is_not_taken_back() {
        let mut units = Allotment::new(1);
        for _ in 0..2 {
            let _granted = units.hold(1, 100).unwrap();
        }
        let first = units.settle(1, 1, 1, 100).unwrap();
        let second = units.settle(1, 1, 1, 100).unwrap();
        units.take_back(first, 1);
        assert_eq!(units.used(), 2);
        units.take_back(second, 1);
        assert_eq!(units.used(), 1);
    }

    #[test]
    fn a_clean_end_leaves_exactly_what_was_used() {
        let mut units = Allotment::new(1);
        let entry = wait(units.hold(3, 1_000).unwrap());
        units.confirm(entry);
        let settled = units.settle(1, 3, 2, 1_000).unwrap();
        assert_eq!(units.close().map(|entry| (entry.used, entry.reserved)), Some((2, 2)));
        assert_eq!(units.close(), None);
        units.confirm(settled);
        assert_eq!(Allotment::found(1, 2).used(), 2);
    }

    proptest::proptest! {
        /// A model of a crash at any moment: whatever prefix of the entries the disk holds, what it says is at least
        /// what started calls may have spent and what anybody was told, and never above the allowance.
        #[test]
        fn nothing_is_granted_that_a_crash_would_grant_again(
            steps in proptest::collection::vec((0_u8..4, 1_u64..4, 0_u64..4), 1..200),
            allowance in 0_u64..400,
        ) {
            let mut units = Allotment::new(1);
            let mut on_its_way: VecDeque<Entry> = VecDeque::new();
            let mut disk = Entry { number: 0, period: 1, used: 0, reserved: 0 };
            // Calls that run, and those that wait for an entry.
            let (mut running, mut waiting): (Vec<u64>, Vec<(u64, u64)>) = (Vec::new(), Vec::new());
            let (mut spent_by_started, mut shown) = (0, 0);
            for (step, most, spent) in steps {
                match step {
                    0 | 1 => match units.hold(most, allowance) {
                        Ok(Grant::Now) => running.push(most),
                        Ok(Grant::After(entry)) => {
                            on_its_way.push_back(entry);
                            waiting.push((entry.number, most));
                        }
                        Err(UsedUp) => proptest::prop_assert!(units.taken() + most > allowance),
                    },
                    2 => if let Some(most) = running.pop() {
                        let spent = spent.min(most);
                        spent_by_started += spent;
                        if let Some(entry) = units.settle(1, most, spent, allowance) {
                            on_its_way.push_back(entry);
                        }
                    },
                    _ => if let Some(entry) = on_its_way.pop_front() {
                        disk = entry;
                        units.confirm(entry);
                        shown = shown.max(entry.used);
                        let (free, still): (Vec<_>, Vec<_>) =
                            waiting.iter().partition(|(number, _)| *number <= entry.number);
                        waiting = still;
                        running.extend(free.iter().map(|(_, most)| most));
                    },
                }
                let may_be_spent = spent_by_started + running.iter().sum::<u64>();
                // Any entry on its way may be the last one that arrives.
                for arrived in std::iter::once(&disk).chain(&on_its_way) {
                    proptest::prop_assert!(arrived.reserved >= may_be_spent, "{arrived:?}, {may_be_spent}");
                    proptest::prop_assert!(arrived.reserved >= shown && arrived.reserved <= allowance);
                }
                proptest::prop_assert!(units.taken() <= allowance);
            }
        }
    }
}
