//! A chain of certificates from its file, with what can be said of it without its key.
//!
//! Decides what a client will think of it. Knows nothing of keys and connections.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rustls::client::danger::ServerCertVerifier as _;
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, RootCertStore};
use time::OffsetDateTime;

use super::der::Facts;
use super::tls::{TlsError, broken_pem, read};

/// What clients read of a handshake's message with the chain, less what stands around the certificates.
pub(super) const MESSAGE_MAX_BYTES: usize = 65_535 - 16;
/// What stands around one certificate in it.
const ENTRY_BYTES: usize = 5;

/// The server's own certificate and what comes after it.
#[derive(Clone, Debug)]
pub struct Chain {
    pub(super) certificates: Vec<CertificateDer<'static>>,
    not_after: OffsetDateTime,
    not_before: OffsetDateTime,
    missing_issuer: Option<String>,
    self_signed: bool,
    own_names: Vec<String>,
    issued_as: Option<String>,
    may_issue: bool,
    may_serve: bool,
}

impl Chain {
    /// Reads a PEM chain, own certificate first.
    ///
    /// # Errors
    /// When the file cannot be read or is not what it should be.
    pub fn load(chain: &Path) -> Result<Self, TlsError> {
        Self::read(chain, &read(chain)?)
    }

    /// The same of what the file holds.
    pub(super) fn read(chain: &Path, pem: &[u8]) -> Result<Self, TlsError> {
        let certificates: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(pem)
            .collect::<Result<_, _>>()
            .map_err(|error| broken_pem(chain, &error))?;
        let first = certificates.first().ok_or_else(|| TlsError::NoCertificate(chain.to_owned()))?;
        let facts = Facts::read(first).ok_or_else(|| TlsError::BrokenCertificate {
            path: chain.to_owned(),
            why: "it is not an X.509 certificate".to_owned(),
        })?;
        let others: Vec<Facts> = certificates.iter().skip(1).filter_map(|der| Facts::read(der)).collect();
        // Above the issuer of the server's own certificate there may be one that every client has.
        let goes_on = facts.is_self_issued() || others.iter().any(|other| other.subject == facts.issuer);
        let missing_issuer =
            (!goes_on).then(|| facts.issuer_name().unwrap_or_else(|| "an issuer without a name".to_owned()));
        let bytes = certificates.iter().map(|der| der.len() + ENTRY_BYTES).sum::<usize>();
        if bytes > MESSAGE_MAX_BYTES {
            let (path, certificates) = (chain.to_owned(), certificates.len());
            return Err(TlsError::TooLong { path, certificates, bytes });
        }
        Ok(Self {
            certificates,
            not_after: facts.not_after,
            not_before: facts.not_before,
            missing_issuer,
            self_signed: facts.is_self_issued(),
            issued_as: facts.issuer_key.map(|key| {
                let text = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
                format!("{}.{}", text(&key), text(&facts.serial))
            }),
            own_names: facts.names,
            may_issue: facts.may_issue,
            may_serve: facts.may_serve,
        })
    }

    /// Whether a client that trusts this certificate, and only this one, accepts the server as `name` at `now`.
    #[must_use]
    pub fn is_its_own_root_for(&self, name: &str, now: OffsetDateTime) -> bool {
        self.certificates.first().is_some_and(|own| self.leads_to(own, name, now).is_ok())
    }

    /// Whether the certificates of the chain belong together, as a client sees it that trusts the last one, whatever
    /// there is to say of its name and of the time.
    ///
    /// # Errors
    /// What the client says.
    pub fn is_linked(&self, name: &str, now: OffsetDateTime) -> Result<(), String> {
        let Some(last) = self.certificates.last() else { return Err("there is none".to_owned()) };
        // One alone is linked to nothing, and to be completed.
        if self.missing_issuer.is_some() && self.certificates.len() == 1 {
            return Ok(());
        }
        // Whether the name is the right one is another question, and so is the time.
        let own = || self.own_names.iter().map(String::as_str).find(|own| self.names(own));
        let Some(name) = Some(name).filter(|name| self.names(name)).or_else(own) else { return Ok(()) };
        let end = (self.not_after - time::Duration::seconds(1)).max(self.not_before);
        let within = now.clamp(self.not_before, end);
        match self.leads_to(last, name, within) {
            // Its issuer may have had another time.
            Err(Unlinked::Refused(error)) if within != now && is_about_time(&error) => Ok(()),
            said => said.map_err(|why| why.to_string()),
        }
    }

    /// Why the certificate is not one for a server, by what it says of itself; `None` when it is.
    #[must_use]
    pub fn not_for_a_server(&self) -> Option<&'static str> {
        match (self.may_issue, self.may_serve) {
            (true, _) => Some("it is one that issues others (CA:TRUE or keyCertSign)"),
            (_, false) => Some("it is for other purposes (extendedKeyUsage without serverAuth)"),
            (false, true) => None,
        }
    }

    /// Whether the certificate is one of the host `name`.
    #[must_use]
    pub fn names(&self, name: &str) -> bool {
        let Ok(name) = ServerName::try_from(name) else { return false };
        let own = self.certificates.first().map(ParsedCertificate::try_from);
        own.is_some_and(|own| own.is_ok_and(|own| verify_server_name(&own, &name).is_ok()))
    }

    /// Whether there is a host that both are certificates of.
    #[must_use]
    pub fn shares_a_name_with(&self, other: &Self) -> bool {
        // A name with an asterisk is no host; it is shared as it is written.
        let has = |one: &Self, name: &String| one.own_names.contains(name) || one.names(name);
        self.own_names.iter().any(|name| has(other, name))
            || other.own_names.iter().any(|name| has(self, name))
    }

    fn leads_to(
        &self,
        root: &CertificateDer<'static>,
        name: &str,
        now: OffsetDateTime,
    ) -> Result<(), Unlinked> {
        let other = |error: &dyn fmt::Display| Unlinked::Other(error.to_string());
        let [own, others @ ..] = self.certificates.as_slice() else { return Err(other(&"there is none")) };
        let name = ServerName::try_from(name).map_err(|error| other(&error))?;
        let now = u64::try_from(now.unix_timestamp()).map_err(|error| other(&error))?;
        let mut roots = RootCertStore::empty();
        roots.add(root.clone()).map_err(Unlinked::Refused)?;
        let provider = Arc::new(ring::default_provider());
        let client = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider)
            .build()
            .map_err(|error| other(&error))?;
        let now = UnixTime::since_unix_epoch(Duration::from_secs(now));
        client.verify_server_cert(own, others, &name, &[], now).map(drop).map_err(Unlinked::Refused)
    }

    /// Whether the certificate is its own issuer, so that only those who were told to trust it do.
    #[must_use]
    pub fn is_self_signed(&self) -> bool {
        self.self_signed
    }

    /// From when the certificate is valid.
    #[must_use]
    pub fn not_before(&self) -> OffsetDateTime {
        self.not_before
    }

    /// Until when the certificate is valid.
    #[must_use]
    pub fn not_after(&self) -> OffsetDateTime {
        self.not_after
    }

    /// The names that it is a certificate of, as they are written in it.
    #[must_use]
    pub fn own_names(&self) -> &[String] {
        &self.own_names
    }

    /// How its authority calls the certificate when it is asked about its renewal (RFC 9773, section 4.1); `None` when
    /// it does not say which key signed it.
    #[must_use]
    pub fn issued_as(&self) -> Option<&str> {
        self.issued_as.as_deref()
    }

    /// The name of the issuer whose certificate the chain lacks: some clients cannot complete such a
    /// chain. `None` when the chain goes on or is its own root.
    #[must_use]
    pub fn missing_issuer(&self) -> Option<&str> {
        self.missing_issuer.as_deref()
    }
}

/// Why a client does not find its way from a certificate to the one that it trusts.
#[derive(Debug, thiserror::Error)]
enum Unlinked {
    /// It says so itself.
    #[error("{0}")]
    Refused(rustls::Error),
    /// It could not be asked.
    #[error("{0}")]
    Other(String),
}

fn is_about_time(error: &rustls::Error) -> bool {
    use CertificateError::{Expired, ExpiredContext, NotValidYet, NotValidYetContext};

    let rustls::Error::InvalidCertificate(fault) = error else { return false };
    matches!(fault, Expired | ExpiredContext { .. } | NotValidYet | NotValidYetContext { .. })
}
