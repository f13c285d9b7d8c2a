//! What the wider views show beside the card.

use crate::answer::{Facet, FullFacts, StandardFacts};
use crate::envelope::untrusted::{UNTRUSTED_TEXTS_MAX, UntrustedText};
use crate::model::gap::GapReason;
use crate::model::prose::Prose;
use crate::model::signals::Signals;

/// What the standard view adds, and what the full view adds to that.
pub(super) fn facts(signals: Signals) -> (StandardFacts, FullFacts) {
    let standard = StandardFacts { scene: Facet(signals.scene) };
    let full =
        FullFacts { stage: Facet(signals.stage), press: Facet(signals.press), life: Facet(signals.life) };
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
