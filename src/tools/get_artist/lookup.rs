//! Which dossier a key leads to, and how far it can be trusted.
//!
//! Decides whose record is read. It must never know how much of it is shown.

use crate::crate_client::{CallLedger, CrateClient, Depth, UpstreamFault};
use crate::identity::{ArtistKey, Tier};
use crate::model::artist::Dossier;
use crate::model::gap::{Fact, GapReason};
use crate::tools::bound;

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
    let ask = |key: ArtistKey| async move { client.dossier(&key, depth, ledger).await };
    let mut found = bound::read(key, client, ask).await?;
    if let Some(dossier) = found.as_mut().filter(|dossier| dossier.identity.tier == Tier::Cluster) {
        unverified(dossier);
    }
    Ok(found)
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
