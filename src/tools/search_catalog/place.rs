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
    Upstream(String),
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

/// Why a walk ends that the service cannot carry on.
pub(super) const NO_CURSOR: &str = "The data service gave no cursor that can be sent back, so the walk ends here; a narrower query is a new walk.";
/// Why a walk ends whose rows can no longer be kept apart.
pub(super) const TOO_LONG: &str =
    "The rows of this walk can no longer be kept apart, so it ends here; a narrower query is a new walk.";

/// Why a walk ends where the service counts rows that it does not send.
pub(super) const SHORT: &str =
    "The data service counts more rows than it sends, so the walk ends here; a narrower query is a new walk.";

impl Place {
    /// Before the first row.
    pub(super) fn beginning() -> Self {
        Self::Counted(BTreeSet::new())
    }

    /// Reads what [`Self::written`] wrote.
    pub(super) fn read(text: &str) -> Option<Self> {
        match text.split_once(':')? {
            ("o", seen) => Some(Self::Counted(unpacked(&URL_SAFE_NO_PAD.decode(seen).ok()?)?)),
            ("k", cursor) => Some(Self::Upstream(cursor.to_owned())),
            _ => None,
        }
    }

    fn written(&self) -> String {
        match self {
            Self::Counted(seen) => format!("o:{}", URL_SAFE_NO_PAD.encode(packed(seen))),
            Self::Upstream(cursor) => format!("k:{cursor}"),
        }
    }

    /// How the walk goes on after `page`, which was asked for with `limit` after `before` rows.
    pub(super) fn go_on(&self, page: &CatalogPage, before: u32, limit: u32) -> Going {
        let sent = u32::try_from(page.listed).unwrap_or(u32::MAX);
        // Rows beyond the limit are not shown, so the walk has not passed them.
        let rows = before.saturating_add(sent.min(limit));
        let by_cursor = matches!(self, Self::Upstream(_)) || page.onward != Onward::NoCursors;
        let mode = if by_cursor { PaginationMode::Keyset } else { PaginationMode::OffsetWalk };
        let next = match (&page.onward, self) {
            (Onward::Last, _) => return Going::Ended { mode, at_limit: false },
            (Onward::Cursor(cursor), _) => Self::Upstream(cursor.clone()),
            (Onward::Unusable, _) | (Onward::NoCursors, Self::Upstream(_)) => {
                return Going::EndedEarly { mode, why: NO_CURSOR };
            }
            (Onward::NoCursors, Self::Counted(seen)) => {
                let total = page.total.ok().filter(|_| page.total_mode == Ok(TotalMode::Exact));
                match total {
                    Some(total) if u64::from(rows) >= total => return Going::Ended { mode, at_limit: false },
                    // A short page is the last one only where the service does not count more.
                    Some(_) if sent == 0 => return Going::EndedEarly { mode, why: SHORT },
                    None if sent < limit => return Going::Ended { mode, at_limit: false },
                    Some(_) | None => {}
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

    #[test]
    fn the_longest_walk_of_ordinary_rows_fits_its_place() {
        let rows: BTreeSet<u64> = (0..10_000).map(|n| n * 350).collect();
        assert!(Place::Counted(rows).written().len() <= PLACE_BYTES_MAX);
        let cursor = Place::Upstream("abc:def".to_owned());
        assert_eq!(Place::read(&cursor.written()), Some(cursor));
    }
}
