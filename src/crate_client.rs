//! The typed client of the crate service: the only place that knows its URLs and its JSON.
//!
//! Decides what is asked, within which time, and what an answer means as facts and gaps. It must
//! never know about MCP, envelopes, accounts or budgets.

pub mod ask;
pub mod fault;
pub mod ledger;
pub mod memory;
pub mod reading;
pub mod transport;
pub mod window;

mod dossier;
mod probe;
mod resolution;

use std::sync::Arc;
use std::time::Duration;

pub use self::ask::Ask;
pub use self::dossier::Depth;
pub use self::fault::UpstreamFault;
pub use self::ledger::{CallLedger, Caller};
pub use self::memory::{IdentityMemory, Remembered};
pub use self::resolution::Resolution;
pub use self::transport::Transport;
use self::window::{Outcome, Windows};
use crate::clock::Clock;
use crate::identity::{ArtistKey, ArtistName, ClusterId, ProbeRow};
use crate::model::artist::{ArtistIdentity, Dossier};
use crate::model::family::Family;

/// How many catalogue rows the same-name probe looks at.
const PROBE_ROWS: u32 = 100;

/// A client that shares one transport, one memory and one set of degraded windows among all calls.
#[derive(Debug)]
pub struct CrateClient {
    transport: Arc<dyn Transport>,
    memory: IdentityMemory,
    windows: Windows,
    call_deadline: Duration,
    clock: Clock,
}

impl CrateClient {
    /// A client over `transport` that gives each request `call_deadline`; `clock` times the windows.
    #[must_use]
    pub fn new(
        transport: Arc<dyn Transport>,
        memory: IdentityMemory,
        call_deadline: Duration,
        clock: Clock,
    ) -> Self {
        Self { transport, memory, windows: Windows::new(clock.clone()), call_deadline, clock }
    }

    /// Who stands behind a name, a link or an id.
    ///
    /// # Errors
    /// When the service could not answer.
    pub async fn resolve(&self, ask: &Ask, ledger: &CallLedger) -> Result<Resolution, UpstreamFault> {
        let request =
            transport::Request { family: Family::Resolve, path: "/api/v2/resolve", query: &ask.query() };
        Ok(self.fetch(request, ledger, resolution::read).await?.unwrap_or_default())
    }

    /// The dossier under `key`; `None` when the service holds none.
    ///
    /// # Errors
    /// When the service could not answer.
    pub async fn dossier(
        &self,
        key: &ArtistKey,
        depth: Depth,
        ledger: &CallLedger,
    ) -> Result<Option<Dossier>, UpstreamFault> {
        let query = [("fields", depth.fields())];
        let path = format!("/api/v2/artist/{}", key.as_str());
        let request = transport::Request { family: Family::Artist, path: &path, query: &query };
        let this_year = self.clock.utc().year();
        self.fetch(request, ledger, |body| dossier::read(body, this_year)).await.map(Option::flatten)
    }

    /// The catalogue rows that a search for `name` finds, for the same-name probe.
    ///
    /// # Errors
    /// When the service could not answer.
    pub async fn same_name_rows(
        &self,
        name: &ArtistName,
        ledger: &CallLedger,
    ) -> Result<Vec<ProbeRow>, UpstreamFault> {
        let query = [("q", name.as_str().to_owned()), ("limit", PROBE_ROWS.to_string())];
        let request = transport::Request { family: Family::Search, path: "/api/v2/search", query: &query };
        // There is no such thing as a search that does not exist: who says so is not the service.
        self.fetch(request, ledger, probe::read).await?.ok_or(UpstreamFault::Unreadable)
    }

    /// Keeps a verified identity for later questions about its cluster id; `is_alone` when a search for the
    /// name has shown nobody else in that cluster.
    pub fn remember(&self, identity: &ArtistIdentity, is_alone: bool) {
        self.memory.remember(identity, is_alone);
    }

    /// Notes that homonyms share a cluster, so that its id stands for none of them.
    pub fn mark_shared(&self, cluster_id: &ClusterId) {
        self.memory.mark_shared(cluster_id);
    }

    /// What an earlier resolve learned about a cluster id.
    #[must_use]
    pub fn recall(&self, cluster_id: &ClusterId) -> Option<Remembered> {
        self.memory.recall(cluster_id)
    }

    /// One request through the windows: `None` when the service says that it holds nothing there.
    ///
    /// The answer is read in here, because one that cannot be read is a failure of the service too.
    async fn fetch<T>(
        &self,
        request: transport::Request<'_>,
        ledger: &CallLedger,
        read: impl FnOnce(&[u8]) -> Result<T, UpstreamFault>,
    ) -> Result<Option<T>, UpstreamFault> {
        let visit = self.windows.enter(request.family, ledger.caller())?;
        let found = match self.send(request, ledger).await {
            Ok(Some(body)) => read(&body).map(Some),
            Ok(None) => Ok(None),
            Err(fault) => Err(fault),
        };
        visit.ended(found.as_ref().map_or_else(|fault| fault.outcome(), |_| Outcome::Answered));
        found
    }

    /// One request within its time, charged to `ledger`; `None` for a 404 in the service's own words.
    ///
    /// The request is counted when it starts, so that one which is cut short is charged, and taken back
    /// when it turns out to be free.
    async fn send(
        &self,
        request: transport::Request<'_>,
        ledger: &CallLedger,
    ) -> Result<Option<bytes::Bytes>, UpstreamFault> {
        let charge = ledger.charge();
        let answer = tokio::time::timeout(self.call_deadline, self.transport.send(request)).await;
        let Ok(answer) = answer else {
            return Err(UpstreamFault::CallDeadline { deadline: self.call_deadline });
        };
        match answer {
            Ok(answer) if answer.status == 200 => {
                ledger.count_2xx();
                Ok(Some(answer.body))
            }
            Ok(answer) if answer.status == 404 => match reading::is_error(&answer.body) {
                true => Ok(None),
                false => Err(UpstreamFault::Unreadable),
            },
            Ok(answer) => {
                charge.waive();
                Err(UpstreamFault::Status { status: answer.status })
            }
            Err(fault) => {
                charge.waive();
                Err(fault)
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod faulty;
#[cfg(test)]
mod tests;
