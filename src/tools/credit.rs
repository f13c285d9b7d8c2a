//! Whose the facts of an answer are, as far as the answer itself shows.

use crate::answer::{FullFacts, StandardFacts};
use crate::envelope::attribution::Origin;
use crate::identity::{Candidate, DiscogsId, Tier};
use crate::model::artist::{ArtistIdentity, Dossier};
use crate::model::source::{Source, Sources};

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
        (Origin::Fixtures, Tier::Cluster) if identity.discogs_id.is_some() => sources.add(Source::Discogs),
        (Origin::Fixtures, Tier::Cluster) => {}
    }
    if identity.mbid.is_some() {
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
        (Origin::Fixtures, Some(_)) => sources.add(Source::MusicBrainz),
        (Origin::Fixtures, None) if identity.discogs_id.is_some() => sources.add(Source::Discogs),
        (Origin::Fixtures, None) => {}
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
    who: &ArtistIdentity,
    standard: &StandardFacts,
    full: Option<&FullFacts>,
    origin: Origin,
) {
    if standard.pages.fact().is_some() {
        pages(sources, who, origin);
    }
    // The demo has its places and dates of life from MusicBrainz.
    let (scene, recorded) = match origin {
        Origin::Service => (Source::Hosaka, Source::Wikidata),
        Origin::Fixtures => (Source::MusicBrainz, Source::MusicBrainz),
    };
    let observed =
        [standard.stage.fact().is_some(), standard.radio.fact().is_some(), standard.press.fact().is_some()];
    let is_recorded = |full: &FullFacts| full.life.fact().is_some() || full.record_labels.fact().is_some();
    for (is_there, source) in [
        (standard.scene.fact().is_some(), scene),
        (observed.contains(&true), Source::Hosaka),
        (full.is_some_and(is_recorded), recorded),
        (full.is_some_and(|full| full.works.fact().is_some()), Source::MusicBrainz),
    ] {
        if is_there {
            sources.add(source);
        }
    }
}

fn is_invented(identity: &ArtistIdentity, origin: Origin) -> bool {
    let by_slug = || identity.slug.as_ref().is_some_and(|slug| slug.as_str().starts_with(INVENTED_SLUG));
    origin == Origin::Fixtures && (identity.discogs_id.is_some_and(is_invented_id) || by_slug())
}

fn is_invented_id(id: DiscogsId) -> bool {
    id.get() >= FIRST_INVENTED_DISCOGS_ID
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::{Mbid, Slug};
    use crate::model::text::CleanName;

    fn credited(tier: Tier, discogs: Option<u64>, mbid: bool, slug: &str, origin: Origin) -> Vec<Source> {
        let who = ArtistIdentity {
            name: CleanName::new("X").unwrap(),
            record_name: "X".to_owned(),
            cluster_id: None,
            slug: Slug::parse(slug).ok(),
            tier,
            discogs_id: discogs.and_then(DiscogsId::from_number),
            mbid: mbid.then(|| Mbid::parse("3bcff06f-675a-451f-9075-99e8657047e8").unwrap()),
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
