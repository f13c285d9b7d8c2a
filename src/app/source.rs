//! Where what the operator named really stands, and whether it may be used.
//!
//! Decides who else may read or write a file with a secret, and where a credential of systemd lies. No message shows a
//! secret, nor a name that leads nowhere: somebody may have written the secret there.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;

use super::start::uid;
use crate::config::{FileSource, Secret, SecretSource};
use crate::small_file;

/// No secret is longer.
const SECRET_MAX_BYTES: u64 = 4_096;
/// More than every certificate of a machine.
const CERTIFICATES_MAX_BYTES: u64 = 16 * 1024 * 1024;
/// Nobody but the owner may write a file with a secret, and nobody but owner and group may read it.
const OTHERS: u32 = 0o027;
/// Where systemd says that the credentials of the service lie.
pub(super) const CREDENTIALS: &str = "CREDENTIALS_DIRECTORY";

/// Something that a key of the configuration names and that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The key, as `section.key`.
    pub place: String,
    /// What there is.
    pub found: String,
    /// What there should be.
    pub accepted: String,
}

impl Wrong {
    pub(super) fn at(place: &str, found: impl Into<String>, accepted: impl Into<String>) -> Self {
        Self { place: place.to_owned(), found: found.into(), accepted: accepted.into() }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: found {}; accepted: {}", self.place, self.found, self.accepted)
    }
}

/// Whether this program was given a folder of credentials; where it was not, none can be looked at.
pub(super) fn has_credentials() -> bool {
    std::env::var_os(CREDENTIALS).is_some()
}

/// Where a file stands. `key` is the key that names a path; the one for a credential ends in `_credential`.
pub(super) fn place(source: &FileSource, key: &str) -> Result<PathBuf, Wrong> {
    match source {
        FileSource::Path(path) => Ok(path.clone()),
        FileSource::Credential(name) => {
            credential(name.as_str(), std::env::var_os(CREDENTIALS), &format!("{key}_credential"))
        }
    }
}

/// The key of the configuration that this source stands at.
pub(super) fn key_of(source: &FileSource, key: &str) -> String {
    match source {
        FileSource::Path(_) => key.to_owned(),
        FileSource::Credential(_) => format!("{key}_credential"),
    }
}

/// The secret of `key`, wherever it stands; `is_one` says whether a text can be it, and `one` what it should be.
pub(super) fn secret(
    source: &SecretSource,
    key: &str,
    is_one: impl Fn(&str) -> bool,
    one: &str,
) -> Result<Secret, Wrong> {
    let (path, key) = match source {
        SecretSource::Value(secret) => return Ok(secret.clone()),
        SecretSource::File(path) => (path.clone(), format!("{key}_file")),
        SecretSource::Credential(name) => {
            let key = format!("{key}_credential");
            (credential(name.as_str(), std::env::var_os(CREDENTIALS), &key)?, key)
        }
    };
    let unreadable = |error: io::Error| unreadable(&path, &key, &error);
    // What is looked at is what is read, whatever is put in its place meanwhile.
    let file = small_file::open(&path).map_err(unreadable)?;
    let mode = file.metadata().map_err(unreadable)?.mode();
    guarded(mode, &path, &key)?;
    let text = small_file::whole(file, SECRET_MAX_BYTES).and_then(small_file::text).map_err(unreadable)?;
    let text = text.trim();
    if !is_one(text) {
        return Err(Wrong::at(&key, format!("{}, which holds something else", path.display()), one));
    }
    Ok(Secret::new(text.to_owned()))
}

/// Refuses a file with a secret that others can read or write; `mode` is that of the file that was opened.
pub(super) fn guarded(mode: u32, path: &Path, key: &str) -> Result<(), Wrong> {
    let mode = mode & 0o777;
    if mode & OTHERS == 0 {
        return Ok(());
    }
    Err(Wrong::at(
        key,
        format!("{}, which is open to others (mode {mode:04o})", path.display()),
        "a file that only its owner and group can read (chmod 600)",
    ))
}

/// Certificates to trust, as PEM: at least one of a file, and none where no file is named.
pub(super) fn certificates(file: Option<&Path>, key: &str) -> Result<Vec<u8>, Wrong> {
    let Some(path) = file else { return Ok(Vec::new()) };
    let pem =
        small_file::read(path, CERTIFICATES_MAX_BYTES).map_err(|error| unreadable(path, key, &error))?;
    let mut found = CertificateDer::pem_slice_iter(&pem).peekable();
    if found.peek().is_some() && found.all(|certificate| certificate.is_ok()) {
        return Ok(pem);
    }
    Err(Wrong::at(
        key,
        format!("{}, which holds something that is not a PEM certificate", path.display()),
        "a PEM file of certificates",
    ))
}

/// A file that cannot be read: who may, and what brings a credential there.
pub(super) fn unreadable(path: &Path, key: &str, error: &std::io::Error) -> Wrong {
    let Some(shown) = small_file::shown(path) else {
        return Wrong::at(key, "the name of no file", "the path of a readable file");
    };
    let accepted = if key.ends_with("_credential") {
        let name = path.file_name().unwrap_or_default().display();
        format!("a readable file there; LoadCredential={name}:FILE in the unit brings it at the next start")
    } else if error.kind() == io::ErrorKind::PermissionDenied {
        format!("a file that uid {}, as which this runs, can read{}", uid(), whose(path))
    } else {
        "a readable file".to_owned()
    };
    Wrong::at(key, format!("{shown}, which cannot be read: {error}"), accepted)
}

/// Whom a file belongs to, where that can be seen.
fn whose(path: &Path) -> String {
    path.metadata().map_or_else(
        |_| ", in folders that it can enter".to_owned(),
        |found| format!(" (it belongs to uid {}, mode {:04o})", found.uid(), found.mode() & 0o7777),
    )
}

fn credential(name: &str, folder: Option<OsString>, key: &str) -> Result<PathBuf, Wrong> {
    match folder {
        Some(folder) => Ok(PathBuf::from(folder).join(name)),
        None => Err(Wrong::at(
            key,
            format!("\"{name}\", and this program was given no credentials"),
            format!("a start by systemd, with LoadCredential={name}:FILE in the unit"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};

    use super::*;
    use crate::config::{is_key, is_service_key};

    fn with_mode(name: &str, text: &str, mode: u32) -> PathBuf {
        let file = std::env::temp_dir().join(format!("ono-sendai-{name}-{}", std::process::id()));
        std::fs::write(&file, text).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        file
    }

    fn key_in(file: &Path) -> Result<Secret, Wrong> {
        secret(&SecretSource::File(file.to_owned()), "crate.key", is_key, "one key and nothing else")
    }

    #[test]
    fn a_secret_is_read_only_from_a_file_that_nobody_else_can_read() {
        for (mode, good) in [(0o600, true), (0o400, true), (0o640, true), (0o644, false), (0o660, false)] {
            let file = with_mode("key-mode", "ck_test_0123\n", mode);
            let read = key_in(&file);
            assert_eq!(read.is_ok(), good, "{mode:o}");
            match read {
                Ok(key) => assert_eq!(key.expose(), "ck_test_0123"),
                Err(wrong) => {
                    assert_eq!(wrong.place, "crate.key_file");
                    assert!(wrong.to_string().contains(&format!("(mode {mode:04o}); accepted: ")), "{wrong}");
                    assert!(wrong.to_string().ends_with("(chmod 600)"), "{wrong}");
                }
            }
            std::fs::remove_file(file).unwrap();
        }
    }

    #[test]
    fn a_secret_is_refused_by_the_mode_of_what_is_read_whatever_is_put_in_its_place() {
        let closed = with_mode("swapped-closed", "ck_test_closed", 0o600);
        let open = with_mode("swapped-open", "ck_test_open", 0o644);
        let place = std::env::temp_dir().join(format!("ono-sendai-swapped-{}", std::process::id()));
        let beside = place.with_extension("beside");
        std::os::unix::fs::symlink(&closed, &place).unwrap();
        let done = AtomicBool::new(false);
        // What was read of it, and why it was not.
        let (mut read, mut refused) = (Vec::new(), Vec::new());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    for file in [&open, &closed] {
                        std::os::unix::fs::symlink(file, &beside).unwrap();
                        std::fs::rename(&beside, &place).unwrap();
                    }
                }
            });
            let begun = Instant::now();
            while (read.len() < 1_000 || refused.len() < 1_000) && begun.elapsed() < Duration::from_secs(30) {
                match key_in(&place) {
                    Ok(key) => read.push(key.expose().to_owned()),
                    Err(wrong) => refused.push(wrong.to_string()),
                }
            }
            done.store(true, Ordering::Relaxed);
        });
        assert!(read.iter().all(|key| key == "ck_test_closed"), "one that is open to others was read");
        assert!(refused.iter().all(|why| why.contains("which is open to others")), "{refused:?}");
        assert!(!read.is_empty() && !refused.is_empty(), "nothing was swapped");
        [place, open, closed].iter().for_each(|file| std::fs::remove_file(file).unwrap());
    }

    #[test]
    fn a_secret_in_the_place_of_its_file_is_not_shown() {
        let file = SecretSource::File("ck_live_0123456789abcdef0123456789".into());
        let wrong = secret(&file, "accounts.service_key", is_service_key, "").unwrap_err().to_string();
        assert_eq!(
            wrong,
            "accounts.service_key_file: found the name of no file; accepted: the path of a readable file"
        );
    }

    #[test]
    fn what_is_not_one_key_is_refused_without_being_shown() {
        for text in ["", " \n", "ck_a ck_b", "ck_a\nck_b", "schlüssel"] {
            let file = with_mode("no-key", text, 0o600);
            let wrong = key_in(&file).unwrap_err().to_string();
            assert!(wrong.contains("holds something else") && !wrong.contains("ck_a"), "{wrong}");
            std::fs::remove_file(file).unwrap();
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_is_told_with_who_has_to_and_what_brings_a_credential() {
        let file = with_mode("whose", "", 0o600);
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        let wrong = unreadable(&file, "tls.key", &denied).to_string();
        let uid = uid();
        let wanted = format!(
            "a file that uid {uid}, as which this runs, can read (it belongs to uid {uid}, mode 0600)"
        );
        assert!(wrong.ends_with(&wanted), "{wrong}");
        let absent = io::Error::from(io::ErrorKind::NotFound);
        let wrong = unreadable(&file.with_file_name("tls.key"), "tls.key_credential", &absent).to_string();
        assert!(wrong.contains("LoadCredential=tls.key:FILE in the unit"), "{wrong}");
        std::fs::remove_file(file).unwrap();
    }

    #[test]
    fn a_credential_lies_in_the_folder_that_systemd_names() {
        let found = credential("crate-key", Some("/run/credentials/x".into()), "crate.key_credential");
        assert_eq!(found.unwrap(), Path::new("/run/credentials/x/crate-key"));
        let wrong = credential("crate-key", None, "crate.key_credential").unwrap_err().to_string();
        assert_eq!(
            wrong,
            "crate.key_credential: found \"crate-key\", and this program was given no credentials; accepted: a \
             start by systemd, with LoadCredential=crate-key:FILE in the unit"
        );
    }
}
