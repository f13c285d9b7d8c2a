//! A certificate that an authority issues to this server by itself (ACME, RFC 8555), and renews before it ends.
//!
//! Decides when the authority is asked, what is kept of its answers, and that the last good certificate serves until a
//! better one is there. The names are proved by TLS-ALPN-01, so that no other port and no other program is needed. It
//! must never know what is served.

mod advice;
mod fitness;
mod http;
mod kept;
mod order;
mod schedule;

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use time::OffsetDateTime;
use tokio::sync::Notify;
use url::Url;

use self::advice::Advice;
use self::fitness::is_fit;
use self::kept::Kept;
pub use self::kept::Unusable;
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
    /// Whose account this server's belongs to.
    pub external: Option<External>,
    /// Asks the authority.
    pub fetcher: Fetcher,
}

/// An account at the authority that was made otherwise; its key is shown to nobody.
pub struct External {
    id: String,
    key: Vec<u8>,
}

impl External {
    /// The account whose key the authority calls `id`.
    #[must_use]
    pub fn new(id: String, key: Vec<u8>) -> Self {
        Self { id, key }
    }
}

impl std::fmt::Debug for External {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("External(…)")
    }
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
    /// How many failed in a row.
    pub failures: u32,
}

/// What lies in the data folder of a server that may not be running.
#[derive(Debug)]
pub struct Found {
    /// The certificate; `None` when there is no file of one.
    pub identity: Result<Option<Identity>, Unusable>,
    /// The file that it lies in.
    pub file: std::path::PathBuf,
    /// How things stand.
    pub outlook: Outlook,
}

/// What of the certificate for these names from this authority lies in the data folder at this moment. Nothing is written
/// and nobody is asked.
#[must_use]
pub fn found(data: &std::path::Path, directory: &Url, names: &[String], now: OffsetDateTime) -> Found {
    let kept = Kept::new(data, directory);
    let identity = kept.pair();
    let good = identity.as_ref().ok().and_then(Option::as_ref);
    let tries = settled(kept.tries(now).seen_at(now), good, names, now);
    Found { outlook: outlook(good, names, &tries, None), file: kept.pair_file(), identity }
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
    /// The failure that the log told of last, and what there was to serve with.
    told: Option<(String, Before)>,
    advice: Advice,
}

impl Renewals {
    /// Those of a server that keeps them in `data`, which exists. Nobody is asked yet.
    #[must_use]
    pub fn new(settings: Settings, data: &std::path::Path, clock: Clock) -> Self {
        let kept = Kept::new(data, &settings.directory);
        let identity = kept.pair().unwrap_or_else(|why| {
            match why {
                Unusable::Broken(reason) => {
                    tracing::warn!(
                        reason,
                        "the certificate that was kept cannot be used; another is asked for"
                    );
                }
                Unusable::Unread(reason) => {
                    tracing::error!(
                        reason,
                        "whether a certificate was kept cannot be seen; none is asked for until it can"
                    );
                }
            }
            None
        });
        let tries = kept.tries(clock.utc()).seen_at(clock.utc()).after_a_start();
        let now = Now {
            tries: settled(tries, identity.as_ref(), &settings.names, clock.utc()),
            identity,
            rests_until: None,
            told: None,
            advice: Advice::none_yet(clock.utc()),
        };
        Self { settings, kept, challenges: Arc::default(), clock, now: Mutex::new(now), asked: Notify::new() }
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
        let mut outlook =
            outlook(now.identity.as_ref(), &self.settings.names, &now.tries, now.advice.renew_at);
        outlook.next = outlook.next.max(now.rests_until);
        outlook
    }

    /// Why the names are not served as they should be; `None` when they are.
    #[must_use]
    pub fn lack(&self) -> Option<String> {
        let outlook = self.outlook();
        let lacks = match outlook.until {
            None => "there is no certificate yet".to_owned(),
            Some(until) if until <= self.clock.utc() => {
                format!("the certificate expired on {}", until.date())
            }
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
        let at = self.clock.utc();
        now.tries = now.tries.clone().asked(at);
        now.advice.again = now.advice.again.min(at);
        drop(now);
        self.asked.notify_one();
    }

    /// Gets a certificate whenever it is time and has it shown; `tell` is told of each change. Never ends.
    pub async fn run(&self, shown: &Shown, tell: impl Fn(&Outlook)) {
        tell(&self.outlook());
        loop {
            self.mind_the_clock();
            if self.take_advice().await {
                tell(&self.outlook());
            }
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
                    let news = self.attempt(shown).await;
                    // Whoever reads the line finds it to be so.
                    tell(&self.outlook());
                    news.log();
                }
            }
        }
    }

    /// Lets no wait outlast what it was meant to be when the clock has been set back since.
    fn mind_the_clock(&self) {
        let at = self.clock.utc();
        let mut now = self.now();
        now.tries = now.tries.clone().seen_at(at);
        now.rests_until = now.rests_until.map(|until| until.min(at + AGAIN));
        now.advice.again = now.advice.again.min(at + advice::MOST);
    }

    /// Asks the authority when it would like the certificate renewed, if it is time to; whether it was asked.
    async fn take_advice(&self) -> bool {
        let at = self.clock.utc();
        let id = {
            let now = self.now();
            let is_due = now.advice.again <= at;
            now.identity.as_ref().filter(|_| is_due).and_then(Identity::issued_as).map(str::to_owned)
        };
        let Some(id) = id else { return false };
        let advice = advice::ask(&self.settings, &id, at).await;
        let mut now = self.now();
        if advice.renew_at != now.advice.renew_at {
            let renew_at = advice.renew_at.map(|at| at.to_string());
            tracing::info!(renew_at, "the authority says when to renew the certificate");
        }
        now.advice = advice;
        true
    }

    /// Sees to it that what comes can be kept, since an authority issues only so many, and that a program which ends in the
    /// middle does not begin again at once.
    fn prepare(&self) -> Result<(), String> {
        self.kept.could_take()?;
        let begun = self.now().tries.clone().begun(self.clock.utc());
        self.kept.note(&begun)
    }

    async fn attempt(&self, shown: &Shown) -> News {
        let got = match self.prepare() {
            Ok(()) => {
                let before = self.identity();
                let replaced = before.as_ref().and_then(Identity::issued_as);
                let order = obtain(&self.settings, &self.kept, replaced, &self.challenges);
                // What an authority answers is read by code of others, which may fail as nothing should.
                let order = AssertUnwindSafe(order).catch_unwind();
                let got = tokio::time::timeout(ORDER_MAX, order).await;
                self.challenges.forget();
                match got {
                    Ok(Ok(got)) => got,
                    Ok(Err(_panic)) => {
                        Err(Failed::here("what the authority answered cannot be dealt with".to_owned()))
                    }
                    // By then it may have issued one.
                    Err(_late) => Err(Failed::here("the authority takes too long".to_owned())),
                }
            }
            Err(reason) => Err(Failed::here(reason)),
        };
        let at = self.clock.utc();
        let news = match got.and_then(|pem| self.take(&pem, at)) {
            Ok(identity) => self.issued(identity, at, shown),
            Err(failed) => self.failed(failed, at),
        };
        let tries = self.now().tries.clone();
        if let Err(reason) = self.kept.note(&tries) {
            tracing::warn!(reason, "what became of the last try is not kept");
        }
        news
    }

    fn issued(&self, identity: Identity, at: OffsetDateTime, shown: &Shown) -> News {
        shown.replace(vec![identity.clone()]);
        let until = identity.not_after();
        let lasts = until - identity.not_before();
        let mut now = self.now();
        now.rests_until = Some(at + AGAIN.min(lasts / 4));
        now.advice = Advice::none_yet(at);
        now.identity = Some(identity);
        now.tries = Tries::default();
        now.told = None;
        News::Issued { until, names: self.settings.names.join(", ") }
    }

    fn failed(&self, failed: Failed, at: OffsetDateTime) -> News {
        let mut now = self.now();
        now.tries = now.tries.clone().failed(&failed, at);
        let next = now.tries.next();
        let before = Before::of(now.identity.as_ref().map(Identity::not_after), at);
        let telling = Some((failed.reason.clone(), before));
        if now.told == telling {
            return News::None;
        }
        now.told = telling;
        News::Failed { reason: failed.reason, next, before }
    }

    /// What the authority issued, once it is safely kept and known to be of use.
    fn take(&self, pem: &str, at: OffsetDateTime) -> Result<Identity, Failed> {
        let identity = self.kept.take(pem, |new| is_fit(new, &self.settings.names, at));
        identity.map_err(Failed::here)
    }

    fn now(&self) -> std::sync::MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What became of a try, for the log.
#[derive(Debug)]
enum News {
    Issued {
        until: OffsetDateTime,
        names: String,
    },
    Failed {
        reason: String,
        next: Option<OffsetDateTime>,
        before: Before,
    },
    /// The same as before.
    None,
}

impl News {
    fn log(self) {
        match self {
            Self::Issued { until, names } => {
                let until = until.date().to_string();
                tracing::info!(until, names, "a new certificate was issued; new connections are shown it");
            }
            Self::Failed { reason, next, before } => {
                let next = next.map(|next| next.to_string());
                match before {
                    Before::Valid => {
                        tracing::error!(
                            reason,
                            next,
                            "the certificate is not renewed; the one before goes on"
                        );
                    }
                    Before::Expired => {
                        tracing::error!(
                            reason,
                            next,
                            "the certificate is not renewed; the one before has expired, and no client accepts it"
                        );
                    }
                    Before::None => {
                        tracing::error!(reason, next, "no certificate was issued; there is none yet");
                    }
                }
            }
            Self::None => {}
        }
    }
}

/// What there is to serve with while there is nothing newer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    Valid,
    Expired,
    None,
}

impl Before {
    fn of(until: Option<OffsetDateTime>, at: OffsetDateTime) -> Self {
        match until {
            None => Self::None,
            Some(until) if until <= at => Self::Expired,
            Some(_) => Self::Valid,
        }
    }
}

/// The tries, but for one that nothing tells the end of where there is a certificate that need not be renewed: the program
/// ended after it had kept what came.
fn settled(tries: Tries, identity: Option<&Identity>, names: &[String], now: OffsetDateTime) -> Tries {
    let is_fresh = |one: &Identity| {
        names.iter().all(|name| one.names(name)) && renew_at(one.not_before(), one.not_after(), names) > now
    };
    if tries.is_unended() && identity.is_some_and(is_fresh) { Tries::default() } else { tries }
}

fn outlook(
    identity: Option<&Identity>,
    names: &[String],
    tries: &Tries,
    advised: Option<OffsetDateTime>,
) -> Outlook {
    let has_all = |one: &&Identity| names.iter().all(|name| one.names(name));
    let renewal = identity.filter(has_all).map(|one| {
        let (from, until) = (one.not_before(), one.not_after());
        // However late the authority would like it, a tenth of its life is left for failures.
        let latest = until - (until - from) / 10;
        advised.map_or_else(|| renew_at(from, until, names), |advised| advised.min(latest))
    });
    let next = match tries.next() {
        Some(next) => Some(next),
        None => Some(renewal.unwrap_or(OffsetDateTime::UNIX_EPOCH)),
    };
    Outlook {
        until: identity.map(Identity::not_after),
        next,
        failure: tries.reason().map(str::to_owned),
        failures: tries.failures(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_of_an_external_account_is_shown_to_nobody() {
        let account = External::new("an-id".to_owned(), b"0123456789abcdef".to_vec());
        for shown in [format!("{account:?}"), format!("{:#?}", Some(&account))] {
            assert!(shown.contains("External(…)"), "{shown}");
            for part in ["0123", "48, 49", "48,", "an-id"] {
                assert!(!shown.contains(part), "{shown}");
            }
        }
    }

    #[test]
    fn a_certificate_goes_on_until_it_expires_and_is_told_as_expired_from_then_on() {
        let until = OffsetDateTime::UNIX_EPOCH + time::Duration::hours(1);
        let second = time::Duration::seconds(1);
        assert_eq!(Before::of(None, until), Before::None);
        assert_eq!(Before::of(Some(until), until - second), Before::Valid);
        assert_eq!(Before::of(Some(until), until), Before::Expired);
        assert_eq!(Before::of(Some(until), until + second), Before::Expired);
    }
}
