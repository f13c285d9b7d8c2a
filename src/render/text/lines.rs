//! The lines that the texts of all tools are made of.

use std::fmt::Write as _;

use crate::answer::{Cell, Facet};
use crate::identity::AmbiguityState;
use crate::model::gap::GapReason;

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

/// What a row lacks, each with the reason, as the last words of its line; "" when it lacks nothing.
pub(super) fn lacks<'a>(gaps: impl IntoIterator<Item = (&'a str, Option<GapReason>)>) -> String {
    let missing: Vec<String> =
        gaps.into_iter().filter_map(|(what, gap)| Some(format!("{what} ({})", gap?.as_str()))).collect();
    if missing.is_empty() { String::new() } else { format!("; not present: {}", missing.join(", ")) }
}

/// What stands behind an id that is alone on its line; doubts have a line of their own.
pub(super) fn standing(state: AmbiguityState) -> &'static str {
    if state == AmbiguityState::None { " (verified identity)" } else { "" }
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

/// Says how many rows of a list the text leaves out, and what the list itself lacks.
pub(super) fn rows_beyond(text: &mut String, shown: usize, more: bool, unreadable: usize) {
    in_json(text, shown);
    if more {
        line(text, format_args!("The data service has more than are shown."));
    }
    if unreadable > 0 {
        line(text, format_args!("{unreadable} more could not be read."));
    }
}

/// Says how many of the `shown` rows of a list stand in the JSON only.
pub(super) fn in_json(text: &mut String, shown: usize) {
    let left = shown.saturating_sub(ROWS_MAX);
    if left > 0 {
        let stand = if left == 1 { "stands" } else { "stand" };
        line(text, format_args!("{left} more {stand} in the JSON."));
    }
}

/// Where the ids of a long list stand.
pub(super) fn ids_elsewhere(text: &mut String) {
    line(text, format_args!("The cluster_id of each stands in the JSON."));
}
