//! Whose certificates are believed: the file that was named, the demo's own, or the machine's.

use std::path::{Path, PathBuf};

use reqwest::Certificate;
use url::Url;

use crate::app::DEMO_CERTIFICATE_FILE;
use crate::host::is_loopback;

/// Where Debian, Fedora and Alpine, in this order, keep the certificates they trust.
const MACHINE_ROOTS: &[&str] =
    &["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

/// Certificates, and why these.
pub(super) struct Trust {
    /// What is believed, and nothing else is.
    pub(super) roots: Vec<Certificate>,
    /// The file they came from.
    pub(super) file: PathBuf,
}

/// Picks the file for `url`: `named` first, then the demo's for this machine, then the machine's.
pub(super) fn file_for(named: Option<&Path>, url: &Url, data_folder: &Path) -> Option<PathBuf> {
    if let Some(named) = named {
        return Some(named.to_owned());
    }
    let demo = data_folder.join(DEMO_CERTIFICATE_FILE);
    if url.host().is_some_and(|host| is_loopback(&host)) && demo.is_file() {
        return Some(demo);
    }
    MACHINE_ROOTS.iter().map(PathBuf::from).find(|path| path.is_file())
}

/// Reads the certificates of a file.
///
/// # Errors
/// One line that names the file.
pub(super) fn load(file: &Path) -> Result<Trust, String> {
    let shown = file.display();
    let bytes = std::fs::read(file).map_err(|error| format!("{shown} cannot be read: {error}"))?;
    let roots = Certificate::from_pem_bundle(&bytes)
        .map_err(|_| format!("{shown} holds something that is not a PEM certificate"))?;
    if roots.is_empty() {
        return Err(format!("{shown} holds no PEM certificate"));
    }
    Ok(Trust { roots, file: file.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_demo_certificate_is_believed_on_this_machine_only() {
        let folder = std::env::temp_dir().join(format!("ono-sendai-trust-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let demo = folder.join(DEMO_CERTIFICATE_FILE);
        std::fs::write(&demo, "x").unwrap();
        let file = |url: &str, named: Option<&str>| {
            file_for(named.map(Path::new), &Url::parse(url).unwrap(), &folder)
        };
        assert_eq!(file("https://localhost:8443/mcp", None).as_ref(), Some(&demo));
        assert_eq!(file("https://127.0.0.1:8443/mcp", None).as_ref(), Some(&demo));
        assert_ne!(file("https://mcp.example.org/mcp", None).as_ref(), Some(&demo));
        assert_eq!(file("https://localhost:8443/mcp", Some("/ca.pem")), Some(PathBuf::from("/ca.pem")));
        std::fs::remove_file(&demo).unwrap();
        assert_ne!(file("https://localhost:8443/mcp", None).as_ref(), Some(&demo));
        std::fs::remove_dir(&folder).unwrap();
    }

    #[test]
    fn a_file_without_a_certificate_is_named() {
        let missing = load(Path::new("/proc/none")).err().unwrap();
        assert!(missing.starts_with("/proc/none cannot be read: "), "{missing}");
        assert_eq!(load(Path::new("/dev/null")).err().unwrap(), "/dev/null holds no PEM certificate");
    }
}
