//! The certificate that the server shows, and what its operator should know about it.
//!
//! Decides which certificate is used and when one is worth a warning. Knows nothing of TLS.

use std::fmt;
use std::path::PathBuf;

use time::{Date, Duration, OffsetDateTime};

use super::start::StartError;
use crate::clock::Clock;
use crate::config::Config;
use crate::transport::{DemoCertificateError, Identity, demo_certificate};

/// How long before its end a certificate is worth a warning.
const SOON: Duration = Duration::days(14);

/// A certificate to serve with, and the demo's file, if it is the demo's.
pub(super) struct Certificate {
    pub(super) identity: Identity,
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
    pub(super) fn load(config: &Config, clock: &Clock) -> Result<Self, StartError> {
        if let Some(files) = &config.tls.files {
            let identity = Identity::load(&files.certificate, &files.key)
                .map_err(|error| StartError::Certificate { reason: error.to_string() })?;
            return Ok(Self { identity, demo: None });
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
        Ok(Self { identity: made.identity, demo: Some(demo) })
    }

    /// One log line for each thing that will keep clients away.
    pub(super) fn warn(&self, now: OffsetDateTime) {
        let worries = worries(
            self.identity.not_before(),
            self.identity.not_after(),
            self.identity.missing_issuer(),
            now,
        );
        for worry in worries {
            tracing::warn!("{worry}");
        }
    }
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
