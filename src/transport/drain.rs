//! The life of the server: accept until told to stop, then let running calls finish, then cut.
//!
//! Decides the order and the time of an ending. Knows nothing of what the calls do.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper_util::service::TowerToHyperService;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::challenge::Handshakes;
use super::connection::{self, Shared};
use super::guard::GuardPolicy;
use super::limits::Limits;
use super::listener::{Listener, Taken};
use super::places::{Place, Places};
use super::routes::routes;
use super::security_headers::SecurityHeaders;
use super::service::Service;

/// What connections and calls are told about the server's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// Serving.
    Open,
    /// Finish what was begun, take nothing new.
    Draining,
    /// Give a last answer now.
    Ending,
}

impl Phase {
    /// Ends when this phase or a later one has come, or the server is gone.
    pub(super) async fn reached(self, phase: &mut watch::Receiver<Self>) {
        let _phase_or_gone = phase.wait_for(|now| *now >= self).await;
    }
}

/// How long last answers may take to leave.
pub(super) const LAST_ANSWERS: Duration = Duration::from_millis(500);

/// How a server ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrainReport {
    /// Connections that were open when the stop came.
    pub open: usize,
    /// Those of them that had to be cut.
    pub cut: usize,
    /// From the stop to the end.
    pub took: Duration,
}

/// Serves until `shutdown` ends, then drains and returns. Dropping the future cuts everything at once.
pub async fn serve(
    mut listener: Listener,
    tls: impl Into<Handshakes>,
    limits: Limits,
    guard: GuardPolicy,
    security: SecurityHeaders,
    service: Arc<impl Service>,
    shutdown: impl Future<Output = ()>,
) -> DrainReport {
    let (tell, phase) = watch::channel(Phase::Open);
    let grace = limits.grace;
    let traffic = listener.traffic();
    let places = Places::new(limits.connections, Arc::clone(&traffic));
    let shared = Arc::new(Shared {
        traffic: Arc::clone(&traffic),
        tls: tls.into(),
        routes: TowerToHyperService::new(warp::service(routes(service, &limits, phase.clone()))),
        limits,
        guard: Arc::new(guard),
        security,
        phase,
    });
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    // One at most is taken before it has a place: who it is from decides who gives way for it.
    let mut newcomer: Option<Taken> = None;
    loop {
        let (own, outside) = listener.doors();
        let (taken, place) = tokio::select! {
            biased;
            () = shutdown.as_mut() => break,
            Some(_ended) = connections.join_next() => continue,
            own = own.next() => (own, None),
            next = outside.next(|| places.give_one_up()), if newcomer.is_none() => {
                newcomer = Some(next);
                continue;
            }
            placed = placed(&places, newcomer.as_ref()) => match newcomer.take() {
                Some(taken) => (taken, Some(placed)),
                None => continue,
            },
        };
        let serving = connection::run(taken.stream, taken.peer, place, shared.clone());
        let traffic = Arc::clone(&traffic);
        traffic.taken.one();
        connections.spawn(async move {
            let _open = traffic.open.enter();
            serving.await;
        });
    }
    drop(newcomer);
    drop(listener);
    let stopped = Instant::now();
    while connections.try_join_next().is_some() {}
    let open = connections.len();
    tell.send_replace(Phase::Draining);
    if !all_ended(&mut connections, grace).await {
        tell.send_replace(Phase::Ending);
        all_ended(&mut connections, LAST_ANSWERS).await;
    }
    let cut = connections.len();
    connections.shutdown().await;
    DrainReport { open, cut, took: stopped.elapsed() }
}

/// A place for the newcomer; without one, never.
async fn placed(places: &Arc<Places>, newcomer: Option<&Taken>) -> Place {
    match newcomer {
        Some(taken) => places.take(taken.peer).await,
        None => std::future::pending().await,
    }
}

pub(super) async fn all_ended(connections: &mut JoinSet<()>, time: Duration) -> bool {
    tokio::time::timeout(time, async { while connections.join_next().await.is_some() {} }).await.is_ok()
}
