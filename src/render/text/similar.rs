//! The text of `find_similar_artists`, and of the similar artists of a card.

use super::lines::{ROWS_MAX, line};
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
    if list.shown > ROWS_MAX {
        line(text, format_args!("{} more stand in the JSON.", list.shown - ROWS_MAX));
    }
    if list.unreadable > 0 {
        line(text, format_args!("{} rows could not be read.", list.unreadable));
    }
    for (axis, state) in &list.axes.0 {
        if let Some(reason) = state.gap() {
            line(text, format_args!("{}: not present, {}.", label(*axis), reason.meaning()));
        }
    }
}

fn artist(row: &SimilarRow) -> String {
    let name = match (&row.name, &row.cluster_id) {
        (Ok(name), _) => name.to_string(),
        (Err(_), Ok(id)) => format!("name not present, cluster_id {id}"),
        (Err(_), Err(_)) => "name not present".to_owned(),
    };
    let axes: Vec<String> = row
        .axes
        .iter()
        .map(|(axis, counts)| {
            let known = counts.iter().filter_map(|(word, count)| Some(format!("{} {word}", count.ok()?)));
            let known: Vec<String> = known.collect();
            if row.form == RowForm::Compact || known.is_empty() {
                label(*axis).to_lowercase()
            } else {
                format!("{} {}", label(*axis).to_lowercase(), known.join(" "))
            }
        })
        .collect();
    format!("{name}: {}", axes.join(", "))
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
