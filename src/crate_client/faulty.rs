//! A service that fails on demand, for tests.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::Semaphore;

use super::transport::{Answer, Request, Sending, Transport};
use super::{CallLedger, Caller, ClientSettings, CrateClient, Shelves, UpstreamFault};
use crate::clock::Clock;
use crate::model::family::Family;

/// How long a request of [`client`] may take.
pub(crate) const CALL_DEADLINE: Duration = Duration::from_secs(8);

/// How a family answers.
#[derive(Clone, Debug)]
pub(crate) enum Behaviour {
    /// At once, with this status and body.
    Says(u16, &'static str),
    /// At once, without an HTTP answer.
    Fails(UpstreamFault),
    /// Never.
    Hangs,
    /// With 200 and this body, once a permit is there.
    Waits(Arc<Semaphore>, &'static str),
}

/// An answer of each family that is in order and holds nothing.
pub(crate) fn nothing(family: Family) -> Behaviour {
    Behaviour::Says(
        200,
        match family {
            Family::Resolve => r#"{"resolved_via":null}"#,
            Family::Artist => r#"{"identity":null}"#,
            _ => r#"{"results":[]}"#,
        },
    )
}

/// A transport whose families behave as told, and answer with [`nothing`] until they are.
#[derive(Debug, Default)]
pub(crate) struct Faulty {
    behaviours: Mutex<HashMap<Family, Behaviour>>,
    sent: Mutex<Vec<Family>>,
}

impl Faulty {
    /// Makes a family behave so from now on.
    pub(crate) fn set(&self, family: Family, behaviour: Behaviour) {
        self.behaviours.lock().unwrap().insert(family, behaviour);
    }

    /// How many requests of a family came through.
    pub(crate) fn sent(&self, family: Family) -> usize {
        self.sent.lock().unwrap().iter().filter(|sent| **sent == family).count()
    }
}

impl Transport for Faulty {
    fn send<'a>(&'a self, request: Request<'a>) -> Sending<'a> {
        let family = request.family;
        self.sent.lock().unwrap().push(family);
        let behaviour =
            self.behaviours.lock().unwrap().get(&family).cloned().unwrap_or_else(|| nothing(family));
        Box::pin(async move {
            let answer =
                |status, body: &'static str| Ok(Answer::new(status, Bytes::from_static(body.as_bytes())));
            match behaviour {
                Behaviour::Says(status, body) => answer(status, body),
                Behaviour::Fails(fault) => Err(fault),
                Behaviour::Hangs => std::future::pending().await,
                Behaviour::Waits(permits, body) => {
                    permits.acquire().await.unwrap().forget();
                    answer(200, body)
                }
            }
        })
    }
}

/// A client of a faulty service, on a clock that is wound by hand.
pub(crate) fn client() -> (Arc<CrateClient>, Arc<Faulty>, Clock) {
    let clock = Clock::wound_to(time::macros::datetime!(2027-01-31 12:00 UTC));
    let faulty = Arc::new(Faulty::default());
    let client = client_of(Arc::clone(&faulty) as _, settings(), Shelves::default(), &clock);
    (client, faulty, clock)
}

/// A client of any service.
pub(crate) fn client_of(
    transport: Arc<dyn Transport>,
    settings: ClientSettings,
    shelves: Shelves,
    clock: &Clock,
) -> Arc<CrateClient> {
    Arc::new(CrateClient::new(transport, settings, shelves, clock.clone()))
}

/// Those of [`client`].
pub(crate) fn settings() -> ClientSettings {
    ClientSettings::plain(CALL_DEADLINE)
}

/// The ledger of a fresh call of caller number `n`.
pub(crate) fn call_of(n: u64) -> CallLedger {
    CallLedger::new(Caller::new(n))
}
