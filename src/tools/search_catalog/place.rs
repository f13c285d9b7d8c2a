//! Where a walk through the catalogue stands, and whether it goes on.
//!
//! Over a service without cursors rows are counted off, and the numbers of all rows that were sent are kept, so
//! that none comes twice whatever moves meanwhile. When they no longer fit, the walk ends and says so.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::answer::PaginationMode;
use crate::cursors::{PLACE_BYTES_MAX, WALK_ROWS_MAX, Walk};
use crate::model::catalog::{CatalogPage, Onward, TotalMode};

/// Where a walk stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// After the rows of these numbers.
    Counted(BTreeSet<u64>),
    /// At the service's own cursor.
    Upstream(Trail),
}

/// A cursor of the service, and as much of those before it as shows a walk in a circle, however wide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Trail {
    /// The cursor.
    pub(super) cursor: String,
    /// How many cursors the service has given on this walk.
    given: u32,
    /// The mark of the one that was the first, second, fourth, eighth and so on, whichever came last.
    anchor: u64,
    /// How many pages in a row had nothing to show.
    empty: u32,
}

impl Trail {
    fn begun(cursor: &str, empty: u32) -> Self {
        Self { cursor: cursor.to_owned(), given: 1, anchor: mark(cursor), empty }
    }

    /// Follows the next cursor; `None` when it is one that was followed before.
    fn followed(&self, cursor: &str, empty: u32) -> Option<Self> {
        let mark = mark(cursor);
        if cursor == self.cursor || mark == self.anchor {
            return None;
        }
        let given = self.given.saturating_add(1);
        let anchor = if given.is_power_of_two() { mark } else { self.anchor };
        Some(Self { cursor: cursor.to_owned(), given, anchor, empty })
    }

    /// Reads the rest of what [`Place::written`] wrote.
    fn read(trail: &str, empty: u32) -> Option<Self> {
        let (given, rest) = trail.split_once(':')?;
        let (anchor, cursor) = rest.split_once(':')?;
        let (given, anchor) = (given.parse().ok()?, u64::from_str_radix(anchor, 16).ok()?);
        Some(Self { cursor: cursor.to_owned(), given, anchor, empty })
    }
}

/// FNV-1a: tells cursors apart without keeping them.
fn mark(cursor: &str) -> u64 {
    cursor
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |mark, byte| (mark ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// How a walk goes on after a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Going {
    /// There may be more.
    On {
        /// How.
        mode: PaginationMode,
        /// Where.
        walk: Walk,
    },
    /// That was all, or the longest walk there is.
    Ended {
        /// How it went.
        mode: PaginationMode,
        /// Whether it was the longest walk.
        at_limit: bool,
    },
    /// There may be more, and this server cannot go there.
    EndedEarly {
        /// How it went.
        mode: PaginationMode,
        /// Why it ends.
        why: &'static str,
    },
}

/// How many pages in a row may have nothing to show before a walk ends.
const EMPTY_PAGES_MAX: u32 = 3;
/// Why a walk ends that finds nothing any more.
const EMPTY: &str = "The data service sent 3 pages in a row without a row that can be shown and still goes on, so the walk ends here; a narrower query is a new walk.";
/// Why a walk ends that the service cannot carry on.
pub(super) const NO_CURSOR: &str = "The data service gave no cursor that can be sent back, so the walk ends here; a narrower query is a new walk.";
/// Why a walk ends whose rows can no longer be kept apart.
pub(super) const TOO_LONG: &str =
    "The rows of this walk can no longer be kept apart, so it ends here; a narrower query is a new walk.";

/// Why a walk ends where the service counts rows that it does not send.
pub(super) const SHORT: &str =
    "The data service counts more rows than it sends, so the walk ends here; a narrower query is a new walk.";

/// Why a walk ends whose next page would begin behind rows that are not shown.
pub(super) const OVERFULL: &str = "The data service sent more rows than were asked for, and goes on only after the last of them, so the walk ends here; a narrower query is a new walk.";
/// Why a walk ends that the service leads in a circle.
pub(super) const CIRCLE: &str = "The data service gave a cursor again that was followed before, so the walk ends here; a narrower query is a new walk.";
/// Why a walk ends on rows that were sent before.
pub(super) const AGAIN: &str = "The data service sent rows of earlier pages again, so others may never have come, and the walk ends here; a narrower query is a new walk.";

impl Place {
    /// Before the first row.
    pub(super) fn beginning() -> Self {
        Self::Counted(BTreeSet::new())
    }

    /// Reads what [`Self::written`] wrote.
    pub(super) fn read(text: &str) -> Option<Self> {
        match text.split_once(':')? {
            ("o", seen) => Some(Self::Counted(unpacked(&URL_SAFE_NO_PAD.decode(seen).ok()?)?)),
            ("k", cursor) => Some(Self::Upstream(Trail::begun(cursor, 0))),
            ("c", trail) => Trail::read(trail, 0).map(Self::Upstream),
            ("e", trail) => {
                let (empty, trail) = trail.split_once(':')?;
                Trail::read(trail, empty.parse().ok()?).map(Self::Upstream)
            }
            _ => None,
        }
    }

    fn written(&self) -> String {
        match self {
            Self::Counted(seen) => format!("o:{}", URL_SAFE_NO_PAD.encode(packed(seen))),
            Self::Upstream(Trail { cursor, given, anchor, empty: 0 }) => {
                format!("c:{given}:{anchor:x}:{cursor}")
            }
            Self::Upstream(Trail { cursor, given, anchor, empty }) => {
                format!("e:{empty}:{given}:{anchor:x}:{cursor}")
            }
        }
    }

    /// How the walk goes on after `page`, which was asked for with `limit` after `before` rows.
    pub(super) fn go_on(&self, page: &CatalogPage, before: u32, limit: u32) -> Going {
        let sent = u32::try_from(page.listed).unwrap_or(u32::MAX);
        // Rows beyond the limit are not shown, so the walk has not passed them.
        let rows = before.saturating_add(sent.min(limit));
        let readable = sent.saturating_sub(u32::try_from(page.unreadable).unwrap_or(u32::MAX));
        let exact = page.total.ok().filter(|_| page.total_mode == Ok(TotalMode::Exact));
        let by_cursor = matches!(self, Self::Upstream(_)) || page.onward != Onward::NoCursors;
        let mode = if by_cursor { PaginationMode::Keyset } else { PaginationMode::OffsetWalk };
        let before_it = if let Self::Upstream(trail) = self { trail.empty } else { 0 };
        let empty = if page.rows.is_empty() { before_it.saturating_add(1) } else { 0 };
        let next = match (&page.onward, self) {
            (Onward::Last | Onward::Cursor(_), _) if readable > limit => {
                return Going::EndedEarly { mode, why: OVERFULL };
            }
            (Onward::Last, _) if exact.is_some_and(|total| total > u64::from(rows)) => {
                return Going::EndedEarly { mode, why: SHORT };
            }
            (Onward::Last, _) => return Going::Ended { mode, at_limit: false },
            (Onward::Cursor(_), _) if empty >= EMPTY_PAGES_MAX => {
                return Going::EndedEarly { mode, why: EMPTY };
            }
            (Onward::Cursor(cursor), Self::Counted(_)) => Self::Upstream(Trail::begun(cursor, empty)),
            (Onward::Cursor(cursor), Self::Upstream(trail)) => match trail.followed(cursor, empty) {
                Some(trail) => Self::Upstream(trail),
                None => return Going::EndedEarly { mode, why: CIRCLE },
            },
            (Onward::Unusable, _) | (Onward::NoCursors, Self::Upstream(_)) => {
                return Going::EndedEarly { mode, why: NO_CURSOR };
            }
            (Onward::NoCursors, Self::Counted(seen)) => {
                let came_before = page.rows.iter().filter(|row| seen.contains(&row.master_id)).count();
                let is_end = match exact {
                    Some(total) if u64::from(rows) >= total => true,
                    // A short page is the last one only where the service does not count more.
                    Some(_) if sent == 0 => return Going::EndedEarly { mode, why: SHORT },
                    None => sent < limit,
                    Some(_) => false,
                };
                // Where rows come again others have been passed; a page of nothing else leads nowhere.
                if came_before > 0 && (is_end || came_before == page.rows.len()) {
                    return Going::EndedEarly { mode, why: AGAIN };
                }
                if is_end {
                    return Going::Ended { mode, at_limit: false };
                }
                let mut seen = seen.clone();
                seen.extend(page.rows.iter().map(|row| row.master_id));
                Self::Counted(seen)
            }
        };
        if rows >= WALK_ROWS_MAX {
            return Going::Ended { mode, at_limit: true };
        }
        let place = next.written();
        if place.len() > PLACE_BYTES_MAX {
            return Going::EndedEarly { mode, why: TOO_LONG };
        }
        Going::On { mode, walk: Walk { place, rows } }
    }
}

impl Going {
    /// How the walk goes.
    pub(super) fn mode(&self) -> PaginationMode {
        match self {
            Self::On { mode, .. } | Self::Ended { mode, .. } | Self::EndedEarly { mode, .. } => *mode,
        }
    }
}

/// Ascending numbers as their distances, seven bits a byte.
fn packed(numbers: &BTreeSet<u64>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(numbers.len() * 2);
    let mut last = 0;
    for number in numbers {
        let mut distance = number - last;
        last = *number;
        loop {
            let low = u8::try_from(distance & 0x7f).unwrap_or(0);
            distance >>= 7;
            if distance == 0 {
                bytes.push(low);
                break;
            }
            bytes.push(low | 0x80);
        }
    }
    bytes
}

fn unpacked(bytes: &[u8]) -> Option<BTreeSet<u64>> {
    let mut numbers = BTreeSet::new();
    let (mut last, mut distance, mut shift) = (0_u64, 0_u64, 0_u32);
    for byte in bytes {
        distance |= u64::from(byte & 0x7f).checked_shl(shift)?;
        shift += 7;
        if byte & 0x80 == 0 {
            last = last.checked_add(distance)?;
            numbers.insert(last);
            (distance, shift) = (0, 0);
        }
    }
    (shift == 0).then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn a_place_reads_back_as_it_was(numbers in proptest::collection::btree_set(0_u64.., 0..50)) {
            let place = Place::Counted(numbers);
            proptest::prop_assert_eq!(Place::read(&place.written()), Some(place));
        }

        #[test]
        fn no_text_breaks_the_reading(text in ".{0,80}") {
            let _ = Place::read(&text);
            let _ = Place::read(&format!("o:{text}"));
        }
    }

    fn page(listed: u64, total: u64) -> CatalogPage {
        let row = |master_id| crate::model::catalog::CatalogRow {
            master_id,
            title: Err(crate::model::gap::GapReason::HonestGap),
            artist: Err(crate::model::gap::GapReason::HonestGap),
            artist_cluster_id: Err(crate::model::gap::GapReason::HonestGap),
            year: Err(crate::model::gap::GapReason::HonestGap),
        };
        CatalogPage {
            rows: (1..=listed).map(row).collect(),
            listed: usize::try_from(listed).unwrap(),
            unreadable: 0,
            total: Ok(total),
            total_mode: Ok(TotalMode::Exact),
            onward: Onward::NoCursors,
        }
    }

    #[test]
    fn a_walk_never_passes_rows_that_it_did_not_show() {
        let Going::On { walk, .. } = Place::beginning().go_on(&page(50, 100), 0, 5) else {
            panic!("goes on")
        };
        assert_eq!(walk.rows, 5, "a page longer than the limit");
    }

    #[test]
    fn a_walk_never_ends_silently_before_the_rows_that_are_counted() {
        let going = |listed, total| Place::beginning().go_on(&page(listed, total), 0, 30);
        assert!(matches!(going(20, 100), Going::On { walk: Walk { rows: 20, .. }, .. }), "a short page");
        assert!(matches!(going(0, 100), Going::EndedEarly { why: SHORT, .. }), "an empty page");
        assert!(matches!(going(20, 20), Going::Ended { at_limit: false, .. }));
    }

    fn by_cursor(listed: u64, onward: Onward) -> CatalogPage {
        CatalogPage { onward, total_mode: Ok(TotalMode::LowerBound), ..page(listed, 100) }
    }

    #[test]
    fn a_walk_by_cursor_never_passes_rows_that_it_did_not_show() {
        for onward in [Onward::Cursor("after10".to_owned()), Onward::Last] {
            let going = Place::beginning().go_on(&by_cursor(10, onward), 0, 3);
            assert!(matches!(going, Going::EndedEarly { why: OVERFULL, .. }), "{going:?}");
        }
        let mut unreadable = by_cursor(10, Onward::Cursor("after10".to_owned()));
        unreadable.unreadable = 7;
        assert!(matches!(Place::beginning().go_on(&unreadable, 0, 3), Going::On { .. }));
        let mut short = by_cursor(3, Onward::Last);
        short.total_mode = Ok(TotalMode::Exact);
        let going = Place::beginning().go_on(&short, 0, 3);
        assert!(matches!(going, Going::EndedEarly { why: SHORT, .. }), "{going:?}");
    }

    #[test]
    fn a_service_that_leads_in_a_circle_ends_the_walk_however_wide_the_circle() {
        for width in [1_usize, 2, 3, 7, 20] {
            let mut place = Place::beginning();
            let mut pages = 0;
            let end = loop {
                let page = by_cursor(2, Onward::Cursor(format!("c{}", pages % width)));
                match place.go_on(&page, 0, 2) {
                    Going::On { walk, .. } => place = Place::read(&walk.place).unwrap(),
                    end => break end,
                }
                pages += 1;
                assert!(pages < 5 * width + 5, "a circle of {width}");
            };
            assert!(matches!(end, Going::EndedEarly { why: CIRCLE, .. }), "{end:?}");
            assert!(pages >= width, "a circle of {width} was left after {pages}");
        }
    }

    #[test]
    fn a_walk_whose_rows_come_again_says_that_others_may_be_missing() {
        let seen = Place::Counted(BTreeSet::from([1, 2]));
        for total in [3, 30] {
            let going = seen.go_on(&page(2, total), 2, 2);
            assert!(matches!(going, Going::EndedEarly { why: AGAIN, .. }), "{total}: {going:?}");
        }
        let going = seen.go_on(&page(3, 30), 2, 3);
        assert!(matches!(going, Going::On { .. }), "one new row: {going:?}");
    }

    #[test]
    fn the_longest_walk_of_ordinary_rows_fits_its_place() {
        let rows: BTreeSet<u64> = (0..10_000).map(|n| n * 350).collect();
        assert!(Place::Counted(rows).written().len() <= PLACE_BYTES_MAX);
        let cursor = Place::Upstream(Trail::begun("abc:def", 0));
        assert_eq!(Place::read("k:abc:def"), Some(cursor.clone()), "as it was written before");
        assert_eq!(Place::read(&cursor.written()), Some(cursor));
    }
}
