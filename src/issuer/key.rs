//! The key pair that signs the tokens: made once, kept in the data folder.
//!
//! Decides how the key lies on disk. Knows nothing of tokens.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jsonwebtoken::EncodingKey;
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::{Value, json};

use crate::small_file;

/// The name of the key in the data folder.
pub const KEY_FILE: &str = "issuer-key.pem";
/// More than a key ever has.
const KEY_MAX_BYTES: u64 = 16 * 1024;

const BEGIN: &str = "-----BEGIN PRIVATE KEY-----";
const END: &str = "-----END PRIVATE KEY-----";

/// Why there is no key. Every message names the file.
#[derive(Debug, thiserror::Error)]
pub enum IssuerKeyError {
    /// It cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It holds no key that can be used.
    #[error("{} holds no P-256 key in PKCS #8; delete it, and a new one is made", path.display())]
    NoKey {
        /// The file.
        path: PathBuf,
    },
}

/// The key pair of the built-in issuer.
#[derive(Clone)]
pub struct IssuerKey {
    signing: EncodingKey,
    id: String,
    x: String,
    y: String,
}

impl IssuerKey {
    /// The key of this folder; a new one where there is none.
    ///
    /// # Errors
    /// When the file or the folder cannot be used.
    pub fn load_or_make(folder: &Path) -> Result<Self, IssuerKeyError> {
        match Self::load(folder) {
            Err(IssuerKeyError::File { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                Self::make(folder)
            }
            loaded => loaded,
        }
    }

    /// The key of this folder.
    ///
    /// # Errors
    /// When there is none.
    pub fn load(folder: &Path) -> Result<Self, IssuerKeyError> {
        let path = folder.join(KEY_FILE);
        let text = small_file::read_text(&path, KEY_MAX_BYTES)
            .map_err(|source| IssuerKeyError::File { path: path.clone(), source })?;
        pkcs8(&text).and_then(|der| Self::of(&der)).ok_or(IssuerKeyError::NoKey { path })
    }

    fn make(folder: &Path) -> Result<Self, IssuerKeyError> {
        let path = folder.join(KEY_FILE);
        let failed = |source| IssuerKeyError::File { path: path.clone(), source };
        let der = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new())
            .map_err(|_| failed(io::Error::other("the system gave no random numbers")))?;
        fs::create_dir_all(folder).map_err(failed)?;
        let text = format!("{BEGIN}\n{}\n{END}\n", STANDARD.encode(der.as_ref()));
        write_once(&path, text.as_bytes()).map_err(failed)?;
        // Another process may have been first; both then use what lies there.
        Self::load(folder)
    }

    fn of(der: &[u8]) -> Option<Self> {
        let pair =
            EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, der, &SystemRandom::new()).ok()?;
        let (first, point) = pair.public_key().as_ref().split_first()?;
        let (x, y) = point.split_at_checked(32)?;
        if *first != 4 || y.len() != 32 {
            return None;
        }
        let (x, y) = (URL_SAFE_NO_PAD.encode(x), URL_SAFE_NO_PAD.encode(y));
        // The thumbprint of RFC 7638: its members in this order and nothing else.
        let members = format!(r#"{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}"#);
        let id = URL_SAFE_NO_PAD.encode(digest(&SHA256, members.as_bytes()));
        Some(Self { signing: EncodingKey::from_ec_der(der), id, x, y })
    }

    /// Its name in tokens and in the key set.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The key set with its public half.
    #[must_use]
    pub fn key_set(&self) -> Value {
        json!({"keys": [{
            "kty": "EC", "crv": "P-256", "x": self.x, "y": self.y,
            "use": "sig", "alg": "ES256", "kid": self.id,
        }]})
    }

    /// What only this server knows, to make further secrets of.
    pub(super) fn secret(&self) -> &[u8] {
        self.signing.as_bytes()
    }

    pub(super) fn signing(&self) -> &EncodingKey {
        &self.signing
    }
}

impl fmt::Debug for IssuerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IssuerKey").field("id", &self.id).finish_non_exhaustive()
    }
}

fn pkcs8(text: &str) -> Option<Vec<u8>> {
    let body = text.trim().strip_prefix(BEGIN)?.strip_suffix(END)?;
    let digits: String = body.split_ascii_whitespace().collect();
    STANDARD.decode(digits).ok()
}

/// Writes beside the file and links, so that nobody sees half of it and nobody's key is replaced.
fn write_once(path: &Path, content: &[u8]) -> io::Result<()> {
    let beside = path.with_extension(format!("pem.{}", std::process::id()));
    let _none_left = fs::remove_file(&beside);
    let written =
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside).and_then(|mut file| {
            file.write_all(content)?;
            file.sync_all()?;
            match fs::hard_link(&beside, path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
                linked => linked,
            }
        });
    let _not_needed_any_more = fs::remove_file(&beside);
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_key_is_made_once_kept_for_its_owner_and_never_shown() {
        let folder = std::env::temp_dir().join(format!("ono-sendai-issuer-{}", std::process::id()));
        let made = IssuerKey::load_or_make(&folder).unwrap();
        let again = IssuerKey::load_or_make(&folder).unwrap();
        assert_eq!(made.key_set(), again.key_set());
        let path = folder.join(KEY_FILE);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        let secret = STANDARD.encode(made.signing.as_bytes());
        assert!(!format!("{made:?} {}", made.key_set()).contains(&secret[..12]));
        fs::write(&path, "no key").unwrap();
        let error = IssuerKey::load_or_make(&folder).unwrap_err().to_string();
        assert!(error.contains("issuer-key.pem holds no P-256 key"), "{error}");
        fs::remove_dir_all(&folder).unwrap();
    }
}
