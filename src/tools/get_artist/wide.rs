//! What the wider views show beside the card.

use crate::answer::{Facet, FullFacts, LifeFacet, PressFacet, SceneFacet, StageFacet, StandardFacts};
use crate::envelope::untrusted::{UNTRUSTED_TEXTS_MAX, UntrustedText};
use crate::model::gap::GapReason;
use crate::model::prose::Prose;
use crate::model::signals::Signals;

/// What the standard view adds, and what the full view adds to that.
pub(super) fn facts(signals: Signals) -> (StandardFacts, FullFacts) {
    let standard = StandardFacts {
        scene: Facet(signals.scene.map(|found| SceneFacet {
            city: found.city,
            region: found.region,
            country: found.country,
        })),
    };
    let full = FullFacts {
        stage: Facet(signals.stage.map(|found| StageFacet {
            club_events: found.club_events,
            festival_editions: found.festival_editions,
            first_club: found.first_club,
            last_club: found.last_club,
            first_festival: found.first_festival,
            last_festival: found.last_festival,
        })),
        press: Facet(signals.press.map(|found| PressFacet {
            articles: found.articles,
            reviews: found.reviews,
            interviews: found.interviews,
            features: found.features,
        })),
        life: Facet(signals.life.map(|found| LifeFacet { born: found.born, died: found.died })),
    };
    (standard, full)
}

/// The quotations of the wider views.
pub(super) fn quotations(prose: Vec<Prose>) -> Vec<UntrustedText> {
    prose.into_iter().take(UNTRUSTED_TEXTS_MAX).map(UntrustedText::from).collect()
}

/// Whether the service calls one of the parts degraded.
pub(super) fn is_degraded(standard: &StandardFacts, full: Option<&FullFacts>) -> bool {
    let shown = [
        standard.scene.gap(),
        full.and_then(|full| full.stage.gap()),
        full.and_then(|full| full.press.gap()),
        full.and_then(|full| full.life.gap()),
    ];
    shown.contains(&Some(GapReason::UpstreamDegraded))
}
