//! The one thread that owns the database: gathers what waits, commits it once, and tells everybody.
//!
//! Decides when a commit happens, when the store refuses and when it tries again. It must never know what a row
//! means.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::ack::{Ack, StoreError};
use super::batch::Batch;
use super::engine::{Engine, EngineError};
use super::space::Room;
use super::{Flushes, Health};
use crate::clock::Clock;
use crate::telemetry::count::{Counter, Histogram};

/// Batches that may wait.
const QUEUE_MAX: usize = 4_096;
/// What one commit gathers at most.
const GATHER_BATCHES: usize = 512;
const GATHER_BYTES: usize = 1024 * 1024;
/// Whoever was told of a commit often has more at once. The next one waits for so many as were there last time, at most
/// this part of what a commit takes and at most so long; otherwise two halves would take turns, each waiting for the
/// other's barrier.
const COMPANY_PART: u32 = 4;
const COMPANY_MAX: Duration = Duration::from_millis(1);
/// How often the thread shows that it lives when nothing is to be done.
const TICK: Duration = Duration::from_millis(250);
/// How often the room on the disk is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// Between two attempts to open a failed database anew.
const RETRY_FIRST: Duration = Duration::from_millis(200);
const RETRY_MAX: Duration = Duration::from_secs(5);

enum Message {
    Commit(Batch, oneshot::Sender<Result<(), StoreError>>),
    Close,
}

/// What other threads see of the owner.
#[derive(Debug)]
struct Shared {
    clock: Clock,
    began: Instant,
    /// When the thread last showed that it lives, in milliseconds since it began.
    beat_ms: AtomicU64,
    health: Mutex<Health>,
    flushed: Histogram,
    failed: Counter,
}

impl Shared {
    fn beat(&self) {
        self.beat_ms.store(self.now_ms(), Ordering::Relaxed);
    }

    fn now_ms(&self) -> u64 {
        let since = self.clock.monotonic().saturating_duration_since(self.began);
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    fn health(&self) -> Health {
        *self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, health: Health) -> Health {
        std::mem::replace(&mut *self.health.lock().unwrap_or_else(PoisonError::into_inner), health)
    }
}

/// The other end of the owner's thread. Dropping it lets the thread finish what waits and end.
pub(super) struct Owner {
    inbox: SyncSender<Message>,
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Owner {
    /// Hands the database to a thread of its own.
    pub(super) fn start(engine: impl Engine, clock: Clock) -> std::io::Result<Self> {
        let (inbox, receive) = sync_channel(QUEUE_MAX);
        let began = clock.monotonic();
        let health = Mutex::new(Health::Good);
        let shared = Arc::new(Shared {
            clock,
            began,
            beat_ms: AtomicU64::new(0),
            health,
            flushed: Histogram::default(),
            failed: Counter::default(),
        });
        let work = Work {
            engine,
            shared: Arc::clone(&shared),
            broken: None,
            look_at: None,
            has_ballast: false,
            waiting: VecDeque::new(),
            company: Company::default(),
        };
        let thread = std::thread::Builder::new().name("store".into()).spawn(move || work.run(&receive))?;
        Ok(Self { inbox, shared, thread: Mutex::new(Some(thread)) })
    }

    /// Queues a batch; never waits.
    pub(super) fn submit(&self, batch: Batch) -> Ack {
        if let Health::Refusing(error) = self.health() {
            return Ack::known(Err(error));
        }
        let (send, ack) = Ack::pair();
        match self.inbox.try_send(Message::Commit(batch, send)) {
            Ok(()) => ack,
            Err(TrySendError::Full(_)) => Ack::known(Err(StoreError::Busy)),
            Err(TrySendError::Disconnected(_)) => Ack::known(Err(StoreError::Closed)),
        }
    }

    pub(super) fn health(&self) -> Health {
        self.shared.health()
    }

    pub(super) fn flushes(&self) -> Flushes {
        Flushes { took: self.shared.flushed.read(), failed: self.shared.failed.get() }
    }

    /// How long the thread has shown no sign of life.
    pub(super) fn silent(&self) -> Duration {
        let beat = self.shared.beat_ms.load(Ordering::Relaxed);
        Duration::from_millis(self.shared.now_ms().saturating_sub(beat))
    }

    /// Commits what waits, closes the database and ends the thread.
    pub(super) fn close(&self) {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        // A thread that is gone already has nothing left to close.
        let _gone = self.inbox.send(Message::Close);
        if let Some(thread) = thread {
            let _panicked = thread.join();
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.close();
    }
}

impl fmt::Debug for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Owner").field("health", &self.health()).finish_non_exhaustive()
    }
}

struct Work<E> {
    engine: E,
    shared: Arc<Shared>,
    broken: Option<Broken>,
    look_at: Option<Instant>,
    has_ballast: bool,
    /// What was handed over while a commit was on its way.
    waiting: VecDeque<Message>,
    company: Company,
}

/// How many batches are expected for the next commit, and how long they are worth waiting for.
#[derive(Clone, Copy, Debug, Default)]
struct Company {
    batches: usize,
    patience: Duration,
}

/// A database that failed and is to be opened anew.
struct Broken {
    again_at: Instant,
    pause: Duration,
    is_full: bool,
}

impl<E: Engine> Work<E> {
    fn run(mut self, inbox: &Receiver<Message>) {
        loop {
            self.shared.beat();
            let first = match self.waiting.pop_front() {
                Some(first) => Some(first),
                None => match inbox.recv_timeout(TICK) {
                    Ok(first) => Some(first),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => break,
                },
            };
            self.shared.beat();
            let closing = first.is_some_and(|first| self.serve(first, inbox));
            if closing {
                break;
            }
            self.look_after();
        }
        self.shared.set(Health::Refusing(StoreError::Closed));
    }

    /// Commits a message and what waits behind it; whether it was told to close.
    fn serve(&mut self, first: Message, inbox: &Receiver<Message>) -> bool {
        let (mut changes, mut told) = (Vec::new(), Vec::new());
        let (mut next, mut bytes, mut closing) = (Some(first), 0, false);
        let until = self.shared.clock.monotonic() + self.company.patience;
        while let Some(message) = next.take() {
            match message {
                Message::Commit(batch, tell) => {
                    bytes += batch.bytes();
                    changes.extend(batch.into_changes());
                    told.push(tell);
                }
                Message::Close => {
                    closing = true;
                    break;
                }
            }
            if told.len() < GATHER_BATCHES && bytes < GATHER_BYTES {
                next = self.waiting.pop_front().or_else(|| inbox.try_recv().ok());
                if next.is_none() && told.len() < self.company.batches {
                    next = self.company_until(inbox, until);
                }
            }
        }
        if told.is_empty() {
            return closing;
        }
        let began = self.shared.clock.monotonic();
        let result = if let Some(broken) = &self.broken {
            Err(broken.error())
        } else {
            caught(|| self.engine.commit(changes)).map_err(|error| self.breaks(&error))
        };
        let took = self.shared.clock.monotonic().saturating_duration_since(began);
        match result {
            Ok(()) => self.shared.flushed.note(took),
            Err(_) => self.shared.failed.one(),
        }
        // Before anybody is told, so that what they hand over next is not counted as well.
        while self.waiting.len() < GATHER_BATCHES
            && let Ok(message) = inbox.try_recv()
        {
            self.waiting.push_back(message);
        }
        self.company = Company {
            batches: (told.len() + self.waiting.len()).min(GATHER_BATCHES),
            patience: (took / COMPANY_PART).min(COMPANY_MAX),
        };
        for tell in told {
            // Whoever stopped waiting does not want to know.
            let _gone = tell.send(result);
        }
        closing
    }

    /// The next batch, if one comes before `until`.
    fn company_until(&self, inbox: &Receiver<Message>, until: Instant) -> Option<Message> {
        inbox.recv_timeout(until.saturating_duration_since(self.shared.clock.monotonic())).ok()
    }

    fn breaks(&mut self, error: &EngineError) -> StoreError {
        let is_full = error.is_full;
        let broken =
            Broken { again_at: self.shared.clock.monotonic() + RETRY_FIRST, pause: RETRY_FIRST, is_full };
        let kind = broken.error();
        tracing::error!(reason = %error.reason, "the store refuses to write; metered calls are refused until it recovers");
        self.shared.set(Health::Refusing(kind));
        self.broken = Some(broken);
        kind
    }

    fn look_after(&mut self) {
        let now = self.shared.clock.monotonic();
        if self.broken.as_ref().is_some_and(|broken| now >= broken.again_at) {
            self.mend(now);
        }
        if self.broken.is_none() && self.look_at.is_none_or(|at| now >= at) {
            self.look_at = Some(now + LOOK_EVERY);
            self.look_at_the_disk();
        }
    }

    fn mend(&mut self, now: Instant) {
        let is_full = self.broken.as_ref().is_some_and(|broken| broken.is_full);
        if is_full {
            self.engine.drop_ballast();
            self.has_ballast = false;
        }
        // Opening on a full disk could only fail again, and would use up what the ballast gave.
        let has_room = self.engine.space().is_none_or(|space| space.room() != Room::None);
        let mended = if has_room {
            caught(|| self.engine.reopen())
        } else {
            Err(EngineError { is_full: true, reason: "the disk is still full".into() })
        };
        match mended {
            Ok(()) => {
                self.broken = None;
                self.look_at = None;
                self.shared.set(Health::Good);
                tracing::info!("the store writes again");
            }
            Err(error) => {
                if let Some(broken) = &mut self.broken {
                    broken.pause = (broken.pause * 2).min(RETRY_MAX);
                    broken.again_at = now + broken.pause;
                    broken.is_full = error.is_full;
                    let kind = broken.error();
                    self.shared.set(Health::Refusing(kind));
                }
            }
        }
    }

    fn look_at_the_disk(&mut self) {
        let Some(space) = self.engine.space() else { return };
        let health = match space.room() {
            Room::Ample => Health::Good,
            Room::Tight => Health::Tight,
            Room::None => Health::Refusing(StoreError::DiskFull),
        };
        let before = self.shared.set(health);
        if before != health {
            let free_mib = space.free_bytes / (1024 * 1024);
            match health {
                Health::Good => tracing::info!(free_mib, "the disk has room again"),
                Health::Tight => {
                    tracing::warn!(free_mib, "the disk is nearly full; answers are not kept for replay")
                }
                Health::Refusing(_) => {
                    tracing::error!(free_mib, "the disk is full; metered calls are refused")
                }
            }
        }
        if health == Health::Good && !self.has_ballast {
            self.engine.keep_ballast(space.ballast_bytes());
            self.has_ballast = true;
        }
    }
}

impl Broken {
    fn error(&self) -> StoreError {
        if self.is_full { StoreError::DiskFull } else { StoreError::Failed }
    }
}

/// A database that panics is one that failed.
fn caught(step: impl FnOnce() -> Result<(), EngineError>) -> Result<(), EngineError> {
    catch_unwind(AssertUnwindSafe(step))
        .unwrap_or_else(|_panic| Err(EngineError::other("the database panicked")))
}

#[cfg(test)]
mod tests;
