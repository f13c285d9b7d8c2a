//! What kinds of records there are: the first byte of each key, how long each is kept, and how many of them.
//!
//! The table of docs/storage.md is held to this one.

use std::time::Duration;

/// The form of the store as a whole. Every new class and every new version of one raises it, so that an earlier program
/// knows the store for a newer one and takes nothing in it for damage.
pub const FORM: u32 = 2;

/// A kind of record. Closed; the byte of a class never changes its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// What is known of an account.
    Account,
    /// The allowance of an account: month, units used, units set aside.
    Quota,
    /// The daily budget that anonymous callers share.
    Anonymous,
    /// The latest UTC day that was ever counted in, so that no clock brings an earlier one back.
    Calendar,
    /// Answers that identical calls are answered with.
    Replay,
    /// Where walks through long results stand.
    Cursor,
    /// Degraded windows of the data service.
    Window,
    /// The protection ladder and what an operator switched off.
    Ladder,
    /// Calls that the data service's plan counted in this month.
    Month,
    /// Verified identities behind cluster ids.
    Identity,
    /// Room for receipts; nothing is written yet.
    Receipt,
    /// Room for runs; nothing is written yet.
    Run,
}

/// What becomes of a class that is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenFull {
    /// The record that would expire first makes room.
    ForgetOldest,
    /// The new record is refused.
    Refuse,
}

const MINUTE: u64 = 60;
const DAY: u64 = 24 * 60 * MINUTE;

impl Class {
    /// Every class.
    pub const ALL: [Self; 12] = [
        Self::Account,
        Self::Quota,
        Self::Anonymous,
        Self::Calendar,
        Self::Replay,
        Self::Cursor,
        Self::Window,
        Self::Ladder,
        Self::Month,
        Self::Identity,
        Self::Receipt,
        Self::Run,
    ];

    /// The first byte of its keys.
    #[must_use]
    pub fn byte(self) -> u8 {
        match self {
            Self::Account => b'a',
            Self::Quota => b'q',
            Self::Anonymous => b'A',
            Self::Calendar => b'k',
            Self::Replay => b'i',
            Self::Cursor => b'c',
            Self::Window => b'w',
            Self::Ladder => b'l',
            Self::Month => b'm',
            Self::Identity => b'd',
            Self::Receipt => b'e',
            Self::Run => b'r',
        }
    }

    /// The class of a first byte.
    #[must_use]
    pub fn of(byte: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.byte() == byte)
    }

    /// Its name in documentation and messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::Quota => "quota",
            Self::Anonymous => "anonymous",
            Self::Calendar => "calendar",
            Self::Replay => "replay",
            Self::Cursor => "cursor",
            Self::Window => "window",
            Self::Ladder => "ladder",
            Self::Month => "month",
            Self::Identity => "identity",
            Self::Receipt => "receipt",
            Self::Run => "run",
        }
    }

    /// The version of the form that this program writes. Older ones are read and rewritten; newer ones are refused.
    #[must_use]
    pub fn version(self) -> u8 {
        match self {
            // Since version 2 an account may never have been seen.
            Self::Account => 2,
            _ => 1,
        }
    }

    /// How long a record is kept after it was last written; `None` for as long as the store lives.
    #[must_use]
    pub fn lifetime(self) -> Option<Duration> {
        let seconds = match self {
            Self::Account | Self::Ladder | Self::Month | Self::Anonymous | Self::Calendar => return None,
            Self::Quota => 40 * DAY,
            Self::Replay => 10 * MINUTE,
            Self::Cursor => DAY,
            Self::Window => 10 * MINUTE,
            Self::Identity => 30 * DAY,
            Self::Receipt | Self::Run => 90 * DAY,
        };
        Some(Duration::from_secs(seconds))
    }

    /// The most records that are kept.
    #[must_use]
    pub fn rows_max(self) -> usize {
        match self {
            Self::Account | Self::Quota => 1_000_000,
            Self::Anonymous | Self::Calendar | Self::Ladder | Self::Month => 1,
            Self::Replay => 50_000,
            Self::Cursor => 100_000,
            Self::Window => 64,
            Self::Identity => 100_000,
            Self::Receipt | Self::Run => 0,
        }
    }

    /// The most bytes that all its records together take in memory and, before the database's own overhead, on disk.
    #[must_use]
    pub fn bytes_max(self) -> usize {
        const MIB: usize = 1024 * 1024;
        match self {
            Self::Account | Self::Quota => 256 * MIB,
            Self::Anonymous | Self::Calendar | Self::Ladder | Self::Month | Self::Window => MIB,
            Self::Replay | Self::Cursor => 64 * MIB,
            Self::Identity => 32 * MIB,
            Self::Receipt | Self::Run => 0,
        }
    }

    /// What happens when there are as many.
    #[must_use]
    pub fn when_full(self) -> WhenFull {
        match self {
            // What was used must never be forgotten to make room: that would grant it again.
            Self::Account
            | Self::Quota
            | Self::Anonymous
            | Self::Calendar
            | Self::Ladder
            | Self::Month
            | Self::Receipt
            | Self::Run => WhenFull::Refuse,
            Self::Replay | Self::Cursor | Self::Window | Self::Identity => WhenFull::ForgetOldest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_a_byte_of_its_own_and_is_found_by_it() {
        for class in Class::ALL {
            assert_eq!(Class::of(class.byte()), Some(class));
        }
        assert_eq!(Class::of(b'?'), None);
    }

    #[test]
    fn a_new_class_or_version_raises_the_form_of_the_store() {
        let versions: u8 = Class::ALL.into_iter().map(Class::version).sum();
        assert_eq!(
            (FORM, Class::ALL.len(), versions),
            (2, 12, 13),
            "with the other two the first has to change as well"
        );
    }

    #[test]
    fn a_class_that_forgets_its_oldest_has_an_order_to_forget_in() {
        for class in Class::ALL {
            assert!(class.when_full() == WhenFull::Refuse || class.lifetime().is_some(), "{class:?}");
        }
    }
}
