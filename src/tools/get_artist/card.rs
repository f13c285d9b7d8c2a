//! What the card of an artist shows of a dossier.
//!
//! Decides which parts are shown and how many rows of each. It must never ask the data service.

use super::next;
use crate::answer::{
    AliasFacet, ArtistCard, Data, DebutFacet, DiscographyFacet, EmergenceFacet, Facet, Finding, GenreFacet,
    IdentityFacts, NameFacet, OriginFacet, ReleaseRow,
};
use crate::envelope::attribution::{Attribution, Origin};
use crate::envelope::degraded::{Degraded, FallbackTier};
use crate::envelope::identity::Ambiguity;
use crate::identity::{self, ArtistKey, Assessment, Evidence, LocatorKind};
use crate::model::artist::{Dossier, Merged};
use crate::model::gap::GapReason;
use crate::model::source::Sources;
use crate::model::text::CleanName;
use crate::tools::credit;

/// Releases in the summary.
const RELEASES_SHOWN: usize = 5;
/// Other names in the summary.
const ALIASES_SHOWN: usize = 5;
/// Styles in the summary.
const STYLES_SHOWN: usize = 5;

/// The card of a record.
pub(super) fn of(key: &ArtistKey, dossier: Dossier, origin: Origin) -> Finding {
    let assessment = assess(key, &dossier);
    let own_name = CleanName::new(&dossier.identity.record_name);
    let identity = IdentityFacts::from(&dossier.identity);
    let sources = sources(&dossier, origin);
    let degraded = is_degraded(&dossier).then(|| Degraded::at(FallbackTier::Suspect));
    let data = ArtistCard {
        identity,
        real_name: Facet(dossier.real_name.map(|name| NameFacet { name })),
        aliases: Facet(dossier.aliases.map(|aliases| AliasFacet {
            total: aliases.total,
            names: aliases.names.into_iter().take(ALIASES_SHOWN).collect(),
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
                .take(RELEASES_SHOWN)
                .map(|release| ReleaseRow { master_id: release.master_id, title: release.title })
                .collect();
            let shown = releases.len();
            DiscographyFacet { total: found.total, shown, truncated: (shown as u64) < found.total, releases }
        })),
        emergence: Facet(
            dossier.emergence.map(|found| EmergenceFacet { tier: found.tier, momentum: found.momentum }),
        ),
    };
    let next_actions = next::actions(key, &assessment, own_name);
    Finding {
        data: Data::ArtistCard(Box::new(data)),
        present: Ok(()),
        ambiguity: Some(Ambiguity::from(&assessment)),
        degraded,
        // The summary quotes nobody; the wider views do.
        untrusted_text: Vec::new(),
        attribution: Attribution::of(&sources, origin),
        next_actions,
    }
}

/// The answer for a key that leads to no record.
pub(super) fn nobody(key: &ArtistKey, origin: Origin) -> Finding {
    let lookup = match key {
        ArtistKey::Cluster(_) => LocatorKind::ClusterId,
        ArtistKey::Slug(_) => LocatorKind::Slug,
    };
    let assessment = identity::assess(&Evidence::new(identity::Lookup::Locator(lookup), None));
    Finding {
        data: Data::ArtistCard(Box::new(ArtistCard::empty(GapReason::NotFoundUpstream))),
        present: Err(GapReason::NotFoundUpstream),
        ambiguity: Some(Ambiguity::from(&assessment)),
        degraded: None,
        untrusted_text: Vec::new(),
        attribution: Attribution::of(&Sources::default(), origin),
        // The key is the caller's text: no call is made of it.
        next_actions: Vec::new(),
    }
}

fn assess(key: &ArtistKey, dossier: &Dossier) -> Assessment {
    let resolved = dossier.identity.resolved();
    let lookup = match key {
        ArtistKey::Cluster(_) => identity::Lookup::Locator(LocatorKind::ClusterId),
        // A slug is a name in another spelling: homonyms compete for it, and no probe has looked for them.
        ArtistKey::Slug(_) => identity::Lookup::Name(&dossier.identity.record_name),
    };
    identity::assess(&Evidence {
        merged_discogs_ids: match dossier.merged {
            Merged::Count(count) => Some(u32::try_from(count).unwrap_or(u32::MAX)),
            Merged::NotSaid | Merged::Unreadable => None,
        },
        merge_unreadable: dossier.merged == Merged::Unreadable,
        ..Evidence::new(lookup, Some(&resolved))
    })
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
