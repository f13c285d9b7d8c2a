//! Certificate and key from their files.
//!
//! Decides whether a pair is usable, and says what a client will think of it. Knows nothing of connections.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rustls::client::danger::ServerCertVerifier as _;
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime, pem};
use rustls::server::ParsedCertificate;
use rustls::sign::CertifiedKey;
use rustls::{RootCertStore, SignatureScheme};
use time::OffsetDateTime;

use super::der::Facts;
use crate::small_file;

/// A chain or a key is much smaller.
const PEM_MAX_BYTES: u64 = 1024 * 1024;

/// What clients read of a handshake's message with the chain, less what stands around the certificates.
const MESSAGE_MAX_BYTES: usize = 65_535 - 16;
/// What stands around one certificate in it.
const ENTRY_BYTES: usize = 5;

/// A certificate chain with the key that belongs to it.
#[derive(Clone, Debug)]
pub struct Identity {
    certified: Arc<CertifiedKey>,
    not_after: OffsetDateTime,
    not_before: OffsetDateTime,
    missing_issuer: Option<String>,
    self_signed: bool,
    own_names: Vec<String>,
    issued_as: Option<String>,
}

/// Why a certificate and a key cannot be used. Every message names the file.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", small_file::shown(path).as_deref().unwrap_or("the file that is named"))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is not PEM.
    #[error("{} is not a complete PEM file: {why}", path.display())]
    BrokenPem {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// No certificate in the chain file.
    #[error("{} holds no certificate (a block that begins with BEGIN CERTIFICATE)", .0.display())]
    NoCertificate(PathBuf),
    /// No key in the key file.
    #[error(
        "{} holds no private key (BEGIN PRIVATE KEY, BEGIN RSA PRIVATE KEY or BEGIN EC PRIVATE KEY; \
         an encrypted key must be decrypted first)",
        .0.display()
    )]
    NoKey(PathBuf),
    /// The first certificate is damaged or of a kind that is not supported (such as version 1).
    #[error("the first certificate in {} cannot be used: {why}", path.display())]
    BrokenCertificate {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// No client reads a message that is as long as this chain.
    #[error(
        "{} holds {certificates} certificates of {bytes} bytes, and no client reads a chain of more than \
         {MESSAGE_MAX_BYTES}; keep the server's own and those of its issuers",
        path.display()
    )]
    TooLong {
        /// The file.
        path: PathBuf,
        /// How many it holds.
        certificates: usize,
        /// What they take in a handshake.
        bytes: usize,
    },
    /// The key is of a kind that is not supported, or damaged.
    #[error("the private key in {} cannot be used: {why}", path.display())]
    UnusableKey {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// Key and certificate are of two different pairs.
    #[error("the private key in {} does not belong to the first certificate in {}", key.display(), chain.display())]
    Mismatch {
        /// The chain file.
        chain: PathBuf,
        /// The key file.
        key: PathBuf,
    },
}

impl TlsError {
    /// Whether it is about the key, which lies at this path, and not about the certificates.
    #[must_use]
    pub fn is_about_the_key(&self, key: &Path) -> bool {
        match self {
            Self::Unreadable { path, .. } | Self::BrokenPem { path, .. } => path == key,
            Self::NoKey(_) | Self::UnusableKey { .. } | Self::Mismatch { .. } => true,
            Self::NoCertificate(_) | Self::BrokenCertificate { .. } | Self::TooLong { .. } => false,
        }
    }
}

impl Identity {
    /// Reads a PEM chain, own certificate first, and a PEM key (PKCS#8, PKCS#1 or SEC1).
    ///
    /// # Errors
    /// When a file cannot be read, is not what it should be, or the two do not belong together. An
    /// expired certificate is no error; see [`Identity::not_after`].
    pub fn load(chain: &Path, key: &Path) -> Result<Self, TlsError> {
        Self::of((chain, &read(chain)?), (key, &read(key)?))
    }

    /// The same of what two files hold, or one that holds both.
    pub(super) fn of(
        (chain, chain_pem): (&Path, &[u8]),
        (key, key_pem): (&Path, &[u8]),
    ) -> Result<Self, TlsError> {
        let certificates: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(chain_pem)
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

        let private = PrivateKeyDer::from_pem_slice(key_pem).map_err(|error| match error {
            pem::Error::NoItemsFound => TlsError::NoKey(key.to_owned()),
            error => broken_pem(key, &error),
        })?;
        let unusable =
            |error: rustls::Error| TlsError::UnusableKey { path: key.to_owned(), why: error.to_string() };
        let signer = ring::sign::any_supported_type(&private).map_err(unusable)?;
        let certified = CertifiedKey::new(certificates, signer);
        certified.keys_match().map_err(|error| match error {
            rustls::Error::InconsistentKeys(_) => {
                TlsError::Mismatch { chain: chain.to_owned(), key: key.to_owned() }
            }
            error => TlsError::BrokenCertificate { path: chain.to_owned(), why: error.to_string() },
        })?;
        Ok(Self {
            certified: Arc::new(certified),
            not_after: facts.not_after,
            not_before: facts.not_before,
            missing_issuer,
            self_signed: facts.is_self_issued(),
            issued_as: facts.issuer_key.map(|key| {
                let text = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
                format!("{}.{}", text(&key), text(&facts.serial))
            }),
            own_names: facts.names,
        })
    }

    /// Whether a client that trusts this certificate, and only this one, accepts the server as `name` at `now`.
    #[must_use]
    pub fn is_its_own_root_for(&self, name: &str, now: OffsetDateTime) -> bool {
        self.certified.cert.first().is_some_and(|own| self.leads_to(own, name, now).is_ok())
    }

    /// Whether the certificates of the chain belong together, as a client sees it that trusts the last one.
    ///
    /// # Errors
    /// What the client says; a name or a time that does not fit is not asked about.
    pub fn is_linked(&self, name: &str, now: OffsetDateTime) -> Result<(), String> {
        let Some(last) = self.certified.cert.last() else { return Err("there is none".to_owned()) };
        // One alone is linked to nothing, and to be completed.
        if self.missing_issuer.is_some() && self.certified.cert.len() == 1
            || !self.names(name)
            || now < self.not_before
            || self.not_after <= now
        {
            return Ok(());
        }
        self.leads_to(last, name, now)
    }

    /// Whether the certificate is one of the host `name`.
    #[must_use]
    pub fn names(&self, name: &str) -> bool {
        let Ok(name) = ServerName::try_from(name) else { return false };
        let own = self.certified.cert.first().map(ParsedCertificate::try_from);
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
    ) -> Result<(), String> {
        let said = |error: rustls::Error| error.to_string();
        let [own, others @ ..] = self.certified.cert.as_slice() else {
            return Err("there is none".to_owned());
        };
        let name = ServerName::try_from(name).map_err(|error| error.to_string())?;
        let now = u64::try_from(now.unix_timestamp()).map_err(|error| error.to_string())?;
        let mut roots = RootCertStore::empty();
        roots.add(root.clone()).map_err(said)?;
        let provider = Arc::new(ring::default_provider());
        let client = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider)
            .build()
            .map_err(|error| error.to_string())?;
        let now = UnixTime::since_unix_epoch(Duration::from_secs(now));
        client.verify_server_cert(own, others, &name, &[], now).map(drop).map_err(said)
    }

    /// Whether the certificate is its own issuer, so that only those who were told to trust it do.
    #[must_use]
    pub fn is_self_signed(&self) -> bool {
        self.self_signed
    }

    /// How its authority calls the certificate when it is asked about its renewal (RFC 9773, section 4.1); `None` when
    /// it does not say which key signed it.
    #[must_use]
    pub fn issued_as(&self) -> Option<&str> {
        self.issued_as.as_deref()
    }

    /// Whether both show the same certificates, in the same order.
    #[must_use]
    pub fn shows_the_same_as(&self, other: &Self) -> bool {
        self.certified.cert == other.certified.cert
    }

    /// Whether a client that can check only these signatures can check ours.
    pub(super) fn signs_with(&self, schemes: &[SignatureScheme]) -> bool {
        self.certified.key.choose_scheme(schemes).is_some()
    }

    pub(super) fn certified(&self) -> Arc<CertifiedKey> {
        self.certified.clone()
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

    /// The name of the issuer whose certificate the chain lacks: some clients cannot complete such a
    /// chain. `None` when the chain goes on or is its own root.
    #[must_use]
    pub fn missing_issuer(&self) -> Option<&str> {
        self.missing_issuer.as_deref()
    }
}

fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    small_file::read(path, PEM_MAX_BYTES)
        .map_err(|source| TlsError::Unreadable { path: path.to_owned(), source })
}

fn broken_pem(path: &Path, error: &pem::Error) -> TlsError {
    // In words of our own: the parser's repeat lines of the file.
    let why = match error {
        pem::Error::MissingSectionEnd { .. } => "a block that begins does not end; was it cut off?",
        pem::Error::IllegalSectionStart { .. } => "a line that begins a block is malformed",
        pem::Error::Base64Decode(_) => "a block holds something that is not base64",
        _ => "it cannot be read",
    };
    TlsError::BrokenPem { path: path.to_owned(), why: why.to_owned() }
}
