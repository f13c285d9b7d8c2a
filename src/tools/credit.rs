//! Whose the facts of an answer are, as far as the answer itself shows.

use crate::answer::{FullFacts, StandardFacts};
use crate::envelope::attribution::Origin;
use crate::identity::{Candidate, DiscogsId, Tier};
use crate::model::artist::{ArtistIdentity, Dossier};
use crate::model::catalog::CatalogRow;
use crate::model::gap::Fact;
use crate::model::label::LabelDossier;
use crate::model::source::{Source, Sources};
use crate::model::track::{TrackCorpus, TrackSearch};

/// The demo's invented artists carry numbers from here on, which Discogs does not use.
const FIRST_INVENTED_DISCOGS_ID: u32 = 999_999_001;
/// The demo's invented artists have slugs that begin so.
const INVENTED_SLUG: &str = "invented-";

/// Credits whoever binds an identity.
pub(super) fn identity(sources: &mut Sources, identity: &ArtistIdentity, origin: Origin) {
    if is_invented(identity, origin) {
        return sources.add(Source::Hosaka);
    }
    match (origin, identity.tier) {
        (_, Tier::Discogs) => sources.add(Source::Discogs),
        (Origin::Service, Tier::Cluster) => sources.add(Source::Bookings),
        (Origin::Fixtures, Tier::Cluster) if identity.discogs_id.is_ok() => sources.add(Source::Discogs),
        (Origin::Fixtures, Tier::Cluster) => {}
    }
    if identity.mbid.is_ok() {
        sources.add(Source::MusicBrainz);
    }
}

/// Credits whoever holds the pages of an artist. The demo took them from MusicBrainz where that knows the
/// artist, and from Discogs otherwise.
pub(super) fn pages(sources: &mut Sources, identity: &ArtistIdentity, origin: Origin) {
    if is_invented(identity, origin) {
        return sources.add(Source::Hosaka);
    }
    match (origin, identity.mbid) {
        (Origin::Service, _) => sources.add(Source::LinkIndex),
        (Origin::Fixtures, Ok(_)) => sources.add(Source::MusicBrainz),
        (Origin::Fixtures, Err(_)) if identity.discogs_id.is_ok() => sources.add(Source::Discogs),
        (Origin::Fixtures, Err(_)) => {}
    }
}

/// Credits whoever offers candidates: rows of the catalogue have a support and no tier of their own.
pub(super) fn candidates(sources: &mut Sources, candidates: &[Candidate], origin: Origin) {
    for candidate in candidates {
        match (origin, candidate.discogs_id, candidate.tier) {
            (Origin::Fixtures, Some(id), _) if is_invented_id(id) => sources.add(Source::Hosaka),
            // Namesakes of an invented artist are invented too.
            (Origin::Fixtures, None, None) if sources.iter().any(|source| source == Source::Hosaka) => {}
            (_, Some(_), _) | (_, None, None) => sources.add(Source::Discogs),
            (Origin::Service, None, Some(_)) => sources.add(Source::Bookings),
            (Origin::Fixtures, None, Some(_)) => {}
        }
        if candidate.mbid.is_some() {
            sources.add(Source::MusicBrainz);
        }
    }
}

/// Credits whoever numbers the artists of a list.
pub(super) fn rows<'a>(
    sources: &mut Sources,
    discogs_ids: impl Iterator<Item = &'a Fact<DiscogsId>>,
    origin: Origin,
) {
    for id in discogs_ids.flatten() {
        let invented = origin == Origin::Fixtures && is_invented_id(*id);
        sources.add(if invented { Source::Hosaka } else { Source::Discogs });
    }
}

/// Credits whoever gave the facets of a card.
pub(super) fn facets(sources: &mut Sources, dossier: &Dossier, origin: Origin) {
    let catalogue = if is_invented(&dossier.identity, origin) { Source::Hosaka } else { Source::Discogs };
    let recorded = match origin {
        Origin::Service => Source::Wikidata,
        Origin::Fixtures => Source::MusicBrainz,
    };
    for (is_there, source) in [
        (dossier.real_name.is_ok() || dossier.aliases.is_ok(), catalogue),
        (dossier.discography.is_ok() || dossier.genre.is_ok(), catalogue),
        (dossier.debut.is_ok(), Source::MusicBrainz),
        (dossier.origin.is_ok(), recorded),
        (dossier.emergence.is_ok(), Source::Hosaka),
    ] {
        if is_there {
            sources.add(source);
        }
    }
}

/// Credits whoever gave what the wider views add, as far as it is shown.
pub(super) fn signals(
    sources: &mut Sources,
    standard: &StandardFacts,
    full: Option<&FullFacts>,
    origin: Origin,
) {
    // The demo has its places and dates of life from MusicBrainz.
    let (scene, recorded) = match origin {
        Origin::Service => (Source::Hosaka, Source::Wikidata),
        Origin::Fixtures => (Source::MusicBrainz, Source::MusicBrainz),
    };
    let is_observed = |full: &FullFacts| full.stage.fact().is_some() || full.press.fact().is_some();
    for (is_there, source) in [
        (standard.scene.fact().is_some(), scene),
        (full.is_some_and(is_observed), Source::Hosaka),
        (full.is_some_and(|full| full.life.fact().is_some()), recorded),
    ] {
        if is_there {
            sources.add(source);
        }
    }
}

/// Credits whoever lists the records: all of them are Discogs masters, but for those that the demo invented.
pub(super) fn records(sources: &mut Sources, rows: &[CatalogRow], origin: Origin) {
    for row in rows {
        let invented = origin == Origin::Fixtures && row.master_id >= u64::from(FIRST_INVENTED_DISCOGS_ID);
        sources.add(if invented { Source::Hosaka } else { Source::Discogs });
    }
}

/// Credits whoever listed the tracks. The demo took all of them from Discogs.
pub(super) fn tracks(sources: &mut Sources, search: &TrackSearch, origin: Origin) {
    if search.rows.is_empty() {
        return;
    }
    match (origin, search.corpus) {
        (Origin::Fixtures, _) => sources.add(Source::Discogs),
        (Origin::Service, Ok(TrackCorpus::Bandcamp)) => sources.add(Source::LinkIndex),
        (Origin::Service, corpus) => {
            sources.add(Source::Discogs);
            sources.add(Source::MusicBrainz);
            if corpus != Ok(TrackCorpus::Mb) {
                sources.add(Source::LinkIndex);
            }
        }
    }
}

/// Credits whoever gave the facts about a label. All labels of the demo are from Discogs.
pub(super) fn label(sources: &mut Sources, label: &LabelDossier, origin: Origin) {
    let bound = label.identity.tier == Tier::Discogs;
    match origin {
        Origin::Fixtures if is_invented(&label.identity, origin) => sources.add(Source::Hosaka),
        Origin::Fixtures => sources.add(Source::Discogs),
        Origin::Service if bound || label.pages.is_ok() || label.parent.is_ok() => {
            sources.add(Source::Discogs)
        }
        Origin::Service => sources.add(Source::Hosaka),
    }
    if label.identity.mbid.is_ok() {
        sources.add(Source::MusicBrainz);
    }
    let linked = label.bandcamp.is_ok() && origin == Origin::Service;
    let observed = label.dj_momentum.is_ok() || label.travels.is_ok();
    for (is_there, source) in [(linked, Source::LinkIndex), (observed, Source::Hosaka)] {
        if is_there {
            sources.add(source);
        }
    }
}

fn is_invented(identity: &ArtistIdentity, origin: Origin) -> bool {
    let by_slug = || identity.slug.as_ref().is_ok_and(|slug| slug.as_str().starts_with(INVENTED_SLUG));
    origin == Origin::Fixtures && (identity.discogs_id.is_ok_and(is_invented_id) || by_slug())
}

fn is_invented_id(id: DiscogsId) -> bool {
    id.get() >= FIRST_INVENTED_DISCOGS_ID
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::{Mbid, Slug};
    use crate::model::gap::GapReason;
    use crate::model::text::CleanName;

    fn credited(tier: Tier, discogs: Option<u64>, mbid: bool, slug: &str, origin: Origin) -> Vec<Source> {
        let who = ArtistIdentity {
            name: CleanName::new("X").unwrap(),
            record_name: "X".to_owned(),
            cluster_id: Err(GapReason::HonestGap),
            slug: Slug::parse(slug).map_err(|_| GapReason::HonestGap),
            tier,
            is_tier_unreadable: false,
            discogs_id: discogs.and_then(DiscogsId::from_number).ok_or(GapReason::HonestGap),
            mbid: mbid
                .then(|| Mbid::parse("3bcff06f-675a-451f-9075-99e8657047e8").unwrap())
                .ok_or(GapReason::HonestGap),
        };
        let mut sources = Sources::default();
        identity(&mut sources, &who, origin);
        pages(&mut sources, &who, origin);
        sources.iter().collect()
    }

    #[test]
    fn nobody_is_credited_for_what_the_demo_made_up() {
        for (tier, discogs, slug) in
            [(Tier::Discogs, Some(999_999_001), "x"), (Tier::Cluster, None, "invented-1")]
        {
            assert_eq!(credited(tier, discogs, false, slug, Origin::Fixtures), [Source::Hosaka]);
        }
        assert!(
            !credited(Tier::Discogs, Some(999_999_001), false, "x", Origin::Service)
                .contains(&Source::Hosaka)
        );
    }

    #[test]
    fn each_source_is_credited_only_for_what_it_gave() {
        use Source::{Bookings, Discogs, LinkIndex, MusicBrainz};
        let fixtures = |tier, discogs, mbid| credited(tier, discogs, mbid, "x", Origin::Fixtures);
        assert_eq!(fixtures(Tier::Discogs, Some(3), false), [Discogs]);
        assert_eq!(fixtures(Tier::Discogs, Some(3), true), [Discogs, MusicBrainz]);
        assert_eq!(fixtures(Tier::Cluster, None, true), [MusicBrainz]);
        assert_eq!(fixtures(Tier::Cluster, None, false), []);
        let live = |tier, discogs, mbid| credited(tier, discogs, mbid, "x", Origin::Service);
        assert_eq!(live(Tier::Discogs, None, false), [Discogs, LinkIndex]);
        assert_eq!(live(Tier::Cluster, None, false), [Bookings, LinkIndex]);
    }
}
