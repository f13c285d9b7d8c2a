//! A certificate that an authority issues to this server by itself (ACME, RFC 8555), and renews before it ends.
//!
//! Decides when the authority is asked, what is kept of its answers, and that the last good certificate serves until a
//! better one is there. The names are proved by TLS-ALPN-01, so that no other port and no other program is needed. It
//! must never know what is served.

mod http;
mod kept;
mod order;
mod schedule;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use time::OffsetDateTime;
use tokio::sync::Notify;
use url::Url;

use self::kept::Kept;
use self::order::{Failed, obtain};
use self::schedule::{Tries, renew_at};
use crate::clock::Clock;
use crate::fetch::Fetcher;
use crate::transport::{Challenges, Identity, Shown};

/// How often it is looked whether it is time, so that a clock that is set is noticed.
const LOOK_EVERY: Duration = Duration::from_secs(10);
/// How long an authority may take for a whole certificate.
const ORDER_MAX: Duration = Duration::from_secs(600);
/// A certificate that has just come is not asked for again, whatever its dates say of a clock that is wrong.
const AGAIN: time::Duration = time::Duration::hours(1);

/// What is wanted of which authority.
#[derive(Debug)]
pub struct Settings {
    /// The names, at least one.
    pub names: Vec<String>,
    /// An e-mail address for the authority.
    pub contact: Option<String>,
    /// The authority's directory.
    pub directory: Url,
    /// Whose account this server's belongs to: what the authority calls a key, and the key.
    pub external: Option<(String, Vec<u8>)>,
    /// Asks the authority.
    pub fetcher: Fetcher,
}

/// How things stand with a certificate, for an operator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outlook {
    /// Until when the one that was issued is valid; `None` before there is one.
    pub until: Option<OffsetDateTime>,
    /// When the authority is asked next.
    pub next: Option<OffsetDateTime>,
    /// Why the last try failed; `None` when it did not.
    pub failure: Option<String>,
}

/// What lies in the data folder of a server that may not be running.
#[derive(Debug)]
pub struct Found {
    /// The certificate; `None` when there is none that can be used, with the reason when there is a file.
    pub identity: Result<Option<Identity>, String>,
    /// How things stand.
    pub outlook: Outlook,
}

/// What of the certificate for these names from this authority lies in the data folder. Nothing is written and nobody is
/// asked.
#[must_use]
pub fn found(data: &std::path::Path, directory: &Url, names: &[String]) -> Found {
    let kept = Kept::new(data, directory);
    let identity = kept.pair();
    let tries = kept.tries();
    let good = identity.as_ref().ok().and_then(Option::as_ref);
    Found { outlook: outlook(good, names, &tries), identity }
}

/// Gets certificates and shows them.
#[derive(Debug)]
pub struct Renewals {
    settings: Settings,
    kept: Kept,
    challenges: Arc<Challenges>,
    clock: Clock,
    now: Mutex<Now>,
    asked: Notify,
}

#[derive(Debug)]
struct Now {
    identity: Option<Identity>,
    tries: Tries,
    /// Not before this moment, after one has come.
    rests_until: Option<OffsetDateTime>,
}

impl Renewals {
    /// Those of a server that keeps them in `data`, which exists. Nobody is asked yet.
    #[must_use]
    pub fn new(settings: Settings, data: &std::path::Path, clock: Clock) -> Self {
        let kept = Kept::new(data, &settings.directory);
        let identity = kept.pair().unwrap_or_else(|reason| {
            tracing::warn!(reason, "the certificate that was kept cannot be used; another is asked for");
            None
        });
        let now = Now { identity, tries: kept.tries().after_a_start(), rests_until: None };
        Self {
            settings,
            kept,
            challenges: Arc::default(),
            clock,
            now: Mutex::new(now),
            asked: Notify::new(),
        }
    }

    /// What handshakes have to prove.
    #[must_use]
    pub fn challenges(&self) -> Arc<Challenges> {
        Arc::clone(&self.challenges)
    }

    /// The certificate that there is, issued in this run or before.
    #[must_use]
    pub fn identity(&self) -> Option<Identity> {
        self.now().identity.clone()
    }

    /// How things stand.
    #[must_use]
    pub fn outlook(&self) -> Outlook {
        let now = self.now();
        let mut outlook = outlook(now.identity.as_ref(), &self.settings.names, &now.tries);
        outlook.next = outlook.next.max(now.rests_until);
        outlook
    }

    /// Why the names are not served as they should be; `None` when they are.
    #[must_use]
    pub fn lack(&self) -> Option<String> {
        let outlook = self.outlook();
        let lacks = match outlook.until {
            None => "there is no certificate yet".to_owned(),
            Some(until) if until <= self.clock.utc() => format!("the certificate expired on {}", until.date()),
            Some(_) => return None,
        };
        // What the authority said stays with the operator: this page is public.
        Some(match outlook.failure {
            Some(_) => format!("{lacks}, and the last try to get one failed; the log says why"),
            None => format!("{lacks}; the authority is asked for one"),
        })
    }

    /// Asks the authority at once, unless it said how long it wants to be left alone.
    pub fn ask(&self) {
        let mut now = self.now();
        now.tries = now.tries.clone().asked(self.clock.utc());
        drop(now);
        self.asked.notify_one();
    }

    /// Gets a certificate whenever it is time and has it shown; `tell` is told of each change. Never ends.
    pub async fn run(&self, shown: &Shown, tell: impl Fn(&Outlook)) {
        tell(&self.outlook());
        loop {
            let (next, now) = (self.outlook().next, self.clock.utc());
            match next {
                Some(next) if next > now => {
                    let wait = Duration::try_from(next - now).unwrap_or(LOOK_EVERY).min(LOOK_EVERY);
                    tokio::select! {
                        () = tokio::time::sleep(wait) => {}
                        () = self.asked.notified() => {}
                    }
                }
                _ => {
                    self.attempt(shown).await;
                    tell(&self.outlook());
                }
            }
        }
    }

    async fn attempt(&self, shown: &Shown) {
        // What cannot be kept is not asked for: an authority issues only so many.
        let begun = self.now().tries.clone();
        let got = match self.kept.note(&begun) {
            Ok(()) => {
                let order = obtain(&self.settings, &self.kept, &self.challenges);
                let got = tokio::time::timeout(ORDER_MAX, order).await;
                self.challenges.forget();
                got.unwrap_or_else(|_late| Err(Failed::unreachable("the authority takes too long")))
            }
            Err(reason) => Err(Failed::here(reason)),
        };
        let at = self.clock.utc();
        match got.and_then(|pem| self.take(&pem, at)) {
            Ok(identity) => {
                shown.replace(vec![identity.clone()]);
                let (until, names) = (identity.not_after().date().to_string(), self.settings.names.join(", "));
                tracing::info!(until, names, "a new certificate was issued; new connections are shown it");
                let lasts = identity.not_after() - identity.not_before();
                let mut now = self.now();
                now.rests_until = Some(at + AGAIN.min(lasts / 4));
                now.identity = Some(identity);
                now.tries = Tries::default();
                self.note(&now.tries);
            }
            Err(failed) => {
                let mut now = self.now();
                let is_news = now.tries.reason() != Some(failed.reason.as_str());
                now.tries = now.tries.clone().failed(&failed, at);
                if is_news {
                    let next = now.tries.next().map(|next| next.to_string()).unwrap_or_default();
                    let Failed { reason, .. } = &failed;
                    match &now.identity {
                        Some(_) => tracing::error!(
                            reason,
                            next,
                            "the certificate is not renewed; the one before goes on"
                        ),
                        None => {
                            tracing::error!(reason, next, "no certificate was issued; there is none yet");
                        }
                    }
                }
                self.note(&now.tries);
            }
        }
    }

    /// What the authority issued, once it is safely kept and known to be of use.
    fn take(&self, pem: &str, at: OffsetDateTime) -> Result<Identity, Failed> {
        let identity = self.kept.take(pem, |new| {
            let lacking = self.settings.names.iter().find(|name| !new.names(name));
            if let Some(name) = lacking {
                return Err(format!("the authority issued a certificate that is not one of {name}"));
            }
            if new.not_after() <= at {
                let date = new.not_after().date();
                return Err(format!(
                    "the authority issued a certificate that expired on {date}; is the clock of this machine right?"
                ));
            }
            Ok(())
        });
        identity.map_err(Failed::here)
    }

    fn note(&self, tries: &Tries) {
        if let Err(reason) = self.kept.note(tries) {
            tracing::warn!(reason, "what became of the last try is not kept");
        }
    }

    fn now(&self) -> std::sync::MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn outlook(identity: Option<&Identity>, names: &[String], tries: &Tries) -> Outlook {
    let has_all = |one: &&Identity| names.iter().all(|name| one.names(name));
    let renewal = identity.filter(has_all).map(|one| renew_at(one.not_before(), one.not_after(), names));
    let next = match tries.next() {
        Some(next) => Some(next),
        None => Some(renewal.unwrap_or(OffsetDateTime::UNIX_EPOCH)),
    };
    Outlook { until: identity.map(Identity::not_after), next, failure: tries.reason().map(str::to_owned) }
}
