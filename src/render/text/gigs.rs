//! The text of `get_upcoming_gigs`, and of the gigs of a card.

use super::lines::{ROWS_MAX, in_json, lacks, line, standing};
use crate::answer::{GigList, GigRow, UpcomingGigs};
use crate::identity::AmbiguityState;

/// Adds the facts.
pub(super) fn render(text: &mut String, data: &UpcomingGigs, state: AmbiguityState) {
    if let Some(id) = &data.cluster_id {
        line(text, format_args!("cluster_id: {id}{}", standing(state)));
    }
    list(text, &data.list);
}

/// Adds the rows.
pub(super) fn list(text: &mut String, list: &GigList) {
    if list.gigs.is_empty() {
        line(text, format_args!("No gigs from {} on are shown.", list.as_of));
    } else {
        line(text, format_args!("Gigs from {} on, {} of {} shown:", list.as_of, list.shown, list.total));
    }
    for row in list.gigs.iter().take(ROWS_MAX) {
        line(text, format_args!("- {}.", gig(row)));
    }
    in_json(text, list.shown);
    if list.unreadable > 0 {
        line(text, format_args!("{} more could not be read.", list.unreadable));
    }
}

fn gig(row: &GigRow) -> String {
    let gig = &row.0;
    let places = [&gig.title, &gig.venue, &gig.city, &gig.country].into_iter().flatten();
    let mut facts: Vec<String> =
        std::iter::once(gig.date.to_string()).chain(places.map(ToString::to_string)).collect();
    if gig.is_cancelled == Ok(true) {
        facts.push("cancelled".to_owned());
    }
    let gaps = [
        ("title", gig.title.as_ref().err()),
        ("venue", gig.venue.as_ref().err()),
        ("city", gig.city.as_ref().err()),
        ("country", gig.country.as_ref().err()),
        ("whether it was cancelled", gig.is_cancelled.as_ref().err()),
    ];
    format!("{}{}", facts.join(", "), lacks(gaps.map(|(what, gap)| (what, gap.copied()))))
}
