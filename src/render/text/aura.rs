//! The text of `get_aura`.

use super::lines::{ROWS_MAX, line, rows_beyond};
use crate::answer::{AuraRow, Auras, RowForm};

/// Adds the rows.
pub(super) fn render(text: &mut String, data: &Auras) {
    if data.aura.is_empty() {
        return line(text, format_args!("No aura is shown."));
    }
    line(
        text,
        format_args!("Kinds of signal that converge on an artist; odds are a base rate, not a forecast:"),
    );
    for (at, row) in data.aura.iter().take(ROWS_MAX).enumerate() {
        line(text, format_args!("{}. {}.", at + 1, aura(row)));
    }
    rows_beyond(text, data.shown, data.more, data.unreadable);
}

fn aura(row: &AuraRow) -> String {
    let artist = &row.artist;
    let name = artist.name.as_ref().map_or_else(|_| "name not present".to_owned(), ToString::to_string);
    let mut facts = Vec::new();
    let words = match (&artist.dimensions, row.form) {
        (Ok(words), RowForm::Full) if !words.is_empty() => {
            format!(" ({})", words.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
        }
        _ => String::new(),
    };
    facts.push(match artist.dimension_count {
        Ok(count) => format!("{count} kinds{words}"),
        Err(_) => format!("number of kinds not present{words}"),
    });
    facts.push(match artist.break_odds_percent {
        Ok(odds) => format!("break odds {odds} %"),
        Err(_) => "break odds not present".to_owned(),
    });
    if row.form == RowForm::Full {
        facts.extend(artist.first_signal_on.iter().map(|day| format!("first signal {day}")));
        facts.extend(artist.latest_signal_on.iter().map(|day| format!("latest new one {day}")));
        match (artist.has_broken, artist.broke_on) {
            (Ok(true), Ok(day)) => facts.push(format!("broke on {day}")),
            (Ok(true), Err(_)) => facts.push("has broken, day not present".to_owned()),
            (Ok(false), _) => facts.push("has not broken".to_owned()),
            (Err(_), _) => {}
        }
    }
    format!("{name}: {}", facts.join(", "))
}
