//! What a running server takes anew: its certificates, and the keys of its configuration that can change.
//!
//! Decides when files have changed and whether what they hold is better than what serves now. It looks at their content
//! every few seconds, since there is little of it: no way of replacing a file escapes that, and no date can mislead it.
//! Whatever is wrong with a file, the last good stays, with one line in the log.

mod print;
mod start_only;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tokio::signal::unix::{Signal, SignalKind, signal};

use self::print::Print;
pub(super) use self::start_only::StartOnly;
use super::certificate::{is_worse, load_all, warn};
use super::settings;
use super::source;
use super::start::StartError;
use crate::acme::Renewals;
use crate::admin::{CertificateKind, Reading, Standing};
use crate::clock::Clock;
use crate::config::document::read_file;
use crate::config::{CertificateFiles, Config, ConfigErrors, FileSource, LogLevel, PublicBase};
use crate::transport::{GuardPolicy, Identity, Shown, demo_certificate};

/// How often files are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// How often the certificate of a demo is looked at, and how often the log tells of certificates that end.
const DEMO_EVERY: time::Duration = time::Duration::hours(1);
const WARN_EVERY: time::Duration = time::Duration::days(1);

/// Where a configuration came from, and what of it lies outside of the server.
pub struct Origin {
    /// The file; `None` for a configuration that no file holds.
    pub file: Option<PathBuf>,
    /// Sets the level of log lines.
    pub set_level: Box<dyn Fn(LogLevel) + Send>,
}

/// The parts that change.
pub(super) struct Parts {
    pub(super) shown: Arc<Shown>,
    pub(super) guard: GuardPolicy,
    pub(super) standing: Arc<Standing>,
    /// Where the certificate is had from an authority.
    pub(super) renewals: Option<Arc<Renewals>>,
}

/// Reads anew and changes the parts.
pub(super) struct Reload {
    origin: Origin,
    parts: Parts,
    /// As it was at the start, but for what was taken since. Of certificates it says what is wanted.
    running: Config,
    public_base: PublicBase,
    address: SocketAddr,
    start_only: StartOnly,
    seen: Option<Print>,
    pairs_seen: Vec<Print>,
    demo_looked_at: Option<OffsetDateTime>,
    warned: OffsetDateTime,
}

impl Reload {
    /// `start_only` are the files that are read at a start only, as they were before they were read.
    pub(super) fn new(
        origin: Origin,
        parts: Parts,
        (running, start_only): (Config, StartOnly),
        (public_base, address): (PublicBase, SocketAddr),
        now: OffsetDateTime,
    ) -> Self {
        let reload = Self {
            start_only,
            origin,
            parts,
            running,
            public_base,
            address,
            // What was read at the start may have changed before this: the first look compares.
            seen: None,
            pairs_seen: Vec::new(),
            demo_looked_at: Some(now),
            warned: now,
        };
        reload.note_end();
        reload
    }

    /// Looks at every file; `asked` when somebody wants to know what becomes of it.
    pub(super) fn look(&mut self, now: OffsetDateTime, asked: bool) {
        self.look_at_configuration(asked);
        self.look_at_what_waits();
        match &self.parts.renewals {
            Some(renewals) if asked => renewals.ask(),
            // What is shown changes when the authority issues it, and not by a file.
            Some(_) => {}
            None => self.look_at_certificates(now, asked),
        }
        if now - self.warned >= WARN_EVERY {
            self.warned = now;
            match &self.parts.renewals {
                Some(renewals) => tell_of_failure(renewals),
                None => warn(&self.parts.shown.now(), now),
            }
        }
    }

    fn look_at_configuration(&mut self, asked: bool) {
        let Some(file) = &self.origin.file else { return };
        // What is compared and what is taken are the same bytes.
        let read = read_file(file);
        let print = Some(match &read {
            Ok(text) => Print::of_text(text),
            Err(mistake) => Print::none(&mistake.message),
        });
        if print == self.seen && !asked {
            return;
        }
        self.seen = print;
        let name = file.display().to_string();
        let newer = read
            .map_err(|mistake| ConfigErrors::new(&name, vec![mistake]))
            .and_then(|text| Config::parse(&name, &text));
        match newer {
            Ok(newer) => match self.lost(&newer) {
                None => self.take(&newer, asked),
                Some(what) => self.refuse(1, format!("{}: {what}", file.display())),
            },
            Err(errors) => {
                let first = errors.to_string().lines().next().unwrap_or_default().to_owned();
                self.refuse(errors.mistakes().len(), first);
            }
        }
    }

    fn look_at_what_waits(&self) {
        let files = self.start_only.changed();
        if files == self.parts.standing.report().files_wait_for_start {
            return;
        }
        if !files.is_empty() {
            tracing::warn!(
                files = files.join(", "),
                "a file has changed that is read at a start only; start the server anew to have it taken"
            );
        }
        self.parts.standing.note(|report| report.files_wait_for_start = files);
    }

    fn refuse(&self, mistakes: usize, first: String) {
        let first = match (mistakes, &self.origin.file) {
            (2.., Some(file)) => {
                format!("{first}; `ono-sendai check-config {}` names all {mistakes}", file.display())
            }
            _ => first,
        };
        tracing::error!(mistakes, first, "the configuration is not taken; the one before goes on");
        self.parts.standing.configuration.one(Reading::Refused);
        self.parts.standing.note(|report| report.configuration_refused = Some(first));
    }

    /// What a file without mistakes lacks that nobody takes away from a running server: it is being written, or was cut
    /// short.
    fn lost(&self, newer: &Config) -> Option<&'static str> {
        if *newer == Config::default() && self.running != Config::default() {
            return Some("sets nothing; if that is meant, start the server anew");
        }
        (self.running.has_own_certificate() && !newer.has_own_certificate()).then_some(
            "names no certificate any more, which the running server has; if that is meant, start it anew",
        )
    }

    fn take(&mut self, newer: &Config, asked: bool) {
        let renewed = self.running.renewed(newer);
        let waits_for_start: Vec<String> =
            self.running.waits_for_start(newer).into_iter().map(str::to_owned).collect();
        let before = self.parts.standing.report();
        let changed = renewed != self.running;
        let (level_before, level) = (self.running.log.level, renewed.log.level);
        self.running = renewed;
        // A level that shows more shows the line below, and one that shows less does not keep it back.
        if level > level_before {
            (self.origin.set_level)(level);
        }
        if changed {
            self.parts.standing.configuration.one(Reading::Taken);
            self.parts.guard.follow(&settings::guard(&self.running, &self.public_base, self.address));
        }
        let tells = changed
            || asked
            || before.configuration_refused.is_some()
            || before.waits_for_start != waits_for_start;
        if tells {
            let waits_for_start = waits_for_start.join(", ");
            tracing::info!(changed, waits_for_start, "the configuration was read again");
        }
        if level < level_before {
            (self.origin.set_level)(level);
        }
        self.parts.standing.note(|report| {
            report.configuration_refused = None;
            report.waits_for_start = waits_for_start;
        });
    }

    fn look_at_certificates(&mut self, now: OffsetDateTime, asked: bool) {
        let prints: Vec<Print> = self.prints_of_pairs();
        let changed = prints != self.pairs_seen;
        self.pairs_seen = prints;
        let refused = self.parts.standing.report().certificate_refused;
        let is_demo = self.running.tls.files.is_none();
        let demo_is_due = is_demo && self.demo_looked_at.is_none_or(|last| now - last >= DEMO_EVERY);
        if !(changed || asked || demo_is_due || refused.is_some()) {
            return;
        }
        self.demo_looked_at = is_demo.then_some(now);
        match self.better(now) {
            Ok(new) => {
                let shown = self.parts.shown.now();
                let same = shown.len() == new.len()
                    && shown.iter().zip(&new).all(|(old, new)| old.shows_the_same_as(new));
                let until = new.first().map(|first| first.not_after().date().to_string());
                let pairs = new.len();
                if !same {
                    self.parts.shown.replace(new);
                    self.parts.standing.certificate.one(Reading::Taken);
                    tracing::info!(until, pairs, "new connections are shown another certificate");
                    warn(&self.parts.shown.now(), now);
                } else if asked || refused.is_some() {
                    let is_passed_on = self.running.tls.pairs().any(|(_, pair)| is_credential(pair));
                    let when = if is_passed_on { "; credentials are read at a restart only" } else { "" };
                    tracing::info!(until, "the certificate is the one that is shown already{when}");
                }
                self.parts.standing.note(|report| report.certificate_refused = None);
                self.note_end();
            }
            Err(reason) => {
                if changed || asked || refused.as_ref() != Some(&reason) {
                    self.parts.standing.certificate.one(Reading::Refused);
                    tracing::error!(reason, "the certificate is not taken; the one before goes on");
                }
                self.parts.standing.note(|report| report.certificate_refused = Some(reason));
            }
        }
    }

    /// What the files hold, unless what is shown now serves clients better.
    fn better(&self, now: OffsetDateTime) -> Result<Vec<Identity>, String> {
        let pairs = load_all(&self.running).map_err(|wrong| wrong.to_string())?;
        let Some((first, more)) = pairs else {
            let made =
                demo_certificate(&self.running.server.data_dir, now).map_err(|error| error.to_string())?;
            if made.is_new {
                let path = made.certificate_path.display();
                tracing::info!(%path, "made a new certificate; clients have to be told to trust it");
            }
            return Ok(vec![made.identity]);
        };
        let new: Vec<Identity> = std::iter::once(first).chain(more).collect();
        let host = self.public_base.authority().host().trim_matches(['[', ']']);
        match is_worse(&new, &self.parts.shown.now(), host, now) {
            Some(reason) => Err(reason),
            None => Ok(new),
        }
    }

    fn prints_of_pairs(&self) -> Vec<Print> {
        let both = |(place, files): (String, &crate::config::CertificateFiles)| {
            [(&files.certificate, "certificate"), (&files.key, "key")].map(|(file, key)| {
                source::place(file, &format!("{place}.{key}"))
                    .map_or_else(|wrong| Print::none(&wrong.to_string()), |path| Print::of(&path))
            })
        };
        self.running.tls.pairs().flat_map(both).collect()
    }

    fn note_end(&self) {
        let kind = |pair: &CertificateFiles| match pair.certificate {
            FileSource::Path(_) => CertificateKind::File,
            FileSource::Credential(_) => CertificateKind::Credential,
        };
        let mut kinds: Vec<CertificateKind> = self.running.tls.pairs().map(|(_, pair)| kind(pair)).collect();
        if kinds.is_empty() {
            let is_automatic = self.running.acme.is_some();
            kinds.push(if is_automatic { CertificateKind::Automatic } else { CertificateKind::Demo });
        }
        self.parts.standing.note_kinds(kinds);
        if let Some(first) = self.parts.shown.now().first() {
            let until = first.not_after().format(&Rfc3339).ok();
            self.parts.standing.note(|report| report.certificate_until = until);
        }
    }
}

/// systemd copies it when the service starts, so that nothing changes where the server looks.
fn is_credential(pair: &CertificateFiles) -> bool {
    [&pair.certificate, &pair.key].iter().any(|file| matches!(file, FileSource::Credential(_)))
}

/// An automatic certificate that ends soon is worth a line only when it is not renewed.
fn tell_of_failure(renewals: &Renewals) {
    let outlook = renewals.outlook();
    if let Some(reason) = outlook.failure {
        let until = outlook.until.map(|until| until.date().to_string());
        tracing::warn!(reason, until, "there is still no new certificate");
    }
}

/// Takes SIGHUP away from its usual effect, where there is a file to read again: a demo ends with its terminal.
pub(super) fn hangup(origin: &Origin) -> Result<Option<Signal>, StartError> {
    origin
        .file
        .as_ref()
        .map(|_| signal(SignalKind::hangup()))
        .transpose()
        .map_err(|source| StartError::Runtime { source })
}

/// One look at a time, whether somebody asked for it or not.
#[derive(Clone)]
pub(super) struct Looking {
    reload: Arc<Mutex<Reload>>,
    clock: Clock,
}

impl Looking {
    pub(super) fn new(reload: Reload, clock: Clock) -> Self {
        Self { reload: Arc::new(Mutex::new(reload)), clock }
    }

    /// Looks at every file now; what becomes of it stands in the log when this returns.
    pub(super) fn look(&self, asked: bool) {
        self.reload.lock().unwrap_or_else(PoisonError::into_inner).look(self.clock.utc(), asked);
    }

    /// Looks for as long as the server runs. Never ends.
    pub(super) async fn by_itself(self) {
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            self.off_the_runtime(false).await;
        }
    }

    /// A file system that hangs holds up this look and nothing else.
    pub(super) async fn off_the_runtime(&self, asked: bool) {
        let looking = self.clone();
        if tokio::task::spawn_blocking(move || looking.look(asked)).await.is_err() {
            tracing::error!("a look at the files failed; the next one follows");
        }
    }
}
