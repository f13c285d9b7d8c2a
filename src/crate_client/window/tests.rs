//! The windows on a clock that is wound by hand.

use std::time::Duration;

use time::macros::datetime;

use super::breaker::{OPEN_FOR, TRIAL_WAIT};
use super::*;
use crate::crate_client::shelf::Forgetful;

const SECOND: Duration = Duration::from_secs(1);
const FAMILY: Family = Family::Artist;

struct Wound {
    windows: Arc<Windows>,
    clock: Clock,
}

fn wound() -> Wound {
    let clock = Clock::wound_to(datetime!(2027-01-31 12:00 UTC));
    Wound { windows: Arc::new(Windows::new(clock.clone(), Arc::new(Forgetful))), clock }
}

impl Wound {
    fn ask(&self, family: Family, caller: u64) -> Result<Visit, Closed> {
        self.windows.enter(family, Caller::new(caller))
    }

    /// One request that must be let through, and its end.
    fn request(&self, family: Family, caller: u64, outcome: Outcome) {
        self.ask(family, caller).unwrap().ended(outcome);
    }

    fn closed(&self, family: Family) -> Option<Closed> {
        self.windows.enter(family, Caller::new(u64::MAX)).err()
    }

    /// Opens the window of the family and of nothing else.
    fn open_family(&self) {
        for caller in [1, 1, 2, 2, 3] {
            self.request(FAMILY, caller, Outcome::Failed);
        }
    }

    /// Opens the window of the service: one caller, so that no family's window opens.
    fn open_service(&self) {
        for _ in 0..10 {
            self.request(FAMILY, 1, Outcome::Failed);
        }
    }
}

#[test]
fn the_service_window_opens_at_the_tenth_failure_and_not_one_earlier() {
    let it = wound();
    for _ in 0..9 {
        it.request(FAMILY, 1, Outcome::Failed);
    }
    assert_eq!(it.closed(Family::Search), None);
    it.request(FAMILY, 1, Outcome::Failed);
    for family in Family::ALL {
        assert_eq!(it.closed(family), Some(Closed { scope: Scope::Service, retry_after: 30 * SECOND }));
    }
}

#[test]
fn ten_failures_count_within_thirty_seconds_and_not_a_moment_longer() {
    for (moment, opens) in [(Duration::ZERO, true), (Duration::from_millis(1), false)] {
        let it = wound();
        it.request(FAMILY, 1, Outcome::Failed);
        it.clock.advance(30 * SECOND + moment);
        for _ in 0..9 {
            it.request(FAMILY, 1, Outcome::Failed);
        }
        assert_eq!(it.closed(Family::Search).is_some(), opens, "{moment:?}");
    }
}

#[test]
fn a_success_of_any_family_resets_the_count_of_the_service() {
    let it = wound();
    for _ in 0..5 {
        for _ in 0..9 {
            it.request(FAMILY, 1, Outcome::Failed);
        }
        it.request(Family::Resolve, 2, Outcome::Answered);
    }
    assert_eq!(it.closed(Family::Search), None);
    it.open_service();
    assert!(it.closed(Family::Search).is_some());
}

#[test]
fn a_family_window_opens_at_the_fifth_failure_and_not_one_earlier() {
    let it = wound();
    for caller in 1..=4 {
        it.request(FAMILY, caller, Outcome::Failed);
    }
    assert_eq!(it.closed(FAMILY), None);
    it.request(FAMILY, 5, Outcome::Failed);
    assert_eq!(it.closed(FAMILY), Some(Closed { scope: Scope::Family(FAMILY), retry_after: 30 * SECOND }));
    assert_eq!(it.closed(Family::Resolve), None);
    assert_eq!(it.closed(Family::Search), None);
}

#[test]
fn five_failures_of_a_family_count_within_a_minute_and_not_a_moment_longer() {
    for (moment, opens) in [(Duration::ZERO, true), (Duration::from_millis(1), false)] {
        let it = wound();
        it.request(FAMILY, 1, Outcome::Failed);
        it.clock.advance(60 * SECOND + moment);
        for caller in 2..=5 {
            it.request(FAMILY, caller, Outcome::Failed);
        }
        assert_eq!(it.closed(FAMILY).is_some(), opens, "{moment:?}");
    }
}

#[test]
fn one_or_two_callers_never_open_a_family_window_however_often_they_fail() {
    for callers in [1, 2] {
        let it = wound();
        for n in 0..1_000 {
            it.request(FAMILY, n % callers, Outcome::Failed);
            // Keeps the window of the service shut, which counts without regard to callers.
            it.request(Family::Resolve, 9, Outcome::Answered);
            it.clock.advance(Duration::from_millis(100));
        }
        // Their failures are there all the same: two of each, to which only the missing ones are added.
        for other in 0..5 - 2 * callers {
            assert_eq!(it.closed(FAMILY), None, "{callers}");
            it.request(FAMILY, 10 + other, Outcome::Failed);
        }
        assert!(it.closed(FAMILY).is_some(), "{callers}");
    }
}

#[test]
fn one_caller_counts_for_at_most_two_of_the_five() {
    let it = wound();
    for caller in [1, 1, 1, 1, 2, 3] {
        it.request(FAMILY, caller, Outcome::Failed);
    }
    assert_eq!(it.closed(FAMILY), None);
    it.request(FAMILY, 2, Outcome::Failed);
    assert!(it.closed(FAMILY).is_some());
}

#[test]
fn of_one_caller_the_latest_two_failures_count() {
    let it = wound();
    for _ in 0..3 {
        it.request(FAMILY, 1, Outcome::Failed);
        it.clock.advance(30 * SECOND);
    }
    // The first lies 90 s back; the other two 60 and 30.
    for caller in [2, 2, 3] {
        it.request(FAMILY, caller, Outcome::Failed);
    }
    assert!(it.closed(FAMILY).is_some());
}

#[test]
fn a_success_between_does_not_unmake_the_failures_of_a_family() {
    let it = wound();
    for caller in 1..=5 {
        it.request(FAMILY, 9, Outcome::Answered);
        it.request(FAMILY, caller, Outcome::Failed);
    }
    assert!(it.closed(FAMILY).is_some());
}

#[test]
fn refusals_and_requests_given_up_neither_count_nor_reset() {
    let it = wound();
    for outcome in [Outcome::Refused, Outcome::Abandoned] {
        for caller in 0..1_000 {
            it.request(FAMILY, caller, outcome);
        }
        assert_eq!(it.closed(FAMILY), None);
    }
    for n in 0..10 {
        assert_eq!(it.closed(FAMILY), None);
        it.request(FAMILY, 1, Outcome::Failed);
        if n < 9 {
            it.request(FAMILY, 2, Outcome::Refused);
            it.request(FAMILY, 3, Outcome::Abandoned);
        }
    }
    assert_eq!(it.closed(FAMILY).map(|closed| closed.scope), Some(Scope::Service));
}

#[test]
fn an_open_window_says_how_long_it_stays_open_and_then_lets_exactly_one_try() {
    let it = wound();
    it.open_family();
    it.clock.advance(OPEN_FOR - Duration::from_millis(1));
    assert_eq!(it.closed(FAMILY).map(|closed| closed.retry_after), Some(Duration::from_millis(1)));
    it.clock.advance(Duration::from_millis(1));
    let trial = it.ask(FAMILY, 1).unwrap();
    for _ in 0..100 {
        assert_eq!(it.closed(FAMILY), Some(Closed { scope: Scope::Family(FAMILY), retry_after: TRIAL_WAIT }));
    }
    trial.ended(Outcome::Answered);
    let _both_at_once = (it.ask(FAMILY, 1).unwrap(), it.ask(FAMILY, 2).unwrap());
}

#[test]
fn every_end_of_a_trial_frees_its_slot() {
    for scope in [Scope::Family(FAMILY), Scope::Service] {
        for (outcome, closed_for) in [
            (Outcome::Answered, None),
            (Outcome::Refused, None),
            (Outcome::Failed, Some(OPEN_FOR)),
            (Outcome::Abandoned, None),
        ] {
            let it = wound();
            match scope {
                Scope::Service => it.open_service(),
                Scope::Family(_) => it.open_family(),
            }
            it.clock.advance(OPEN_FOR);
            match outcome {
                Outcome::Abandoned => drop(it.ask(FAMILY, 1).unwrap()),
                outcome => it.request(FAMILY, 1, outcome),
            }
            let expected = closed_for.map(|retry_after| Closed { scope, retry_after });
            assert_eq!(it.closed(FAMILY), expected, "{scope:?} {outcome:?}");
            // Whatever came of it, half a minute later somebody may ask.
            it.clock.advance(OPEN_FOR);
            assert_eq!(it.closed(FAMILY), None, "{scope:?} {outcome:?}");
        }
    }
}

#[test]
fn after_an_abandoned_trial_there_is_again_only_one() {
    let it = wound();
    it.open_family();
    it.clock.advance(OPEN_FOR);
    for _ in 0..3 {
        let _trial = it.ask(FAMILY, 1).unwrap();
        assert!(it.closed(FAMILY).is_some());
    }
}

#[test]
fn a_failed_trial_opens_the_window_for_another_half_minute_again_and_again() {
    let it = wound();
    it.open_service();
    for _ in 0..5 {
        it.clock.advance(OPEN_FOR);
        it.request(Family::Resolve, 1, Outcome::Failed);
        it.clock.advance(OPEN_FOR - SECOND);
        assert_eq!(it.closed(Family::Search).map(|closed| closed.retry_after), Some(SECOND));
        it.clock.advance(SECOND);
        assert_eq!(it.closed(Family::Search), None);
    }
}

#[test]
fn a_window_that_closed_counts_from_zero() {
    let it = wound();
    it.open_family();
    it.clock.advance(OPEN_FOR);
    it.request(FAMILY, 1, Outcome::Answered);
    for caller in 1..=4 {
        it.request(FAMILY, caller, Outcome::Failed);
    }
    assert_eq!(it.closed(FAMILY), None);
    it.request(FAMILY, 5, Outcome::Failed);
    assert!(it.closed(FAMILY).is_some());
}

#[test]
fn requests_from_before_a_window_opened_change_nothing_when_they_end() {
    for outcome in [Outcome::Answered, Outcome::Refused, Outcome::Failed, Outcome::Abandoned] {
        let it = wound();
        let before: Vec<Visit> = (1..=3).map(|caller| it.ask(FAMILY, caller).unwrap()).collect();
        let mut before = before.into_iter();
        let mut one_ends = || before.next().unwrap().ended(outcome);
        it.open_family();
        it.clock.advance(SECOND);
        one_ends();
        assert_eq!(it.closed(FAMILY).map(|closed| closed.retry_after), Some(OPEN_FOR - SECOND));
        it.clock.advance(OPEN_FOR - SECOND);
        let trial = it.ask(FAMILY, 9).unwrap();
        one_ends();
        assert_eq!(it.closed(FAMILY).map(|closed| closed.retry_after), Some(TRIAL_WAIT), "{outcome:?}");
        trial.ended(Outcome::Failed);
        one_ends();
        assert_eq!(it.closed(FAMILY).map(|closed| closed.retry_after), Some(OPEN_FOR), "{outcome:?}");
    }
}

#[test]
fn a_family_that_is_closed_does_not_use_up_the_trial_of_the_service() {
    let it = wound();
    let on_their_way: Vec<Visit> = (1..=5).map(|caller| it.ask(FAMILY, caller).unwrap()).collect();
    for _ in 0..10 {
        it.request(Family::Resolve, 1, Outcome::Failed);
    }
    it.clock.advance(5 * SECOND);
    for visit in on_their_way {
        visit.ended(Outcome::Failed);
    }
    it.clock.advance(25 * SECOND);
    assert_eq!(it.closed(FAMILY), Some(Closed { scope: Scope::Family(FAMILY), retry_after: 5 * SECOND }));
    it.request(Family::Search, 1, Outcome::Answered);
    assert_eq!(it.closed(Family::Resolve), None);
    assert_eq!(it.closed(FAMILY), Some(Closed { scope: Scope::Family(FAMILY), retry_after: 5 * SECOND }));
}

#[test]
fn one_trial_settles_the_windows_of_the_service_and_of_its_family() {
    for (outcome, closed) in [(Outcome::Answered, false), (Outcome::Failed, true)] {
        let it = wound();
        it.open_family();
        for _ in 0..5 {
            it.request(Family::Resolve, 1, Outcome::Failed);
        }
        assert_eq!(it.closed(FAMILY).map(|closed| closed.scope), Some(Scope::Service));
        it.clock.advance(OPEN_FOR);
        it.request(FAMILY, 1, outcome);
        for family in [FAMILY, Family::Search] {
            assert_eq!(it.closed(family).is_some(), closed, "{outcome:?} {family:?}");
        }
    }
}

#[test]
fn a_step_of_the_wall_clock_neither_opens_nor_closes_a_window() {
    let it = wound();
    it.open_family();
    for to in [datetime!(1970-01-01 0:00 UTC), datetime!(2099-01-01 0:00 UTC)] {
        it.clock.step_utc(to);
        assert_eq!(it.closed(FAMILY).map(|closed| closed.retry_after), Some(OPEN_FOR));
    }
}

proptest::proptest! {
    #[test]
    fn no_window_refuses_for_longer_than_half_a_minute_after_everything_ended(
        steps in proptest::collection::vec((0usize..3, 0u64..6, 0usize..4, 0u64..20_000), 1..300),
    ) {
        let it = wound();
        for (family, caller, outcome, wait_ms) in steps {
            let family = Family::ALL[family];
            let outcome =
                [Outcome::Answered, Outcome::Refused, Outcome::Failed, Outcome::Abandoned][outcome];
            if let Ok(visit) = it.ask(family, caller) {
                visit.ended(outcome);
            }
            it.clock.advance(Duration::from_millis(wait_ms));
        }
        it.clock.advance(OPEN_FOR);
        for family in Family::ALL {
            proptest::prop_assert!(it.ask(family, 1).is_ok());
        }
    }
}
