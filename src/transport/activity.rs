//! What one connection is doing, and until when it may.
//!
//! Fed by the byte stream and by the exchanges on it, asked by the connection. Decides deadlines; knows
//! nothing of what the bytes are.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};

use super::limits::Limits;

/// The wire protocol, as agreed in the handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    Http1,
    Http2,
}

/// Shared between a connection, its stream and its exchanges.
#[derive(Clone, Debug)]
pub(super) struct Activity(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    protocol: Protocol,
    stage: Stage,
    /// When the stage began or something last moved in it.
    since: Instant,
    /// Exchanges whose answer is being worked out.
    working: u32,
    /// Exchanges whose answer is being sent.
    sending: u32,
    read_bytes: u64,
    stalled_since: Option<Instant>,
    unread_body: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// A request header (or the HTTP/2 greeting) is due.
    Header,
    /// Nothing is due.
    Open,
}

/// The client greeting of HTTP/2: 24 fixed bytes and the head of the first settings frame.
const HTTP2_GREETING_BYTES: u64 = 24 + 9;

impl Activity {
    /// A connection whose handshake has just ended.
    pub(super) fn new(protocol: Protocol) -> Self {
        Self(Arc::new(Mutex::new(State {
            protocol,
            stage: Stage::Header,
            since: Instant::now(),
            working: 0,
            sending: 0,
            read_bytes: 0,
            stalled_since: None,
            unread_body: false,
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes came in.
    pub(super) fn read(&self, bytes: usize) {
        let mut state = self.state();
        state.read_bytes += bytes as u64;
        match (state.protocol, state.stage) {
            (Protocol::Http1, Stage::Open) if state.working + state.sending == 0 => {
                state.stage = Stage::Header;
                state.since = Instant::now();
            }
            (Protocol::Http2, Stage::Header) if state.read_bytes >= HTTP2_GREETING_BYTES => {
                state.stage = Stage::Open;
                state.since = Instant::now();
            }
            _ => {}
        }
    }

    /// Ends once the first byte has come, and after `patience` without one. Must share its task with the connection, as
    /// [`Self::overdue`] must.
    pub(super) async fn begun(&self, patience: Duration) {
        let mut time = pin!(sleep(patience));
        std::future::poll_fn(|cx| match self.state().read_bytes {
            0 => time.as_mut().poll(cx),
            _ => Poll::Ready(()),
        })
        .await;
    }

    /// A write was taken, or had to wait for the peer.
    pub(super) fn wrote(&self, taken: bool) {
        let mut state = self.state();
        match (taken, state.stalled_since) {
            (true, Some(_)) => state.stalled_since = None,
            (false, None) => state.stalled_since = Some(Instant::now()),
            _ => {}
        }
    }

    /// Whether a request is being answered.
    pub(super) fn is_answering(&self) -> bool {
        let state = self.state();
        state.working + state.sending > 0
    }

    /// Whether an answer went out before its request had been read to the end.
    pub(super) fn has_unread_body(&self) -> bool {
        self.state().unread_body
    }

    /// When the connection must be cut if nothing changes; `None` while an answer is being worked out.
    fn deadline(&self, limits: &Limits) -> Option<Instant> {
        let state = self.state();
        let stalled = state.stalled_since.map(|since| since + limits.stalled_write);
        let due = match (state.protocol, state.stage) {
            _ if state.working > 0 => None,
            // Progress of an answer in HTTP/1.1 is what the stall of writes measures.
            (Protocol::Http1, _) if state.sending > 0 => None,
            (_, Stage::Header) => Some(state.since + limits.headers),
            (_, Stage::Open) => Some(state.since + limits.idle),
        };
        match (stalled, due) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// Ends when a deadline has passed.
    ///
    /// Must share its task with the connection: every wake-up of the connection lets this look at the
    /// deadline anew, so that no further signal is needed.
    pub(super) async fn overdue(&self, limits: &Limits) {
        let mut timer = pin!(sleep_until(Instant::now()));
        std::future::poll_fn(|cx| {
            let Some(deadline) = self.deadline(limits) else {
                return Poll::Pending;
            };
            if timer.deadline() != deadline {
                timer.as_mut().reset(deadline);
            }
            Pin::new(&mut timer).poll(cx)
        })
        .await;
    }
}

/// One request and its answer, from the complete header to the last byte handed over. Dropping it ends it.
#[derive(Debug)]
pub(super) struct Exchange {
    activity: Activity,
    sending: bool,
}

impl Exchange {
    pub(super) fn begin(activity: &Activity) -> Self {
        let mut state = activity.state();
        state.stage = Stage::Open;
        state.working += 1;
        drop(state);
        Self { activity: activity.clone(), sending: false }
    }

    /// The answer's header is known; its body follows.
    pub(super) fn sends(&mut self, unread_body: bool) {
        let mut state = self.activity.state();
        state.working -= 1;
        state.sending += 1;
        state.since = Instant::now();
        state.unread_body |= unread_body;
        drop(state);
        self.sending = true;
    }

    /// A piece of the answer was handed over.
    pub(super) fn moved(&self) {
        self.activity.state().since = Instant::now();
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        let mut state = self.activity.state();
        if self.sending {
            state.sending -= 1;
        } else {
            state.working -= 1;
        }
        state.since = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::{Activity, Exchange, Protocol};
    use crate::transport::limits::Limits;
    use std::time::Duration;
    use tokio::time::{Instant, advance, timeout};

    async fn seconds_until_overdue(activity: &Activity) -> Option<u64> {
        let start = Instant::now();
        timeout(Duration::from_secs(1_000), activity.overdue(&Limits::default())).await.ok()?;
        Some(start.elapsed().as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_header_has_its_time_however_slowly_it_comes() {
        let activity = Activity::new(Protocol::Http1);
        advance(Duration::from_secs(10)).await;
        activity.read(1);
        assert_eq!(seconds_until_overdue(&activity).await, Some(5));
    }

    #[tokio::test(start_paused = true)]
    async fn between_requests_the_idle_time_counts_until_the_first_byte() {
        let activity = Activity::new(Protocol::Http1);
        let mut exchange = Exchange::begin(&activity);
        assert_eq!(seconds_until_overdue(&activity).await, None);
        exchange.sends(false);
        assert_eq!(seconds_until_overdue(&activity).await, None);
        drop(exchange);
        advance(Duration::from_secs(100)).await;
        let idle = activity.clone();
        assert_eq!(seconds_until_overdue(&idle).await, Some(20));
        activity.read(1);
        assert_eq!(seconds_until_overdue(&activity).await, Some(15));
    }

    #[tokio::test(start_paused = true)]
    async fn http2_must_greet_in_time_and_may_then_be_idle() {
        let activity = Activity::new(Protocol::Http2);
        activity.read(10);
        assert_eq!(seconds_until_overdue(&activity).await, Some(15));
        activity.read(30);
        assert_eq!(seconds_until_overdue(&activity).await, Some(120));
    }

    #[tokio::test(start_paused = true)]
    async fn an_http2_answer_that_nobody_takes_is_idle() {
        let activity = Activity::new(Protocol::Http2);
        let mut exchange = Exchange::begin(&activity);
        exchange.sends(false);
        advance(Duration::from_secs(60)).await;
        exchange.moved();
        assert_eq!(seconds_until_overdue(&activity).await, Some(120));
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_takes_no_bytes_is_cut_off() {
        let activity = Activity::new(Protocol::Http1);
        let mut exchange = Exchange::begin(&activity);
        exchange.sends(false);
        activity.wrote(false);
        activity.wrote(true);
        assert_eq!(seconds_until_overdue(&activity).await, None);
        activity.wrote(false);
        assert_eq!(seconds_until_overdue(&activity).await, Some(30));
    }
}
