//! The keys of one section, read as the types that sections ask for.
//!
//! Decides how a value of the wrong type or out of range is reported. Must never know what it means.

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::document::{clean, describe, names_a_place};
use super::reader::Reader;
use super::secret::Secret;
use super::source::{Credential, FileSource, SecretSource};

/// The keys of one section. Asking for a key makes it known.
pub(super) struct Keys<'r, 'a> {
    reader: &'r mut Reader<'a>,
    section: Cow<'static, str>,
    table: Option<&'a DeTable<'a>>,
    /// Where the table of these keys begins, when it is one of several.
    begins: Option<usize>,
    asked: Vec<Asked>,
}

/// A key that was asked for.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    /// Its name.
    pub(super) key: &'static str,
    /// What it takes, in words.
    pub(super) accepted: String,
}

const NOT_SET: &str = "or \"\" for none";

impl<'r, 'a> Keys<'r, 'a> {
    pub(super) fn new(
        reader: &'r mut Reader<'a>,
        section: &'static str,
        table: Option<&'a DeTable<'a>>,
    ) -> Self {
        Self { reader, section: Cow::Borrowed(section), table, begins: None, asked: Vec::new() }
    }

    /// Every key that was asked for.
    pub(super) fn asked(self) -> Vec<Asked> {
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
        let accepted = format!("{accepted}, {NOT_SET}");
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
        let accepted = format!("{accepted}, {NOT_SET}");
        self.ask(key, &accepted);
        let (line, value) = self.find(key)?;
        let found = match value.get_ref() {
            DeValue::String(text) if text.is_empty() => return None,
            DeValue::String(text) => parse(text),
            _ => None,
        };
        if found.is_none() {
            self.report(line, key, "a value that cannot be one", &accepted);
        }
        found
    }

    /// The path of a file, or "" for "not set".
    pub(super) fn optional_path(&mut self, key: &'static str) -> Option<PathBuf> {
        self.optional(key, "the path of a file", path)
    }

    /// The path of a folder, or "" for "not set".
    pub(super) fn optional_folder(&mut self, key: &'static str) -> Option<PathBuf> {
        self.optional(key, "the path of a folder", path)
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
            self.ask(key, &format!("a list; each entry {accepted}"));
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
        self.entries(key, accepted, parse).into_iter().map(|(entry, _)| entry).collect()
    }

    /// The same, where an entry that means the same as one before it is reported too.
    pub(super) fn distinct<T: PartialEq>(
        &mut self,
        key: &'static str,
        accepted: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Vec<T> {
        let mut list: Vec<T> = Vec::new();
        for (parsed, entry) in self.entries(key, accepted, parse) {
            if list.contains(&parsed) {
                let line = self.reader.line_at(entry.span().start);
                let found = format!("{} a second time in the list", describe(entry.get_ref()));
                self.report(line, key, &found, "each entry once");
            } else {
                list.push(parsed);
            }
        }
        list
    }

    fn entries<T>(
        &mut self,
        key: &'static str,
        accepted: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Vec<(T, &'a Spanned<DeValue<'a>>)> {
        let Some(array) = self.array(key, &format!("a list; each entry {accepted}")) else {
            return Vec::new();
        };
        let mut list = Vec::new();
        for entry in array {
            let parsed = match entry.get_ref() {
                DeValue::String(text) => parse(text),
                _ => None,
            };
            match parsed {
                Some(parsed) => list.push((parsed, entry)),
                None => {
                    let line = self.reader.line_at(entry.span().start);
                    self.report(line, key, &format!("{} in the list", describe(entry.get_ref())), accepted);
                }
            }
        }
        list
    }

    /// A list of tables, each with keys of its own that `read` asks for; an unknown key in one is reported.
    pub(super) fn tables<T>(
        &mut self,
        key: &'static str,
        accepted: &str,
        read: impl Fn(&mut Keys<'_, 'a>) -> Option<T>,
    ) -> Vec<T> {
        let Some(array) = self.array(key, accepted) else {
            return Vec::new();
        };
        let mut list = Vec::new();
        for (index, entry) in array.iter().enumerate() {
            let line = self.reader.line_at(entry.span().start);
            let DeValue::Table(table) = entry.get_ref() else {
                self.report(line, key, &format!("{} in the list", describe(entry.get_ref())), accepted);
                continue;
            };
            let mut keys = Keys {
                section: format!("{}.{key}[{index}]", self.section).into(),
                table: Some(table),
                begins: Some(line),
                asked: Vec::new(),
                reader: &mut *self.reader,
            };
            list.extend(read(&mut keys));
            keys.refuse_strays();
        }
        list
    }

    /// A secret that stands in exactly one of three places: as the value of `key`, in the file that `key_file` names, or
    /// in the credential that `key_credential` names.
    pub(super) fn secret_source(
        &mut self,
        [key, key_file, key_credential]: [&'static str; 3],
        accepted: &str,
        is_one: impl Fn(&str) -> bool,
    ) -> Option<SecretSource> {
        let secret = |text: &str| is_one(text).then(|| Secret::new(text.to_owned()));
        let value = self.secret(key, accepted, secret).map(SecretSource::Value);
        let file = self.optional_path(key_file).map(SecretSource::File);
        let credential = self.credential(key_credential).map(SecretSource::Credential);
        self.only([(key_credential, credential), (key_file, file), (key, value)])
    }

    /// A file that stands in exactly one of two places: at a path, or with systemd.
    pub(super) fn file_source(&mut self, path: &'static str, credential: &'static str) -> Option<FileSource> {
        let at = self.optional_path(path).map(FileSource::Path);
        let given = self.credential(credential).map(FileSource::Credential);
        self.only([(credential, given), (path, at)])
    }

    fn credential(&mut self, key: &'static str) -> Option<Credential> {
        self.optional(
            key,
            "the name of a credential that systemd gives, such as \"crate.key\"",
            Credential::parse,
        )
    }

    /// The one that is there; several are refused at the first of them.
    fn only<T>(&mut self, places: impl IntoIterator<Item = (&'static str, Option<T>)>) -> Option<T> {
        let mut there: Vec<(&'static str, T)> =
            places.into_iter().filter_map(|(key, source)| Some((key, source?))).collect();
        if there.len() < 2 {
            return there.pop().map(|(_, source)| source);
        }
        let keys: Vec<&str> = there.iter().map(|(key, _)| *key).collect();
        let named: Vec<&str> = keys.iter().rev().copied().collect();
        let found = match named.as_slice() {
            [one, other] => format!("both {one} and {other}"),
            named => format!("all of {}", named.join(", ")),
        };
        self.refuse(&keys, &found, "one of them");
        // Which of them was meant nobody knows, so combinations with them are not looked at.
        for key in keys {
            self.reader.set_faulty(format!("{}.{key}", self.section));
        }
        None
    }

    /// Refuses a combination of keys of this section; see [`Reader::refuse`].
    pub(super) fn refuse(&mut self, keys: &[&str], found: &str, accepted: &str) {
        let places: Vec<String> = keys.iter().map(|key| format!("{}.{key}", self.section)).collect();
        if let Some(begins) = self.begins {
            let line = keys.iter().find_map(|key| Some(self.find(key)?.0)).unwrap_or(begins);
            return self.reader.refuse_at(line, &places, found, accepted);
        }
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
        self.ask(key, accepted);
        let Some((line, value)) = self.find(key) else {
            return default;
        };
        parse(value.get_ref()).unwrap_or_else(|| {
            let found = match value.get_ref() {
                DeValue::Table(_) | DeValue::Array(_) => describe(value.get_ref()),
                _ if names_a_place(key) => "a value that names nothing".to_owned(),
                value => describe(value),
            };
            self.report(line, key, &found, accepted);
            default
        })
    }

    fn ask(&mut self, key: &'static str, accepted: &str) {
        self.asked.push(Asked { key, accepted: accepted.to_owned() });
    }

    /// The entries of a list, whatever they are.
    fn array(&mut self, key: &'static str, accepted: &str) -> Option<&'a DeArray<'a>> {
        self.ask(key, accepted);
        let (line, value) = self.find(key)?;
        match value.get_ref() {
            DeValue::Array(array) => Some(array),
            other => {
                self.report(line, key, &describe(other), accepted);
                None
            }
        }
    }

    fn refuse_strays(self) {
        let accepted = self.asked.iter().map(|asked| asked.key).collect::<Vec<_>>().join(", ");
        for (key, _) in self.table.into_iter().flatten() {
            let name = key.get_ref().as_ref();
            if !self.asked.iter().any(|asked| asked.key == name) {
                let line = self.reader.line_at(key.span().start);
                let place = format!("{}.{}", self.section, clean(name));
                self.reader.report_faulty(line, place, "an unknown key", &accepted);
            }
        }
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
