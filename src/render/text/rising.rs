//! The texts of `list_breakouts` and `list_ones_to_watch`.

use super::lines::{ROWS_MAX, lacks, line, rows_beyond};
use crate::answer::{BreakoutRow, Breakouts, OneToWatchRow, OnesToWatch, RowForm};
use crate::model::artist::Origin;

/// Adds the rows of `list_breakouts`.
pub(super) fn breakouts(text: &mut String, data: &Breakouts) {
    if data.breakouts.is_empty() {
        line(text, format_args!("No artist is shown."));
        return rows_beyond(text, data.shown, data.more, data.unreadable);
    }
    line(text, format_args!("Artists whose bookings pick up, {} shown:", data.shown));
    for (at, row) in data.breakouts.iter().take(ROWS_MAX).enumerate() {
        line(text, format_args!("{}. {}.", at + 1, breakout(row)));
    }
    rows_beyond(text, data.shown, data.more, data.unreadable);
}

fn breakout(row: &BreakoutRow) -> String {
    let artist = &row.artist;
    let mut facts = vec![match &artist.emergence_tier {
        Ok(tier) => tier.to_string(),
        Err(_) => "tier not present".to_owned(),
    }];
    if let Ok(word) = &artist.corroboration {
        facts.push(word.to_string());
    }
    if let Ok(count) = artist.press_count {
        facts.push(format!("press {count}"));
    }
    if row.form == RowForm::Full {
        facts.extend(artist.location.iter().map(place));
    }
    facts.extend(artist.discogs_id.iter().map(|id| format!("Discogs {id}")));
    let is_full = row.form == RowForm::Full;
    if is_full && artist.discogs_id.is_err() {
        facts.extend(artist.cluster_id.iter().map(|id| format!("cluster_id {id}")));
    }
    let gaps = [
        ("corroboration", artist.corroboration.as_ref().err()),
        ("press", artist.press_count.as_ref().err()),
        ("location", artist.location.as_ref().err().filter(|_| is_full)),
        ("Discogs id", artist.discogs_id.as_ref().err()),
    ];
    named(artist.name.as_ref().ok(), &facts) + &lacks(gaps.map(|(what, gap)| (what, gap.copied())))
}

fn place(origin: &Origin) -> String {
    [&origin.city, &origin.country]
        .into_iter()
        .flatten()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

/// Adds the rows of `list_ones_to_watch`.
pub(super) fn ones_to_watch(text: &mut String, data: &OnesToWatch) {
    if data.rows.is_empty() {
        line(text, format_args!("No artist is shown."));
        return rows_beyond(text, data.rows.len(), data.more, data.unreadable);
    }
    match data.snapshot_on {
        Ok(day) => line(text, format_args!("Artists to watch as of {day}, {} shown:", data.rows.len())),
        Err(reason) => line(
            text,
            format_args!(
                "Artists to watch (day not present: {}), {} shown:",
                reason.as_str(),
                data.rows.len()
            ),
        ),
    }
    if data.is_stale == Ok(true) {
        line(text, format_args!("The data service calls this list old."));
    }
    for row in data.rows.iter().take(ROWS_MAX) {
        let rank = row.artist.rank.map_or_else(|_| "-".to_owned(), |rank| format!("{rank}."));
        line(text, format_args!("{rank} {}.", one(row)));
    }
    rows_beyond(text, data.rows.len(), data.more, data.unreadable);
}

fn one(row: &OneToWatchRow) -> String {
    let artist = &row.artist;
    let mut facts = Vec::new();
    facts.extend(artist.emergence_tier.iter().map(|tier| format!("tier {tier}")));
    facts.extend(artist.momentum_tier.iter().map(|tier| format!("momentum {tier}")));
    if row.form == RowForm::Full {
        facts.extend(artist.profile.iter().map(ToString::to_string));
        facts.extend(artist.emergence_score.iter().map(|score| format!("score {score}")));
        facts.extend(
            artist.culture_forward_festivals.iter().map(|count| format!("culture-forward festivals {count}")),
        );
    }
    facts.extend(artist.discogs_id.iter().map(|id| format!("Discogs {id}")));
    let is_full = row.form == RowForm::Full;
    let gaps = [
        ("tier", artist.emergence_tier.as_ref().err()),
        ("momentum", artist.momentum_tier.as_ref().err()),
        ("profile", artist.profile.as_ref().err().filter(|_| is_full)),
        ("score", artist.emergence_score.as_ref().err().filter(|_| is_full)),
        ("culture-forward festivals", artist.culture_forward_festivals.as_ref().err().filter(|_| is_full)),
        ("Discogs id", artist.discogs_id.as_ref().err()),
    ];
    named(artist.name.as_ref().ok(), &facts) + &lacks(gaps.map(|(what, gap)| (what, gap.copied())))
}

fn named(name: Option<&crate::model::text::CleanName>, facts: &[String]) -> String {
    let name = name.map_or_else(|| "name not present".to_owned(), ToString::to_string);
    if facts.is_empty() { name } else { format!("{name}: {}", facts.join(", ")) }
}
