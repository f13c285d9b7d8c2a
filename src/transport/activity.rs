//! What one connection is doing, and until when it may.
//!
//! Fed by the byte stream and by the exchanges on it, asked by the connection and by whoever needs its place. Decides
//! deadlines; knows nothing of what the bytes are.

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
    /// Exchanges whose request has not come to its end; each is one of `working` or `sending`.
    receiving: u32,
    /// Exchanges whose next piece of an answer lies ready for the peer, the one that moved longest ago first.
    untaken: Vec<(u64, Instant)>,
    exchanges: u64,
    /// Exchanges that the peer broke off, less those that came to their end.
    broken_off: u32,
    read_bytes: u64,
    /// What came while nothing was asked, since something was.
    idle_bytes: usize,
    stalled_since: Option<Instant>,
    /// What was taken since then.
    taken_bytes: usize,
    unread_body: bool,
    /// Nothing more can be said to the peer.
    lost: bool,
}

/// How much a connection that stands still is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Need {
    /// Nothing was asked on it.
    Nothing,
    /// Its peer has begun something, and everybody waits for the peer.
    Peer,
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

/// A peer that takes so much within the time of a stalled write is slow and does not stand still.
const PROGRESS_BYTES: usize = 16 * 1024;

/// What an HTTP/2 connection may send without asking anything: the next header, and what was on its way of a body that was
/// refused. More is a flood of frames that mean nothing.
const IDLE_BYTES_MAX: usize = 2 * 1024 * 1024;

/// How many more requests one HTTP/2 connection may break off than it sees to their end.
const BROKEN_OFF_MAX: u32 = 200;

impl Activity {
    /// A connection whose handshake has just ended.
    pub(super) fn new(protocol: Protocol) -> Self {
        Self(Arc::new(Mutex::new(State {
            protocol,
            stage: Stage::Header,
            since: Instant::now(),
            working: 0,
            sending: 0,
            receiving: 0,
            untaken: Vec::new(),
            exchanges: 0,
            broken_off: 0,
            read_bytes: 0,
            idle_bytes: 0,
            stalled_since: None,
            taken_bytes: 0,
            unread_body: false,
            lost: false,
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes came in.
    pub(super) fn read(&self, bytes: usize) {
        let mut state = self.state();
        state.read_bytes += bytes as u64;
        if state.protocol == Protocol::Http2 && state.working + state.sending == 0 {
            state.idle_bytes = state.idle_bytes.saturating_add(bytes);
        }
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

    /// All that was written is on its way, or some of it has to wait for the peer.
    pub(super) fn wrote(&self, all_taken: bool) {
        let mut state = self.state();
        match (all_taken, state.stalled_since) {
            (true, Some(_)) => state.stalled_since = None,
            (false, None) => {
                state.stalled_since = Some(Instant::now());
                state.taken_bytes = 0;
            }
            _ => {}
        }
    }

    /// Whether a request is being answered.
    pub(super) fn is_answering(&self) -> bool {
        let state = self.state();
        state.working + state.sending > 0
    }

    /// So many bytes were taken; there may be more to take.
    pub(super) fn took(&self, bytes: usize) {
        let mut state = self.state();
        if state.stalled_since.is_some() {
            state.taken_bytes = state.taken_bytes.saturating_add(bytes);
            if state.taken_bytes >= PROGRESS_BYTES {
                state.stalled_since = None;
            }
        }
    }

    /// The peer had its time, and takes nothing any more.
    pub(super) fn lose(&self) {
        self.state().lost = true;
    }

    /// Whether whatever is still unsent can be thrown away.
    pub(super) fn is_lost(&self) -> bool {
        self.state().lost
    }

    /// Since when nothing but the peer could make this connection go on, and how much it is needed all the same; `None`
    /// while something is worked out for it.
    pub(super) fn stands_still(&self) -> Option<(Need, Instant)> {
        let state = self.state();
        let untaken = u32::try_from(state.untaken.len()).unwrap_or(u32::MAX);
        if state.working + state.sending == 0 {
            Some((Need::Nothing, state.since))
        } else if state.working + state.sending <= state.receiving + untaken {
            Some((Need::Peer, state.since))
        } else {
            None
        }
    }

    /// Whether an answer went out before its request had been read to the end.
    pub(super) fn has_unread_body(&self) -> bool {
        self.state().unread_body
    }

    /// When the connection must be cut if nothing changes; `None` while an answer is being worked out.
    fn deadline(&self, limits: &Limits) -> Option<Instant> {
        let state = self.state();
        if state.broken_off > BROKEN_OFF_MAX || state.idle_bytes > IDLE_BYTES_MAX {
            return Some(state.since);
        }
        let untaken = match state.protocol {
            // There every answer stalls by itself.
            Protocol::Http2 => state.untaken.first().map(|(_, since)| *since),
            Protocol::Http1 => None,
        };
        let stalled = state.stalled_since.into_iter().chain(untaken).min();
        let stalled = stalled.map(|since| since + limits.stalled_write);
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
    number: u64,
    sending: bool,
    whole: bool,
}

/// A request that is still on its way. Dropping it says that no more of it is waited for.
#[derive(Debug)]
pub(super) struct Receiving(Activity);

impl Receiving {
    pub(super) fn begin(activity: &Activity) -> Self {
        activity.state().receiving += 1;
        Self(activity.clone())
    }
}

impl Drop for Receiving {
    fn drop(&mut self) {
        self.0.state().receiving -= 1;
    }
}

impl Exchange {
    pub(super) fn begin(activity: &Activity) -> Self {
        let mut state = activity.state();
        state.stage = Stage::Open;
        state.idle_bytes = 0;
        state.working += 1;
        state.exchanges += 1;
        let number = state.exchanges;
        drop(state);
        Self { activity: activity.clone(), number, sending: false, whole: false }
    }

    /// Whether the last byte of its answer can be followed.
    pub(super) fn is_on_http2(&self) -> bool {
        self.activity.state().protocol == Protocol::Http2
    }

    /// The answer's header is known; its body follows.
    pub(super) fn sends(&mut self, unread_body: bool) {
        let mut state = self.activity.state();
        state.working -= 1;
        state.sending += 1;
        state.since = Instant::now();
        state.unread_body |= unread_body;
        state.lies_ready(self.number);
        drop(state);
        self.sending = true;
    }

    /// A piece of the answer was handed over; the next turn is the peer's.
    pub(super) fn moved(&self) {
        let mut state = self.activity.state();
        state.since = Instant::now();
        state.lies_ready(self.number);
    }

    /// The next piece of the answer is still to be made.
    pub(super) fn waits(&self) {
        self.activity.state().is_taken(self.number);
    }

    /// The last piece was handed over.
    pub(super) fn ends(&mut self) {
        self.whole = true;
    }
}

impl State {
    fn is_taken(&mut self, number: u64) {
        self.untaken.retain(|(one, _)| *one != number);
    }

    fn lies_ready(&mut self, number: u64) {
        self.is_taken(number);
        self.untaken.push((number, Instant::now()));
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        let mut state = self.activity.state();
        if self.sending {
            state.sending -= 1;
            state.is_taken(self.number);
        } else {
            state.working -= 1;
        }
        if state.protocol == Protocol::Http2 {
            state.broken_off = if self.whole {
                state.broken_off.saturating_sub(1)
            } else {
                state.broken_off.saturating_add(1)
            };
        }
        state.since = Instant::now();
    }
}

#[cfg(test)]
mod tests;
