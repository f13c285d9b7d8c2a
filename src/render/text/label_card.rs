//! The text of `get_label`.

use super::lines::{facet, more, value, yes};
use super::who::which;
use crate::answer::LabelCard;
use crate::identity::AmbiguityState;
use crate::model::link::Link;

/// Adds the facts.
pub(super) fn render(text: &mut String, data: &LabelCard, state: AmbiguityState) {
    which(text, &data.identity, state, ("label", "labels"));
    if data.identity.name.is_none() {
        return;
    }
    facet(text, "Belongs to", &data.parent, |parent| parent.name.to_string());
    facet(text, "Bandcamp", &data.bandcamp, |page| page.link.place().to_owned());
    facet(text, "Pages", &data.pages, |pages| {
        let shown: Vec<&str> = pages.links.iter().map(Link::place).collect();
        format!("{} of {}: {}", shown.len(), pages.total, shown.join(" "))
    });
    facet(text, "Observed", &data.presence, |seen| {
        format!(
            "in Discogs {}, on Bandcamp {}, in DJ sets {}, in writing {}",
            yes(&seen.discogs),
            yes(&seen.bandcamp),
            yes(&seen.dj_sets),
            yes(&seen.editorial)
        )
    });
    facet(text, "DJ plays", &data.dj_momentum, |played| {
        format!(
            "{} in all, {} in the last 365 days (share {}); DJs {}, artists {}, tracklists {}; first {}, last {}",
            value(&played.plays),
            value(&played.plays_last_365d),
            value(&played.velocity),
            value(&played.djs),
            value(&played.artists),
            value(&played.tracklists),
            value(&played.first_played),
            value(&played.last_played)
        )
    });
    facet(text, "Collected together with", &data.travels, |travels| {
        let labels: Vec<String> = travels
            .labels
            .iter()
            .map(|label| {
                format!(
                    "{} (collectors of both {}, npmi {})",
                    value(&label.name),
                    value(&label.support),
                    value(&label.npmi)
                )
            })
            .collect();
        more(labels.join(", "), travels.shown, travels.total as u64)
    });
}
