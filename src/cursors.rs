//! Where walks through long results stand, behind a word that only its caller can use.
//!
//! Decides when a cursor is refused. It must never know what is walked through: a place is the words of whoever
//! began the walk.

pub mod memory;
pub mod seal;
pub mod stored;

use std::fmt::{self, Debug};
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use ring::digest::{SHA256, digest};

pub use self::memory::MemoryCursors;
pub use self::stored::StoredCursors;

/// How long a cursor is good for.
pub const CURSOR_LIFE: Duration = Duration::from_secs(24 * 60 * 60);
/// How many cursors one account may hold; a further one takes the place of the oldest.
pub const CURSORS_PER_ACCOUNT: usize = 20;
/// The longest cursor, in characters.
pub const CURSOR_CHARS_MAX: usize = 1_024;
/// The longest place of a walk, in bytes: the numbers of ten thousand rows of the catalogue, packed.
pub const PLACE_BYTES_MAX: usize = 30_000;
/// The longest walk, in rows.
pub const WALK_ROWS_MAX: u32 = 10_000;

/// Whose cursor it is: a key that only tells accounts apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Owner([u8; 16]);

impl Owner {
    /// The owner of this key.
    #[must_use]
    pub fn new(key: [u8; 16]) -> Self {
        Self(key)
    }

    /// The key.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

/// What a walk is through: a digest of the question without its place and the length of its pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Question([u8; 32]);

impl Question {
    /// The question that these pairs of name and value ask, in this order.
    #[must_use]
    pub fn of<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut written = Vec::new();
        for part in pairs.into_iter().flat_map(|(name, value)| [name, value]) {
            written.extend_from_slice(&(part.len() as u64).to_be_bytes());
            written.extend_from_slice(part.as_bytes());
        }
        let hash = digest(&SHA256, &written);
        let mut question = [0; 32];
        for (to, from) in question.iter_mut().zip(hash.as_ref()) {
            *to = *from;
        }
        Self(question)
    }

    /// The digest.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Where a walk stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    /// Where it goes on, in the words of whoever began it; at most [`PLACE_BYTES_MAX`].
    pub place: String,
    /// Rows that were served so far.
    pub rows: u32,
}

/// Why a cursor is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CursorRefusal {
    /// This server did not issue it to this account; whether to another one is nobody's business.
    NotIssued,
    /// It belongs to another question.
    OtherQuestion,
    /// It is too old.
    Expired,
}

impl CursorRefusal {
    /// Every refusal.
    pub const ALL: [Self; 3] = [Self::NotIssued, Self::OtherQuestion, Self::Expired];

    /// The word in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotIssued => "not_issued",
            Self::OtherQuestion => "other_query",
            Self::Expired => "expired",
        }
    }
}

impl fmt::Display for CursorRefusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::NotIssued => "was not issued to this account",
            Self::OtherQuestion => "belongs to another query",
            Self::Expired => "has expired",
        })
    }
}

/// A cursor could not be issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the place of the walk could not be kept")]
pub struct NotKept;

/// A cursor that is being issued.
pub type Issuing<'a> = Pin<Box<dyn Future<Output = Result<String, NotKept>> + Send + 'a>>;

/// Something that keeps the places of walks.
pub trait Cursors: Debug + Send + Sync {
    /// Where the walk of this cursor stands.
    ///
    /// # Errors
    /// When the cursor is not one of this account, for this question, of today.
    fn open(&self, cursor: &str, owner: Owner, question: Question) -> Result<Walk, CursorRefusal>;

    /// Keeps where a walk stands and gives the cursor that leads there, at most [`CURSOR_CHARS_MAX`] long.
    ///
    /// The future fails when the place is too long or cannot be kept.
    fn issue(&self, owner: Owner, question: Question, walk: Walk) -> Issuing<'_>;
}

/// The walks of one caller; one without an account begins none.
#[derive(Clone, Copy, Debug)]
pub struct Walks<'a> {
    /// Where places are kept.
    pub cursors: &'a dyn Cursors,
    /// Whose they are.
    pub owner: Option<Owner>,
}

impl Walks<'_> {
    /// Where the walk of this cursor stands.
    ///
    /// # Errors
    /// As [`Cursors::open`]; nothing was ever issued to a caller without an account.
    pub fn open(&self, cursor: &str, question: Question) -> Result<Walk, CursorRefusal> {
        let owner = self.owner.ok_or(CursorRefusal::NotIssued)?;
        self.cursors.open(cursor, owner, question)
    }

    /// A cursor that leads to this place; `None` when it cannot be kept.
    pub async fn issue(&self, question: Question, walk: Walk) -> Option<String> {
        self.cursors.issue(self.owner?, question, walk).await.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_questions_are_one_however_they_are_cut() {
        let questions = [
            Question::of([("q", "a"), ("genre", "b")]),
            Question::of([("q", "a"), ("genre", "c")]),
            Question::of([("q", "ab"), ("genre", "")]),
            Question::of([("q", "agenreb")]),
            Question::of([("qa", ""), ("genre", "b")]),
            Question::of([]),
        ];
        let different: std::collections::HashSet<_> = questions.into_iter().collect();
        assert_eq!(different.len(), questions.len());
    }
}
