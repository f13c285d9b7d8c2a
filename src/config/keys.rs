//! The keys of one section, read as the types that sections ask for.
//!
//! Decides how a value of the wrong type or out of range is reported. Must never know what it means.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::document::{describe, names_a_file};
use super::reader::Reader;

/// The keys of one section. Asking for a key makes it known.
pub(super) struct Keys<'r, 'a> {
    reader: &'r mut Reader<'a>,
    section: &'static str,
    table: Option<&'a DeTable<'a>>,
    asked: Vec<&'static str>,
}

impl<'r, 'a> Keys<'r, 'a> {
    pub(super) fn new(
        reader: &'r mut Reader<'a>,
        section: &'static str,
        table: Option<&'a DeTable<'a>>,
    ) -> Self {
        Self { reader, section, table, asked: Vec::new() }
    }

    /// Every key that was asked for.
    pub(super) fn asked(self) -> Vec<&'static str> {
        self.asked
    }

    /// A switch.
    pub(super) fn flag(&mut self, key: &'static str, default: bool) -> bool {
        self.value(key, default, "true or false", |value| match value {
            DeValue::Boolean(flag) => Some(*flag),
            _ => None,
        })
    }

    /// A whole number of `unit` within `range`.
    pub(super) fn whole(
        &mut self,
        key: &'static str,
        default: u64,
        range: RangeInclusive<u64>,
        unit: &str,
    ) -> u64 {
        let accepted = format!("a whole number of {unit} from {} to {}", range.start(), range.end());
        self.value(key, default, &accepted, |value| match value {
            DeValue::Integer(integer) => u64::from_str_radix(integer.as_str(), integer.radix())
                .ok()
                .filter(|number| range.contains(number)),
            _ => None,
        })
    }

    /// A whole number of seconds.
    pub(super) fn seconds(
        &mut self,
        key: &'static str,
        default: Duration,
        range: RangeInclusive<u64>,
    ) -> Duration {
        Duration::from_secs(self.whole(key, default.as_secs(), range, "seconds"))
    }

    /// A whole number of milliseconds.
    pub(super) fn millis(
        &mut self,
        key: &'static str,
        default: Duration,
        range: RangeInclusive<u64>,
    ) -> Duration {
        let default = u64::try_from(default.as_millis()).unwrap_or(u64::MAX);
        Duration::from_millis(self.whole(key, default, range, "milliseconds"))
    }

    /// A string that `parse` understands.
    pub(super) fn text<T>(
        &mut self,
        key: &'static str,
        default: T,
        accepted: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> T {
        self.value(key, default, accepted, |value| match value {
            DeValue::String(text) => parse(text),
            _ => None,
        })
    }

    /// A string that `parse` understands, or "" for "not set".
    pub(super) fn optional<T>(
        &mut self,
        key: &'static str,
        accepted: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let accepted = format!("{accepted}, or \"\" for none");
        self.text(
            key,
            None,
            &accepted,
            |text| {
                if text.is_empty() { Some(None) } else { parse(text).map(Some) }
            },
        )
    }

    /// A secret that `parse` understands, or "" for "not set"; what was found is never shown.
    pub(super) fn secret<T>(
        &mut self,
        key: &'static str,
        accepted: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        self.asked.push(key);
        let (line, value) = self.find(key)?;
        let found = match value.get_ref() {
            DeValue::String(text) if text.is_empty() => return None,
            DeValue::String(text) => parse(text),
            _ => None,
        };
        if found.is_none() {
            self.report(line, key, "a value that cannot be one", &format!("{accepted}, or \"\" for none"));
        }
        found
    }

    /// The path of a file, or "" for "not set".
    pub(super) fn optional_path(&mut self, key: &'static str) -> Option<PathBuf> {
        self.optional(key, "the path of a file", path)
    }

    /// One of a closed list of names.
    pub(super) fn choice<T: Copy>(
        &mut self,
        key: &'static str,
        default: T,
        all: &[T],
        name: impl Fn(T) -> &'static str,
    ) -> T {
        let accepted =
            all.iter().map(|choice| format!("\"{}\"", name(*choice))).collect::<Vec<_>>().join(", ");
        self.text(key, default, &accepted, |text| all.iter().copied().find(|choice| name(*choice) == text))
    }

    /// The same, with a list that an absent key stands for.
    pub(super) fn list_or<T>(
        &mut self,
        key: &'static str,
        default: Vec<T>,
        accepted: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Vec<T> {
        if self.find(key).is_none() {
            self.asked.push(key);
            return default;
        }
        self.list(key, accepted, parse)
    }

    /// A list of strings that `parse` understands; every wrong entry is reported on its own line.
    pub(super) fn list<T>(
        &mut self,
        key: &'static str,
        accepted: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Vec<T> {
        self.asked.push(key);
        let Some((line, value)) = self.find(key) else {
            return Vec::new();
        };
        let DeValue::Array(array) = value.get_ref() else {
            self.report(line, key, &describe(value.get_ref()), &format!("a list; each entry {accepted}"));
            return Vec::new();
        };
        let mut list = Vec::new();
        for entry in array {
            let parsed = match entry.get_ref() {
                DeValue::String(text) => parse(text),
                _ => None,
            };
            match parsed {
                Some(parsed) => list.push(parsed),
                None => {
                    let line = self.reader.line_at(entry.span().start);
                    self.report(line, key, &format!("{} in the list", describe(entry.get_ref())), accepted);
                }
            }
        }
        list
    }

    /// Refuses a combination of keys of this section; see [`Reader::refuse`].
    pub(super) fn refuse(&mut self, keys: &[&str], found: &str, accepted: &str) {
        let places: Vec<String> = keys.iter().map(|key| format!("{}.{key}", self.section)).collect();
        let places: Vec<&str> = places.iter().map(String::as_str).collect();
        self.reader.refuse(&places, found, accepted);
    }

    fn value<T>(
        &mut self,
        key: &'static str,
        default: T,
        accepted: &str,
        parse: impl FnOnce(&DeValue<'_>) -> Option<T>,
    ) -> T {
        self.asked.push(key);
        let Some((line, value)) = self.find(key) else {
            return default;
        };
        parse(value.get_ref()).unwrap_or_else(|| {
            let found = match value.get_ref() {
                DeValue::Table(_) | DeValue::Array(_) => describe(value.get_ref()),
                _ if names_a_file(key) => "a value that is no path".to_owned(),
                value => describe(value),
            };
            self.report(line, key, &found, accepted);
            default
        })
    }

    fn find(&self, key: &str) -> Option<(usize, &'a Spanned<DeValue<'a>>)> {
        let (key, value) = self.table?.get_key_value(key)?;
        Some((self.reader.line_at(key.span().start), value))
    }

    fn report(&mut self, line: usize, key: &str, found: &str, accepted: &str) {
        let place = format!("{}.{key}", self.section);
        self.reader.report_faulty(line, place, found, accepted);
    }
}

/// A path that a file system can hold.
pub(super) fn path(text: &str) -> Option<PathBuf> {
    (!text.is_empty() && !text.contains('\0')).then(|| PathBuf::from(text))
}
