//! What an answer rests on, so that it can be told whether the same question would be answered the same now.
//!
//! Decides when that is certain. It must never know what was asked, nor what the answer says.

use super::extensions::Extension;
use super::sharing::Key;
use crate::model::date::Day;

/// What an answer may depend on beside what is read for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    pub(super) today: Day,
    pub(super) extensions: [bool; Extension::ALL.len()],
    /// How often anything of the remembered identities has changed.
    pub(super) identities: u64,
}

/// A kept answer of the service that was read: its request, and which of the answers to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Read {
    pub(super) key: Key,
    pub(super) number: u64,
}

/// Everything that an answer rests on that was made of kept answers alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Basis {
    pub(super) moment: Moment,
    pub(super) reads: Vec<Read>,
}

/// What a call has read so far.
#[derive(Debug, Default)]
pub(super) enum Reads {
    /// Nothing.
    #[default]
    None,
    /// Kept answers alone.
    Kept(Vec<Read>),
    /// Something that was not kept, too.
    Others,
}

impl Reads {
    /// A kept answer was read.
    pub(super) fn kept(&mut self, read: Read) {
        match self {
            Self::None => *self = Self::Kept(vec![read]),
            Self::Kept(reads) => reads.push(read),
            Self::Others => {}
        }
    }
}
