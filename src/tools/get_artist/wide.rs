//! What the wider views show beside the card.

use crate::answer::{
    Facet, FullFacts, LifeFacet, PagesFacet, PressFacet, RadioFacet, RecordLabelsFacet, SceneFacet,
    StageFacet, StandardFacts, WorksFacet,
};
use crate::envelope::untrusted::{UNTRUSTED_TEXTS_MAX, UntrustedText};
use crate::model::gap::GapReason;
use crate::model::prose::Prose;
use crate::model::signals::Signals;

/// Labels in the full view.
const RECORD_LABELS_SHOWN: usize = 10;

/// What the standard view adds, and what the full view adds to that.
pub(super) fn facts(signals: Signals) -> (StandardFacts, FullFacts) {
    let standard = StandardFacts {
        pages: Facet(signals.pages.map(|found| PagesFacet { links: found.links, total: found.total })),
        scene: Facet(signals.scene.map(|found| SceneFacet {
            city: found.city,
            region: found.region,
            country: found.country,
        })),
        stage: Facet(signals.stage.map(|found| StageFacet {
            club_events: found.club_events,
            festival_editions: found.festival_editions,
            first_club: found.first_club,
            last_club: found.last_club,
            first_festival: found.first_festival,
            last_festival: found.last_festival,
        })),
        radio: Facet(signals.radio.map(|found| RadioFacet {
            plays: found.plays,
            stations: found.stations,
            first: found.first,
            latest: found.latest,
        })),
        press: Facet(signals.press.map(|found| PressFacet {
            articles: found.articles,
            reviews: found.reviews,
            interviews: found.interviews,
            features: found.features,
        })),
    };
    let full = FullFacts {
        life: Facet(signals.life.map(|found| LifeFacet { born: found.born, died: found.died })),
        record_labels: Facet(signals.record_labels.map(|found| RecordLabelsFacet {
            names: found.names.into_iter().take(RECORD_LABELS_SHOWN).collect(),
            total: found.total,
        })),
        works: Facet(
            signals.works.map(|found| WorksFacet { written: found.written, recordings: found.recordings }),
        ),
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
        standard.pages.gap(),
        standard.scene.gap(),
        standard.stage.gap(),
        standard.radio.gap(),
        standard.press.gap(),
        full.and_then(|full| full.life.gap()),
        full.and_then(|full| full.record_labels.gap()),
        full.and_then(|full| full.works.gap()),
    ];
    shown.contains(&Some(GapReason::UpstreamDegraded))
}
