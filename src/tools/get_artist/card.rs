//! What the card of an artist shows of a dossier.
//!
//! Decides which parts are shown and how many rows of each. It must never ask the data service.

use super::include::Included;
use super::{next, wide};
use crate::answer::{
    AliasFacet, ArtistCard, Data, DebutFacet, DiscographyFacet, EmergenceFacet, Facet, Finding, GenreFacet,
    IdentityFacts, NameFacet, OriginFacet, ReleaseRow,
};
use crate::envelope::attribution::{Attribution, Origin};
use crate::envelope::degraded::{Degraded, FallbackTier};
use crate::envelope::identity::Ambiguity;
use crate::envelope::meta::View;
use crate::identity::ArtistKey;
use crate::model::artist::Dossier;
use crate::model::gap::GapReason;
use crate::model::source::Sources;
use crate::model::text::CleanName;
use crate::tools::{bound, credit, next as follow_up};

/// Styles in every view.
const STYLES_SHOWN: usize = 3;

/// How many rows a view holds. Static, so that its size is known before it is asked for.
struct Rows {
    releases: usize,
    aliases: usize,
}

impl Rows {
    fn of(view: View) -> Self {
        match view {
            View::Summary => Self { releases: 5, aliases: 3 },
            View::Standard => Self { releases: 10, aliases: 3 },
            View::Full => Self { releases: RELEASES_MAX, aliases: 10 },
        }
    }
}

/// The most releases in any view.
pub(super) const RELEASES_MAX: usize = 100;

/// The card of a record.
pub(super) fn of(
    key: &ArtistKey,
    view: View,
    dossier: Dossier,
    included: Included,
    origin: Origin,
) -> Finding {
    let rows = Rows::of(view);
    let assessment = bound::assess(key, &dossier);
    let own_name = CleanName::new(&dossier.identity.record_name);
    let identity = IdentityFacts::from(&dossier.identity);
    let mut sources = sources(&dossier, origin);
    included.credit(&mut sources, origin);
    let mut suspect = is_degraded(&dossier);
    let (standard, full) = wide::facts(dossier.signals);
    let full = (view == View::Full).then_some(full);
    let standard = (view != View::Summary).then_some(standard);
    let mut quotations = Vec::new();
    if let Some(standard) = &standard {
        credit::signals(&mut sources, standard, full.as_ref(), origin);
        suspect |= wide::is_degraded(standard, full.as_ref());
        quotations = wide::quotations(dossier.prose);
    }
    let cut = dossier.discography.as_ref().is_ok_and(|found| found.releases.len() > rows.releases);
    let data = ArtistCard {
        asked: Some(key.as_str().to_owned()),
        identity,
        real_name: Facet(dossier.real_name.map(|name| NameFacet { name })),
        aliases: Facet(dossier.aliases.map(|aliases| AliasFacet {
            total: aliases.total,
            names: aliases.names.into_iter().take(rows.aliases).collect(),
        })),
        origin: Facet(
            dossier.origin.map(|origin| OriginFacet { city: origin.city, country: origin.country }),
        ),
        debut: Facet(dossier.debut.map(|debut| DebutFacet { year: debut.year })),
        genre: Facet(dossier.genre.map(|genre| GenreFacet {
            primary: genre.primary,
            styles: genre.styles.into_iter().take(STYLES_SHOWN).collect(),
        })),
        discography: Facet(dossier.discography.map(|found| {
            let releases: Vec<ReleaseRow> = found
                .releases
                .into_iter()
                .take(rows.releases)
                .map(|release| match view {
                    View::Full => ReleaseRow::Compact(release.master_id, release.title),
                    _ => ReleaseRow::Named { master_id: release.master_id, title: release.title },
                })
                .collect();
            let shown = releases.len();
            DiscographyFacet { total: found.total, shown, truncated: (shown as u64) < found.total, releases }
        })),
        emergence: Facet(
            dossier.emergence.map(|found| EmergenceFacet { tier: found.tier, momentum: found.momentum }),
        ),
        standard,
        full,
        similar: included.similar,
        gigs: included.gigs,
    };
    let mut next_actions = next::actions(key, &assessment, own_name);
    if cut && view == View::Standard {
        next_actions.push(next::full_view(key));
    }
    next_actions.extend(included.next_actions);
    Finding {
        data: Data::ArtistCard(Box::new(data)),
        present: Ok(()),
        ambiguity: Some(Ambiguity::from(&assessment)),
        degraded: included.degraded.or_else(|| suspect.then(|| Degraded::at(FallbackTier::Suspect))),
        untrusted_text: quotations,
        attribution: Attribution::of(&sources, origin),
        next_actions,
    }
}

/// The answer for a key that leads to no record.
pub(super) fn nobody(key: &ArtistKey, origin: Origin) -> Finding {
    let assessment = bound::assess_nobody(key);
    Finding {
        data: Data::ArtistCard(Box::new(ArtistCard::empty(GapReason::NotFoundUpstream))),
        present: Err(GapReason::NotFoundUpstream),
        ambiguity: Some(Ambiguity::from(&assessment)),
        degraded: None,
        untrusted_text: Vec::new(),
        attribution: Attribution::of(&Sources::default(), origin),
        next_actions: vec![follow_up::nobody(key)],
    }
}

/// Whose data the card really holds.
fn sources(dossier: &Dossier, origin: Origin) -> Sources {
    let mut sources = Sources::default();
    credit::identity(&mut sources, &dossier.identity, origin);
    credit::facets(&mut sources, dossier, origin);
    sources
}

fn is_degraded(dossier: &Dossier) -> bool {
    [
        dossier.real_name.as_ref().err(),
        dossier.aliases.as_ref().err(),
        dossier.origin.as_ref().err(),
        dossier.debut.as_ref().err(),
        dossier.genre.as_ref().err(),
        dossier.discography.as_ref().err(),
        dossier.emergence.as_ref().err(),
    ]
    .into_iter()
    .flatten()
    .any(|reason| *reason == GapReason::UpstreamDegraded)
}
