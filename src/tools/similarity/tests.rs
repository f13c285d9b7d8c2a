//! Who is one artist, and who comes first.

use proptest::prelude::*;

use super::*;
use crate::identity::Tier;
use crate::model::listed::Listed;
use crate::model::text::CleanName;

fn cluster(n: u32) -> ClusterId {
    ClusterId::parse(&format!("{n:064x}")).unwrap()
}

fn subject() -> ArtistIdentity {
    ArtistIdentity {
        name: CleanName::new("Subject").unwrap(),
        record_name: "Subject".to_owned(),
        cluster_id: Ok(cluster(1)),
        slug: Err(GapReason::HonestGap),
        tier: Tier::Discogs,
        is_tier_unreadable: false,
        discogs_id: DiscogsId::from_number(1).ok_or(GapReason::HonestGap),
        mbid: Mbid::parse("3bcff06f-675a-451f-9075-99e8657047e8").map_err(|_| GapReason::HonestGap),
    }
}

/// A row by cluster and Discogs number, 0 for none; the name says which it is.
fn row(cluster_id: u32, discogs: u32, strength: u64) -> Neighbour {
    Neighbour {
        cluster_id: if cluster_id == 0 { Err(GapReason::HonestGap) } else { Ok(cluster(cluster_id)) },
        name: CleanName::new(&format!("{cluster_id}/{discogs}")).ok_or(GapReason::HonestGap),
        discogs_id: DiscogsId::from_number(u64::from(discogs)).ok_or(GapReason::HonestGap),
        mbid: Err(GapReason::HonestGap),
        counts: vec![("events", Ok(strength))],
    }
}

fn joined(axes: Vec<(Axis, Vec<Neighbour>)>) -> Vec<(String, Vec<Axis>)> {
    let axes = axes.into_iter().map(|(axis, rows)| (axis, Ok(Listed { rows, unreadable: 0 }))).collect();
    let (list, _) = join(&subject(), axes, usize::MAX, RowForm::Full);
    list.similar
        .iter()
        .map(|row| {
            let axes = row.axes.iter().map(|(axis, _)| *axis).collect();
            (row.name.as_ref().map(ToString::to_string).unwrap_or_default(), axes)
        })
        .collect()
}

fn names(axes: Vec<(Axis, Vec<Neighbour>)>) -> Vec<String> {
    joined(axes).into_iter().map(|(name, _)| name).collect()
}

#[test]
fn rows_of_one_artist_are_brought_together_by_id_and_never_by_name() {
    use Axis::{CoBooking, Festivals};
    let together = |a, b| joined(vec![(CoBooking, vec![a]), (Festivals, vec![b])]).len() == 1;
    assert!(together(row(5, 50, 1), row(5, 50, 1)));
    assert!(together(row(5, 0, 1), row(5, 50, 1)), "by cluster where the other has no number");
    assert!(together(row(0, 50, 1), row(5, 50, 1)), "by number where the other has no cluster");
    assert!(!together(row(5, 50, 1), row(5, 51, 1)), "homonyms share a cluster");
    assert!(!together(row(5, 50, 1), row(6, 50, 1)), "ids that contradict each other");
    assert!(!together(row(0, 0, 1), row(0, 0, 1)), "a name alone is nobody");
}

#[test]
fn an_id_that_two_share_is_given_to_neither() {
    let rows = joined(vec![
        (Axis::CoBooking, vec![row(5, 50, 2), row(5, 51, 1)]),
        (Axis::Radio, vec![row(5, 0, 9)]),
    ]);
    assert_eq!(rows.len(), 3, "{rows:?}");
    assert!(rows.iter().all(|(_, axes)| axes.len() == 1));
}

#[test]
fn more_axes_come_first_then_the_highest_place_on_one() {
    use Axis::{CoBooking, Festivals, Radio};
    let order = names(vec![
        (CoBooking, vec![row(5, 5, 100), row(6, 6, 90), row(7, 7, 80)]),
        (Festivals, vec![row(7, 7, 1), row(8, 8, 50)]),
        (Radio, vec![row(9, 9, 3), row(6, 6, 2)]),
    ]);
    // Two axes: 6 stands second on both, 7 second on one of them. The earlier axis breaks the tie. Then one
    // axis: three of them stand first on theirs.
    assert_eq!(order, ["6/6", "7/7", "5/5", "8/8", "9/9"]);
    let mut unknown = row(5, 5, 1);
    unknown.counts = vec![("events", Err(GapReason::MalformedUpstream))];
    assert_eq!(names(vec![(CoBooking, vec![unknown, row(6, 6, 1)])]), ["6/6", "5/5"]);
}

#[test]
fn neither_the_artist_itself_nor_nobody_in_particular_is_similar() {
    let mut by_mbid = row(5, 5, 1);
    by_mbid.mbid = Mbid::parse("3bcff06f-675a-451f-9075-99e8657047e8").map_err(|_| GapReason::HonestGap);
    let rows = vec![row(1, 9, 1), row(9, 1, 1), by_mbid, row(0, 194, 1), row(0, 355, 1), row(0, 151_641, 1)];
    assert_eq!(names(vec![(Axis::CoBooking, rows)]), [""; 0]);
}

#[test]
fn an_axis_that_is_missing_is_told_and_the_others_are_served() {
    let there = Ok(Listed { rows: vec![row(5, 5, 1)], unreadable: 2 });
    let axes = vec![(Axis::CoBooking, Err(GapReason::UpstreamDegraded)), (Axis::Radio, there)];
    let (list, present) = join(&subject(), axes, 10, RowForm::Full);
    assert_eq!((list.shown, list.found, list.unreadable, present), (1, 1, 2, Ok(())));
    let gaps: Vec<_> = list.axes.0.iter().map(|(axis, state)| (*axis, state.gap())).collect();
    assert_eq!(gaps, [(Axis::CoBooking, Some(GapReason::UpstreamDegraded)), (Axis::Radio, None)]);
    let none = vec![(Axis::CoBooking, Err(GapReason::HonestGap))];
    assert_eq!(join(&subject(), none, 10, RowForm::Full).1, Err(GapReason::HonestGap));
}

proptest! {
    #[test]
    fn whatever_the_axes_list_the_promises_hold(
        ids in proptest::collection::vec((0_usize..5, 0_u32..6, 0_u32..6, 0_u64..9), 0..40),
        limit in 1_usize..30,
    ) {
        let mut axes: Vec<(Axis, Neighbours)> = Axis::ALL
            .map(|axis| (axis, Ok(Listed { rows: Vec::new(), unreadable: 0 })))
            .into();
        for (axis, cluster_id, discogs, strength) in ids {
            if let Ok(listed) = &mut axes[axis].1 {
                listed.rows.push(row(cluster_id, discogs, strength));
            }
        }
        let whole = join(&subject(), axes.clone(), usize::MAX, RowForm::Full).0;
        let cut = join(&subject(), axes, limit, RowForm::Full).0;
        prop_assert_eq!(cut.shown, whole.found.min(limit));
        prop_assert!(cut.similar.iter().zip(&whole.similar).all(|(a, b)| a.name == b.name), "a prefix");
        for row in &whole.similar {
            prop_assert_ne!(row.cluster_id.as_ref().ok(), Some(&cluster(1)));
            prop_assert_ne!(row.discogs_id.ok(), DiscogsId::from_number(1));
            let mut axes: Vec<Axis> = row.axes.iter().map(|(axis, _)| *axis).collect();
            axes.dedup();
            prop_assert_eq!(axes.len(), row.axes.len(), "each axis once");
        }
        prop_assert!(whole.similar.windows(2).all(|two| two[0].axes.len() >= two[1].axes.len()));
    }
}

#[test]
fn an_id_that_two_share_is_given_to_neither_whichever_comes_first() {
    use Axis::{CoBooking, Credits};
    let bare_first =
        joined(vec![(CoBooking, vec![row(5, 0, 9)]), (Credits, vec![row(5, 50, 3), row(5, 51, 2)])]);
    let bare_last =
        joined(vec![(CoBooking, vec![row(5, 50, 3), row(5, 51, 2)]), (Credits, vec![row(5, 0, 9)])]);
    for found in [bare_first, bare_last] {
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found.iter().all(|(_, axes)| axes.len() == 1), "{found:?}");
    }
}

#[test]
fn nobody_found_is_never_told_as_none_on_record_while_an_axis_could_not_be_had() {
    let axes = vec![
        (Axis::CoBooking, Err(GapReason::HonestGap)),
        (Axis::Festivals, Err(GapReason::UpstreamDegraded)),
        (Axis::Credits, Err(GapReason::HonestGap)),
    ];
    assert_eq!(join(&subject(), axes, 10, RowForm::Full).1, Err(GapReason::UpstreamDegraded));
}
