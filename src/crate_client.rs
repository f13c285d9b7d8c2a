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

mod dossier;
mod probe;
mod resolution;

use std::sync::Arc;
use std::time::Duration;

pub use self::ask::{Ask, DossierKey};
pub use self::fault::UpstreamFault;
pub use self::ledger::CallLedger;
pub use self::memory::{IdentityMemory, Remembered};
pub use self::resolution::Resolution;
pub use self::transport::Transport;
use crate::identity::{ArtistName, ClusterId, ProbeRow};
use crate::model::artist::Dossier;
use crate::model::family::Family;

/// How many catalogue rows the same-name probe looks at.
const PROBE_ROWS: u32 = 50;

/// A client that shares one transport and one memory among all calls.
#[derive(Debug)]
pub struct CrateClient {
    transport: Arc<dyn Transport>,
    memory: IdentityMemory,
    call_deadline: Duration,
}

impl CrateClient {
    /// A client over `transport` that gives each request `call_deadline`.
    #[must_use]
    pub fn new(transport: Arc<dyn Transport>, memory: IdentityMemory, call_deadline: Duration) -> Self {
        Self { transport, memory, call_deadline }
    }

    /// Who stands behind a name, a link or an id.
    ///
    /// # Errors
    /// When the service could not answer.
    pub async fn resolve(&self, ask: &Ask, ledger: &CallLedger) -> Result<Resolution, UpstreamFault> {
        let body = self.fetch(Family::Resolve, "/api/v2/resolve", &ask.query(), ledger).await?;
        let resolution = match body {
            Some(body) => resolution::read(&body)?,
            None => Resolution::default(),
        };
        if let Some(identity) = &resolution.identity {
            self.memory.remember(identity);
        }
        Ok(resolution)
    }

    /// The dossier under `key`; `None` when the service holds none.
    ///
    /// # Errors
    /// When the service could not answer.
    pub async fn dossier(
        &self,
        key: &DossierKey,
        ledger: &CallLedger,
    ) -> Result<Option<Dossier>, UpstreamFault> {
        let query = [("fields", dossier::FIELDS.join(","))];
        match self.fetch(Family::Artist, &key.path(), &query, ledger).await? {
            Some(body) => dossier::read(&body, key),
            None => Ok(None),
        }
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
        match self.fetch(Family::Search, "/api/v2/search", &query, ledger).await? {
            Some(body) => probe::read(&body),
            None => Ok(Vec::new()),
        }
    }

    /// What an earlier resolve learned about a cluster id.
    #[must_use]
    pub fn recall(&self, cluster_id: &ClusterId) -> Option<Remembered> {
        self.memory.recall(cluster_id)
    }

    /// One request: `None` when the service says that it holds nothing there.
    async fn fetch(
        &self,
        family: Family,
        path: &str,
        query: &[(&'static str, String)],
        ledger: &CallLedger,
    ) -> Result<Option<bytes::Bytes>, UpstreamFault> {
        let request = transport::Request { family, path, query };
        let answer = tokio::time::timeout(self.call_deadline, self.transport.send(request)).await;
        let Ok(answer) = answer else {
            ledger.count_unit();
            return Err(UpstreamFault::CallDeadline { deadline: self.call_deadline });
        };
        let answer = answer?;
        match answer.status {
            200 => {
                ledger.count_unit();
                ledger.count_2xx();
                Ok(Some(answer.body))
            }
            404 => {
                ledger.count_unit();
                Ok(None)
            }
            status => Err(UpstreamFault::Status { status }),
        }
    }
}
