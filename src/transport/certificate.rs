//! The certificate of a demo: made once, kept in the data folder, renewed before it ends.
//!
//! It is an end-entity certificate that clients can take as their own root. Knows nothing of TLS settings.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rcgen::{CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair};
use time::{Duration, OffsetDateTime};

use super::tls::{Identity, TlsError};
use crate::host::LOOPBACK_NAMES;

/// The name of the certificate in the folder.
pub const DEMO_CERTIFICATE_FILE: &str = "demo-cert.pem";
/// The name of its key there.
pub const DEMO_KEY_FILE: &str = "demo-key.pem";
const LIFETIME: Duration = Duration::days(89);
const RENEWED_BEFORE: Duration = Duration::days(7);
/// Clocks of other machines may be behind.
const BACKDATED: Duration = Duration::hours(12);

/// A usable demo certificate and where it lies.
#[derive(Clone, Debug)]
pub struct DemoCertificate {
    /// For the server's settings.
    pub identity: Identity,
    /// What clients must trust.
    pub certificate_path: PathBuf,
    /// The private key, readable by the owner only.
    pub key_path: PathBuf,
    /// Whether it was made just now, so that clients must be told to trust it again.
    pub is_new: bool,
}

/// The certificate that lies in this folder; `None` when there is none yet. Nothing is written.
///
/// # Errors
/// When it cannot be used.
pub fn demo_certificate_in(folder: &Path) -> Result<Option<Identity>, TlsError> {
    let (certificate, key) = (folder.join(DEMO_CERTIFICATE_FILE), folder.join(DEMO_KEY_FILE));
    if !certificate.exists() {
        return Ok(None);
    }
    Identity::load(&certificate, &key).map(Some)
}

/// Why there is no demo certificate. Every message names the path.
#[derive(Debug, thiserror::Error)]
pub enum DemoCertificateError {
    /// The folder cannot be made.
    #[error("cannot make the data folder {}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The certificate could not be made.
    #[error("cannot make a certificate for {}: {why}", path.display())]
    Make {
        /// The file it was meant for.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
}

/// The certificate of this folder: the one that is there when it matches its key and lasts for more than
/// another week, otherwise a new one.
///
/// # Errors
/// When the folder or a file cannot be written.
pub fn demo_certificate(folder: &Path, now: OffsetDateTime) -> Result<DemoCertificate, DemoCertificateError> {
    let certificate_path = folder.join(DEMO_CERTIFICATE_FILE);
    let key_path = folder.join(DEMO_KEY_FILE);
    let usable = |identity: &Identity| {
        let lasts = identity.not_before() <= now && now + RENEWED_BEFORE < identity.not_after();
        // One that somebody else put there may not do what clients are told it does.
        lasts
            && LOOPBACK_NAMES
                .iter()
                .all(|name| identity.is_its_own_root_for(name.trim_matches(['[', ']']), now))
    };
    if let Some(identity) = Identity::load(&certificate_path, &key_path).ok().filter(usable) {
        return Ok(DemoCertificate { identity, certificate_path, key_path, is_new: false });
    }
    fs::create_dir_all(folder)
        .map_err(|source| DemoCertificateError::Folder { path: folder.to_owned(), source })?;
    let (certificate, key) = make(now).map_err(|error| DemoCertificateError::Make {
        path: certificate_path.clone(),
        why: error.to_string(),
    })?;
    // A stop between the two leaves a pair that does not match, which the next start replaces.
    replace(&key_path, key.as_bytes(), 0o600)?;
    replace(&certificate_path, certificate.as_bytes(), 0o644)?;
    let identity = Identity::load(&certificate_path, &key_path).map_err(|error| {
        DemoCertificateError::Make { path: certificate_path.clone(), why: error.to_string() }
    })?;
    Ok(DemoCertificate { identity, certificate_path, key_path, is_new: true })
}

/// A certificate for this machine's own names that lies nowhere: it stands in for one that is still to come.
///
/// # Errors
/// When it cannot be made.
pub fn stand_in(now: OffsetDateTime) -> Result<Identity, DemoCertificateError> {
    let place = Path::new("the certificate that stands in");
    let unmade = |why: String| DemoCertificateError::Make { path: place.to_owned(), why };
    let (certificate, key) = make(now).map_err(|error| unmade(error.to_string()))?;
    let pem = format!("{certificate}{key}");
    Identity::of_one(place, pem.as_bytes()).map_err(|error| unmade(error.to_string()))
}

fn make(now: OffsetDateTime) -> Result<(String, String), rcgen::Error> {
    let mut params = CertificateParams::new(LOOPBACK_NAMES.map(str::to_owned).to_vec())?;
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, "ono-sendai demo on localhost");
    params.is_ca = IsCa::NoCa;
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.not_before = now - BACKDATED;
    params.not_after = now + LIFETIME;
    let key = KeyPair::generate()?;
    let certificate = params.self_signed(&key)?;
    Ok((certificate.pem(), key.serialize_pem()))
}

/// Writes beside the file and renames, so that nobody ever sees half of it.
fn replace(path: &Path, content: &[u8], mode: u32) -> Result<(), DemoCertificateError> {
    let beside = path.with_extension(format!("pem.{}", std::process::id()));
    let written = write_new(&beside, content, mode).and_then(|()| fs::rename(&beside, path));
    written.map_err(|source| {
        // The half-written file is of no use to anyone; the first error is the one to report.
        let _ = fs::remove_file(&beside);
        DemoCertificateError::Write { path: path.to_owned(), source }
    })
}

fn write_new(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file: File = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    file.write_all(content)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::BasicConstraints;

    #[test]
    fn a_certificate_that_clients_cannot_take_as_their_root_is_replaced() {
        let now = OffsetDateTime::now_utc();
        let folder = std::env::temp_dir().join(format!("ono-sendai-certificate-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let foreign = |names: &[&str], is_ca: IsCa| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            let mut params = CertificateParams::new(names).unwrap();
            params.is_ca = is_ca;
            params.not_before = now - BACKDATED;
            params.not_after = now + LIFETIME;
            let key = KeyPair::generate().unwrap();
            let certificate = params.self_signed(&key).unwrap();
            fs::write(folder.join(DEMO_CERTIFICATE_FILE), certificate.pem()).unwrap();
            fs::write(folder.join(DEMO_KEY_FILE), key.serialize_pem()).unwrap();
            demo_certificate(&folder, now).unwrap().is_new
        };
        let local = ["localhost", "127.0.0.1", "::1"];
        assert!(foreign(&local, IsCa::Ca(BasicConstraints::Unconstrained)));
        assert!(foreign(&["elsewhere.example"], IsCa::NoCa));
        assert!(!foreign(&local, IsCa::NoCa));
        fs::remove_dir_all(&folder).unwrap();
    }
}
