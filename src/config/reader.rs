//! Walks a document section by section and collects every mistake with its line.
//!
//! Decides how an unknown section, an unknown key and a combination that makes no sense are reported.
//! Must never know what a key means: each section says that itself.

use std::collections::BTreeSet;

use toml::de::{DeTable, DeValue};

use super::document::{DUPLICATE, clean, describe, line_at};
use super::keys::Keys;
use super::mistake::Mistake;
use crate::nearest::nearest;

/// Walks one document, section by section.
pub(super) struct Reader<'a> {
    text: &'a str,
    root: &'a DeTable<'a>,
    mistakes: Vec<Mistake>,
    broken_lines: BTreeSet<usize>,
    known: Vec<(&'static str, Vec<&'static str>)>,
    faulty: BTreeSet<String>,
    sections_lost: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, root: &'a DeTable<'a>, syntax: Vec<Mistake>) -> Self {
        let broken_lines: BTreeSet<usize> = syntax.iter().filter_map(|mistake| mistake.line).collect();
        // After a broken section header nobody knows which section the next keys belong to.
        let heads_section =
            |line: usize| text.lines().nth(line - 1).is_some_and(|line| line.starts_with('['));
        let sections_lost = syntax
            .iter()
            .filter(|mistake| !mistake.message.ends_with(DUPLICATE))
            .filter_map(|mistake| mistake.line)
            .any(heads_section);
        Self {
            text,
            root,
            mistakes: syntax,
            broken_lines,
            known: Vec::new(),
            faulty: BTreeSet::new(),
            sections_lost,
        }
    }

    /// Reads the section `name`; an absent one reads as if it were empty.
    pub(super) fn section<S>(&mut self, name: &'static str, read: impl FnOnce(&mut Keys<'_, 'a>) -> S) -> S {
        let table = self.root.get(name).and_then(|value| match value.get_ref() {
            DeValue::Table(table) => Some(table),
            _ => None,
        });
        let mut keys = Keys::new(self, name, table);
        let section = read(&mut keys);
        let asked = keys.asked();
        self.known.push((name, asked));
        section
    }

    /// The text of the file.
    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    /// Reports a value that could not be taken; combinations with it are not looked at any more.
    pub(super) fn report_faulty(&mut self, line: usize, place: String, found: &str, accepted: &str) {
        self.report(line, &place, found, accepted);
        self.faulty.insert(place);
    }

    /// Refuses a combination of keys, at the first of `involved` that is written in the file.
    /// Silent when one of them is faulty already: its value here is only the default.
    pub(super) fn refuse(&mut self, involved: &[&str], found: &str, accepted: &str) {
        if involved.iter().any(|place| self.faulty.contains(*place)) {
            return;
        }
        let Some(place) = involved.first() else { return };
        let line = involved.iter().find_map(|place| self.line_of(place)).unwrap_or(1);
        self.report(line, place, found, accepted);
    }

    /// Every `section.key` that was asked for.
    pub(super) fn known_keys(&self) -> Vec<String> {
        let keys = |(section, keys): &(&str, Vec<&str>)| {
            keys.iter().map(|key| format!("{section}.{key}")).collect::<Vec<_>>()
        };
        self.known.iter().flat_map(keys).collect()
    }

    /// Adds what nobody asked for, and returns all mistakes.
    pub(super) fn finish(mut self) -> Vec<Mistake> {
        for (key, value) in self.root {
            let (name, line) = (key.get_ref().as_ref(), line_at(self.text, key.span().start));
            let sections: Vec<&str> = self.known.iter().map(|(section, _)| *section).collect();
            match (self.known.iter().position(|(section, _)| *section == name), value.get_ref()) {
                (Some(at), DeValue::Table(table)) => self.unknown_keys(at, table),
                (Some(_), other) => {
                    self.report(line, name, &describe(other), &format!("a section, written [{name}]"));
                }
                (None, DeValue::Table(_)) => {
                    let accepted = match nearest(name, sections.iter().copied()) {
                        Some(section) => format!("[{section}] (the nearest name)"),
                        None => {
                            sections.iter().map(|name| format!("[{name}]")).collect::<Vec<_>>().join(", ")
                        }
                    };
                    self.report(line, &format!("[{}]", clean(name)), "an unknown section", &accepted);
                }
                (None, _) => {
                    let accepted = match self.home_of(name) {
                        Some(section) => format!("{name} under [{section}]"),
                        None => "keys under a section such as [server]".to_owned(),
                    };
                    self.report(line, &clean(name), "a key outside of every section", &accepted);
                }
            }
        }
        self.mistakes
    }

    fn unknown_keys(&mut self, section_at: usize, table: &DeTable<'_>) {
        let Some((section, asked)) = self.known.get(section_at).cloned() else {
            return;
        };
        for (key, _) in table {
            let name = key.get_ref().as_ref();
            if asked.contains(&name) {
                continue;
            }
            let accepted = if let Some(home) = self.home_of(name) {
                format!("{name} under [{home}]")
            } else if let Some(near) = nearest(name, asked.iter().copied()) {
                format!("{near} (the nearest name)")
            } else {
                asked.join(", ")
            };
            let line = line_at(self.text, key.span().start);
            self.report(line, &format!("{section}.{}", clean(name)), "an unknown key", &accepted);
        }
    }

    /// The only section that knows a key of this name.
    fn home_of(&self, key: &str) -> Option<&'static str> {
        let mut homes = self.known.iter().filter(|(_, keys)| keys.contains(&key));
        match (homes.next(), homes.next()) {
            (Some((section, _)), None) => Some(section),
            _ => None,
        }
    }

    fn line_of(&self, place: &str) -> Option<usize> {
        let (section, key) = place.split_once('.')?;
        let DeValue::Table(table) = self.root.get(section)?.get_ref() else {
            return None;
        };
        let (key, _) = table.get_key_value(key)?;
        Some(line_at(self.text, key.span().start))
    }

    fn report(&mut self, line: usize, place: &str, found: &str, accepted: &str) {
        // Where the syntax is broken, what was recovered of the value means nothing.
        if !self.sections_lost && !self.broken_lines.contains(&line) {
            self.mistakes.push(Mistake::at(line, place, found, accepted));
        }
    }
}
