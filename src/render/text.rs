//! A plain text with the same facts as the envelope, from allowlisted values only.

use std::fmt::Write as _;

use crate::answer::{ArtistCard, Data, Facet, IdentityFacts, ResolvedArtist};
use crate::envelope::Envelope;
use crate::envelope::error::ToolError;
use crate::envelope::identity::Ambiguity;
use crate::identity::AmbiguityState;

/// The most rows of a list in the text; the JSON may hold more.
const ROWS_MAX: usize = 10;

/// Writes the text block of an answer.
#[must_use]
pub fn render(envelope: &Envelope<Data>) -> String {
    let mut text = String::with_capacity(512);
    match (envelope.error(), envelope.data()) {
        (Some(error), _) => failure(&mut text, error),
        (None, Some(Data::ResolvedArtist(data))) => resolved(&mut text, data, state(envelope)),
        (None, Some(Data::ArtistCard(data))) => card(&mut text, data, state(envelope)),
        (None, None) => {}
    }
    if let Some(reason) = envelope.reason() {
        line(&mut text, format_args!("Not present: {} ({}).", reason.meaning(), reason.as_str()));
    }
    if let Some(ambiguity) = envelope.ambiguity() {
        identity_state(&mut text, ambiguity);
    }
    if let Some(degraded) = envelope.degraded() {
        line(&mut text, format_args!("{}", degraded.sentence()));
    }
    if envelope.meta.view_coerced {
        line(
            &mut text,
            format_args!(
                "A wider view was asked for; this is the summary, which is all that this server serves."
            ),
        );
    }
    follow_ups(&mut text, envelope);
    for call in envelope.suggested_tool_calls() {
        // Their values are what the caller typed: they stand in the JSON only.
        let names: Vec<&str> = call.args().keys().map(String::as_str).collect();
        line(
            &mut text,
            format_args!("Try {} with {}: see suggested_tool_calls.", call.tool(), names.join(", ")),
        );
    }
    if envelope.is_ok() {
        line(&mut text, format_args!("{}", envelope.attribution().line()));
    }
    text.truncate(text.trim_end().len());
    text
}

fn state(envelope: &Envelope<Data>) -> AmbiguityState {
    envelope.ambiguity().map_or(AmbiguityState::Unknown, Ambiguity::state)
}

/// Where a candidate has to be chosen first, their ids stand above and are not repeated.
fn follow_ups(text: &mut String, envelope: &Envelope<Data>) {
    let actions = envelope.next_actions();
    if actions.len() > 1
        && let Some(action) = actions.first()
    {
        let mut ways: Vec<String> = Vec::new();
        for action in actions {
            let names: Vec<&str> = action.args().keys().map(String::as_str).collect();
            let way = format!("{} with its {}", action.tool(), names.join(" and "));
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
        return line(text, format_args!("Next: {} ({}).", ways.join(" or "), action.why()));
    }
    for action in actions {
        line(text, format_args!("Next: {} {} ({}).", action.tool(), arguments(action.args()), action.why()));
    }
}

fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{content}");
}

fn arguments(args: &serde_json::Map<String, serde_json::Value>) -> String {
    serde_json::to_string(args).unwrap_or_default()
}

fn failure(text: &mut String, error: &ToolError) {
    line(text, format_args!("Error {}: {}", error.kind().as_str(), error.message()));
    if let Some(hint) = error.datum("fix_hint").and_then(serde_json::Value::as_str) {
        line(text, format_args!("{hint}"));
    }
    if let Some(meant) = error.datum("did_you_mean").and_then(serde_json::Value::as_str) {
        line(text, format_args!("Did you mean {meant}?"));
    }
    if let Some(wait) = error.datum("retry_after_ms").and_then(serde_json::Value::as_u64) {
        line(text, format_args!("Retry after {wait} ms."));
    }
}

/// The doubt comes before the facts: a reader may stop after the first line.
fn who(text: &mut String, identity: &IdentityFacts, state: AmbiguityState) {
    let Some(name) = &identity.name else {
        return line(text, format_args!("No single artist found."));
    };
    let standing = match (state, identity.resolved_via) {
        (AmbiguityState::None, _) => "verified identity",
        (AmbiguityState::NameCollision, _) => "one of several artists of this name",
        (AmbiguityState::OverMerged, _) => "a record that is known to mix more than one artist",
        (AmbiguityState::Unknown, Some("discogs")) => {
            "a verified record, but it cannot be told whether the name is unique"
        }
        (AmbiguityState::Unknown | AmbiguityState::Unresolved | AmbiguityState::Observed, _) => {
            "observed, not a verified identity"
        }
    };
    line(text, format_args!("{name}: {standing}."));
    if state == AmbiguityState::NameCollision {
        // Its ids stand with those of the others, from whom one has to be chosen first.
        return;
    }
    if let Some(id) = &identity.cluster_id {
        line(text, format_args!("cluster_id: {id}"));
    }
    let mut ids = Vec::new();
    if let Some(slug) = &identity.slug {
        ids.push(format!("slug {slug}"));
    }
    if let Some(id) = identity.discogs_id {
        ids.push(format!("Discogs {id}"));
    }
    if let Some(id) = &identity.mbid {
        ids.push(format!("MusicBrainz {id}"));
    }
    if !ids.is_empty() {
        line(text, format_args!("Ids: {}.", ids.join(", ")));
    }
}

fn resolved(text: &mut String, data: &ResolvedArtist, state: AmbiguityState) {
    who(text, &data.identity, state);
    if !data.links.is_empty() {
        let links: Vec<String> =
            data.links.iter().map(|link| format!("{} {}", link.site().as_str(), link.place())).collect();
        line(text, format_args!("Pages ({} of {}): {}.", links.len(), data.links_total, links.join(", ")));
    }
}

fn card(text: &mut String, data: &ArtistCard, state: AmbiguityState) {
    who(text, &data.identity, state);
    if data.identity.name.is_none() {
        return;
    }
    facet(text, "Real name", &data.real_name, |real| real.name.to_string());
    facet(text, "Also known as", &data.aliases, |aliases| {
        let shown = aliases.names.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        more(shown, aliases.names.len(), aliases.total as u64)
    });
    facet(text, "Origin", &data.origin, |origin| {
        [&origin.city, &origin.country]
            .into_iter()
            .flatten()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(", ")
    });
    facet(text, "First release", &data.debut, |debut| debut.year.to_string());
    facet(text, "Genre", &data.genre, |genre| {
        let styles = genre.styles.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        if styles.is_empty() { genre.primary.to_string() } else { format!("{} ({styles})", genre.primary) }
    });
    facet(text, "Releases", &data.discography, |discography| {
        let titles: Vec<String> =
            discography.releases.iter().take(ROWS_MAX).map(|release| release.title.to_string()).collect();
        more(titles.join("; "), titles.len(), discography.total)
    });
    facet(text, "Emergence", &data.emergence, |emergence| match &emergence.momentum {
        Some(momentum) => format!("{}, {momentum}", emergence.tier),
        None => emergence.tier.to_string(),
    });
}

fn more(shown: String, count: usize, total: u64) -> String {
    match total.saturating_sub(count as u64) {
        0 => shown,
        _ if count == 0 => format!("{total} on record, none shown"),
        _ => format!("{shown} ({count} of {total} on record)"),
    }
}

fn facet<T>(text: &mut String, label: &str, facet: &Facet<T>, show: impl Fn(&T) -> String) {
    match &facet.0 {
        Ok(fact) => line(text, format_args!("{label}: {}.", show(fact))),
        Err(reason) => line(text, format_args!("{label}: not present, {}.", reason.meaning())),
    }
}

fn identity_state(text: &mut String, ambiguity: &Ambiguity) {
    let advice = match ambiguity.state() {
        AmbiguityState::None => return,
        AmbiguityState::NameCollision => "several artists carry this name; ask the user which one is meant",
        AmbiguityState::Observed => "the identity is only observed, not verified; say so",
        AmbiguityState::OverMerged => {
            "the record is known to mix more than one artist; treat the facts as possibly mixed"
        }
        AmbiguityState::Unresolved => "nothing verified matched; say so and do not fill the gap from memory",
        AmbiguityState::Unknown => {
            "it cannot be told whether the name is unique; say that the identity is unverified"
        }
    };
    line(
        text,
        format_args!(
            "Identity {}: {advice}. Reasons: {}.",
            ambiguity.state(),
            ambiguity.reasons().join(", ")
        ),
    );
    for candidate in ambiguity.candidates() {
        match candidate.hint() {
            Some(hint) => {
                line(
                    text,
                    format_args!("- {} ({hint}), cluster_id {}", candidate.name(), candidate.cluster_id()),
                );
            }
            None => line(text, format_args!("- {}, cluster_id {}", candidate.name(), candidate.cluster_id())),
        }
    }
    if ambiguity.is_cut() {
        line(text, format_args!("There are more candidates than these."));
    }
}
