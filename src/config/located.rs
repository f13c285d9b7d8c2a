//! A configuration with the lines of its keys, for what turns out only when the files that it names are read.

use std::collections::BTreeMap;

use super::mistake::{ConfigErrors, Mistake};

/// The line of each key that is written in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    name: String,
    lines: BTreeMap<String, usize>,
}

impl Places {
    pub(super) fn new(name: &str, lines: BTreeMap<String, usize>) -> Self {
        Self { name: name.to_owned(), lines }
    }

    /// What is wrong at keys of this file, as mistakes of it: place, what was found, what is accepted.
    #[must_use]
    pub fn errors<'a>(&self, wrong: impl IntoIterator<Item = (&'a str, &'a str, &'a str)>) -> ConfigErrors {
        let at = |(place, found, accepted): (&str, &str, &str)| {
            // A key of one of several tables stands, for a person who looks for it, below the name of those.
            let written = place.split_once('[').map_or(place, |(list, _)| list);
            let line = self.lines.get(place).or_else(|| self.lines.get(written)).copied().unwrap_or(1);
            Mistake::at(line, place, found, accepted)
        };
        ConfigErrors::new(&self.name, wrong.into_iter().map(at).collect())
    }
}
