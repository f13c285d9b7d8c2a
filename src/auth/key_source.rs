//! Where the keys of the issuer come from, and how old they may be.
//!
//! Decides when a set is fetched: once by one request for all that wait, again after its lifetime, and for
//! a key id that nobody knows at most once in [`AGAIN_AFTER`]. A set that was good stays through an outage.
//! Knows nothing of tokens, nor of how a document is fetched.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::sync::watch;

use super::keys::{KeySet, SigningAlgorithm};
use crate::clock::Clock;

/// How long a set is used before it is fetched again.
pub const LIFETIME: Duration = Duration::from_secs(600);
/// The shortest time between two fetches.
pub const AGAIN_AFTER: Duration = Duration::from_secs(30);
/// The longest that a request waits for a fetch of somebody else.
const WAITS: Duration = Duration::from_secs(6);

/// Fetches the issuer's key set.
pub trait KeyDocument: fmt::Debug + Send + Sync {
    /// The document as it is now.
    ///
    /// # Errors
    /// One line for the operator.
    fn fetch(&self) -> Pin<Box<dyn Future<Output = Result<Bytes, String>> + Send + '_>>;
}

/// The issuer's keys.
#[derive(Clone, Debug)]
pub struct KeySource(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Fixed(Arc<KeySet>),
    Fetched(Arc<Fetched>),
}

/// What a look at the keys gives.
#[derive(Debug)]
pub(super) enum Found {
    /// The keys, as new as they have to be.
    Keys(Arc<KeySet>),
    /// The keys that are left from before an outage; a key that is not among them may be new.
    Stale(Arc<KeySet>),
    /// There are none, and none could be fetched.
    Nothing,
}

impl KeySource {
    /// Keys that never change.
    #[must_use]
    pub fn fixed(keys: KeySet) -> Self {
        Self(Kind::Fixed(Arc::new(keys)))
    }

    /// Keys that are fetched.
    #[must_use]
    pub fn fetched(document: Arc<dyn KeyDocument>, algorithms: &[SigningAlgorithm], clock: Clock) -> Self {
        let (done, _) = watch::channel(0);
        Self(Kind::Fetched(Arc::new(Fetched {
            document,
            algorithms: algorithms.to_vec(),
            clock,
            state: Mutex::default(),
            done,
        })))
    }

    /// The keys as they are held, when they are new enough.
    pub(super) fn held(&self) -> Option<Arc<KeySet>> {
        match &self.0 {
            Kind::Fixed(keys) => Some(Arc::clone(keys)),
            Kind::Fetched(fetched) => fetched.held(),
        }
    }

    /// The keys. `suffices` says whether a set that is new enough has what is looked for; if not, it is
    /// fetched again, unless that was done just now.
    pub(super) async fn keys(&self, suffices: impl Fn(&Arc<KeySet>) -> bool) -> Found {
        match &self.0 {
            Kind::Fixed(keys) => Found::Keys(Arc::clone(keys)),
            Kind::Fetched(fetched) => fetched.keys(suffices).await,
        }
    }

    /// Whether there are keys at all; `None` when nobody has asked for them yet.
    #[must_use]
    pub fn has_keys(&self) -> Option<bool> {
        match &self.0 {
            Kind::Fixed(_) => Some(true),
            Kind::Fetched(fetched) => {
                let state = fetched.state();
                state.attempted.map(|_| state.keys.is_some())
            }
        }
    }
}

#[derive(Debug)]
struct Fetched {
    document: Arc<dyn KeyDocument>,
    algorithms: Vec<SigningAlgorithm>,
    clock: Clock,
    state: Mutex<State>,
    /// Counts the fetches that have ended.
    done: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct State {
    keys: Option<Arc<KeySet>>,
    /// When the keys came.
    came: Option<Instant>,
    /// When the last fetch began.
    attempted: Option<Instant>,
    running: bool,
    failed: bool,
}

impl Fetched {
    fn held(&self) -> Option<Arc<KeySet>> {
        let now = self.clock.monotonic();
        let state = self.state();
        state.keys.clone().filter(|_| state.came.is_some_and(|came| now.duration_since(came) < LIFETIME))
    }

    async fn keys(self: &Arc<Self>, suffices: impl Fn(&Arc<KeySet>) -> bool) -> Found {
        let mut ended = self.done.subscribe();
        {
            let now = self.clock.monotonic();
            let mut state = self.state();
            let new = state.came.is_some_and(|came| now.duration_since(came) < LIFETIME);
            let good = state.keys.clone().filter(|keys| new && suffices(keys));
            if let Some(keys) = good {
                return Found::Keys(keys);
            }
            let may_fetch = state.attempted.is_none_or(|at| now.duration_since(at) >= AGAIN_AFTER);
            if !state.running {
                if !may_fetch {
                    return found(&state);
                }
                state.running = true;
                state.attempted = Some(now);
                // A task of its own: the request that began it may be cut short, and others wait for it.
                tokio::spawn(Arc::clone(self).fetch());
            }
            // Through an outage nobody waits for an issuer that does not answer, if the old keys will do.
            if let Some(keys) = state.keys.clone().filter(|keys| state.failed && suffices(keys)) {
                return Found::Stale(keys);
            }
            ended.mark_unchanged();
        }
        let _late_or_ended = tokio::time::timeout(WAITS, ended.changed()).await;
        found(&self.state())
    }

    async fn fetch(self: Arc<Self>) {
        // Whatever becomes of the fetch, the next one can begin.
        let _end = End(&self);
        let read = self.document.fetch().await.and_then(|document| {
            let keys = KeySet::parse(&document, &self.algorithms).map_err(|error| error.to_string())?;
            if keys.is_empty() {
                return Err("no key of the set can check a token with the configured algorithms".to_owned());
            }
            Ok(keys)
        });
        let mut state = self.state();
        match read {
            Ok(keys) => {
                if state.failed {
                    tracing::info!(keys = keys.len(), "the issuer's keys can be fetched again");
                }
                state.keys = Some(Arc::new(keys));
                state.came = Some(self.clock.monotonic());
                state.failed = false;
            }
            Err(reason) => {
                tracing::warn!(reason, kept = state.keys.is_some(), "the issuer's keys cannot be fetched");
                state.failed = true;
            }
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct End<'a>(&'a Fetched);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.state().running = false;
        self.0.done.send_modify(|count| *count += 1);
    }
}

fn found(state: &State) -> Found {
    match &state.keys {
        Some(keys) if state.failed || state.running => Found::Stale(Arc::clone(keys)),
        Some(keys) => Found::Keys(Arc::clone(keys)),
        None => Found::Nothing,
    }
}
