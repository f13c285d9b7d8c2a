//! What a mistake in a configuration file looks like to the person who made it.
//!
//! One line each: `FILE:LINE: section.key: found X; accepted: Y`. Knows nothing of TOML.

use std::fmt;

/// One thing that is wrong, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The line it stands on, counted from 1; `None` when the file could not be read at all.
    pub line: Option<usize>,
    /// `section.key`, `[section]`, or nothing for a mistake that belongs to no key.
    pub place: String,
    /// What is wrong and what is accepted, as one sentence without a line break.
    pub message: String,
}

impl Mistake {
    /// A mistake at a key: what was found, what is accepted.
    pub(crate) fn at(line: usize, place: impl Into<String>, found: &str, accepted: &str) -> Self {
        Self {
            line: Some(line),
            place: place.into(),
            message: format!("found {found}; accepted: {accepted}"),
        }
    }
}

/// Every mistake of one file, in the order of its lines; of a file with very many, the first 500 and their number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigErrors {
    name: String,
    mistakes: Vec<Mistake>,
}

impl ConfigErrors {
    pub(crate) fn new(name: &str, mut mistakes: Vec<Mistake>) -> Self {
        mistakes.sort_by_key(|mistake| mistake.line);
        Self { name: name.to_owned(), mistakes }
    }

    /// The mistakes; never empty.
    #[must_use]
    pub fn mistakes(&self) -> &[Mistake] {
        &self.mistakes
    }
}

impl fmt::Display for ConfigErrors {
    /// One line a mistake, without a final line break.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (count, mistake) in self.mistakes.iter().enumerate() {
            if count > 0 {
                writeln!(f)?;
            }
            write!(f, "{}", self.name)?;
            if let Some(line) = mistake.line {
                write!(f, ":{line}")?;
            }
            if !mistake.place.is_empty() {
                write!(f, ": {}", mistake.place)?;
            }
            write!(f, ": {}", mistake.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigErrors {}
