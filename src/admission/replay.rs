//! Identical calls: one runs, the others wait for its answer or are served the stored one.
//!
//! Decides which calls are the same and who of them runs. It must never know what an answer holds. Keys are digests
//! of everything that makes two calls the same, the account first, so that no answer ever reaches another account.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ring::digest::{SHA256, digest};
use tokio::sync::watch;

use crate::store::State;

/// How long a call waits for the identical one that runs.
pub const WAIT: Duration = Duration::from_secs(2);

/// Everything that makes two calls the same.
#[derive(Clone, Copy, Debug)]
pub struct SameCall<'a> {
    /// The account.
    pub account: &'a [u8; 16],
    /// The tool.
    pub tool: &'a str,
    /// Its arguments as they are understood: in one order, with every default written out.
    pub arguments: &'a str,
    /// The view that is served.
    pub view: &'a str,
    /// The version of what is answered.
    pub contract: &'a str,
}

/// The digest of a [`SameCall`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReplayKey([u8; 32]);

impl ReplayKey {
    /// Calls that differ in anything have different keys.
    #[must_use]
    pub fn of(call: &SameCall<'_>) -> Self {
        // In one piece: feeding the digest bit by bit takes as long as the digest.
        let mut whole = Vec::with_capacity(256);
        whole.extend_from_slice(b"ono-sendai replay 1\0");
        whole.extend_from_slice(call.account);
        for part in [call.tool, call.arguments, call.view, call.contract] {
            // The length first, so that no two parts can be cut differently and look the same.
            whole.extend_from_slice(&(part.len() as u64).to_be_bytes());
            whole.extend_from_slice(part.as_bytes());
        }
        let mut key = [0; 32];
        for (to, from) in key.iter_mut().zip(digest(&SHA256, &whole).as_ref()) {
            *to = *from;
        }
        Self(key)
    }

    /// As it is stored.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for ReplayKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReplayKey")
    }
}

/// What becomes of a call.
#[derive(Debug)]
pub enum Turn {
    /// An identical one was answered: with this.
    Stored(Arc<str>),
    /// It runs, and others wait for it.
    Lead(Leader),
    /// The identical one runs for too long to wait for.
    InProgress,
}

/// The calls that run.
#[derive(Clone, Debug, Default)]
pub struct Replays(Arc<Mutex<HashMap<ReplayKey, watch::Receiver<()>>>>);

impl Replays {
    /// Finds out what becomes of a call. Waits no longer than [`WAIT`].
    pub async fn turn(&self, key: ReplayKey, state: &State) -> Turn {
        let waiting = async {
            loop {
                match self.step(key, state) {
                    // Ends when the one that runs is dropped, however that comes.
                    Step::Wait(mut running) => while running.changed().await.is_ok() {},
                    Step::Done(turn) => break turn,
                }
            }
        };
        tokio::time::timeout(WAIT, waiting).await.unwrap_or(Turn::InProgress)
    }

    fn step(&self, key: ReplayKey, state: &State) -> Step {
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(one) = running.get(&key) {
            return Step::Wait(one.clone());
        }
        if let Some(stored) = state.replays.get(&key.0) {
            return Step::Done(Turn::Stored(stored.answer));
        }
        let (tell, told) = watch::channel(());
        running.insert(key, told);
        drop(running);
        Step::Done(Turn::Lead(Leader { key, running: self.clone(), _tell: tell }))
    }

    /// How many different calls run.
    #[must_use]
    pub fn running(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

enum Step {
    Wait(watch::Receiver<()>),
    Done(Turn),
}

/// The one of several identical calls that runs. Dropping it lets the next one find what was stored, or run.
#[derive(Debug)]
pub struct Leader {
    key: ReplayKey,
    running: Replays,
    /// Dropped after the entry is gone: whoever wakes then finds the way free.
    _tell: watch::Sender<()>,
}

impl Leader {
    /// The key of the call.
    #[must_use]
    pub fn key(&self) -> ReplayKey {
        self.key
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        self.running.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::clock::Clock;
    use crate::store::rows::Replay;
    use crate::store::{Batch, MemoryStore};

    fn state() -> Arc<State> {
        Arc::new(State::load(Arc::new(MemoryStore::new()), &Clock::system()).unwrap())
    }

    fn key(n: u32) -> ReplayKey {
        let arguments = n.to_string();
        let call =
            SameCall { account: &[1; 16], tool: "t", arguments: &arguments, view: "summary", contract: "1" };
        ReplayKey::of(&call)
    }

    fn store(state: &State, key: ReplayKey, text: &str) {
        let mut batch = Batch::new();
        state.replays.put(&mut batch, *key.as_bytes(), Replay { answer: text.into() }).unwrap();
        state.submit(batch).wait().unwrap();
    }

    #[test]
    fn whatever_differs_makes_another_call() {
        let call = SameCall { account: &[1; 16], tool: "ab", arguments: "c", view: "v", contract: "1" };
        let others = [
            SameCall { account: &[2; 16], ..call },
            SameCall { tool: "a", arguments: "bc", ..call },
            SameCall { arguments: "d", ..call },
            SameCall { view: "w", ..call },
            SameCall { contract: "2", ..call },
        ];
        assert_eq!(ReplayKey::of(&call), ReplayKey::of(&call.clone()));
        assert!(others.iter().all(|other| ReplayKey::of(other) != ReplayKey::of(&call)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_duplicate_waits_for_the_answer_and_gets_it() {
        let (replays, state) = (Replays::default(), state());
        let Turn::Lead(leader) = replays.turn(key(1), &state).await else { panic!("nobody runs") };
        let follower = {
            let (replays, state) = (replays.clone(), Arc::clone(&state));
            tokio::spawn(async move { replays.turn(key(1), &state).await })
        };
        tokio::time::sleep(WAIT / 2).await;
        store(&state, key(1), "the answer");
        drop(leader);
        assert!(matches!(follower.await.unwrap(), Turn::Stored(answer) if &*answer == "the answer"));
        assert!(matches!(replays.turn(key(2), &state).await, Turn::Lead(_)), "another call is not held up");
        assert_eq!(replays.running(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_duplicate_of_a_long_call_is_told_so_after_two_seconds() {
        let (replays, state) = (Replays::default(), state());
        let _leader = replays.turn(key(1), &state).await;
        let began = tokio::time::Instant::now();
        assert!(matches!(replays.turn(key(1), &state).await, Turn::InProgress));
        assert_eq!(began.elapsed(), WAIT);
    }

    #[tokio::test]
    async fn nobody_is_stranded_when_leaders_and_followers_vanish_in_the_middle() {
        let (replays, state) = (Replays::default(), state());
        for round in 0..1_000 {
            let ran = Arc::new(AtomicU32::new(0));
            let calls: Vec<_> = (0..6)
                .map(|n| {
                    let (replays, state, ran) = (replays.clone(), Arc::clone(&state), Arc::clone(&ran));
                    tokio::spawn(async move {
                        match replays.turn(key(round), &state).await {
                            Turn::Lead(leader) => {
                                tokio::task::yield_now().await;
                                assert!(n % 3 != 1, "the test asked for it");
                                ran.fetch_add(1, Ordering::SeqCst);
                                store(&state, leader.key(), "x");
                            }
                            Turn::Stored(_) => {}
                            Turn::InProgress => panic!("stranded in round {round}"),
                        }
                    })
                })
                .collect();
            // One of them goes away, whichever part it has.
            calls[usize::try_from(round).unwrap() % 6].abort();
            for call in calls {
                let _gone_or_panicked = call.await;
            }
            assert!(ran.load(Ordering::SeqCst) <= 1, "an answer that is there is not made again");
            assert_eq!(replays.running(), 0);
        }
    }
}
