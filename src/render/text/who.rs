//! Who an answer is about, and how sure that is.

use super::lines::line;
use crate::answer::IdentityFacts;
use crate::identity::AmbiguityState;

/// Adds the name with its standing, then its ids.
///
/// The doubt comes before the facts: a reader may stop after the first line.
pub(super) fn who(text: &mut String, identity: &IdentityFacts, state: AmbiguityState) {
    which(text, identity, state, ("artist", "artists"));
}

/// The same about something else than an artist: what it is called, one and several.
pub(super) fn which(
    text: &mut String,
    identity: &IdentityFacts,
    state: AmbiguityState,
    (one, many): (&str, &str),
) {
    let Some(name) = &identity.name else {
        return line(text, format_args!("No single {one} found."));
    };
    let standing = match (state, identity.resolved_via.value()) {
        (AmbiguityState::None, _) => "verified identity".to_owned(),
        (AmbiguityState::NameCollision, _) => format!("one of several {many} of this name"),
        (AmbiguityState::OverMerged, _) => format!("a record that is known to mix more than one {one}"),
        (AmbiguityState::Unknown, Some(&"discogs")) => {
            "a verified record, but it cannot be told whether the name is unique".to_owned()
        }
        (AmbiguityState::Unknown | AmbiguityState::Unresolved | AmbiguityState::Observed, _) => {
            "observed, not a verified identity".to_owned()
        }
    };
    line(text, format_args!("{name}: {standing}."));
    for (what, reason) in identity.gaps() {
        line(text, format_args!("{what}: not present, {}.", reason.meaning()));
    }
    if state == AmbiguityState::NameCollision {
        // Its ids stand with those of the others, from whom one has to be chosen first.
        return;
    }
    if let Some(id) = identity.cluster_id.value() {
        line(text, format_args!("cluster_id: {id}"));
    }
    let mut ids = Vec::new();
    if let Some(slug) = identity.slug.value() {
        ids.push(format!("slug {slug}"));
    }
    if let Some(id) = identity.discogs_id.value() {
        ids.push(format!("Discogs {id}"));
    }
    if let Some(id) = identity.mbid.value() {
        ids.push(format!("MusicBrainz {id}"));
    }
    if !ids.is_empty() {
        line(text, format_args!("Ids: {}.", ids.join(", ")));
    }
}
