//! The text of a configuration file as a TOML document: reading it, finding lines, quoting values.
//!
//! Knows no section and no key.

use std::collections::BTreeSet;
use std::io::{ErrorKind, Read as _};
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::mistake::Mistake;
use crate::small_file;

/// No honest configuration is longer; a device or a log passed by mistake is refused.
const FILE_LIMIT_BYTES: u64 = 1024 * 1024;

/// How the keys end that name where something stands. Whoever takes one for the place of a secret writes the secret there.
const PLACES: [&str; 2] = ["_file", "_credential"];
/// Other keys that name a file next to a secret, or the file of one.
const FILES: [&str; 2] = ["certificate", "key"];

/// What the parser says of a key or section that is there already.
pub(super) const DUPLICATE: &str = "duplicate key";

/// A document, and what is wrong with its syntax.
pub(crate) fn parse(text: &str) -> (Spanned<DeTable<'_>>, Vec<Mistake>) {
    let (document, errors) = DeTable::parse_recoverable(text);
    let lines = Lines::of(text);
    let mut mistakes: Vec<Mistake> = Vec::new();
    let mut seen = BTreeSet::new();
    for error in errors {
        let line = lines.at(error.span().map_or(0, |span| span.start));
        // What follows the first error of a line is mostly its echo.
        if seen.insert(line) {
            let message = syntax_message(&error.message().replace('\n', ", "), lines.get(line));
            mistakes.push(Mistake { line: Some(line), place: String::new(), message });
        }
    }
    (document, mistakes)
}

/// The parser's words, or our own for the usual mistake: a value that is neither quoted nor a number.
fn syntax_message(parser: &str, line: Option<&str>) -> String {
    // Under whatever key, a value that is not quoted may be a secret: a key can be mistyped too.
    let value = line.and_then(|line| line.split_once('=')).map(|(_, value)| value.trim());
    match value {
        Some(value) if parser != DUPLICATE && !value.starts_with(['"', '\'', '[', '{']) => {
            let found = match value {
                "" => "no value",
                _ => "a value that is not quoted",
            };
            format!(
                "not TOML: found {found}; accepted: text in double quotes, a number, true, false or a list"
            )
        }
        _ => format!("not TOML: {parser}"),
    }
}

/// Whether a key names where something stands.
pub(super) fn names_a_place(key: &str) -> bool {
    PLACES.iter().any(|place| key.ends_with(place)) || FILES.contains(&key)
}

/// The text of a configuration file.
pub(crate) fn read_file(path: &Path) -> Result<String, Mistake> {
    let whole = |message: String| Mistake { line: None, place: String::new(), message };
    let mut bytes = Vec::new();
    small_file::open(path).and_then(|file| file.take(FILE_LIMIT_BYTES + 1).read_to_end(&mut bytes)).map_err(
        |error| {
            let by = match error.kind() {
                ErrorKind::PermissionDenied => format!(" by uid {}", rustix::process::geteuid().as_raw()),
                _ => String::new(),
            };
            whole(format!("cannot be read{by}: {error}"))
        },
    )?;
    if bytes.len() as u64 > FILE_LIMIT_BYTES {
        return Err(whole(format!(
            "is longer than {FILE_LIMIT_BYTES} bytes, so it is not a configuration file"
        )));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes().iter().take(valid).filter(|byte| **byte == b'\n').count();
        Mistake { line: Some(line), place: String::new(), message: "not TOML: not UTF-8 text".to_owned() }
    })
}

/// A value as the message names it: short, on one line, without control characters.
pub(crate) fn describe(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("\"{}\"", shown(text)),
        DeValue::Integer(number) => clean(&number.to_string()),
        DeValue::Float(number) => clean(number.as_str()),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a section".to_owned(),
    }
}

/// A value of the file as a message may show it: of an address neither who signs in nor what is asked.
pub(crate) fn shown(text: &str) -> String {
    let (before, address) = match text.split_once("://") {
        Some((scheme, address)) => (format!("{scheme}://"), address),
        None if text.rsplit_once('@').is_some_and(|(before, _)| before.contains(':')) => {
            (String::new(), text)
        }
        None => return clean(text),
    };
    let (before, address) = match address.rsplit_once('@') {
        Some((_, place)) => (format!("{before}…@"), place),
        None => (before, address),
    };
    let (place, cut) = match address.find(['?', '#']) {
        Some(at) => (address.get(..at).unwrap_or_default(), "?…"),
        None => (address, ""),
    };
    clean(&format!("{before}{place}{cut}"))
}

/// How the keys of the data service begin.
const SERVICE_KEYS: [&str; 2] = ["ck_live_", "ck_test_"];

/// Text of the file on one line, without control characters, cut to what a message can hold.
pub(crate) fn clean(text: &str) -> String {
    const SHOWN_CHARS: usize = 60;
    if SERVICE_KEYS.iter().any(|begin| text.contains(begin)) {
        return "a key of the data service, which is not shown".to_owned();
    }
    let mut shown: String = text.chars().take(SHOWN_CHARS).flat_map(char::escape_debug).collect();
    if text.chars().nth(SHOWN_CHARS).is_some() {
        shown.push('…');
    }
    shown
}

/// A text with its line breaks found, so that looking up many places takes no longer than reading it once.
pub(crate) struct Lines<'t> {
    text: &'t str,
    /// The byte after each line break.
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        Self { text, starts: text.match_indices('\n').map(|(at, _)| at + 1).collect() }
    }

    /// The line, counted from 1, of a byte of the text.
    pub(crate) fn at(&self, offset: usize) -> usize {
        1 + self.starts.partition_point(|start| *start <= offset)
    }

    /// A line, counted from 1, without its end.
    pub(super) fn get(&self, line: usize) -> Option<&'t str> {
        let start = match line.checked_sub(2) {
            None => 0,
            Some(before) => *self.starts.get(before)?,
        };
        self.text.get(start..)?.lines().next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_shown_without_who_signs_in_and_what_is_asked() {
        for (value, wanted) in [
            ("http://u:PASSWORD@example.org/a", "http://…@example.org/a"),
            ("https://u:PASS@WORD@example.org", "https://…@example.org"),
            ("u:PASSWORD@example.org", "…@example.org"),
            ("http://example.org/a?key=SECRET", "http://example.org/a?…"),
            ("http://example.org/a#SECRET", "http://example.org/a?…"),
            ("http://example.org", "http://example.org"),
            ("me@example.org", "me@example.org"),
            ("yes?", "yes?"),
        ] {
            assert_eq!(shown(value), wanted);
        }
    }

    #[test]
    fn every_place_has_the_line_that_counting_gives_it() {
        for text in ["", "a", "a\nb", "\n\n", "a\r\nü\n\nb\n"] {
            let lines = Lines::of(text);
            for offset in 0..text.len() + 2 {
                let counted = 1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count();
                assert_eq!(lines.at(offset), counted, "{text:?} {offset}");
            }
            for line in 1..7 {
                assert_eq!(lines.get(line), text.lines().nth(line - 1), "{text:?} {line}");
            }
        }
    }
}
