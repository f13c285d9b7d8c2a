//! One request to the service, from the permission to start to what its answer says.
//!
//! Decides in which order the limits are passed, how long there is for an answer, and which answers count as
//! answers. It must never know who else waits for it, or what the answer holds beyond its state.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use time::OffsetDateTime;
use tokio::time::{Instant, sleep, timeout_at};

use super::fault::UpstreamFault;
use super::key::KeyStanding;
use super::ledger::Caller;
use super::pacing::{Pacer, Place};
use super::reading;
use super::retry;
use super::sharing::Boarding;
use super::state::{self, Said};
use super::tallies::Tallies;
use super::transport::{Answer, Request, Transport};
use super::window::{Outcome, Visit, Windows};
use crate::clock::{Clock, runtime_now};
use crate::model::family::Family;

/// A wait that is longer than this is none for a minute's requests.
const MINUTE: Duration = Duration::from_secs(60);

/// What every request passes.
#[derive(Debug)]
pub(super) struct Service {
    pub(super) transport: Arc<dyn Transport>,
    pub(super) windows: Arc<Windows>,
    /// `None`: the demo has no plan.
    pub(super) pacer: Option<Arc<Pacer>>,
    pub(super) call_deadline: Duration,
    pub(super) clock: Clock,
    pub(super) tallies: Tallies,
    pub(super) key: KeyStanding,
}

/// A request that lives as long as somebody waits for it.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    family: Family,
    path: String,
    query: Vec<(&'static str, String)>,
}

impl Asked {
    pub(super) fn of(request: Request<'_>) -> Self {
        Self { family: request.family, path: request.path.to_owned(), query: request.query.to_vec() }
    }

    fn request(&self) -> Request<'_> {
        Request { family: self.family, path: &self.path, query: &self.query }
    }
}

/// What came of a request, for everybody who waited.
#[derive(Debug)]
pub(super) struct Landed {
    found: Result<Reply, UpstreamFault>,
    /// Open until somebody has read the answer: one that cannot be read is a failure of the service too.
    visit: Mutex<Option<Visit>>,
}

/// What an answer holds.
#[derive(Clone, Debug)]
pub(super) struct Reply {
    /// The body; `None` when the service says that it holds nothing there.
    pub(super) body: Option<Bytes>,
    /// Whether it may be served again: no part of it is missing for the moment only.
    pub(super) is_whole: bool,
}

/// What one sending of a request brought.
struct Sent {
    was_200: bool,
    found: Result<Reply, UpstreamFault>,
}

impl Landed {
    /// Reads the answer. The first to do so settles what the request says about the service, and is told
    /// with `true`.
    pub(super) fn read<T>(
        &self,
        read: impl FnOnce(&[u8]) -> Result<T, UpstreamFault>,
    ) -> (Result<(Option<T>, &Reply), UpstreamFault>, bool) {
        let visit = self.visit.lock().unwrap_or_else(PoisonError::into_inner).take();
        let found = match &self.found {
            Ok(reply) => reply.body.as_deref().map(read).transpose().map(|found| (found, reply)),
            Err(fault) => Err(*fault),
        };
        let is_first = visit.is_some();
        if let Some(visit) = visit {
            visit.ended(found.as_ref().map_or_else(|fault| fault.outcome(), |_| Outcome::Answered));
        }
        (found, is_first)
    }
}

/// A visit whose request is on its way. One that is dropped there is abandoned, unless somebody's whole time
/// went by meanwhile: then the service has failed.
struct Awaited<'a> {
    visit: Option<Visit>,
    boarding: &'a Boarding,
}

impl Drop for Awaited<'_> {
    fn drop(&mut self) {
        if let Some(visit) = self.visit.take()
            && self.boarding.is_overdue()
        {
            visit.ended(Outcome::Failed);
        }
    }
}

impl Service {
    /// Makes the request for everybody who waits for it; `caller` is the one who asked first.
    pub(super) async fn fly(
        self: Arc<Self>,
        asked: Asked,
        caller: Caller,
        boarding: Arc<Boarding>,
    ) -> Arc<Landed> {
        let landed = match self.ask(&asked, caller, &boarding).await {
            Ok((reply, visit)) => Landed { found: Ok(reply), visit: Mutex::new(Some(visit)) },
            Err(fault) => {
                self.tallies.not_sent(asked.family, fault);
                Landed { found: Err(fault), visit: Mutex::new(None) }
            }
        };
        Arc::new(landed)
    }

    async fn ask(
        &self,
        asked: &Asked,
        caller: Caller,
        boarding: &Boarding,
    ) -> Result<(Reply, Visit), UpstreamFault> {
        // Nobody stands in line for what is not being asked.
        self.windows.look(asked.family)?;
        let place = self.place(caller).await?;
        let visit = match self.windows.enter(asked.family, caller) {
            Ok(visit) => visit,
            Err(closed) => {
                if let Some(place) = place {
                    place.unused();
                }
                return Err(closed.into());
            }
        };
        let is_trial = visit.is_trial();
        let mut awaited = Awaited { visit: Some(visit), boarding };
        let charge = boarding.charge();
        let deadline = runtime_now() + self.call_deadline;
        let mut sent = self.send(asked, place, deadline).await;
        // A service that is being tried is asked once.
        if let Err(fault) = sent.found
            && let Some(pause) = retry::pause(fault).filter(|_| !is_trial)
            && runtime_now() + pause < deadline
        {
            sleep(pause).await;
            if let Ok(Ok(place)) = timeout_at(deadline, self.place(caller)).await {
                sent = self.send(asked, place, deadline).await;
            }
        }
        if let Some(charge) = charge {
            if sent.was_200 {
                charge.count_2xx();
            }
            if sent.found.as_ref().is_err_and(|fault| !fault.is_charged()) {
                charge.waive();
            }
        }
        match (sent.found, awaited.visit.take()) {
            (Ok(reply), Some(visit)) => Ok((reply, visit)),
            (Ok(_), None) => Err(UpstreamFault::Unreadable),
            (Err(fault), visit) => {
                if let Some(visit) = visit {
                    visit.ended(fault.outcome());
                }
                Err(fault)
            }
        }
    }

    async fn place(&self, caller: Caller) -> Result<Option<Place>, UpstreamFault> {
        let Some(pacer) = &self.pacer else { return Ok(None) };
        let place = pacer.place().await;
        place.map(Some).map_err(|wait| UpstreamFault::NoRoom { signed_in: caller.is_signed_in(), wait })
    }

    /// Sends the request once.
    async fn send(&self, asked: &Asked, place: Option<Place>, deadline: Instant) -> Sent {
        let underway = self.tallies.begin(asked.family, &self.clock);
        let answer = timeout_at(deadline, self.transport.send(asked.request())).await;
        let Ok(answer) = answer else {
            // The place stays taken for a moment: the service does not know yet that nobody waits.
            drop(place);
            let found = Err(UpstreamFault::CallDeadline { deadline: self.call_deadline });
            underway.ended(&found);
            return Sent { was_200: false, found };
        };
        let sent = match answer {
            Ok(answer) => {
                if let Some(pacer) = &self.pacer {
                    pacer.hear(answer.hints, answer.status == 429);
                }
                let found = self.judge(&answer);
                self.key.hear(asked.family, answer.status, found.is_ok());
                Sent { was_200: answer.status == 200, found }
            }
            Err(fault) => Sent { was_200: false, found: Err(fault) },
        };
        underway.ended(&sent.found);
        if let Some(place) = place {
            // The service counts what it answers with 200, whatever that holds.
            let counts =
                sent.was_200 || sent.found.as_ref().map_or_else(|fault| fault.is_charged(), |_| true);
            place.ended(counts);
        }
        sent
    }

    fn judge(&self, answer: &Answer) -> Result<Reply, UpstreamFault> {
        match answer.status {
            200 => match state::of(&answer.body)? {
                Said::Something { is_whole } => Ok(Reply { body: Some(answer.body.clone()), is_whole }),
                Said::Nothing => Ok(Reply { body: None, is_whole: true }),
                Said::Degraded => Err(UpstreamFault::Degraded),
            },
            404 if reading::is_error(&answer.body) => Ok(Reply { body: None, is_whole: true }),
            // There is a proxy's page in the service's place.
            404 => Err(UpstreamFault::Unreadable),
            429 => Err(self.rate_limited(answer)),
            status => Err(UpstreamFault::Status { status, retry_after: answer.hints.retry_after }),
        }
    }

    fn rate_limited(&self, answer: &Answer) -> UpstreamFault {
        let refusal = reading::rate_refusal(&answer.body);
        let retry_after = answer.hints.retry_after.or(refusal.retry_after).or(answer.hints.reset_in);
        let reset_at = retry_after
            .filter(|wait| *wait > MINUTE)
            .and_then(|wait| self.clock.utc().checked_add(time::Duration::try_from(wait).ok()?))
            .map(|at: OffsetDateTime| at.replace_nanosecond(0).unwrap_or(at));
        UpstreamFault::RateLimited { retry_after, at_once: refusal.at_once, reset_at }
    }
}
