//! An authority of a test and what it signs, as an operator gets it.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use time::{Duration, OffsetDateTime};

use crate::harness::evidence;

/// A root, and the intermediate that signs for it.
pub struct Authority {
    /// What clients trust, as PEM.
    pub root: String,
    intermediate: String,
    signer: Issuer<'static, KeyPair>,
}

/// A certificate and its key, as PEM.
pub struct Pair {
    /// The certificate alone.
    pub leaf: String,
    /// The certificate and that of its issuer.
    pub chain: String,
    /// The private key.
    pub key: String,
}

impl Authority {
    pub fn new() -> Self {
        let authority = |name: &str| {
            let mut params = CertificateParams::new(Vec::new()).expect("no names");
            params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
            params.distinguished_name.push(DnType::CommonName, name);
            (params, KeyPair::generate().expect("a key"))
        };
        let (root, root_key) = authority("A test root");
        let root_pem = root.self_signed(&root_key).expect("a certificate").pem();
        let (between, key) = authority("A test intermediate");
        let intermediate =
            between.signed_by(&key, &Issuer::new(root, root_key)).expect("a certificate").pem();
        Self { root: root_pem, intermediate, signer: Issuer::new(between, key) }
    }

    /// A pair for these names, valid from the first to the second of `days` from now.
    pub fn signs(&self, names: &[&str], days: (i64, i64)) -> Pair {
        let key = KeyPair::generate().expect("a key");
        self.signs_for(names, days, &key.serialize_pem())
    }

    /// The same for a key that is there already, in PKCS#8.
    pub fn signs_for(&self, names: &[&str], days: (i64, i64), key: &str) -> Pair {
        let pair = KeyPair::from_pem(key).expect("a key");
        let leaf = params(names, days).signed_by(&pair, &self.signer).expect("a certificate").pem();
        Pair { chain: leaf.clone() + &self.intermediate, leaf, key: key.to_owned() }
    }
}

/// A pair whose certificate is its own issuer.
pub fn self_signed(names: &[&str]) -> Pair {
    let key = KeyPair::generate().expect("a key");
    let leaf = params(names, (-1, 60)).self_signed(&key).expect("a certificate").pem();
    Pair { chain: leaf.clone(), leaf, key: key.serialize_pem() }
}

fn params(names: &[&str], (from, until): (i64, i64)) -> CertificateParams {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut params = CertificateParams::new(names).expect("names");
    params.distinguished_name.push(DnType::CommonName, "A test server");
    params.not_before = OffsetDateTime::now_utc() + Duration::days(from);
    params.not_after = OffsetDateTime::now_utc() + Duration::days(until);
    params
}

/// A file that only its owner can read. The private keys in it are secrets of the whole run.
pub fn private(path: &Path, content: impl AsRef<[u8]>) {
    evidence::private_keys("a private key", &String::from_utf8_lossy(content.as_ref()));
    std::fs::write(path, content).expect("a file");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).expect("a mode");
}
