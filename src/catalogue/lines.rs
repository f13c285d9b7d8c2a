//! A file of records, one a line, kept as the bytes it is.
//!
//! Decides where a record begins and ends; knows nothing of what is in it. Only the ends are held in memory, so that
//! records nobody asks for cost nothing.

use serde::Deserialize;
use serde_json::Value;

use super::CatalogueError;
use super::files::File;

/// The records of one file.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    file: File,
    ends: Vec<u32>,
}

impl Lines {
    pub(super) fn of(file: File) -> Self {
        let ends = (0u32..).zip(file.bytes).filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at).collect();
        Self { file, ends }
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn path(&self) -> &'static str {
        self.file.path
    }

    /// The bytes of one record, counted from 0.
    pub(super) fn get(&self, line: usize) -> Option<&'static [u8]> {
        let start = match line.checked_sub(1) {
            None => 0,
            Some(before) => self.ends.get(before)?.checked_add(1)?,
        };
        let range = usize::try_from(start).ok()?..usize::try_from(*self.ends.get(line)?).ok()?;
        self.file.bytes.get(range)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &'static [u8]> + '_ {
        (0..self.len()).filter_map(|line| self.get(line))
    }

    /// Every record as `T`.
    pub(super) fn parse<T: Deserialize<'static>>(&self) -> Result<Vec<T>, CatalogueError> {
        let record = |(at, bytes)| {
            serde_json::from_slice(bytes).map_err(|source| CatalogueError::Record {
                path: self.path(),
                line: at + 1,
                source,
            })
        };
        self.iter().enumerate().map(record).collect()
    }

    /// One record as a JSON object to be changed; empty if it is none, which the tests of the data rule out.
    pub(super) fn object(&self, line: usize) -> serde_json::Map<String, Value> {
        self.get(line).and_then(|bytes| serde_json::from_slice(bytes).ok()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_found_and_none_after_the_last() {
        let lines = Lines::of(File { path: "x", bytes: b"{\"a\":1}\n\n[2]\nunfinished" });
        let all: Vec<_> = lines.iter().collect();
        assert_eq!(all, [&b"{\"a\":1}"[..], b"", b"[2]"]);
        assert_eq!(lines.get(3), None);
        assert_eq!(lines.object(0)["a"], 1);
    }

    #[test]
    fn a_broken_record_is_named_with_its_line() {
        let lines = Lines::of(File { path: "x", bytes: b"1\n{\n" });
        let problem = lines.parse::<Value>().unwrap_err().to_string();
        assert!(problem.starts_with("x of the demo catalogue, line 2:"), "{problem}");
    }
}
