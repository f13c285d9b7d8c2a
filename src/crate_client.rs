//! The typed client of the crate service: the only place that knows its URLs and its JSON.
//!
//! Decides what is asked, within which time, and what an answer means as facts and gaps. It must
//! never know about MCP, envelopes, accounts or budgets.

pub mod ask;
pub mod cache;
pub mod extensions;
pub mod fault;
pub mod http;
pub mod ledger;
pub mod memory;
pub mod pacing;
pub mod reading;
pub mod shelf;
pub mod tallies;
pub mod transport;
pub mod window;

mod aura;
mod basis;
mod documents;
mod dossier;
mod flight;
mod gigs;
mod key;
mod label;
mod neighbours;
mod own_ids;
mod probe;
mod resolution;
mod retry;
mod rising;
mod rows;
mod search;
mod sharing;
mod similar;
mod state;
mod tracks;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

pub use self::ask::Ask;
use self::basis::Read;
pub use self::basis::{Basis, Moment};
use self::cache::{Cache, CacheLimits};
pub use self::documents::AboutData;
pub use self::dossier::Depth;
use self::extensions::Extensions;
pub use self::extensions::{Extension, Switch};
pub use self::fault::UpstreamFault;
use self::flight::{Asked, Landed, Service};
use self::key::KeyStanding;
pub use self::ledger::{CallLedger, Caller};
pub use self::memory::{IdentityMemory, Remembered};
pub use self::pacing::PlanUse;
use self::pacing::{Pacer, Plan};
pub use self::resolution::Resolution;
pub use self::rising::BreakoutFilter;
pub use self::search::Start;
use self::sharing::{Flights, Key};
use self::shelf::{Forgetful, IdentityShelf, MonthShelf, WindowShelf};
use self::tallies::{CameFrom, Tallies};
pub use self::transport::Transport;
use self::window::{Scope, Windows};
use crate::clock::Clock;
use crate::identity::{ArtistKey, ArtistName, ClusterId, ProbeRow};
use crate::model::artist::{ArtistIdentity, Dossier};
use crate::model::date::Day;
use crate::model::family::Family;

/// How many catalogue rows the same-name probe looks at.
const PROBE_ROWS: u32 = 100;
/// Identities that are remembered between a resolve and the call that follows it.
const REMEMBERED_IDENTITIES: NonZeroUsize = NonZeroUsize::new(20_000).expect("not zero");

/// How a client behaves towards its service.
#[derive(Clone, Debug)]
pub struct ClientSettings {
    /// How long each request may take.
    pub call_deadline: Duration,
    /// What the key allows; `None` for a service that counts nothing.
    pub plan: Option<Plan>,
    /// Which answers are served again.
    pub cache: CacheLimits,
    /// Which newer parts of the service are used.
    pub extensions: Vec<(Extension, Switch)>,
}

impl ClientSettings {
    /// No plan, no cache, and nothing that a service of 2.47 lacks.
    #[must_use]
    pub fn plain(call_deadline: Duration) -> Self {
        Self { call_deadline, plan: None, cache: CacheLimits::default(), extensions: Vec::new() }
    }
}

/// What a client finds again after a restart.
#[derive(Clone, Debug)]
pub struct Shelves {
    /// Open degraded windows.
    pub windows: Arc<dyn WindowShelf>,
    /// What resolves have learned.
    pub identities: Arc<dyn IdentityShelf>,
    /// The use of the month.
    pub month: Arc<dyn MonthShelf>,
}

impl Default for Shelves {
    /// Shelves that keep nothing.
    fn default() -> Self {
        let nothing = Arc::new(Forgetful);
        Self { windows: Arc::clone(&nothing) as _, identities: Arc::clone(&nothing) as _, month: nothing }
    }
}

/// Reads a dossier as the service sends it; `None` when it is about nobody. `today` is the last day on which
/// anything can have happened.
///
/// # Errors
/// A body that is no dossier.
pub fn read_dossier(body: &[u8], today: Day) -> Result<Option<Dossier>, UpstreamFault> {
    dossier::read(body, today)
}

/// A client that shares one transport, one memory, one plan and one set of degraded windows among all calls.
#[derive(Debug)]
pub struct CrateClient {
    service: Arc<Service>,
    flights: Flights<Arc<Landed>>,
    cache: Cache,
    memory: IdentityMemory,
    extensions: Extensions,
    clock: Clock,
}

impl CrateClient {
    /// A client over `transport`; `clock` times the windows, the cache and the memory.
    #[must_use]
    pub fn new(
        transport: Arc<dyn Transport>,
        settings: ClientSettings,
        shelves: Shelves,
        clock: Clock,
    ) -> Self {
        let pacer = |plan| Arc::new(Pacer::new(plan, clock.clone(), shelves.month));
        let service = Service {
            transport,
            windows: Arc::new(Windows::new(clock.clone(), shelves.windows)),
            pacer: settings.plan.map(pacer),
            call_deadline: settings.call_deadline,
            clock: clock.clone(),
            tallies: Tallies::default(),
            key: KeyStanding::default(),
        };
        Self {
            service: Arc::new(service),
            flights: Flights::new(),
            cache: Cache::new(settings.cache, clock.clone()),
            memory: IdentityMemory::new(REMEMBERED_IDENTITIES, shelves.identities, clock.clone()),
            extensions: Extensions::new(&settings.extensions),
            clock,
        }
    }

    /// Whether a newer part of the service is used.
    #[must_use]
    pub fn has(&self, extension: Extension) -> bool {
        self.extensions.has(extension)
    }

    /// Today, in UTC.
    #[must_use]
    pub fn today(&self) -> Day {
        self.clock.utc().date().into()
    }

    /// Asks the service which of its newer parts it has, and uses those from then on that are not switched off.
    /// Charged to nobody.
    ///
    /// # Errors
    /// When the service could not answer; then nothing changes.
    pub async fn look_for_extensions(&self) -> Result<(), UpstreamFault> {
        let ledger = CallLedger::new(Caller::new(0));
        let request =
            transport::Request { family: Family::Lists, path: extensions::DOCUMENT_PATH, query: &[] };
        if let Some(found) = self.fetch(request, &ledger, extensions::read).await? {
            self.extensions.found(&found);
        }
        Ok(())
    }

    /// What is not being asked just now, because it failed too often.
    #[must_use]
    pub fn open_windows(&self) -> Vec<Scope> {
        self.service.windows.open()
    }

    /// The same with how long each of them is left alone.
    #[must_use]
    pub fn window_waits(&self) -> Vec<(Scope, Duration)> {
        self.service.windows.waits()
    }

    /// Asks again at once for what a window keeps from being asked; whether there was one.
    pub fn shut_window(&self, scope: Scope) -> bool {
        self.service.windows.shut(scope)
    }

    /// Counted requests of the current UTC month; `None` for a service that counts nothing.
    #[must_use]
    pub fn used_this_month(&self) -> Option<u64> {
        self.service.pacer.as_ref().map(|pacer| pacer.used_this_month())
    }

    /// How much of the plan is used; `None` for a service that counts nothing.
    #[must_use]
    pub fn plan_use(&self) -> Option<PlanUse> {
        self.service.pacer.as_ref().map(|pacer| pacer.plan_use())
    }

    /// The HTTP status with which the service refuses the key now, everywhere or for a family; `None` while it takes it.
    #[must_use]
    pub fn key_refused(&self) -> Option<u16> {
        self.service.key.refused()
    }

    /// How requests ended, and where what was needed came from.
    #[must_use]
    pub fn tallies(&self) -> &Tallies {
        &self.service.tallies
    }

    /// Who stands behind a name, a link or an id.
    ///
    /// # Errors
    /// When the service could not answer.
    pub async fn resolve(&self, ask: &Ask, ledger: &CallLedger) -> Result<Resolution, UpstreamFault> {
        let request =
            transport::Request { family: Family::Resolve, path: "/api/v2/resolve", query: &ask.query() };
        let mut found = self.fetch(request, ledger, resolution::read).await?.unwrap_or_default();
        if self.extensions.is_off(Extension::SameNameClusters) {
            found.forget_siblings();
        }
        Ok(found)
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
        let today = self.today();
        self.fetch(request, ledger, |body| dossier::read(body, today)).await.map(Option::flatten)
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

    /// Notes that the service lists namesakes who cannot be read, so that somebody else may be in a cluster.
    pub fn doubt(&self, cluster_id: &ClusterId) {
        self.memory.doubt(cluster_id);
    }

    /// Whether homonyms are known to share a cluster.
    #[must_use]
    pub fn is_shared(&self, cluster_id: &ClusterId) -> bool {
        self.memory.is_shared(cluster_id)
    }

    /// What an earlier resolve learned about a cluster id.
    #[must_use]
    pub fn recall(&self, cluster_id: &ClusterId) -> Option<Remembered> {
        self.memory.recall(cluster_id)
    }

    /// What answers depend on just now beside what is read for them.
    #[must_use]
    pub fn moment(&self) -> Moment {
        Moment { today: self.today(), extensions: self.extensions.used(), identities: self.memory.changes() }
    }

    /// What an answer rests on for which a call read what `ledger` notes, from `moment` on; `None` when it read
    /// anything but kept answers.
    #[must_use]
    pub fn basis(&self, moment: Moment, ledger: &CallLedger) -> Option<Basis> {
        let reads = ledger.kept_reads();
        (!reads.is_empty()).then_some(Basis { moment, reads })
    }

    /// Whether all of that is as it was: then the same question has the same answer, and `ledger` notes the same as if
    /// it had been worked out anew.
    #[must_use]
    pub fn still_holds(&self, basis: &Basis, ledger: &CallLedger) -> bool {
        let is_kept =
            |read: &Read| self.cache.get(&read.key).is_some_and(|(_, number)| number == read.number);
        let holds = basis.moment == self.moment() && basis.reads.iter().all(is_kept);
        if holds {
            for read in &basis.reads {
                ledger.note_read(read.clone());
                self.service.tallies.came_from(CameFrom::Cache);
            }
        }
        holds
    }

    /// What the service says to a request: `None` when it says that it holds nothing there.
    ///
    /// The one way to the service. An answer of the last minutes is taken where there is one; a request that is
    /// on its way already is waited for; else it passes the windows and the plan. The answer is read in here,
    /// because one that cannot be read is a failure of the service too. Identical requests have to be read
    /// alike.
    async fn fetch<T>(
        &self,
        request: transport::Request<'_>,
        ledger: &CallLedger,
        read: impl FnOnce(&[u8]) -> Result<T, UpstreamFault>,
    ) -> Result<Option<T>, UpstreamFault> {
        let key = Key::of(request.family, request.path, request.query);
        if let Some((kept, number)) = self.cache.get(&key) {
            // One that cannot be read is no basis for anything.
            let found = kept.as_deref().map(read).transpose().inspect_err(|_| ledger.note_asked())?;
            ledger.note_read(Read { key, number });
            self.service.tallies.came_from(CameFrom::Cache);
            return Ok(found);
        }
        ledger.note_asked();
        let mut seat = self.flights.board(&key, ledger.counts(), |boarding| {
            Arc::clone(&self.service).fly(Asked::of(request), ledger.caller(), boarding)
        });
        let landed = match ledger.limit() {
            None => (&mut seat.arrival).await,
            Some(limit) => match tokio::time::timeout_at(limit.ends, &mut seat.arrival).await {
                Ok(landed) => landed,
                Err(_) => {
                    seat.overdue();
                    return Err(UpstreamFault::ToolDeadline { deadline: limit.given });
                }
            },
        };
        let (found, is_first) = landed.read(read);
        self.service.tallies.came_from(match &found {
            Err(fault) if !fault.was_sent() => CameFrom::NotSent,
            _ if seat.pays() => CameFrom::Service,
            _ => CameFrom::Flight,
        });
        if is_first && found.is_err() {
            self.service.tallies.unreadable(request.family);
        }
        if let Ok((_, reply)) = &found
            && is_first
            && reply.is_whole
        {
            self.cache.put(request.family, key.clone(), reply.body.as_ref());
        }
        seat.landed();
        match found {
            Ok((found, _)) => {
                if !seat.pays() {
                    ledger.note_cache_hit();
                }
                Ok(found)
            }
            // Each caller is told the capacity that is its own.
            Err(UpstreamFault::NoRoom { wait, .. }) => {
                Err(UpstreamFault::NoRoom { signed_in: ledger.caller().is_signed_in(), wait })
            }
            Err(fault) => Err(fault),
        }
    }
}

#[cfg(test)]
pub(crate) mod faulty;
#[cfg(test)]
mod tests;
