//! Reads sections out of a TOML document and collects every mistake with its line.
//!
//! Decides how a value that is wrong, a key that is unknown and a combination that makes no sense
//! are reported. Must never know what a key means: each section says that itself.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::mistake::Mistake;
use super::nearest::nearest;

/// No honest configuration is longer; a device or a log passed by mistake is refused.
const FILE_LIMIT_BYTES: u64 = 1024 * 1024;

/// What the parser says of a key or section that is there already.
const DUPLICATE: &str = "duplicate key";

/// A document, and what is wrong with its syntax.
pub(super) fn parse(text: &str) -> (Spanned<DeTable<'_>>, Vec<Mistake>) {
    let (document, errors) = DeTable::parse_recoverable(text);
    let mut mistakes: Vec<Mistake> = Vec::new();
    for error in errors {
        let line = line_at(text, error.span().map_or(0, |span| span.start));
        // What follows the first error of a line is mostly its echo.
        if mistakes.iter().all(|mistake| mistake.line != Some(line)) {
            let message = syntax_message(&error.message().replace('\n', ", "), text.lines().nth(line - 1));
            mistakes.push(Mistake {
                line: Some(line),
                place: String::new(),
                message,
            });
        }
    }
    (document, mistakes)
}

/// The parser's words, or our own for the usual mistake: a value that is neither quoted nor a number.
fn syntax_message(parser: &str, line: Option<&str>) -> String {
    let value = line
        .and_then(|line| line.split_once('='))
        .map(|(_, value)| value.trim());
    match value {
        Some(value) if parser != DUPLICATE && !value.starts_with(['"', '\'', '[', '{']) => {
            let found = if value.is_empty() {
                "no value".to_owned()
            } else {
                clean(value)
            };
            format!(
                "not TOML: found {found}; accepted: text in double quotes, a number, true, false or a list"
            )
        }
        _ => format!("not TOML: {parser}"),
    }
}

/// The text of a configuration file.
pub(super) fn read_file(path: &Path) -> Result<String, Mistake> {
    let whole = |message: String| Mistake {
        line: None,
        place: String::new(),
        message,
    };
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(FILE_LIMIT_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| whole(format!("cannot be read: {error}")))?;
    if bytes.len() as u64 > FILE_LIMIT_BYTES {
        return Err(whole(format!(
            "is longer than {FILE_LIMIT_BYTES} bytes, so it is not a configuration file"
        )));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = 1 + error
            .as_bytes()
            .iter()
            .take(valid)
            .filter(|byte| **byte == b'\n')
            .count();
        Mistake {
            line: Some(line),
            place: String::new(),
            message: "not TOML: not UTF-8 text".to_owned(),
        }
    })
}

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
        let heads_section = |line: usize| {
            text.lines()
                .nth(line - 1)
                .is_some_and(|line| line.starts_with('['))
        };
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
        let mut keys = Keys {
            reader: self,
            section: name,
            table,
            asked: Vec::new(),
        };
        let section = read(&mut keys);
        let asked = keys.asked;
        self.known.push((name, asked));
        section
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
            keys.iter()
                .map(|key| format!("{section}.{key}"))
                .collect::<Vec<_>>()
        };
        self.known.iter().flat_map(keys).collect()
    }

    /// Adds what nobody asked for, and returns all mistakes.
    pub(super) fn finish(mut self) -> Vec<Mistake> {
        for (key, value) in self.root {
            let (name, line) = (key.get_ref().as_ref(), line_at(self.text, key.span().start));
            let sections: Vec<&str> = self.known.iter().map(|(section, _)| *section).collect();
            match (
                self.known.iter().position(|(section, _)| *section == name),
                value.get_ref(),
            ) {
                (Some(at), DeValue::Table(table)) => self.unknown_keys(at, table),
                (Some(_), other) => {
                    self.report(
                        line,
                        name,
                        &describe(other),
                        &format!("a section, written [{name}]"),
                    );
                }
                (None, DeValue::Table(_)) => {
                    let accepted = match nearest(name, sections.iter().copied()) {
                        Some(section) => format!("[{section}] (the nearest name)"),
                        None => sections
                            .iter()
                            .map(|name| format!("[{name}]"))
                            .collect::<Vec<_>>()
                            .join(", "),
                    };
                    self.report(
                        line,
                        &format!("[{}]", clean(name)),
                        "an unknown section",
                        &accepted,
                    );
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
            self.report(
                line,
                &format!("{section}.{}", clean(name)),
                "an unknown key",
                &accepted,
            );
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

/// The keys of one section. Asking for a key makes it known.
pub(super) struct Keys<'r, 'a> {
    reader: &'r mut Reader<'a>,
    section: &'static str,
    table: Option<&'a DeTable<'a>>,
    asked: Vec<&'static str>,
}

impl<'a> Keys<'_, 'a> {
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
        let accepted = format!(
            "a whole number of {unit} from {} to {}",
            range.start(),
            range.end()
        );
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
        self.text(key, None, &accepted, |text| {
            if text.is_empty() {
                Some(None)
            } else {
                parse(text).map(Some)
            }
        })
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
        let accepted = all
            .iter()
            .map(|choice| format!("\"{}\"", name(*choice)))
            .collect::<Vec<_>>()
            .join(", ");
        self.text(key, default, &accepted, |text| {
            all.iter().copied().find(|choice| name(*choice) == text)
        })
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
            self.report(
                line,
                key,
                &describe(value.get_ref()),
                &format!("a list; each entry {accepted}"),
            );
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
                    let line = line_at(self.reader.text, entry.span().start);
                    self.report(
                        line,
                        key,
                        &format!("{} in the list", describe(entry.get_ref())),
                        accepted,
                    );
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
            self.report(line, key, &describe(value.get_ref()), accepted);
            default
        })
    }

    fn find(&self, key: &str) -> Option<(usize, &'a Spanned<DeValue<'a>>)> {
        let (key, value) = self.table?.get_key_value(key)?;
        Some((line_at(self.reader.text, key.span().start), value))
    }

    fn report(&mut self, line: usize, key: &str, found: &str, accepted: &str) {
        let place = format!("{}.{key}", self.section);
        self.reader.report(line, &place, found, accepted);
        self.reader.faulty.insert(place);
    }
}

/// A path that a file system can hold.
pub(super) fn path(text: &str) -> Option<PathBuf> {
    (!text.is_empty() && !text.contains('\0')).then(|| PathBuf::from(text))
}

/// A value as the message names it: short, on one line, without control characters.
fn describe(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("\"{}\"", clean(text)),
        DeValue::Integer(number) => clean(&number.to_string()),
        DeValue::Float(number) => clean(number.as_str()),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a section".to_owned(),
    }
}

fn clean(text: &str) -> String {
    const SHOWN_CHARS: usize = 60;
    let mut shown: String = text
        .chars()
        .take(SHOWN_CHARS)
        .flat_map(char::escape_debug)
        .collect();
    if text.chars().nth(SHOWN_CHARS).is_some() {
        shown.push('…');
    }
    shown
}

fn line_at(text: &str, offset: usize) -> usize {
    let range: Range<usize> = 0..offset.min(text.len());
    1 + text
        .as_bytes()
        .get(range)
        .unwrap_or_default()
        .iter()
        .filter(|byte| **byte == b'\n')
        .count()
}
