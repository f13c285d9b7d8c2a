//! The text of `find_tracks`.

use super::lines::{ROWS_MAX, count, ids_elsewhere, in_json, line, value};
use super::who::who;
use crate::answer::{BY_ARTIST_AND_TRACK, TrackHit, TrackList};
use crate::identity::AmbiguityState;

/// Lists of at most so many rows name the ids too; longer ones leave them to the JSON.
const IDS_MAX: usize = 3;

/// Adds the facts.
pub(super) fn render(text: &mut String, data: &TrackList, state: Option<AmbiguityState>) {
    if let (Some(artist), Some(state)) = (&data.artist, state) {
        who(text, artist, state);
        if artist.name.is_some() {
            let said = match data.listed == 0 {
                false => {
                    "A recording of this title by this artist is on record; how many is not covered here."
                }
                true => {
                    "The data service does not say that a recording of this title is by the artist asked for."
                }
            };
            line(text, format_args!("{said}"));
        }
        return;
    }
    if data.results.is_empty() {
        let is_told = data.listed == 0 && data.truncated.value() != Some(&true);
        let words = match is_told {
            true => "Nobody found with a track of this title.",
            false => "Whether anybody has a track of this title cannot be told.",
        };
        return line(text, format_args!("{words}"));
    }
    let compared = match data.mode.value() {
        Some(&BY_ARTIST_AND_TRACK) | None => "",
        Some(&"fuzzy") => " whose title contains these words",
        Some(_) => " of exactly this title",
    };
    line(
        text,
        format_args!(
            "{} with a track{compared}{}:",
            count(data.shown, "artist", "artists"),
            if data.shown > 1 { ", those on most releases first" } else { "" }
        ),
    );
    for hit in data.results.iter().take(ROWS_MAX) {
        row(text, hit, data.results.len() <= IDS_MAX);
    }
    in_json(text, data.shown);
    if data.results.len() > IDS_MAX {
        ids_elsewhere(text);
    }
    if data.unreadable > 0 {
        line(text, format_args!("{} could not be read.", count(data.unreadable, "row", "rows")));
    }
    let left = data.listed.saturating_sub(data.shown + data.unreadable);
    if left > 0 {
        line(text, format_args!("The data service sent {}.", count(left, "more row", "more rows")));
    }
    if data.truncated.value() == Some(&true) {
        // Rows that were sent and left out are no fewer with a higher limit.
        let way = if left > 0 { "give artist and track" } else { "raise limit, or give artist and track" };
        line(text, format_args!("There are more than these: {way}."));
    }
}

fn row(text: &mut String, hit: &TrackHit, with_id: bool) {
    let mut facts = format!(
        "- {}: releases {}, recordings {}",
        value(&hit.artist),
        value(&hit.releases),
        value(&hit.recordings)
    );
    if with_id {
        facts.push_str(", cluster_id ");
        facts.push_str(&value(&hit.cluster_id));
    }
    line(text, format_args!("{facts}"));
}
