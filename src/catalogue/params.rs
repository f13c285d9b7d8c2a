//! The parameters of a request, read as what they must be.
//!
//! Decides what a number, a choice or a list in a query is; knows nothing of what they are for.

use std::ops::RangeInclusive;

use super::answer::Problem;

/// The query of one request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Params<'a>(&'a [(String, String)]);

impl<'a> Params<'a> {
    pub(super) fn new(query: &'a [(String, String)]) -> Self {
        Self(query)
    }

    /// The first value that is not blank, trimmed.
    pub(super) fn get(&self, name: &str) -> Option<&'a str> {
        self.all(name).next()
    }

    /// Every value that is not blank, trimmed.
    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let name = name.to_owned();
        self.0
            .iter()
            .filter(move |(key, _)| *key == name)
            .map(|(_, value)| value.trim())
            .filter(|v| !v.is_empty())
    }

    /// A whole number within `range`.
    pub(super) fn number(&self, name: &str, range: RangeInclusive<u32>) -> Result<Option<u32>, Problem> {
        let Some(text) = self.get(name) else {
            return Ok(None);
        };
        match text.parse() {
            Ok(number) if range.contains(&number) => Ok(Some(number)),
            _ => {
                let message = format!("must be a whole number from {} to {}", range.start(), range.end());
                Err(Problem::invalid_query(name, message))
            }
        }
    }

    /// A whole number that is moved into `range` where it lies outside.
    pub(super) fn clamped(&self, name: &str, range: RangeInclusive<u32>) -> Result<Option<u32>, Problem> {
        Ok(self.number(name, 0..=u32::MAX)?.map(|number| number.clamp(*range.start(), *range.end())))
    }

    /// One of a few words.
    pub(super) fn choice(&self, name: &str, words: &[&'static str]) -> Result<Option<&'static str>, Problem> {
        let Some(text) = self.get(name) else {
            return Ok(None);
        };
        match words.iter().find(|word| **word == text) {
            Some(word) => Ok(Some(word)),
            None => Err(Problem::invalid_query(name, format!("must be one of: {}", words.join(", ")))),
        }
    }
}
