//! The text of `get_artist`.

use super::artist_signals;
use super::lines::{ROWS_MAX, facet, more};
use super::who::who;
use crate::answer::ArtistCard;
use crate::identity::AmbiguityState;

/// Adds the facts.
pub(super) fn render(text: &mut String, data: &ArtistCard, state: AmbiguityState) {
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
            discography.releases.iter().take(ROWS_MAX).map(|release| release.title().to_string()).collect();
        more(titles.join("; "), titles.len(), discography.total)
    });
    facet(text, "Emergence", &data.emergence, |emergence| match &emergence.momentum {
        Some(momentum) => format!("{}, {momentum}", emergence.tier),
        None => emergence.tier.to_string(),
    });
    if let Some(facts) = &data.standard {
        artist_signals::standard(text, facts);
    }
    if let Some(facts) = &data.full {
        artist_signals::full(text, facts);
    }
}
