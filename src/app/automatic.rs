//! The certificate that an authority issues by itself: its settings, and who is told how it stands.
//!
//! Decides what an operator sees of it. Knows nothing of the questions to the authority.

use std::sync::Arc;
use std::time::Duration;

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::source::{self, Wrong};
use super::start::StartError;
use crate::acme::{External, Outlook, Renewals, Settings};
use crate::admin::{RenewalReport, Standing};
use crate::clock::Clock;
use crate::config::{Acme, Config, ExternalAccount, external_key, is_external_key};
use crate::fetch::{FetchSettings, Fetcher};
use crate::transport::{NotReady, Part, Shown};

/// How long one answer of the authority may take, and how large it may be.
const ANSWER_TIME: Duration = Duration::from_secs(30);
const ANSWER_MAX_BYTES: usize = 512 * 1024;
/// How long is waited after a fault of the program itself.
const AFTER_A_FAULT: Duration = Duration::from_secs(600);

/// The renewals of a server that has an automatic certificate.
pub(super) fn renewals(config: &Config, clock: &Clock) -> Result<Option<Arc<Renewals>>, StartError> {
    let Some(acme) = &config.acme else { return Ok(None) };
    let unusable = |wrong: Wrong| StartError::Certificate { reason: wrong.to_string() };
    let external = acme.external.as_ref().map(external).transpose().map_err(unusable)?;
    let settings = Settings {
        names: acme.names.clone(),
        contact: acme.contact.clone(),
        directory: acme.directory.clone(),
        external,
        fetcher: fetcher(acme).map_err(unusable)?,
    };
    Ok(Some(Arc::new(Renewals::new(settings, &config.server.data_dir, clock.clone()))))
}

/// Asks the authority.
pub(super) fn fetcher(acme: &Acme) -> Result<Fetcher, Wrong> {
    const KEY: &str = "acme.ca_file";
    let settings = FetchSettings {
        extra_roots: source::certificates(acme.ca_file.as_deref(), KEY)?,
        time: ANSWER_TIME,
        limit_bytes: ANSWER_MAX_BYTES,
        pinned: None,
    };
    Fetcher::new(settings).map_err(|reason| {
        Wrong::at(KEY, format!("what cannot be used ({reason})"), "a PEM file of certificates")
    })
}

/// Whose account the server's belongs to at the authority.
pub(super) fn external(account: &ExternalAccount) -> Result<External, Wrong> {
    const KEY: &str = "acme.external_account_key";
    const ONE: &str = "a file with the key in base64url as the authority gave it, and nothing else";
    let key = source::secret(&account.key, KEY, is_external_key, ONE)?;
    // What was looked at just now has bytes.
    Ok(External::new(account.id.clone(), external_key(key.expose()).unwrap_or_default()))
}

/// Gets certificates and has them shown for as long as the program runs, in a task of its own: the disk is waited for in
/// it, and whatever goes wrong in it ends nothing else.
pub(super) fn keep_renewed(renewals: Option<Arc<Renewals>>, shown: &Arc<Shown>, standing: &Arc<Standing>) {
    let Some(renewals) = renewals else { return };
    let (shown, standing) = (Arc::clone(shown), Arc::clone(standing));
    tokio::spawn(async move {
        loop {
            let (renewals, shown, standing) =
                (Arc::clone(&renewals), Arc::clone(&shown), Arc::clone(&standing));
            let tell = move |outlook: &Outlook| {
                standing.note(|report| {
                    report.renewal = Some(told(outlook));
                    report.certificate_until = outlook.until.and_then(moment);
                });
            };
            // It never ends by itself.
            let _failed = tokio::spawn(async move { renewals.run(&shown, tell).await }).await;
            tracing::error!("a try to get a certificate failed as nothing should; the next one follows");
            tokio::time::sleep(AFTER_A_FAULT).await;
        }
    });
}

fn told(outlook: &Outlook) -> RenewalReport {
    let next = outlook.next.filter(|next| *next > OffsetDateTime::UNIX_EPOCH);
    RenewalReport { next_try: next.and_then(moment), last_failure: outlook.failure.clone() }
}

fn moment(moment: OffsetDateTime) -> Option<String> {
    moment.replace_nanosecond(0).ok()?.format(&Rfc3339).ok()
}

/// What keeps the server from being ready.
pub(super) fn not_ready(renewals: Option<&Renewals>) -> Option<NotReady> {
    renewals.and_then(Renewals::lack).map(|why| NotReady { part: Part::Certificate, why })
}
