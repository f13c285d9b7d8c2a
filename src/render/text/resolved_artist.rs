//! The text of `resolve_artist`.

use super::lines::line;
use super::who::who;
use crate::answer::ResolvedArtist;
use crate::identity::AmbiguityState;

/// Adds the facts.
pub(super) fn render(text: &mut String, data: &ResolvedArtist, state: AmbiguityState) {
    who(text, &data.identity, state);
    if !data.links.is_empty() {
        let links: Vec<String> =
            data.links.iter().map(|link| format!("{} {}", link.site().as_str(), link.place())).collect();
        line(text, format_args!("Pages ({} of {}): {}.", links.len(), data.links_total, links.join(", ")));
    }
}
