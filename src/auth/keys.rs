//! Public keys of an issuer, read from its key set.
//!
//! Decides which keys of a set can check a token. One that cannot be read never spoils the others. Knows
//! nothing of where a set comes from, nor of claims.

use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use ring::digest::{SHA256, digest};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::object::object;

/// The most keys of one set that are read.
const KEYS_MAX: usize = 100;

/// A signature algorithm that an operator can allow. Closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SigningAlgorithm {
    /// RSA with SHA-256, PKCS #1 v1.5; keys of 2,048 to 8,192 bits.
    Rs256,
    /// ECDSA on P-256 with SHA-256.
    Es256,
    /// Ed25519.
    EdDsa,
}

impl SigningAlgorithm {
    /// Every algorithm.
    pub const ALL: [Self; 3] = [Self::Rs256, Self::Es256, Self::EdDsa];

    /// Its name in tokens, key sets and the configuration.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Es256 => "ES256",
            Self::EdDsa => "EdDSA",
        }
    }

    /// The algorithm of that name, to the letter.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.as_str() == name)
    }

    fn of_library(self) -> Algorithm {
        match self {
            Self::Rs256 => Algorithm::RS256,
            Self::Es256 => Algorithm::ES256,
            Self::EdDsa => Algorithm::EdDSA,
        }
    }
}

/// What tells two keys apart, whatever their issuer calls them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Fingerprint([u8; 32]);

/// One key that can check signatures of one algorithm.
#[derive(Clone, Debug)]
pub(super) struct VerifyingKey {
    id: Option<String>,
    algorithm: SigningAlgorithm,
    fingerprint: Fingerprint,
    key: DecodingKey,
}

impl VerifyingKey {
    /// Whether this key signed `token`; says nothing about what the token claims.
    pub(super) fn signed(&self, token: &str) -> bool {
        let mut signature_only = Validation::new(self.algorithm.of_library());
        signature_only.required_spec_claims.clear();
        signature_only.validate_exp = false;
        signature_only.validate_nbf = false;
        signature_only.validate_aud = false;
        jsonwebtoken::decode::<IgnoredAny>(token, &self.key, &signature_only).is_ok()
    }

    pub(super) fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }
}

/// The usable keys of an issuer.
#[derive(Clone, Debug, Default)]
pub struct KeySet(Vec<VerifyingKey>);

/// A document that is no key set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is not a JSON object with a list of keys")]
pub struct NoKeySet;

#[derive(Deserialize)]
struct Document {
    keys: Vec<Value>,
}

/// One entry of the list; every field that a usable key has is text.
#[derive(Deserialize)]
struct Entry {
    kty: String,
    #[serde(rename = "use")]
    usage: Option<String>,
    key_ops: Option<Vec<String>>,
    alg: Option<String>,
    kid: Option<String>,
    n: Option<String>,
    e: Option<String>,
    crv: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

impl KeySet {
    /// Reads a JSON Web Key Set; entries that cannot check a token with an allowed algorithm are passed over.
    ///
    /// # Errors
    /// When it is no key set at all.
    pub fn parse(document: &[u8], allowed: &[SigningAlgorithm]) -> Result<Self, NoKeySet> {
        let document: Document = object(document).ok_or(NoKeySet)?;
        let keys = document.keys.into_iter().take(KEYS_MAX).filter(Value::is_object);
        let usable = keys.filter_map(|key| usable(serde_json::from_value(key).ok()?));
        Ok(Self(usable.filter(|key| allowed.contains(&key.algorithm)).collect()))
    }

    /// Whether no key of it can check anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many keys can check a token.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The keys that may have signed a token with this header: those of its key id; every one of its
    /// algorithm when it names none.
    pub(super) fn candidates<'a>(
        &'a self,
        algorithm: SigningAlgorithm,
        id: Option<&'a str>,
    ) -> impl Iterator<Item = &'a VerifyingKey> {
        self.0
            .iter()
            .filter(move |key| key.algorithm == algorithm && (id.is_none() || key.id.as_deref() == id))
    }

    /// Whether a key is still part of it.
    pub(super) fn holds(&self, key: Fingerprint) -> bool {
        self.0.iter().any(|of| of.fingerprint == key)
    }
}

fn usable(entry: Entry) -> Option<VerifyingKey> {
    if entry.usage.as_deref().is_some_and(|usage| usage != "sig")
        || entry.key_ops.as_ref().is_some_and(|ops| !ops.iter().any(|op| op == "verify"))
    {
        return None;
    }
    let (algorithm, key, material) = match (entry.kty.as_str(), entry.crv.as_deref()) {
        ("RSA", _) => {
            let (n, e) = (entry.n?, entry.e?);
            let key = DecodingKey::from_rsa_raw_components(&number(&n)?, &number(&e)?);
            (SigningAlgorithm::Rs256, key, format!("RSA {n} {e}"))
        }
        ("EC", Some("P-256")) => {
            let (x, y) = (entry.x?, entry.y?);
            let coordinates = [decoded(&x)?, decoded(&y)?];
            if coordinates.iter().any(|coordinate| coordinate.len() != 32) {
                return None;
            }
            (SigningAlgorithm::Es256, DecodingKey::from_ec_components(&x, &y).ok()?, format!("EC {x} {y}"))
        }
        ("OKP", Some("Ed25519")) => {
            let x = entry.x?;
            if decoded(&x)?.len() != 32 {
                return None;
            }
            (SigningAlgorithm::EdDsa, DecodingKey::from_ed_components(&x).ok()?, format!("OKP {x}"))
        }
        _ => return None,
    };
    // "Ed25519" is the newer name of the same algorithm.
    let named = entry.alg.as_deref().map(|name| if name == "Ed25519" { "EdDSA" } else { name });
    if named.is_some_and(|name| name != algorithm.as_str()) {
        return None;
    }
    let mut fingerprint = [0; 32];
    for (to, from) in fingerprint.iter_mut().zip(digest(&SHA256, material.as_bytes()).as_ref()) {
        *to = *from;
    }
    Some(VerifyingKey { id: entry.kid, algorithm, fingerprint: Fingerprint(fingerprint), key })
}

/// A big number without leading zeros, which some issuers write.
fn number(text: &str) -> Option<Vec<u8>> {
    let bytes = decoded(text)?;
    let first = bytes.iter().position(|byte| *byte != 0)?;
    bytes.get(first..).map(<[u8]>::to_vec)
}

fn decoded(text: &str) -> Option<Vec<u8>> {
    use base64::Engine as _;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(text).ok()
}
