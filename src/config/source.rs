//! Where a secret or a file of the operator stands: in the configuration, in a file, or with systemd.
//!
//! Decides how a credential may be called. Must never read one.

use std::fmt;
use std::path::PathBuf;

use super::secret::Secret;

/// Where a secret stands; always exactly one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecretSource {
    /// In the configuration itself.
    Value(Secret),
    /// In a file that holds nothing else.
    File(PathBuf),
    /// In a credential that systemd gives to the service.
    Credential(Credential),
}

/// Where a file stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileSource {
    /// At this path.
    Path(PathBuf),
    /// It is a credential that systemd gives to the service.
    Credential(Credential),
}

/// The name of a credential, as it stands before the colon of `LoadCredential=NAME:FILE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credential(String);

impl Credential {
    /// A name that is one file in the folder of credentials and nothing else.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        let sound = (1..=100).contains(&text.len()) && text.bytes().all(plain) && !text.starts_with('.');
        sound.then(|| Self(text.to_owned()))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credential_is_a_plain_name_in_its_folder() {
        for good in ["crate-key", "tls.key", "A_1"] {
            assert_eq!(Credential::parse(good).unwrap().as_str(), good);
        }
        for bad in ["", ".", "..", ".hidden", "a/b", "../x", "a b", "a\0", "é", &"x".repeat(101)] {
            assert_eq!(Credential::parse(bad), None, "{bad}");
        }
    }
}
