//! How many rows of each list an answer keeps.
//!
//! Above the usual size the includes give up rows, the heaviest first and none below
//! [`INCLUDE_ROWS_MIN`]; when that cannot reach the usual size, they keep them all. Above the size that
//! can be sent, the includes go to their least and then the main lists give up rows, the heaviest first.
//! Rows are always given up from the end.

use super::list::{List, Role};
use super::{HARD_ESTIMATE, INCLUDE_ROWS_MIN, SOFT_TOKENS};

/// How many rows are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    kept: Vec<usize>,
}

impl Plan {
    /// Each list that gives up rows, with how many it keeps.
    pub fn shortened<'a>(&'a self, lists: &'a [List]) -> impl Iterator<Item = (&'a List, usize)> + 'a {
        lists
            .iter()
            .zip(&self.kept)
            .filter(|(list, kept)| **kept < list.rows())
            .map(|(list, kept)| (list, *kept))
    }

    fn whole(lists: &[List]) -> Self {
        Self { kept: lists.iter().map(List::rows).collect() }
    }
}

/// Decides how many rows of `lists` are kept.
///
/// `size` measures the answer with the rows of a plan, in estimated tokens; it is asked for all rows first. It must not
/// grow when rows are given up, except by what the answer says about that.
pub fn plan(lists: &[List], mut size: impl FnMut(&Plan) -> u32) -> Plan {
    let whole = Plan::whole(lists);
    let full_size = size(&whole);
    if full_size <= SOFT_TOKENS {
        return whole;
    }
    if let Some(trimmed) = trimmed(lists, SOFT_TOKENS, &mut size) {
        return trimmed;
    }
    if full_size <= HARD_ESTIMATE {
        return whole;
    }
    trimmed(lists, HARD_ESTIMATE, &mut size).unwrap_or_else(|| cut(lists, &mut size))
}

/// Gives up rows of includes until the answer has `target` tokens; `None` when it cannot.
fn trimmed(lists: &[List], target: u32, size: &mut impl FnMut(&Plan) -> u32) -> Option<Plan> {
    let floors = floors(lists);
    let mut plan = Plan::whole(lists);
    if floors == plan || size(&floors) > target {
        return None;
    }
    while size(&plan) > target {
        let heaviest = heaviest(lists, &plan, Role::Include, INCLUDE_ROWS_MIN)?;
        let kept = plan.kept.get_mut(heaviest)?;
        *kept -= 1;
    }
    Some(plan)
}

/// The includes at their least, everything else whole.
fn floors(lists: &[List]) -> Plan {
    let least = |list: &List| match list.role() {
        Role::Include => list.rows().min(INCLUDE_ROWS_MIN),
        Role::Main => list.rows(),
    };
    Plan { kept: lists.iter().map(least).collect() }
}

/// What a row is worth at most, in weights of its JSON.
const SHARE: u32 = 8;

/// Gives up rows of main lists until the answer can be sent, or none is left.
fn cut(lists: &[List], size: &mut impl FnMut(&Plan) -> u32) -> Plan {
    let mut plan = floors(lists);
    loop {
        let excess = size(&plan).saturating_sub(HARD_ESTIMATE);
        if excess == 0 {
            return plan;
        }
        // A row is worth what its JSON weighs and what stands of it elsewhere, in the text too: together less than
        // SHARE times as much. So as many as are surely too many go at once, and only the last ones are measured
        // one by one.
        let mut given_up = 0;
        while given_up < excess.div_ceil(SHARE) {
            let Some(heaviest) = heaviest(lists, &plan, Role::Main, 0) else { break };
            let (Some(list), Some(kept)) = (lists.get(heaviest), plan.kept.get_mut(heaviest)) else { break };
            *kept -= 1;
            given_up += list.row_weight(*kept).max(1);
        }
        if given_up == 0 {
            return plan;
        }
    }
}

/// The list of a role that weighs most and has more than `least` rows.
fn heaviest(lists: &[List], plan: &Plan, role: Role, least: usize) -> Option<usize> {
    let open = lists.iter().zip(&plan.kept).enumerate();
    open.filter(|(_, (list, kept))| list.role() == role && **kept > least)
        .max_by_key(|(at, (list, kept))| (list.weight(**kept), std::cmp::Reverse(*at)))
        .map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The size of an answer of `base` tokens beside its rows, which says `note` tokens about each list that
    /// gives up rows.
    fn size_of<'a>(lists: &'a [List], base: u32, note: u32) -> impl FnMut(&Plan) -> u32 + 'a {
        move |plan| {
            let rows: u32 = lists.iter().zip(&plan.kept).map(|(list, kept)| list.weight(*kept)).sum();
            let notes = u32::try_from(plan.shortened(lists).count()).unwrap();
            base + rows + note * notes
        }
    }

    fn include(path: &'static str, weights: &[u32]) -> List {
        List::weighing(path, Role::Include, weights.to_vec())
    }

    fn kept(lists: &[List], base: u32) -> Vec<usize> {
        plan(lists, size_of(lists, base, 20)).kept
    }

    #[test]
    fn the_heaviest_include_gives_up_rows_first_and_only_as_many_as_needed() {
        let lists = [include("data.similar", &[100; 10]), include("data.gigs", &[40; 10])];
        assert_eq!(kept(&lists, 100), [10, 10]);
        assert_eq!(kept(&lists, 200), [8, 10]);
        assert_eq!(kept(&lists, 1_000), [2, 6]);
    }

    #[test]
    fn a_trim_that_cannot_reach_the_target_is_undone() {
        let lists = [include("data.similar", &[100; 10])];
        assert_eq!(kept(&lists, 1_400), [10]);
        let light = [include("data.similar", &[5; 3])];
        assert_eq!(kept(&light, 1_490), [3], "saying so would cost more than the row");
        let two = [include("data.similar", &[100; 2])];
        assert_eq!(kept(&two, 1_400), [2]);
    }

    #[test]
    fn a_main_list_is_cut_only_where_the_answer_could_not_be_sent() {
        let lists = [List::weighing("data.releases", Role::Main, vec![30; 100])];
        assert_eq!(kept(&lists, 600), [100]);
        let lists = [List::weighing("data.releases", Role::Main, vec![100; 100])];
        let kept = kept(&lists, 600);
        assert!((28..=32).contains(&kept[0]), "{kept:?}");
    }

    #[test]
    fn an_answer_without_lists_stays_as_it_is() {
        assert_eq!(plan(&[], |_| 9_000).kept, [0_usize; 0]);
    }

    fn any_lists() -> impl Strategy<Value = Vec<List>> {
        let weights = prop::collection::vec(1_u32..200, 0..40);
        let list = (any::<bool>(), weights).prop_map(|(main, weights)| {
            List::weighing("x", if main { Role::Main } else { Role::Include }, weights)
        });
        prop::collection::vec(list, 0..5)
    }

    proptest! {
        #[test]
        fn an_answer_within_the_usual_size_is_never_touched(lists in any_lists(), base in 0_u32..1_500) {
            let whole = Plan::whole(&lists);
            let full = size_of(&lists, base, 20)(&whole);
            let found = plan(&lists, size_of(&lists, base, 20));
            prop_assert!(full > SOFT_TOKENS || found == whole);
        }

        #[test]
        fn every_answer_fits_and_no_include_falls_below_its_least(lists in any_lists(), base in 0_u32..2_500) {
            let found = plan(&lists, size_of(&lists, base, 20));
            let least: u32 = size_of(&lists, base, 20)(&Plan {
                kept: lists.iter().map(|list| if list.role() == Role::Main { 0 } else { list.rows().min(2) }).collect(),
            });
            prop_assert!(size_of(&lists, base, 20)(&found) <= HARD_ESTIMATE.max(least));
            for (list, kept) in lists.iter().zip(&found.kept) {
                prop_assert!(*kept <= list.rows());
                prop_assert!(list.role() == Role::Main || *kept >= list.rows().min(INCLUDE_ROWS_MIN));
            }
        }

        #[test]
        fn main_lists_stay_whole_below_the_size_that_can_be_sent(lists in any_lists(), base in 0_u32..2_500) {
            let full = size_of(&lists, base, 20)(&Plan::whole(&lists));
            let found = plan(&lists, size_of(&lists, base, 20));
            let cut = found.shortened(&lists).any(|(list, _)| list.role() == Role::Main);
            prop_assert!(!cut || full > HARD_ESTIMATE);
        }

        #[test]
        fn rows_are_given_up_only_when_that_reaches_a_target(lists in any_lists(), base in 0_u32..2_500) {
            let full = size_of(&lists, base, 20)(&Plan::whole(&lists));
            let found = plan(&lists, size_of(&lists, base, 20));
            if full <= HARD_ESTIMATE && found.shortened(&lists).count() > 0 {
                prop_assert!(size_of(&lists, base, 20)(&found) <= SOFT_TOKENS);
            }
        }
    }
}
