//! `[tls]`: the certificate that the server shows.

use std::path::PathBuf;

use super::keys::Keys;

const BOTH: &str = "both certificate and key, or neither";

/// The certificate that the server shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tls {
    /// The operator's own certificate; `None` means the demo certificate that fixture mode makes.
    pub files: Option<CertificateFiles>,
}

/// A certificate and its key, always both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateFiles {
    /// PEM: the server's certificate first, then the chain.
    pub certificate: PathBuf,
    /// PEM: the private key of that certificate.
    pub key: PathBuf,
}

impl Tls {
    pub(super) fn read(keys: &mut Keys<'_, '_>) -> Self {
        let certificate = keys.optional_path("certificate");
        let key = keys.optional_path("key");
        let files = match (certificate, key) {
            (Some(certificate), Some(key)) => Some(CertificateFiles { certificate, key }),
            (Some(_), None) => {
                keys.refuse(&["certificate", "key"], "a certificate without a key", BOTH);
                None
            }
            (None, Some(_)) => {
                keys.refuse(&["key", "certificate"], "a key without a certificate", BOTH);
                None
            }
            (None, None) => None,
        };
        Self { files }
    }
}
