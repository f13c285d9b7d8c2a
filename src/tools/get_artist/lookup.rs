//! Which dossier a key leads to, and how far it can be trusted.
//!
//! Decides whose record is read. It must never know how much of it is shown.

use crate::crate_client::{CallLedger, CrateClient, Depth, UpstreamFault};
use crate::identity::{ArtistKey, ClusterId, Tier};
use crate::model::artist::{Dossier, Merged};
use crate::model::gap::{Fact, GapReason};

/// Reads the dossier of a key; `None` when the service holds none.
///
/// # Errors
/// When the service could not answer.
pub(super) async fn dossier(
    key: &ArtistKey,
    depth: Depth,
    client: &CrateClient,
    ledger: &CallLedger,
) -> Result<Option<Dossier>, UpstreamFault> {
    let mut found = match key {
        ArtistKey::Slug(_) => client.dossier(key, depth, ledger).await,
        ArtistKey::Cluster(id) => by_cluster(client, id, depth, ledger).await,
    }?;
    if let Some(dossier) = found.as_ref().filter(|dossier| is_merged(dossier))
        && let Some(cluster_id) = &dossier.identity.cluster_id
    {
        client.mark_shared(cluster_id);
    }
    if let Some(dossier) = found.as_mut().filter(|dossier| dossier.identity.tier == Tier::Cluster) {
        unverified(dossier);
    }
    Ok(found)
}

/// Asks by slug where an earlier resolve verified the cluster, and takes the answer only when it is
/// about the same Discogs artist; otherwise asks by the cluster, which the service only observes.
async fn by_cluster(
    client: &CrateClient,
    id: &ClusterId,
    depth: Depth,
    ledger: &CallLedger,
) -> Result<Option<Dossier>, UpstreamFault> {
    if let Some(remembered) = client.recall(id) {
        let by_slug = client.dossier(&ArtistKey::Slug(remembered.slug), depth, ledger).await?;
        let same = by_slug.filter(|dossier| {
            let who = &dossier.identity;
            who.discogs_id == Some(remembered.discogs_id)
                && who.cluster_id.as_ref() == Some(id)
                && !is_merged(dossier)
        });
        if let Some(mut dossier) = same {
            dossier.identity.mbid = dossier.identity.mbid.or(remembered.mbid);
            return Ok(Some(dossier));
        }
    }
    let mut by_cluster = client.dossier(&ArtistKey::Cluster(id.clone()), depth, ledger).await?;
    if let Some(dossier) = &mut by_cluster {
        // The service never vouches for a bare cluster id, whatever else the record may say.
        dossier.identity.tier = Tier::Cluster;
    }
    Ok(by_cluster)
}

fn is_merged(dossier: &Dossier) -> bool {
    matches!(dossier.merged, Merged::Count(2..))
}

/// What hangs on a verified identity is left out of such a record, although the service may hold it.
fn unverified(dossier: &mut Dossier) {
    fn blame<T>(fact: &mut Fact<T>) {
        if matches!(fact, Err(GapReason::HonestGap)) {
            *fact = Err(GapReason::NoVerifiedIdentity);
        }
    }
    blame(&mut dossier.real_name);
    blame(&mut dossier.aliases);
    blame(&mut dossier.origin);
    blame(&mut dossier.debut);
    blame(&mut dossier.signals.life);
}
