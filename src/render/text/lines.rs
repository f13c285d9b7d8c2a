//! The lines that the texts of all tools are made of.

use std::fmt::Write as _;

use crate::answer::{Cell, Facet};

/// The most rows of a list in the text; the JSON may hold more.
pub(super) const ROWS_MAX: usize = 10;

/// Adds a line.
pub(super) fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{content}");
}

/// Says how many there are beside the `count` that are shown.
pub(super) fn more(shown: String, count: usize, total: u64) -> String {
    match total.saturating_sub(count as u64) {
        0 => shown,
        _ if count == 0 => format!("{total} on record, none shown"),
        _ => format!("{shown} ({count} of {total} on record)"),
    }
}

/// Adds the line of a facet: the fact, or why it is missing.
pub(super) fn facet<T>(text: &mut String, label: &str, facet: &Facet<T>, show: impl Fn(&T) -> String) {
    match &facet.0 {
        Ok(fact) => line(text, format_args!("{label}: {}.", show(fact))),
        Err(reason) => line(text, format_args!("{label}: not present, {}.", reason.meaning())),
    }
}

/// The value of a row, or why it is missing.
pub(super) fn value<T: std::fmt::Display>(cell: &Cell<T>) -> String {
    match &cell.0 {
        Ok(value) => value.to_string(),
        Err(reason) => format!("not present ({})", reason.as_str()),
    }
}

/// How many there are of something.
pub(super) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Whether something is so, or why that is not known.
pub(super) fn yes(cell: &Cell<bool>) -> String {
    match &cell.0 {
        Ok(true) => "yes".to_owned(),
        Ok(false) => "no".to_owned(),
        Err(reason) => format!("not present ({})", reason.as_str()),
    }
}
