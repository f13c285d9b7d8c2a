//! What a database should hold, counted with every commit, so that a loss is noticed when it is opened.
//!
//! Decides how rows are counted: how many there are, and a sum of a mark of each that every lost, changed or returned
//! row makes wrong. It must never know what a row means.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};

use super::batch::{Change, Row};

/// The count of a database, as it lies in the database itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// How many commits there were.
    pub(super) commits: u64,
    /// How many rows there are.
    pub(super) rows: u64,
    /// The marks of all rows, added up.
    sum: u64,
}

impl Tally {
    pub(super) fn to_bytes(self) -> [u8; 24] {
        let mut bytes = [0; 24];
        let numbers = [self.commits, self.rows, self.sum];
        for (to, number) in bytes.chunks_exact_mut(8).zip(numbers) {
            to.copy_from_slice(&number.to_be_bytes());
        }
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (commits, rest) = bytes.split_first_chunk::<8>()?;
        let (rows, sum) = rest.split_first_chunk::<8>()?;
        let number = u64::from_be_bytes;
        Some(Self { commits: number(*commits), rows: number(*rows), sum: number(sum.try_into().ok()?) })
    }

    /// Whether both count the same rows, after however many commits.
    pub(super) fn counts_as(self, other: Self) -> bool {
        (self.rows, self.sum) == (other.rows, other.sum)
    }
}

/// The count, with the mark of each row, so that a row which is replaced or removed can be taken off.
pub(super) struct Ledger {
    tally: Tally,
    /// By two hashes of the key, keyed anew each time: two keys with the same are not to be expected.
    marks: HashMap<u128, u64>,
    hashers: [RandomState; 2],
}

impl Ledger {
    /// Counts these rows.
    pub(super) fn of(rows: &[Row], commits: u64) -> Self {
        let hashers = [RandomState::new(), RandomState::new()];
        let mut ledger =
            Self { tally: Tally { commits, ..Tally::default() }, marks: HashMap::new(), hashers };
        for row in rows {
            ledger.put(row);
        }
        ledger
    }

    pub(super) fn tally(&self) -> Tally {
        self.tally
    }

    /// Counts a commit of these changes; how the database then stands.
    pub(super) fn commit(&mut self, changes: &[Change]) -> Tally {
        for change in changes {
            match change {
                Change::Put(row) => self.put(row),
                Change::Remove(key) => self.remove(key),
            }
        }
        self.tally.commits = self.tally.commits.wrapping_add(1);
        self.tally
    }

    fn put(&mut self, row: &Row) {
        let mark = mark(row);
        let before = self.marks.insert(self.name(&row.key), mark);
        self.tally.rows += u64::from(before.is_none());
        self.tally.sum = self.tally.sum.wrapping_sub(before.unwrap_or(0)).wrapping_add(mark);
    }

    fn remove(&mut self, key: &[u8]) {
        if let Some(before) = self.marks.remove(&self.name(key)) {
            self.tally.rows -= 1;
            self.tally.sum = self.tally.sum.wrapping_sub(before);
        }
    }

    fn name(&self, key: &[u8]) -> u128 {
        let [one, other] = &self.hashers;
        u128::from(one.hash_one(key)) << 64 | u128::from(other.hash_one(key))
    }
}

impl std::fmt::Debug for Ledger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ledger").field("tally", &self.tally).finish_non_exhaustive()
    }
}

/// A number that is different for another key or value. It lies on the disk: its making never changes.
fn mark(row: &Row) -> u64 {
    let both = u64::from(crc32fast::hash(&row.key)) << 32 | u64::from(crc32fast::hash(&row.value));
    // Without this step the sums of the two halves could cancel out; each of its parts can be undone, so that no two
    // numbers become one.
    let mut mark = both.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mark = (mark ^ (mark >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mark = (mark ^ (mark >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mark ^ (mark >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(key: u8, value: u8) -> Row {
        Row { key: vec![key], value: vec![value; 3] }
    }

    #[test]
    fn counting_along_and_counting_what_is_left_come_to_the_same() {
        let mut ledger = Ledger::of(&[row(1, 1), row(2, 1)], 7);
        let put = |key, value| Change::Put(row(key, value));
        let changes = [put(3, 1), put(1, 2), Change::Remove(vec![2]), put(4, 1), Change::Remove(vec![9])];
        let after = ledger.commit(&changes);
        let left = [row(4, 1), row(1, 2), row(3, 1)];
        assert_eq!(after, Ledger::of(&left, 8).tally());
        assert_eq!(Tally::from_bytes(&after.to_bytes()), Some(after));
        assert_eq!((Tally::from_bytes(&[0; 23]), Tally::from_bytes(&[0; 25])), (None, None));
        for wrong in
            [&left[..2], &[row(4, 1), row(1, 1), row(3, 1)], &[left.as_slice(), &[row(2, 1)]].concat()]
        {
            assert!(!Ledger::of(wrong, 8).tally().counts_as(after), "{wrong:?}");
        }
    }

    #[test]
    fn the_mark_of_a_row_is_the_same_in_every_build() {
        let rows = [Row { key: b"a key".to_vec(), value: b"a value".to_vec() }];
        assert_eq!(Ledger::of(&rows, 0).tally().to_bytes()[16..], MARK);
    }

    const MARK: [u8; 8] = [0x35, 0x3a, 0xfa, 0xee, 0x1b, 0x76, 0x88, 0x8c];
}
