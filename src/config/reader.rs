//! Walks a document section by section and collects every mistake with its line.
//!
//! Decides how an unknown section, an unknown key and a combination that makes no sense are reported.
//! Must never know what a key means: each section says that itself.

use std::collections::{BTreeMap, BTreeSet};

use toml::de::{DeTable, DeValue};

use super::document::{DUPLICATE, Lines, clean, describe};
use super::keys::{Asked, Keys};
use super::mistake::Mistake;
use crate::nearest::nearest;

/// The most mistakes that are listed; a last line says how many more there are.
const LISTED_MAX: usize = 500;
/// The most unknown names for which the nearest accepted one is looked for.
const SUGGESTED_MAX: usize = 50;

/// Sections with secrets: what stands there in the place of a name may be one.
const WITH_SECRETS: [&str; 3] = ["crate", "accounts", "acme"];
/// So much of such a name is shown.
const NAME_SHOWN_CHARS: usize = 4;

/// Walks one document, section by section.
pub(super) struct Reader<'a> {
    lines: Lines<'a>,
    root: &'a DeTable<'a>,
    mistakes: Vec<Mistake>,
    broken_lines: BTreeSet<usize>,
    known: Known,
    faulty: BTreeSet<String>,
    sections_lost: bool,
}

/// Every section with the keys that were asked for.
type Known = Vec<(&'static str, Vec<Asked>)>;

/// Something that nobody asked for.
enum Stray<'a> {
    Section(&'a str),
    KeyOutside(&'a str),
    Key { section: &'static str, asked: &'a [Asked], name: &'a str },
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, root: &'a DeTable<'a>, syntax: Vec<Mistake>) -> Self {
        let lines = Lines::of(text);
        let broken_lines: BTreeSet<usize> = syntax.iter().filter_map(|mistake| mistake.line).collect();
        // After a broken section header nobody knows which section the next keys belong to.
        let heads_section = |line: usize| lines.get(line).is_some_and(|line| line.starts_with('['));
        let sections_lost = syntax
            .iter()
            .filter(|mistake| !mistake.message.ends_with(DUPLICATE))
            .filter_map(|mistake| mistake.line)
            .any(heads_section);
        Self {
            lines,
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

    /// The line, counted from 1, of a byte of the file.
    pub(super) fn line_at(&self, offset: usize) -> usize {
        self.lines.at(offset)
    }

    /// Reports a value that could not be taken; combinations with it are not looked at any more.
    pub(super) fn report_faulty(&mut self, line: usize, place: String, found: &str, accepted: &str) {
        self.report(line, &place, found, accepted);
        self.set_faulty(place);
    }

    /// Combinations with this key are not looked at any more.
    pub(super) fn set_faulty(&mut self, place: String) {
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

    /// The same for keys of a table that is one of several, at a line that is known.
    pub(super) fn refuse_at(&mut self, line: usize, involved: &[String], found: &str, accepted: &str) {
        let [place, ..] = involved else { return };
        if !involved.iter().any(|place| self.faulty.contains(place)) {
            self.report(line, place, found, accepted);
        }
    }

    /// Every `section.key` that was asked for, with what it accepts.
    pub(super) fn known_keys(&self) -> BTreeMap<String, String> {
        let keys = |(section, keys): &(&str, Vec<Asked>)| {
            keys.iter()
                .map(|Asked { key, accepted }| (format!("{section}.{key}"), accepted.clone()))
                .collect::<Vec<_>>()
        };
        self.known.iter().flat_map(keys).collect()
    }

    /// The line of every `section.key` that is written in the file.
    pub(super) fn lines_of_keys(&self) -> BTreeMap<String, usize> {
        let mut lines = BTreeMap::new();
        for (section, table) in self.root {
            let DeValue::Table(table) = table.get_ref() else { continue };
            for (key, _) in table {
                let place = format!("{}.{}", section.get_ref(), key.get_ref());
                lines.insert(place, self.line_at(key.span().start));
            }
        }
        lines
    }

    /// Adds what nobody asked for, and returns all mistakes in the order of their lines, or as many of them as are
    /// listed and how many more there are.
    pub(super) fn finish(mut self) -> Vec<Mistake> {
        let known = std::mem::take(&mut self.known);
        let mut strays: Vec<(usize, Stray<'_>)> = Vec::new();
        for (key, value) in self.root {
            let (name, line) = (key.get_ref().as_ref(), self.line_at(key.span().start));
            match (known.iter().find(|(section, _)| *section == name), value.get_ref()) {
                (Some((section, asked)), DeValue::Table(table)) => {
                    let unknown = table.iter().filter(|(key, _)| {
                        let name = key.get_ref().as_ref();
                        !asked.iter().any(|asked| asked.key == name)
                    });
                    strays.extend(unknown.map(|(key, _)| {
                        let stray = Stray::Key { section, asked, name: key.get_ref().as_ref() };
                        (self.line_at(key.span().start), stray)
                    }));
                }
                (Some(_), other) => {
                    self.report(line, name, &describe(other), &format!("a section, written [{name}]"));
                }
                (None, DeValue::Table(_)) => strays.push((line, Stray::Section(name))),
                (None, _) => strays.push((line, Stray::KeyOutside(name))),
            }
        }
        strays.retain(|(line, _)| self.means_something(*line));
        strays.sort_by_key(|(line, _)| *line);
        // With as many on earlier lines, a later one is never listed.
        let passed_over = strays.len().saturating_sub(LISTED_MAX);
        let passed_line = strays.get(LISTED_MAX).map(|(line, _)| *line);
        for (at, (line, stray)) in strays.into_iter().take(LISTED_MAX).enumerate() {
            self.report_stray(&known, line, &stray, at < SUGGESTED_MAX);
        }
        listed(self.mistakes, passed_over, passed_line)
    }

    fn report_stray(&mut self, known: &Known, line: usize, stray: &Stray<'_>, suggest: bool) {
        let near = |name: &str, accepted: &mut dyn Iterator<Item = &'static str>| {
            if suggest { nearest(name, accepted) } else { None }
        };
        match stray {
            Stray::Key { section, asked, name } => {
                let mut shown = clean(name);
                let accepted = if let Some(home) = home_of(known, name) {
                    format!("{name} under [{home}]")
                } else if let Some(near) = near(name, &mut asked.iter().map(|asked| asked.key)) {
                    format!("{near} (the nearest name)")
                } else {
                    if WITH_SECRETS.contains(section) && name.chars().count() > 2 * NAME_SHOWN_CHARS {
                        shown =
                            clean(&format!("{}…", name.chars().take(NAME_SHOWN_CHARS).collect::<String>()));
                    }
                    asked.iter().map(|asked| asked.key).collect::<Vec<_>>().join(", ")
                };
                self.report(line, &format!("{section}.{shown}"), "an unknown key", &accepted);
            }
            Stray::Section(name) => {
                let accepted = match near(name, &mut known.iter().map(|(section, _)| *section)) {
                    Some(section) => format!("[{section}] (the nearest name)"),
                    None => known.iter().map(|(name, _)| format!("[{name}]")).collect::<Vec<_>>().join(", "),
                };
                self.report(line, &format!("[{}]", clean(name)), "an unknown section", &accepted);
            }
            Stray::KeyOutside(name) => {
                let homes: Vec<String> =
                    homes_of(known, name).map(|section| format!("[{section}]")).collect();
                let accepted = if homes.is_empty() {
                    "keys under a section such as [server]".to_owned()
                } else {
                    format!("{name} under {}", homes.join(" or "))
                };
                self.report(line, &clean(name), "a key outside of every section", &accepted);
            }
        }
    }

    fn line_of(&self, place: &str) -> Option<usize> {
        let (section, key) = place.split_once('.')?;
        let DeValue::Table(table) = self.root.get(section)?.get_ref() else {
            return None;
        };
        let (key, _) = table.get_key_value(key)?;
        Some(self.line_at(key.span().start))
    }

    fn report(&mut self, line: usize, place: &str, found: &str, accepted: &str) {
        if self.means_something(line) {
            self.mistakes.push(Mistake::at(line, place, found, accepted));
        }
    }

    /// Where the syntax is broken, what was recovered of the value means nothing.
    fn means_something(&self, line: usize) -> bool {
        !self.sections_lost && !self.broken_lines.contains(&line)
    }
}

/// The only section that knows a key of this name.
fn home_of(known: &Known, key: &str) -> Option<&'static str> {
    let mut homes = homes_of(known, key);
    homes.next().filter(|_| homes.next().is_none())
}

/// Every section that knows a key of this name.
fn homes_of(known: &Known, key: &str) -> impl Iterator<Item = &'static str> {
    known
        .iter()
        .filter(move |(_, keys)| keys.iter().any(|asked| asked.key == key))
        .map(|(section, _)| *section)
}

/// The first mistakes by their lines, and a last one that counts the rest with the `passed_over` from
/// `passed_line` on.
fn listed(mut mistakes: Vec<Mistake>, passed_over: usize, passed_line: Option<usize>) -> Vec<Mistake> {
    mistakes.sort_by_key(|mistake| mistake.line);
    let cut = mistakes.split_off(mistakes.len().min(LISTED_MAX));
    let more = cut.len() + passed_over;
    if more > 0 {
        let first = cut.first().and_then(|mistake| mistake.line).into_iter().chain(passed_line).min();
        let message = format!("{more} more from here on; correct those above first");
        mistakes.push(Mistake { line: first, place: String::new(), message });
    }
    mistakes
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use crate::config::Config;

    /// All lines of the report on `text`.
    fn report(text: &str) -> Vec<String> {
        let errors = Config::parse("c", text).unwrap_err().to_string();
        errors.lines().map(str::to_owned).collect()
    }

    fn keys(count: usize) -> String {
        (0..count).map(|number| format!("lisen_{number} = 1\n")).collect()
    }

    #[test]
    fn up_to_five_hundred_mistakes_are_listed_and_the_rest_are_counted() {
        let lines = report(&format!("[server]\n{}", keys(500)));
        assert_eq!(lines.len(), 500);
        assert!(lines[499].starts_with("c:501: server.lisen_499: found an unknown key"), "{}", lines[499]);
        let lines = report(&format!("[server]\n{}public = 1\n[log]\n{}", keys(700), keys(300)));
        assert_eq!(lines.len(), 501);
        assert!(lines[0].starts_with("c:2: server.lisen_0: found an unknown key"), "{}", lines[0]);
        assert_eq!(lines[500], "c:502: 501 more from here on; correct those above first");
        let scattered = format!("{}[log]\n{}level = 5\n", "[[x]]\n".repeat(3), keys(499));
        let lines = report(&scattered);
        assert_eq!(
            (lines.len(), lines[500].as_str()),
            (501, "c:504: 1 more from here on; correct those above first")
        );
    }

    #[test]
    fn the_nearest_name_is_looked_for_where_there_are_few_unknown_ones() {
        let text: String = (0..60).map(|number| format!("public{number} = 1\n")).collect();
        let lines = report(&format!("[server]\n{text}"));
        let near = lines.iter().filter(|line| line.contains("public (the nearest name)")).count();
        assert_eq!((lines.len(), near), (60, 50));
        let lines = report(&format!("[server]\nlisen = 1\n{}", keys(100)));
        assert!(lines[0].ends_with("listen (the nearest name)"), "{}", lines[0]);
    }

    #[test]
    fn a_secret_in_the_wrong_place_is_not_shown() {
        let secret = "ck_live_0123456789abcdef";
        for text in [
            format!("[crate.{secret}]\na = 1\n"),
            format!("[crate]\n{secret} = 1\n"),
            format!("[accounts]\n\"{secret}\" = \"x\"\n"),
            format!("[accounts]\nservice_url = \"http://me:{secret}@example.org/\"\n"),
            format!("[accounts]\nservice_url = \"ftp://example.org/?key={secret}\"\n"),
            format!("[crate]\nbase_url = \"https://me:{secret}@example.org\"\n"),
            format!("[crate]\nbase_url = https://me:{secret}@example.org\n"),
            format!("[crate]\nkey_file = {secret}\n"),
            format!("[crate]\nkey_file = \"{secret}\\u0000\"\n"),
            "[accounts]\nservice_key_file = 123456789\n".to_owned(),
            "[tls]\nkey = 123456789\ncertificate = 123456789\n".to_owned(),
            format!("[tls]\nkey = \"{secret}\\u0000\"\n"),
            format!("[auth]\nissuer = \"https://example.org/?key={secret}\"\n"),
            format!("[auth]\njwks_uri = \"https://me:{secret}@example.org/\"\n"),
            format!("[legal]\ncontact = \"https://:{secret}@example.org/\"\n"),
        ] {
            let said = report(&text).join("\n");
            assert!(!said.contains("0123456789") && !said.contains("123456789"), "{text}: {said}");
        }
    }

    #[test]
    fn the_time_to_find_many_mistakes_grows_with_their_number_only() {
        let sections = |count: usize| (0..count).map(|number| format!("[s{number}]\n")).collect::<String>();
        let outside = |count: usize| (0..count).map(|number| format!("k{number} = 1\n")).collect::<String>();
        let broken = |count: usize| format!("[server]\n{}", "x\n".repeat(count));
        let twice = |count: usize| format!("[server]\n{}", "public = false\n".repeat(count));
        let list = |count: usize| format!("[guard]\nextra_hosts = [\n{}]\n", "\"\",\n".repeat(count));
        let kinds: [(&str, &dyn Fn(usize) -> String); 6] = [
            ("keys", &|count| format!("[server]\n{}", keys(count))),
            ("sections", &sections),
            ("outside", &outside),
            ("broken", &broken),
            ("twice", &twice),
            ("list", &list),
        ];
        for (kind, text) in kinds {
            let begun = Instant::now();
            assert_eq!(report(&text(20_000)).len(), 501, "{kind}");
            let took = begun.elapsed();
            // A quadratic search takes more than a minute here, a linear one well under a second.
            assert!(took < Duration::from_secs(10), "{kind}: {took:?}");
        }
    }
}
