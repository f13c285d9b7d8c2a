//! A plain text with the same facts as the envelope, from allowlisted values only.

mod account;
mod artist_card;
mod artist_signals;
mod aura;
mod catalog_list;
mod gigs;
mod label_card;
mod lines;
mod resolved_artist;
mod rising;
mod similar;
mod track_list;
mod who;

use self::lines::line;
use crate::answer::Data;
use crate::envelope::Envelope;
use crate::envelope::error::ToolError;
use crate::envelope::identity::Ambiguity;
use crate::identity::AmbiguityState;

/// Writes the text block of an answer.
#[must_use]
pub fn render(envelope: &Envelope<Data>) -> String {
    let mut text = String::with_capacity(512);
    match (envelope.error(), envelope.data()) {
        (Some(error), _) => failure(&mut text, error),
        (None, Some(Data::ResolvedArtist(data))) => resolved_artist::render(&mut text, data, state(envelope)),
        (None, Some(Data::ArtistCard(data))) => artist_card::render(&mut text, data, state(envelope)),
        (None, Some(Data::CatalogList(data))) => catalog_list::render(&mut text, data),
        (None, Some(Data::TrackList(data))) => {
            track_list::render(&mut text, data, envelope.ambiguity().map(Ambiguity::state));
        }
        (None, Some(Data::LabelCard(data))) => label_card::render(&mut text, data, state(envelope)),
        (None, Some(Data::SimilarArtists(data))) => similar::render(&mut text, data, state(envelope)),
        (None, Some(Data::UpcomingGigs(data))) => gigs::render(&mut text, data, state(envelope)),
        (None, Some(Data::Breakouts(data))) => rising::breakouts(&mut text, data),
        (None, Some(Data::OnesToWatch(data))) => rising::ones_to_watch(&mut text, data),
        (None, Some(Data::Auras(data))) => aura::render(&mut text, data, state(envelope)),
        (None, Some(Data::AccountProfile(data))) => account::profile(&mut text, data),
        (None, Some(Data::AccountUsage(data))) => account::usage(&mut text, data),
        (None, None) => {}
    }
    if let Some(reason) = envelope.reason() {
        line(&mut text, format_args!("Not present: {} ({}).", reason.meaning(), reason.as_str()));
    }
    if let Some(ambiguity) = envelope.ambiguity() {
        identity_state(&mut text, ambiguity, of_what(envelope));
    }
    if let Some(degraded) = envelope.degraded() {
        line(&mut text, format_args!("{}", degraded.sentence()));
    }
    if envelope.meta.view_coerced {
        line(
            &mut text,
            format_args!(
                "A wider view was asked for; without an account this is the summary. The wider views need a sign-in."
            ),
        );
    }
    for trimmed in &envelope.meta.trimmed {
        line(
            &mut text,
            format_args!(
                "Shortened to keep the answer small: {} of {} rows in {}.",
                trimmed.kept, trimmed.total, trimmed.path
            ),
        );
    }
    if envelope.meta.truncated && !envelope.ambiguity().is_some_and(Ambiguity::is_cut) {
        line(
            &mut text,
            format_args!("A list was cut because the answer would be too large; its first rows are kept."),
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

/// Where a candidate has to be chosen first, their ids stand above and are not repeated: such actions are
/// several for one and the same purpose.
fn follow_ups(text: &mut String, envelope: &Envelope<Data>) {
    let actions = envelope.next_actions();
    if actions.len() > 1
        && let Some(action) = actions.first()
        && actions.iter().all(|other| other.why() == action.why())
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
        // What the caller typed stands in the JSON only.
        let with = if action.repeats_the_caller() {
            let names: Vec<&str> = action.args().keys().map(String::as_str).collect();
            format!("with {}, see next_actions", names.join(" and "))
        } else {
            arguments(action.args())
        };
        line(text, format_args!("Next: {} {with} ({}).", action.tool(), action.why()));
    }
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
    let figure = |name: &str| error.datum(name).and_then(serde_json::Value::as_u64);
    if let (Some(used), Some(allowance)) = (figure("used"), figure("allowance")) {
        line(text, format_args!("Used {used} of {allowance} units."));
    }
    if let Some(moment) = error.datum("reset_at").and_then(serde_json::Value::as_str) {
        line(text, format_args!("Resets at {moment}."));
    }
}

/// What an answer is about, one and several.
fn of_what(envelope: &Envelope<Data>) -> (&'static str, &'static str) {
    match envelope.data() {
        Some(Data::LabelCard(_)) => ("label", "labels"),
        _ => ("artist", "artists"),
    }
}

fn identity_state(text: &mut String, ambiguity: &Ambiguity, (one, many): (&str, &str)) {
    let advice = match ambiguity.state() {
        AmbiguityState::None => return,
        AmbiguityState::NameCollision => {
            format!("several {many} carry this name; ask the user which one is meant")
        }
        AmbiguityState::Observed => "the identity is only observed, not verified; say so".to_owned(),
        AmbiguityState::OverMerged => {
            format!("the record is known to mix more than one {one}; treat the facts as possibly mixed")
        }
        AmbiguityState::Unresolved => {
            "nothing verified matched; say so and do not fill the gap from memory".to_owned()
        }
        AmbiguityState::Unknown => {
            "it cannot be told whether the name is unique; say that the identity is unverified".to_owned()
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
    // The artist itself as the only candidate stands above already.
    let candidates = match ambiguity.candidates() {
        [only] if text.contains(only.cluster_id()) => &[],
        candidates => candidates,
    };
    for candidate in candidates {
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
