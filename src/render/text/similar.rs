//! The text of `find_similar_artists`, and of the similar artists of a card.

use super::lines::{ROWS_MAX, count, ids_elsewhere, in_json, line};
use super::who::who;
use crate::answer::{RowForm, SimilarArtists, SimilarList, SimilarRow};
use crate::identity::AmbiguityState;
use crate::model::neighbour::Axis;

/// Adds the facts.
pub(super) fn render(text: &mut String, data: &SimilarArtists, state: AmbiguityState) {
    who(text, &data.identity, state);
    if data.identity.name.is_some() {
        list(text, &data.list);
    }
}

/// Adds the rows, and the axes that are missing.
pub(super) fn list(text: &mut String, list: &SimilarList) {
    if !list.similar.is_empty() {
        line(text, format_args!("Found beside the artist, {} of {} shown:", list.shown, list.found));
    }
    for (at, row) in list.similar.iter().take(ROWS_MAX).enumerate() {
        line(text, format_args!("{}. {}.", at + 1, artist(row)));
    }
    in_json(text, list.shown);
    if list.shown > 0 {
        ids_elsewhere(text);
    }
    if list.unreadable > 0 {
        line(text, format_args!("{} could not be read.", count(list.unreadable, "row", "rows")));
    }
    for (axis, state) in &list.axes.0 {
        if let Some(reason) = state.gap() {
            line(text, format_args!("{}: not present, {}.", label(*axis), reason.meaning()));
        }
    }
}

fn artist(row: &SimilarRow) -> String {
    let name = match &row.name {
        Ok(name) => name.to_string(),
        Err(reason) => format!("name not present ({})", reason.as_str()),
    };
    let axes: Vec<String> = row
        .axes
        .iter()
        .map(|(axis, counts)| {
            let known = counts.iter().filter_map(|(word, count)| Some(format!("{} {word}", count.ok()?)));
            let known: Vec<String> = known.collect();
            if row.form == RowForm::Compact || known.is_empty() {
                short(*axis).to_owned()
            } else {
                format!("{} {}", short(*axis), known.join(" and "))
            }
        })
        .collect();
    format!("{name}: {}", axes.join(", "))
}

fn short(axis: Axis) -> &'static str {
    match axis {
        Axis::CoBooking => "booked together",
        Axis::Festivals => "festivals",
        Axis::Radio => "radio",
        Axis::DjChampions => "DJ",
        Axis::Credits => "credits",
    }
}

fn label(axis: Axis) -> &'static str {
    match axis {
        Axis::CoBooking => "Booked together",
        Axis::Festivals => "Same festivals",
        Axis::Radio => "Same radio",
        Axis::DjChampions => "Plays the artist in sets",
        Axis::Credits => "Credited on recordings",
    }
}
