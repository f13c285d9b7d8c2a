//! The keys of one rule, read as the types that its parts ask for.
//!
//! Decides how a wrong value is reported; knows nothing of what a key means.

use std::ops::RangeInclusive;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::config::Mistake;
use crate::config::document::{Lines, clean, describe};
use crate::nearest::nearest;

/// One rule. Asking for a key makes it known.
pub(super) struct RuleKeys<'r> {
    lines: &'r Lines<'r>,
    place: String,
    line: usize,
    table: &'r DeTable<'r>,
    asked: Vec<&'static str>,
    mistakes: &'r mut Vec<Mistake>,
}

impl<'r> RuleKeys<'r> {
    pub(super) fn new(
        lines: &'r Lines<'r>,
        number: usize,
        line: usize,
        table: &'r DeTable<'r>,
        mistakes: &'r mut Vec<Mistake>,
    ) -> Self {
        Self { lines, place: format!("rule {number}"), line, table, asked: Vec::new(), mistakes }
    }

    /// Whether any of these keys is written.
    pub(super) fn has_any(&self, keys: &[&str]) -> bool {
        keys.iter().any(|key| self.table.contains_key(*key))
    }

    /// A switch.
    pub(super) fn flag(&mut self, key: &'static str) -> bool {
        let value = self.value(key, "true or false", |value| match value {
            DeValue::Boolean(flag) => Some(*flag),
            _ => None,
        });
        value.unwrap_or(false)
    }

    /// A whole number of `unit` within `range`.
    pub(super) fn whole(&mut self, key: &'static str, range: RangeInclusive<u64>, unit: &str) -> Option<u64> {
        let accepted = format!("a whole number of {unit} from {} to {}", range.start(), range.end());
        self.value(key, &accepted, |value| match value {
            DeValue::Integer(integer) => u64::from_str_radix(integer.as_str(), integer.radix())
                .ok()
                .filter(|number| range.contains(number)),
            _ => None,
        })
    }

    /// A string that `parse` understands.
    pub(super) fn text<T>(
        &mut self,
        key: &'static str,
        accepted: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        self.value(key, accepted, |value| match value {
            DeValue::String(text) => parse(text),
            _ => None,
        })
    }

    /// One of a closed list of words.
    pub(super) fn choice<T: Copy>(&mut self, key: &'static str, all: &[(&str, T)]) -> Option<T> {
        let words: Vec<String> = all.iter().map(|(word, _)| format!("\"{word}\"")).collect();
        self.text(key, &words.join(", "), |text| {
            all.iter().find(|(word, _)| *word == text).map(|(_, choice)| *choice)
        })
    }

    /// One string, or a list of them; each that `parse` does not understand is reported.
    pub(super) fn list<T>(
        &mut self,
        key: &'static str,
        accepted: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Vec<T> {
        self.asked.push(key);
        let Some((line, value)) = self.find(key) else { return Vec::new() };
        let entries: Vec<(usize, &DeValue<'_>)> = match value.get_ref() {
            DeValue::Array(entries) => {
                entries.iter().map(|entry| (self.lines.at(entry.span().start), entry.get_ref())).collect()
            }
            one => vec![(line, one)],
        };
        let mut list = Vec::new();
        for (line, entry) in entries {
            let parsed = match entry {
                DeValue::String(text) => parse(text),
                _ => None,
            };
            match parsed {
                Some(parsed) => list.push(parsed),
                None => self.report(line, key, &describe(entry), accepted),
            }
        }
        list
    }

    /// A table of names to values, written `{ "name" = value }`.
    pub(super) fn pairs<T>(
        &mut self,
        key: &'static str,
        accepted: &str,
        parse: impl Fn(&str, &DeValue<'_>) -> Option<T>,
    ) -> Vec<T> {
        self.asked.push(key);
        let Some((line, value)) = self.find(key) else { return Vec::new() };
        let DeValue::Table(table) = value.get_ref() else {
            self.report(line, key, &describe(value.get_ref()), accepted);
            return Vec::new();
        };
        let mut list = Vec::new();
        for (name, value) in table {
            match parse(name.get_ref(), value.get_ref()) {
                Some(pair) => list.push(pair),
                None => {
                    let line = self.lines.at(name.span().start);
                    let found = format!("\"{}\" = {}", clean(name.get_ref()), describe(value.get_ref()));
                    self.report(line, key, &found, accepted);
                }
            }
        }
        list
    }

    /// Reports a key whose value does not go with another's.
    pub(super) fn refuse(&mut self, key: &'static str, accepted: &str) {
        if let Some((line, value)) = self.find(key) {
            self.report(line, key, &describe(value.get_ref()), accepted);
        }
    }

    /// Reports the rule itself.
    pub(super) fn refuse_rule(&mut self, found: &str, accepted: &str) {
        self.mistakes.push(Mistake::at(self.line, self.place.clone(), found, accepted));
    }

    /// Reports every key that nobody asked for.
    pub(super) fn finish(self) {
        let strays: Vec<(usize, &str)> = self
            .table
            .keys()
            .map(|key| (self.lines.at(key.span().start), key.get_ref().as_ref()))
            .filter(|(_, name)| !self.asked.contains(name))
            .collect();
        for (line, name) in strays {
            let near = nearest(name, self.asked.iter().copied());
            let accepted =
                near.map_or_else(|| self.asked.join(", "), |near| format!("{near} (the nearest name)"));
            let place = format!("{} {}", self.place, clean(name));
            self.mistakes.push(Mistake::at(line, place, "an unknown key", &accepted));
        }
    }

    fn value<T>(
        &mut self,
        key: &'static str,
        accepted: &str,
        parse: impl FnOnce(&DeValue<'_>) -> Option<T>,
    ) -> Option<T> {
        self.asked.push(key);
        let (line, value) = self.find(key)?;
        let parsed = parse(value.get_ref());
        if parsed.is_none() {
            self.report(line, key, &describe(value.get_ref()), accepted);
        }
        parsed
    }

    fn find(&self, key: &str) -> Option<(usize, &'r Spanned<DeValue<'r>>)> {
        let (key, value) = self.table.get_key_value(key)?;
        Some((self.lines.at(key.span().start), value))
    }

    fn report(&mut self, line: usize, key: &str, found: &str, accepted: &str) {
        self.mistakes.push(Mistake::at(line, format!("{} {key}", self.place), found, accepted));
    }
}
