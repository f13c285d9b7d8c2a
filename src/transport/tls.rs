//! Certificate and key from their files.
//!
//! Decides whether a pair is usable, and says what a client will think of it. Knows nothing of connections.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::SignatureScheme;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{PrivateKeyDer, pem};
use rustls::sign::{CertifiedKey, SigningKey};
use time::OffsetDateTime;

use super::chain::{Chain, MESSAGE_MAX_BYTES};
use crate::small_file;

/// A chain or a key is much smaller.
const PEM_MAX_BYTES: u64 = 1024 * 1024;

/// A certificate chain with the key that belongs to it.
#[derive(Clone, Debug)]
pub struct Identity {
    certified: Arc<CertifiedKey>,
    chain: Chain,
}

/// A private key alone.
#[derive(Clone, Debug)]
pub struct Key {
    signer: Arc<dyn SigningKey>,
    path: PathBuf,
    mode: Option<u32>,
}

impl Key {
    /// Reads a PEM key (PKCS#8, PKCS#1 or SEC1).
    ///
    /// # Errors
    /// When the file cannot be read or is not what it should be.
    pub fn load(key: &Path) -> Result<Self, TlsError> {
        let unreadable = |source| TlsError::Unreadable { path: key.to_owned(), source };
        let file = small_file::open(key).map_err(unreadable)?;
        let mode = file.metadata().map_err(unreadable)?.mode();
        let pem = small_file::whole(file, PEM_MAX_BYTES).map_err(unreadable)?;
        Ok(Self { mode: Some(mode), ..Self::read(key, &pem)? })
    }

    /// The mode of the file that it was read from, which is not always the one that lies there by now.
    #[must_use]
    pub fn mode(&self) -> Option<u32> {
        self.mode
    }

    fn read(key: &Path, pem: &[u8]) -> Result<Self, TlsError> {
        let private = PrivateKeyDer::from_pem_slice(pem).map_err(|error| match error {
            pem::Error::NoItemsFound => TlsError::NoKey(key.to_owned()),
            error => broken_pem(key, &error),
        })?;
        let unusable =
            |error: rustls::Error| TlsError::UnusableKey { path: key.to_owned(), why: error.to_string() };
        let signer = ring::sign::any_supported_type(&private).map_err(unusable)?;
        Ok(Self { signer, path: key.to_owned(), mode: None })
    }
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
        Self::of(Chain::load(chain)?, chain, Key::load(key)?)
    }

    /// The same of one file that holds both, which has been read.
    pub(super) fn of_one(file: &Path, pem: &[u8]) -> Result<Self, TlsError> {
        Self::of(Chain::read(file, pem)?, file, Key::read(file, pem)?)
    }

    /// A chain, which came from this file, and a key that were read already.
    ///
    /// # Errors
    /// When the two do not belong together.
    pub fn of(chain: Chain, file: &Path, key: Key) -> Result<Self, TlsError> {
        let certified = CertifiedKey::new(chain.certificates.clone(), key.signer);
        certified.keys_match().map_err(|error| match error {
            rustls::Error::InconsistentKeys(_) => {
                TlsError::Mismatch { chain: file.to_owned(), key: key.path }
            }
            error => TlsError::BrokenCertificate { path: file.to_owned(), why: error.to_string() },
        })?;
        Ok(Self { certified: Arc::new(certified), chain })
    }

    /// Its certificates.
    #[must_use]
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// Whether a client that trusts this certificate, and only this one, accepts the server as `name` at `now`.
    #[must_use]
    pub fn is_its_own_root_for(&self, name: &str, now: OffsetDateTime) -> bool {
        self.chain.is_its_own_root_for(name, now)
    }

    /// Whether the certificate is one of the host `name`.
    #[must_use]
    pub fn names(&self, name: &str) -> bool {
        self.chain.names(name)
    }

    /// Whether there is a host that both are certificates of.
    #[must_use]
    pub fn shares_a_name_with(&self, other: &Self) -> bool {
        self.chain.shares_a_name_with(&other.chain)
    }

    /// How its authority calls the certificate when it is asked about its renewal (RFC 9773, section 4.1); `None` when
    /// it does not say which key signed it.
    #[must_use]
    pub fn issued_as(&self) -> Option<&str> {
        self.chain.issued_as()
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

    /// The hosts that the certificate is for, as they are written; none where they cannot be read.
    #[must_use]
    pub fn own_names(&self) -> &[String] {
        self.chain.own_names()
    }

    /// From when the certificate is valid.
    #[must_use]
    pub fn not_before(&self) -> OffsetDateTime {
        self.chain.not_before()
    }

    /// Until when the certificate is valid.
    #[must_use]
    pub fn not_after(&self) -> OffsetDateTime {
        self.chain.not_after()
    }

    /// As [`Chain::missing_issuer`].
    #[must_use]
    pub fn missing_issuer(&self) -> Option<&str> {
        self.chain.missing_issuer()
    }
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    small_file::read(path, PEM_MAX_BYTES)
        .map_err(|source| TlsError::Unreadable { path: path.to_owned(), source })
}

pub(super) fn broken_pem(path: &Path, error: &pem::Error) -> TlsError {
    // In words of our own: the parser's repeat lines of the file.
    let why = match error {
        pem::Error::MissingSectionEnd { .. } => "a block that begins does not end; was it cut off?",
        pem::Error::IllegalSectionStart { .. } => "a line that begins a block is malformed",
        pem::Error::Base64Decode(_) => "a block holds something that is not base64",
        _ => "it cannot be read",
    };
    TlsError::BrokenPem { path: path.to_owned(), why: why.to_owned() }
}
