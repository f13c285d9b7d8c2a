//! The text of `get_aura`.

use super::lines::{ROWS_MAX, ids_elsewhere, lacks, line, rows_beyond, standing};
use crate::answer::{AuraRow, Auras, RowForm};
use crate::identity::AmbiguityState;

/// Adds the rows.
pub(super) fn render(text: &mut String, data: &Auras, state: AmbiguityState) {
    if data.aura.is_empty() {
        line(text, format_args!("No aura is shown."));
        return rows_beyond(text, data.shown, data.more, data.unreadable);
    }
    line(
        text,
        format_args!("Kinds of signal that converge on an artist; odds are a base rate, not a forecast:"),
    );
    for (at, row) in data.aura.iter().take(ROWS_MAX).enumerate() {
        line(text, format_args!("{}. {}.", at + 1, aura(row)));
    }
    match data.aura.as_slice() {
        [AuraRow { artist, .. }] => {
            if let Ok(id) = &artist.cluster_id {
                line(text, format_args!("cluster_id: {id}{}", standing(state)));
            }
        }
        _ => ids_elsewhere(text),
    }
    rows_beyond(text, data.shown, data.more, data.unreadable);
}

fn aura(row: &AuraRow) -> String {
    let artist = &row.artist;
    let name = artist.name.as_ref().map_or_else(|_| "name not present".to_owned(), ToString::to_string);
    let mut facts = Vec::new();
    let words = match &artist.dimensions {
        Ok(words) if row.form != RowForm::Compact && !words.is_empty() => {
            format!(" ({})", words.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
        }
        _ => String::new(),
    };
    facts.push(match artist.dimension_count {
        Ok(1) => format!("1 kind{words}"),
        Ok(count) => format!("{count} kinds{words}"),
        Err(_) => format!("number of kinds not present{words}"),
    });
    facts.push(match artist.break_odds_percent {
        Ok(odds) => format!("break odds {odds} %"),
        Err(_) => "break odds not present".to_owned(),
    });
    let broke_on = artist.broke_on.ok().filter(|_| row.form == RowForm::Single);
    match (artist.has_broken, broke_on) {
        _ if row.form == RowForm::Compact => {}
        (Ok(true), Some(day)) => facts.push(format!("broke out on {day}")),
        (Ok(true), None) => facts.push("has broken out".to_owned()),
        (Ok(false), _) => facts.push("not broken out".to_owned()),
        (Err(_), _) => {}
    }
    if row.form == RowForm::Single {
        facts.extend(artist.first_signal_on.iter().map(|day| format!("first signal {day}")));
        facts.extend(artist.latest_signal_on.iter().map(|day| format!("latest new signal {day}")));
    }
    let is_full = row.form != RowForm::Compact;
    let gaps = [
        ("kinds", artist.dimensions.as_ref().err().filter(|_| is_full)),
        ("cluster_id", artist.cluster_id.as_ref().err()),
        ("whether it broke out", artist.has_broken.as_ref().err().filter(|_| is_full)),
    ];
    format!("{name}: {}{}", facts.join(", "), lacks(gaps.map(|(what, gap)| (what, gap.copied()))))
}
