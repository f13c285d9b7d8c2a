//! `[tls]`: the certificates that the server shows.

use super::keys::Keys;
use super::source::FileSource;
use super::table::Key;

/// The keys of `[tls]`.
pub(super) const KEYS: &[Key] = &[
    Key::new(
        "certificate",
        "\"\"",
        "The server's certificate, then its chain, as a PEM file. Without certificate and key, a server that is not \
         public makes a certificate for localhost and keeps it in data_dir.",
    )
    .reloads(),
    Key::new(
        "certificate_credential",
        "\"\"",
        "The name of a credential that systemd gives with LoadCredential=NAME:FILE, in the place of certificate. It \
         changes at a restart only.",
    )
    .reloads(),
    Key::new(
        "key",
        "\"\"",
        "The private key of that certificate, as a PEM file that only its owner and group can read.",
    )
    .reloads(),
    Key::new(
        "key_credential",
        "\"\"",
        "The name of a credential of systemd, in the place of key. It changes at a restart only.",
    )
    .reloads(),
    Key::new(
        "more",
        "[]",
        "Further pairs for further names, each written as [[tls.more]] with the four keys above. A client is shown \
         the pair of the name that it asks for, and the first pair when it asks for no name or for one that no pair \
         has.",
    )
    .reloads(),
];

const BOTH: &str = "both certificate and key, or neither";

/// The certificates that the server shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tls {
    /// The operator's own certificate; `None` means the demo certificate that fixture mode makes.
    pub files: Option<CertificateFiles>,
    /// Pairs for further names; empty without a first one.
    pub more: Vec<CertificateFiles>,
}

/// A certificate and its key, always both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateFiles {
    /// PEM: the server's certificate first, then the chain.
    pub certificate: FileSource,
    /// PEM: the private key of that certificate.
    pub key: FileSource,
}

impl Tls {
    pub(super) fn read(keys: &mut Keys<'_, '_>) -> Self {
        let files = pair(keys).ok().flatten();
        let more = keys.tables("more", "a list of tables, each written as [[tls.more]]", |keys| {
            let pair = pair(keys);
            if matches!(pair, Ok(None)) {
                keys.refuse(&["certificate", "key"], "neither certificate nor key", "both");
            }
            pair.ok().flatten()
        });
        if files.is_none() && !more.is_empty() {
            keys.refuse(
                &["more", "certificate", "certificate_credential", "key", "key_credential"],
                "further pairs without a first one",
                "certificate and key under [tls] too; clients that ask for another name are shown that pair",
            );
        }
        Self { files, more }
    }

    /// Every pair with the place of its keys, the first one first.
    pub fn pairs(&self) -> impl Iterator<Item = (String, &CertificateFiles)> {
        let more = self.more.iter().enumerate().map(|(index, files)| (format!("tls.more[{index}]"), files));
        self.files.iter().map(|files| ("tls".to_owned(), files)).chain(more)
    }
}

/// One pair, or none; where there is half of one, that was reported.
fn pair(keys: &mut Keys<'_, '_>) -> Result<Option<CertificateFiles>, Half> {
    let certificate = keys.file_source("certificate", "certificate_credential");
    let key = keys.file_source("key", "key_credential");
    match (certificate, key) {
        (Some(certificate), Some(key)) => Ok(Some(CertificateFiles { certificate, key })),
        (Some(_), None) => {
            keys.refuse(
                &["certificate", "certificate_credential", "key", "key_credential"],
                "a certificate without a key",
                BOTH,
            );
            Err(Half)
        }
        (None, Some(_)) => {
            keys.refuse(
                &["key", "key_credential", "certificate", "certificate_credential"],
                "a key without a certificate",
                BOTH,
            );
            Err(Half)
        }
        (None, None) => Ok(None),
    }
}

/// A certificate without its key, or a key without its certificate.
struct Half;
