//! What a card holds beside the dossier when the caller asks for it: similar artists, gigs.
//!
//! Decides what an include shows. An include that fails is a gap of the card and never fails it.

use serde_json::json;

use crate::answer::{Facet, GigList, SimilarList};
use crate::crate_client::{CallLedger, CrateClient, Extension};
use crate::envelope::attribution::Origin;
use crate::envelope::degraded::Degraded;
use crate::envelope::meta::View;
use crate::envelope::next::NextAction;
use crate::identity::{ArtistKey, ClusterId, Tier};
use crate::model::artist::{ArtistIdentity, Dossier, is_unreadable};
use crate::model::gap::{Fact, GapReason};
use crate::model::neighbour::Axis;
use crate::model::source::{Source, Sources};
use crate::tools::registry::ToolName;
use crate::tools::{
    bound, find_similar_artists as similar, get_upcoming_gigs as gigs, next, similarity, upstream_error,
};

/// What can be asked for. Closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Include {
    /// Similar artists, by what the dossier says.
    Similar,
    /// Concerts that lie ahead.
    Gigs,
}

impl Include {
    /// The words of the argument.
    pub(super) const WORDS: [&'static str; 2] = ["similar", "gigs"];

    pub(super) fn parse(words: &[&str]) -> Vec<Self> {
        [Self::Similar, Self::Gigs].into_iter().filter(|include| words.contains(&include.as_str())).collect()
    }

    /// Its word.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Similar => "similar",
            Self::Gigs => "gigs",
        }
    }
}

/// The includes of one card; `None` for one that was not asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Included {
    pub(super) similar: Option<Facet<SimilarList>>,
    pub(super) gigs: Option<Facet<GigList>>,
    pub(super) degraded: Option<Degraded>,
    pub(super) next_actions: Vec<NextAction>,
}

impl Included {
    /// Whoever observed what is shown.
    pub(super) fn credit(&self, sources: &mut Sources, origin: Origin) {
        if let Some(list) = self.similar.as_ref().and_then(Facet::fact) {
            similar::credit_list(sources, list, origin);
        }
        if self.gigs.as_ref().is_some_and(|gigs| gigs.fact().is_some()) {
            sources.add(Source::Hosaka);
        }
    }
}

/// How many rows an include has; the full view has room for fewer.
fn rows(view: View) -> usize {
    if view == View::Full { 5 } else { 10 }
}

/// Asks for the includes of a card.
pub(super) async fn fetch(
    wanted: &[Include],
    key: &ArtistKey,
    view: View,
    dossier: &Dossier,
    client: &CrateClient,
    ledger: &CallLedger,
) -> Included {
    let mut included = Included::default();
    if wanted.is_empty() {
        return included;
    }
    // Of a record that mixes people, what hangs on it would be somebody else's in part.
    let mixed = similar::mixes_people(&bound::assess(key, dossier), dossier);
    let who = &dossier.identity;
    for include in wanted {
        let tool = match include {
            Include::Similar => ToolName::FindSimilarArtists,
            Include::Gigs => ToolName::GetUpcomingGigs,
        };
        let (gap, degraded) = match include {
            Include::Similar => {
                let (list, degraded) = match mixed {
                    true => (Err(GapReason::AmbiguousBind), None),
                    false => similar_to(who, view, client, ledger).await,
                };
                let facet = included.similar.insert(Facet(list));
                (facet.gap(), degraded)
            }
            Include::Gigs => {
                let (list, degraded) = match mixed {
                    true => (Err(GapReason::AmbiguousBind), None),
                    false => gigs_of(who, view, client, ledger).await,
                };
                let facet = included.gigs.insert(Facet(list));
                (facet.gap(), degraded)
            }
        };
        included.degraded = included.degraded.or(degraded);
        if gap == Some(GapReason::UpstreamDegraded) || gap == Some(GapReason::MalformedUpstream) {
            let own = who.cluster_id.as_ref().map_or(key.as_str(), ClusterId::as_str);
            included.next_actions.push(NextAction::new(tool.as_str(), [("key", json!(own))], next::ALONE));
        }
    }
    included
}

/// Why an include is not there for a record that has no key, or one that cannot be read.
fn no_key<T>(who: &ArtistIdentity) -> Fact<T> {
    Err(who
        .cluster_id
        .as_ref()
        .err()
        .map_or(GapReason::NoVerifiedIdentity, |gap| similar::without_cluster(*gap)))
}

/// Whether two records have the same id, or both have none.
fn agree<T: PartialEq>(one: &Fact<T>, other: &Fact<T>) -> bool {
    one == other && !is_unreadable(one)
}

/// The key under which the card's own record is found again.
fn own_key(who: &ArtistIdentity) -> Option<ArtistKey> {
    match (&who.slug, &who.cluster_id) {
        (Ok(slug), _) if who.tier == Tier::Discogs => Some(ArtistKey::Slug(slug.clone())),
        (_, Ok(id)) => Some(ArtistKey::Cluster(id.clone())),
        (Ok(slug), Err(_)) => Some(ArtistKey::Slug(slug.clone())),
        (Err(_), Err(_)) => None,
    }
}

/// By the dossier alone: one call.
async fn similar_to(
    who: &ArtistIdentity,
    view: View,
    client: &CrateClient,
    ledger: &CallLedger,
) -> (Fact<SimilarList>, Option<Degraded>) {
    let Some(key) = own_key(who) else { return (no_key(who), None) };
    let record = match client.surroundings(&key, ledger).await {
        Ok(Some(record)) => record,
        Ok(None) => return (Err(GapReason::NotFoundUpstream), None),
        Err(fault) => return upstream_error::without(fault),
    };
    let same = agree(&record.identity.cluster_id, &who.cluster_id)
        && (agree(&record.identity.discogs_id, &who.discogs_id) || matches!(key, ArtistKey::Cluster(_)));
    if !same || bound::is_merged(&record) {
        // Between the two requests the key came to mean somebody else.
        return (Err(GapReason::AmbiguousBind), None);
    }
    let axes = vec![
        (Axis::CoBooking, record.co_booking),
        (Axis::DjChampions, record.dj_champions),
        (Axis::Credits, record.credits),
    ];
    let (list, present) = similarity::join(who, axes, rows(view), crate::answer::RowForm::Full);
    let degraded = similar::suspect(&list);
    (present.map(|()| list), degraded)
}

async fn gigs_of(
    who: &ArtistIdentity,
    view: View,
    client: &CrateClient,
    ledger: &CallLedger,
) -> (Fact<GigList>, Option<Degraded>) {
    if !client.has(Extension::Gigs) {
        return (Err(GapReason::NotCovered), None);
    }
    // Only by the cluster id can it be told whose gigs an answer holds.
    let Ok(id) = &who.cluster_id else { return (no_key(who), None) };
    let key = ArtistKey::Cluster(id.clone());
    let today = client.today();
    match client.gigs(&key, ledger).await {
        Ok(Some(found)) => {
            let ahead = found.gigs.and_then(|listed| gigs::upcoming(listed, today));
            (ahead.map(|listed| gigs::shown(listed, rows(view), today)), None)
        }
        Ok(None) => (Err(GapReason::HonestGap), None),
        Err(fault) => upstream_error::without(fault),
    }
}
