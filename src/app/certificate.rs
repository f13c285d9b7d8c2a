//! The certificate that the server shows, and what its operator should know about it.
//!
//! Decides which certificate is used and when one is worth a warning. Knows nothing of TLS.

use std::fmt;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use time::{Date, Duration, OffsetDateTime};

use super::source::{self, Wrong};
use super::start::StartError;
use crate::acme::Renewals;
use crate::clock::Clock;
use crate::config::{CertificateFiles, Config};
use crate::transport::{
    Chain, DemoCertificateError, Identity, Key, Shown, TlsError, demo_certificate, stand_in,
};

/// How long before its end a certificate is worth a warning.
const SOON: Duration = Duration::days(14);

/// Certificates to serve with, and the demo's file, if it is the demo's.
pub(super) struct Certificate {
    pub(super) shown: Arc<Shown>,
    pub(super) demo: Option<DemoCertificateFile>,
}

/// The demo certificate, as clients have to be told to trust it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DemoCertificateFile {
    /// Where it lies.
    pub path: PathBuf,
    /// Whether it was made just now, so that clients that trusted an earlier one do not trust this one.
    pub is_new: bool,
}

impl Certificate {
    pub(super) fn load(
        config: &Config,
        renewals: Option<&Renewals>,
        clock: &Clock,
    ) -> Result<Self, StartError> {
        let files =
            load_all(config).map_err(|wrong| StartError::Certificate { reason: wrong.to_string() })?;
        if let Some((first, more)) = files {
            return Ok(Self { shown: Shown::new(first, more), demo: None });
        }
        if let Some(renewals) = renewals {
            let shown = match renewals.identity() {
                Some(issued) => Shown::new(issued, Vec::new()),
                None => Shown::waiting(
                    stand_in(clock.utc())
                        .map_err(|error| StartError::Certificate { reason: error.to_string() })?,
                ),
            };
            return Ok(Self { shown, demo: None });
        }
        let made = demo_certificate(&config.server.data_dir, clock.utc()).map_err(|error| match error {
            DemoCertificateError::Folder { path, source } | DemoCertificateError::Write { path, source } => {
                StartError::data_folder(&path, source)
            }
            error @ DemoCertificateError::Make { .. } => {
                StartError::Certificate { reason: error.to_string() }
            }
        })?;
        let demo = DemoCertificateFile { path: made.certificate_path, is_new: made.is_new };
        Ok(Self { shown: Shown::new(made.identity, Vec::new()), demo: Some(demo) })
    }
}

/// The pairs that the configuration names, the first one first; `None` when it names none.
pub(super) fn load_all(config: &Config) -> Result<Option<(Identity, Vec<Identity>)>, Wrong> {
    let load = |(place, files): (String, &CertificateFiles)| load(files, &place, config.server.public);
    let mut pairs = config.tls.pairs().map(load);
    let Some(first) = pairs.next() else { return Ok(None) };
    Ok(Some((first?, pairs.collect::<Result<_, _>>()?)))
}

/// One pair; `place` is the table of its keys.
pub(super) fn load(files: &CertificateFiles, place: &str, public: bool) -> Result<Identity, Wrong> {
    let Looked { identity, wrong, .. } = look(files, place, public);
    match (wrong.into_iter().next(), identity) {
        (None, Some(identity)) => Ok(identity),
        (wrong, _) => Err(wrong.unwrap_or_else(|| Wrong::at(place, "no pair", "a certificate and its key"))),
    }
}

/// What there is of a pair.
pub(super) struct Looked {
    /// The certificates, whatever became of the key.
    pub(super) chain: Option<Chain>,
    /// The pair, when the two belong together.
    identity: Option<Identity>,
    /// Everything that keeps it from being used.
    pub(super) wrong: Vec<Wrong>,
}

/// Looks at every part of a pair, whatever is wrong with the others.
pub(super) fn look(files: &CertificateFiles, place: &str, public: bool) -> Looked {
    let (at_certificate, at_key) = (format!("{place}.certificate"), format!("{place}.key"));
    let mut wrong = Vec::new();
    let mut told = |found: Result<PathBuf, Wrong>| found.map_err(|why| wrong.push(why)).ok();
    let certificate = told(source::place(&files.certificate, &at_certificate));
    let key = told(source::place(&files.key, &at_key));
    let (at_certificate, at_key) =
        (source::key_of(&files.certificate, &at_certificate), source::key_of(&files.key, &at_key));
    let unusable = |error: &TlsError| {
        let is_about_the_key = key.as_ref().is_some_and(|key| error.is_about_the_key(key));
        let at = if is_about_the_key { &at_key } else { &at_certificate };
        if let TlsError::Unreadable { path, source } = error {
            return source::unreadable(path, at, source);
        }
        Wrong::at(
            at,
            format!("a pair that cannot be used ({error})"),
            "PEM: the server's certificate with its chain, and the private key of that certificate",
        )
    };
    let chain = certificate.as_deref().map(Chain::load);
    let read = key.as_deref().map(Key::load);
    wrong.extend(chain.as_ref().and_then(|chain| chain.as_ref().err()).map(unusable));
    wrong.extend(read.as_ref().and_then(|read| read.as_ref().err()).map(unusable));
    // What cannot be read was told.
    let mode = read.as_ref().and_then(|read| read.as_ref().ok()?.mode());
    let chain = chain.and_then(Result::ok);
    let pair = chain.clone().zip(read.and_then(Result::ok)).zip(certificate.as_deref());
    let identity = pair.and_then(|((chain, read), file)| {
        Identity::of(chain, file, read).map_err(|error| wrong.push(unusable(&error))).ok()
    });
    // Of one that holds no key, the mode of what lies there is told all the same.
    let found = || Some(key.as_deref()?.metadata().ok()?.mode());
    if let Some((mode, key)) = mode.or_else(found).zip(key.as_deref()) {
        wrong.extend(source::guarded(mode, key, &at_key).err());
    }
    if let Some(certificate) =
        certificate.filter(|_| public && chain.as_ref().is_some_and(Chain::is_self_signed))
    {
        wrong.push(Wrong::at(
            &at_certificate,
            format!("{}, which is its own issuer, together with public = true", certificate.display()),
            "a certificate of an issuer that clients trust",
        ));
    }
    Looked { chain, identity, wrong }
}

/// Which pair a message is about, where there are several: the table of its keys and a colon.
pub(super) fn which(index: usize, pairs: usize) -> String {
    match index.checked_sub(1) {
        _ if pairs < 2 => String::new(),
        None => "tls: ".to_owned(),
        Some(further) => format!("tls.more[{further}]: "),
    }
}

/// One log line for each thing that will keep clients away.
pub(super) fn warn(identities: &[Identity], now: OffsetDateTime) {
    for (index, identity) in identities.iter().enumerate() {
        let which = which(index, identities.len());
        for worry in worries(identity.not_before(), identity.not_after(), identity.missing_issuer(), now) {
            tracing::warn!("{which}{worry}");
        }
    }
}

/// Why certificates must not take the place of those that still serve well: no client would be better off. Both begin
/// with the first pair; `host` is the server's own name. Each is compared with the one whose names it takes over,
/// wherever that stood.
pub(super) fn is_worse(
    new: &[Identity],
    old: &[Identity],
    host: &str,
    now: OffsetDateTime,
) -> Option<String> {
    let worse = new.iter().enumerate().find_map(|(index, one)| {
        let before = before(index, one, new, old)?;
        is_worse_than_one(one, before, now).map(|why| format!("{}{why}", which(index, new.len())))
    });
    worse.or_else(|| {
        let names = |all: &[Identity]| all.iter().any(|one| is_in_time(one, now) && one.names(host));
        (names(old) && !names(new)).then(|| format!("it is not one of {host}, and the one before is"))
    })
}

/// Whose place `one` takes: that of itself, of a pair with a name of its own, first of all in the same place, or else
/// of the one in the same place, when the names of both are nobody else's.
fn before<'a>(index: usize, one: &Identity, new: &[Identity], old: &'a [Identity]) -> Option<&'a Identity> {
    let here = old.get(index);
    let itself = old.iter().find(|old| old.shows_the_same_as(one));
    let renewed = || here.into_iter().chain(old).find(|old| old.shares_a_name_with(one));
    let replaced = || here.filter(|here| !new.iter().any(|new| new.shares_a_name_with(here)));
    itself.or_else(renewed).or_else(replaced)
}

fn is_worse_than_one(new: &Identity, old: &Identity, now: OffsetDateTime) -> Option<String> {
    if !is_in_time(old, now) {
        return None;
    }
    if now < new.not_before() {
        return Some(format!("it is valid from {} on, and the one before still is", new.not_before().date()));
    }
    if new.not_after() <= now {
        return Some(format!("it expired on {}, and the one before is still valid", new.not_after().date()));
    }
    let issuer = new.missing_issuer().filter(|_| old.missing_issuer().is_none())?;
    Some(format!("it lacks the certificate of its issuer ({issuer}), and the one before does not"))
}

fn is_in_time(one: &Identity, now: OffsetDateTime) -> bool {
    one.not_before() <= now && now < one.not_after()
}

/// What will keep clients away, now or soon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Worry<'a> {
    NotYetValid(Date),
    Expired(Date),
    EndsSoon(Date),
    LeafOnly(&'a str),
}

impl fmt::Display for Worry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotYetValid(date) => {
                write!(f, "the certificate is valid from {date} on; until then no client accepts it")
            }
            Self::Expired(date) => write!(f, "the certificate expired on {date}; no client accepts it"),
            Self::EndsSoon(date) => write!(f, "the certificate expires on {date}; renew it"),
            Self::LeafOnly(issuer) => write!(
                f,
                "the certificate file lacks the certificate of its issuer ({issuer}); some clients will not \
                 accept the chain; append it to the file"
            ),
        }
    }
}

pub(super) fn worries(
    not_before: OffsetDateTime,
    not_after: OffsetDateTime,
    missing_issuer: Option<&str>,
    now: OffsetDateTime,
) -> Vec<Worry<'_>> {
    let time = if not_after <= now {
        Some(Worry::Expired(not_after.date()))
    } else if now < not_before {
        Some(Worry::NotYetValid(not_before.date()))
    } else {
        (not_after - now <= SOON).then(|| Worry::EndsSoon(not_after.date()))
    };
    time.into_iter().chain(missing_issuer.map(Worry::LeafOnly)).collect()
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const FROM: OffsetDateTime = datetime!(2027-01-01 0:00 UTC);
    const UNTIL: OffsetDateTime = datetime!(2027-03-31 0:00 UTC);

    fn said(now: OffsetDateTime, issuer: Option<&str>) -> Vec<String> {
        worries(FROM, UNTIL, issuer, now).iter().map(Worry::to_string).collect()
    }

    #[test]
    fn a_sound_certificate_is_no_worry() {
        assert_eq!(said(datetime!(2027-02-01 0:00 UTC), None), Vec::<String>::new());
    }

    #[test]
    fn the_end_of_a_certificate_is_told_with_its_date() {
        for (now, wanted) in [
            (datetime!(2026-12-31 0:00 UTC), "valid from 2027-01-01 on"),
            (datetime!(2027-03-17 0:00 UTC), "expires on 2027-03-31"),
            (datetime!(2027-03-30 23:59 UTC), "expires on 2027-03-31"),
            (datetime!(2027-03-31 0:00 UTC), "expired on 2027-03-31"),
        ] {
            let said = said(now, None);
            assert!(said.len() == 1 && said[0].contains(wanted), "{now}: {said:?}");
        }
    }

    #[test]
    fn a_chain_without_its_issuer_is_told_with_the_issuers_name() {
        let said = said(datetime!(2027-03-30 0:00 UTC), Some("Example CA 3"));
        assert!(said.len() == 2 && said[1].contains("(Example CA 3)"), "{said:?}");
    }
}
