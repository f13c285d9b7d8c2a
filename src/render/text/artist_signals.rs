//! The text of what the wider views of `get_artist` add.

use super::lines::facet;
use crate::answer::{FullFacts, StandardFacts};
use crate::model::day::RecordedDay;

/// Adds what the standard view shows beside the card.
pub(super) fn standard(text: &mut String, facts: &StandardFacts) {
    facet(text, "Scene", &facts.scene, |scene| {
        let places = [&scene.city, &scene.region, &scene.country];
        places.into_iter().flatten().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    });
}

/// Adds what the full view shows beside that.
pub(super) fn full(text: &mut String, facts: &FullFacts) {
    facet(text, "On stage", &facts.stage, |stage| {
        format!(
            "club nights {}{}; festival editions {}{}",
            stage.club_events,
            span(stage.first_club.as_ref(), stage.last_club.as_ref()),
            stage.festival_editions,
            span(stage.first_festival.as_ref(), stage.last_festival.as_ref())
        )
    });
    facet(text, "Press", &facts.press, |press| {
        format!(
            "articles {}, of these reviews {}, interviews {}, features {}",
            press.articles, press.reviews, press.interviews, press.features
        )
    });
    facet(text, "Life", &facts.life, |life| {
        let dates = [("born", &life.born), ("died", &life.died)];
        let known = dates.into_iter().filter_map(|(what, day)| Some(format!("{what} {}", day.as_ref()?)));
        known.collect::<Vec<_>>().join(", ")
    });
}

/// From when to when, as far as it is known.
fn span(first: Option<&RecordedDay>, last: Option<&RecordedDay>) -> String {
    match (first, last) {
        (Some(first), Some(last)) => format!(" ({first} to {last})"),
        (Some(first), None) => format!(" (first {first})"),
        (None, Some(last)) => format!(" (last {last})"),
        (None, None) => String::new(),
    }
}
