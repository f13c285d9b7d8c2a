//! Whose record a key leads to, and how far it can be trusted.
//!
//! Decides by which key a record is asked for. It must never know what is read of it.

use crate::crate_client::{CrateClient, UpstreamFault};
use crate::identity::{self, ArtistKey, Assessment, Evidence, LocatorKind, Slug, Tier};
use crate::model::artist::{ArtistIdentity, Dossier, Merged, is_unreadable};
use crate::model::gap::GapReason;
use crate::model::neighbour::Surroundings;

/// Something that is read of one artist's record.
pub(super) trait Record {
    /// Whose it is.
    fn identity(&self) -> &ArtistIdentity;
    /// The same, to be corrected.
    fn identity_mut(&mut self) -> &mut ArtistIdentity;
    /// What it says about holding several artists.
    fn merged(&self) -> Merged;
}

impl Record for Dossier {
    fn identity(&self) -> &ArtistIdentity {
        &self.identity
    }

    fn identity_mut(&mut self) -> &mut ArtistIdentity {
        &mut self.identity
    }

    fn merged(&self) -> Merged {
        self.merged
    }
}

impl Record for Surroundings {
    fn identity(&self) -> &ArtistIdentity {
        &self.identity
    }

    fn identity_mut(&mut self) -> &mut ArtistIdentity {
        &mut self.identity
    }

    fn merged(&self) -> Merged {
        self.merged
    }
}

/// Whether a record is known to hold several artists.
pub(super) fn is_merged(record: &impl Record) -> bool {
    matches!(record.merged(), Merged::Count(2..))
}

/// Whether a record is kept under another slug.
fn is_under_another(slug: &Slug, record: &impl Record) -> bool {
    record.identity().slug.as_ref().is_ok_and(|found| found != slug)
}

/// Reads the record of a key through `ask`; `None` when the service holds none.
///
/// # Errors
/// When the service could not answer.
pub(super) async fn read<T, A, F>(
    key: &ArtistKey,
    client: &CrateClient,
    ask: A,
) -> Result<Option<T>, UpstreamFault>
where
    T: Record,
    A: Fn(ArtistKey) -> F,
    F: Future<Output = Result<Option<T>, UpstreamFault>>,
{
    let found = match key {
        ArtistKey::Slug(slug) => {
            let found = ask(key.clone()).await?;
            // Somebody else's record is no answer, and neither is a redirect to it.
            if found.as_ref().is_some_and(|record| is_under_another(slug, record)) {
                return Err(UpstreamFault::AnotherRecord);
            }
            Ok(found)
        }
        ArtistKey::Cluster(_) => by_cluster(key, client, ask).await,
    }?;
    if let Some(record) = found.as_ref().filter(|record| is_merged(*record))
        && let Ok(cluster_id) = &record.identity().cluster_id
    {
        client.mark_shared(cluster_id);
    }
    Ok(found)
}

/// Asks by slug where an earlier resolve verified the cluster, and takes the answer only when it is
/// about the same artist, by every id that was remembered; otherwise asks by the cluster, which the service only observes.
async fn by_cluster<T, A, F>(
    key: &ArtistKey,
    client: &CrateClient,
    ask: A,
) -> Result<Option<T>, UpstreamFault>
where
    T: Record,
    A: Fn(ArtistKey) -> F,
    F: Future<Output = Result<Option<T>, UpstreamFault>>,
{
    let ArtistKey::Cluster(id) = key else { return ask(key.clone()).await };
    if let Some(remembered) = client.recall(id) {
        let by_slug = ask(ArtistKey::Slug(remembered.slug.clone())).await?;
        let same = by_slug.filter(|record| {
            let who = record.identity();
            remembered.is_bound_to(who)
                && who.cluster_id.as_ref() == Ok(id)
                && !is_under_another(&remembered.slug, record)
                && !is_unreadable(&who.slug)
                && !is_merged(record)
        });
        if let Some(mut record) = same {
            let who = record.identity_mut();
            // Where it has none of its own; one that cannot be had just now stays a gap.
            if who.mbid == Err(GapReason::HonestGap) {
                who.mbid = remembered.mbid.ok_or(GapReason::HonestGap);
            }
            return Ok(Some(record));
        }
    }
    let mut by_cluster = ask(key.clone()).await?;
    if let Some(record) = &mut by_cluster {
        // Somebody else's record is no answer.
        if record.identity().cluster_id.as_ref().is_ok_and(|found| found != id) {
            return Err(UpstreamFault::AnotherRecord);
        }
        // The service never vouches for a bare cluster id, whatever else the record may say.
        record.identity_mut().tier = Tier::Cluster;
    }
    Ok(by_cluster)
}

/// How sure it is that a record is of whoever the key was meant for.
pub(super) fn assess(key: &ArtistKey, record: &impl Record) -> Assessment {
    let resolved = record.identity().resolved();
    let lookup = match key {
        ArtistKey::Cluster(_) => identity::Lookup::Locator(LocatorKind::ClusterId),
        // A slug is a name in another spelling: homonyms compete for it, and no probe has looked for them.
        ArtistKey::Slug(_) => identity::Lookup::Name(&record.identity().record_name),
    };
    identity::assess(&Evidence {
        merged_discogs_ids: match record.merged() {
            Merged::Count(count) => Some(u32::try_from(count).unwrap_or(u32::MAX)),
            Merged::NotSaid | Merged::Unreadable => None,
        },
        merge_unreadable: record.merged() == Merged::Unreadable,
        ..Evidence::new(lookup, Some(&resolved))
    })
}

/// How sure it is when the key leads to no record.
pub(super) fn assess_nobody(key: &ArtistKey) -> Assessment {
    let kind = match key {
        ArtistKey::Cluster(_) => LocatorKind::ClusterId,
        ArtistKey::Slug(_) => LocatorKind::Slug,
    };
    identity::assess(&Evidence::new(identity::Lookup::Locator(kind), None))
}
