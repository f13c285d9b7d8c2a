//! What outlives the program: the account at the authority, the certificate with its key, what became of the last tries.
//!
//! Decides how they lie in the data folder: a folder for each directory, so that what one authority issued never serves
//! for another. Each file is for its owner alone, and is replaced whole; half a file is as one that is not there, but that
//! of an account, which cannot be had again, is put aside. Knows nothing of the network.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use instant_acme::{AccountCredentials, Key};
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use url::Url;

use super::order::Failed;
use super::schedule::Tries;
use crate::small_file;
use crate::transport::Identity;

/// In the data folder.
const FOLDER: &str = "acme";
/// The private key, and the certificate with its chain: one file, so that one never lies beside the other of another pair.
const PAIR: &str = "pair.pem";
const ACCOUNT: &str = "account.json";
const TRIES: &str = "tries.json";
/// What the file of an account that cannot be used is called from then on; a number follows.
const ASIDE: &str = "account.json.unusable";
/// So many are put aside, and no further one.
const ASIDE_MAX: u32 = 100;
/// More than a certificate with its key has.
const PAIR_BYTES: usize = 32 * 1024;
/// None of them is larger.
const MAX_BYTES: u64 = 1024 * 1024;

/// Why a certificate that is kept serves nobody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// It is none, and another takes its place.
    Broken(String),
    /// It cannot be read, nor another kept, until somebody mends that.
    Unread(String),
}

impl std::fmt::Display for Unusable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (Self::Broken(reason) | Self::Unread(reason)) = self;
        f.write_str(reason)
    }
}

/// The files of one authority.
#[derive(Debug)]
pub(super) struct Kept {
    folder: PathBuf,
}

/// An account, and the address that the authority has for it.
#[derive(Serialize, Deserialize)]
pub(super) struct Account {
    pub(super) contact: Option<String>,
    pub(super) credentials: AccountCredentials,
}

impl Kept {
    pub(super) fn new(data: &Path, directory: &Url) -> Self {
        let sum = digest(&SHA256, directory.as_str().as_bytes());
        let short: String = sum.as_ref().iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        // A host has no slash; whatever else it has is no part of a name of a file here.
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' || c == '-' { c } else { '_' };
        let host: String = directory.host_str().unwrap_or_default().chars().map(plain).collect();
        Self { folder: data.join(FOLDER).join(format!("{host}-{short}")) }
    }

    /// Where the certificate lies, or would.
    pub(super) fn pair_file(&self) -> PathBuf {
        self.folder.join(PAIR)
    }

    /// The certificate; `None` when none is kept.
    ///
    /// # Errors
    /// When what lies there is none, or may be a good one that cannot be read just now.
    pub(super) fn pair(&self) -> Result<Option<Identity>, Unusable> {
        let path = self.folder.join(PAIR);
        match small_file::read(&path, MAX_BYTES) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(Unusable::Unread(format!("cannot read {}: {error}", path.display())));
            }
        }
        Identity::load(&path, &path).map(Some).map_err(|error| Unusable::Broken(error.to_string()))
    }

    /// Keeps a certificate with its key that `is_good`, and no other.
    pub(super) fn take(
        &self,
        pem: &str,
        is_good: impl FnOnce(&Identity) -> Result<(), String>,
    ) -> Result<Identity, String> {
        let beside = self.write_beside(PAIR, pem.as_bytes())?;
        let looked_at = Identity::load(&beside, &beside).map_err(|error| error.to_string());
        let good = looked_at.and_then(|identity| is_good(&identity).map(|()| identity));
        match good {
            Ok(identity) => self.replace(PAIR, &beside).map(|()| identity),
            Err(reason) => {
                // It is of no use to anyone; the reason is what counts.
                let _ = fs::remove_file(&beside);
                Err(reason)
            }
        }
    }

    /// Whether a certificate could be kept, found out by doing the same with the one that is there, or with nothing.
    pub(super) fn could_take(&self) -> Result<(), String> {
        let path = self.folder.join(PAIR);
        match small_file::read(&path, MAX_BYTES) {
            Ok(same) => self.write(PAIR, &same),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let beside = self.write_beside(PAIR, &[0; PAIR_BYTES])?;
                fs::remove_file(&beside)
                    .map_err(|error| format!("cannot remove {}: {error}", beside.display()))
            }
            Err(error) => Err(format!("no certificate can be kept as {}: {error}", path.display())),
        }
    }

    /// The account; `None` when none is kept, or none that can be used: that one is put aside. An account is its key, and
    /// without it nobody gives it back, so that another is the only way on.
    ///
    /// # Errors
    /// When it may be a good one that cannot be read just now, or cannot be put aside.
    pub(super) fn account(&self) -> Result<Option<Account>, String> {
        let path = self.folder.join(ACCOUNT);
        let cannot_read = |error: io::Error| format!("cannot read {}: {error}", path.display());
        let text = match small_file::read(&path, MAX_BYTES) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(cannot_read(error)),
        };
        let has_a_key = |account: &Account| {
            Key::from_pkcs8_der(account.credentials.private_key().clone_key()).map(drop).is_ok()
        };
        let account = serde_json::from_slice(&text).ok().filter(has_a_key);
        if account.is_none() {
            let aside = self.put_aside(&path)?;
            tracing::warn!(
                path = %path.display(),
                aside = %aside.display(),
                "the account that was kept cannot be used; it is put aside, and another is made"
            );
        }
        Ok(account)
    }

    fn put_aside(&self, path: &Path) -> Result<PathBuf, String> {
        let free = (1..=ASIDE_MAX)
            .map(|number| self.folder.join(format!("{ASIDE}-{number}")))
            .find(|aside| aside.symlink_metadata().is_err());
        let aside = free.ok_or_else(|| format!("{} cannot be used, nor put aside", path.display()))?;
        let moved = fs::rename(path, &aside).and_then(|()| File::open(&self.folder)?.sync_all());
        moved.map_err(|error| format!("cannot put aside {}: {error}", path.display()))?;
        Ok(aside)
    }

    pub(super) fn keep_account(&self, account: &Account) -> Result<(), String> {
        self.write(ACCOUNT, &serde_json::to_vec(account).map_err(|error| error.to_string())?)
    }

    /// The tries since the last certificate. Of those that cannot be read just now nobody knows whether the authority wants
    /// to be left alone: they count as one that failed at this moment.
    pub(super) fn tries(&self, now: OffsetDateTime) -> Tries {
        let path = self.folder.join(TRIES);
        match small_file::read(&path, MAX_BYTES) {
            Ok(text) => serde_json::from_slice(&text).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Tries::default(),
            Err(error) => {
                let reason = format!("cannot read {}: {error}", path.display());
                Tries::default().failed(&Failed::here(reason), now)
            }
        }
    }

    pub(super) fn note(&self, tries: &Tries) -> Result<(), String> {
        self.write(TRIES, &serde_json::to_vec(tries).map_err(|error| error.to_string())?)
    }

    fn write(&self, name: &str, content: &[u8]) -> Result<(), String> {
        let beside = self.write_beside(name, content)?;
        self.replace(name, &beside)
    }

    fn write_beside(&self, name: &str, content: &[u8]) -> Result<PathBuf, String> {
        let beside = self.folder.join(format!("{name}.new"));
        let write = || {
            DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
            match fs::remove_file(&beside) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
            file.write_all(content)?;
            file.sync_all()
        };
        write().map_err(|error| format!("cannot write {}: {error}", beside.display()))?;
        Ok(beside)
    }

    fn replace(&self, name: &str, beside: &Path) -> Result<(), String> {
        let path = self.folder.join(name);
        let replace = || {
            fs::rename(beside, &path)?;
            File::open(&self.folder)?.sync_all()
        };
        replace().map_err(|error: io::Error| format!("cannot write {}: {error}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let data = std::env::temp_dir().join(format!("ono-sendai-acme-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&data);
        data
    }

    fn pem(name: &str) -> String {
        let key = rcgen::KeyPair::generate().unwrap();
        let params = rcgen::CertificateParams::new(vec![name.to_owned()]).unwrap();
        key.serialize_pem() + &params.self_signed(&key).unwrap().pem()
    }

    #[test]
    fn what_one_authority_issued_is_not_there_for_another_and_is_closed_to_others() {
        let data = scratch("closed");
        let of = |address: &str| Kept::new(&data, &Url::parse(address).unwrap());
        let one = of("https://ca.example/staging/directory");
        one.take(&pem("a.example"), |_| Ok(())).unwrap();
        assert!(one.pair().unwrap().unwrap().names("a.example"));
        for other in ["https://ca.example/directory", "https://ca.example:444/staging/directory"] {
            assert!(of(other).pair().unwrap().is_none());
        }
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&one.folder), mode(&one.folder.join(PAIR))), (0o700, 0o600));
        fs::remove_dir_all(&data).unwrap();
    }

    #[test]
    fn a_pair_that_is_not_good_leaves_the_one_before_and_half_a_file_is_no_file() {
        let data = scratch("half");
        let kept = Kept::new(&data, &Url::parse("https://ca.example/").unwrap());
        kept.take(&pem("a.example"), |_| Ok(())).unwrap();
        assert_eq!(kept.take(&pem("b.example"), |_| Err("no".to_owned())).unwrap_err(), "no");
        let whole = pem("b.example");
        assert!(kept.take(&whole[..whole.len() - 40], |_| Ok(())).is_err());
        assert!(kept.pair().unwrap().unwrap().names("a.example"));
        // A stop in the middle of writing leaves this.
        fs::write(kept.folder.join("pair.pem.new"), &whole[..100]).unwrap();
        fs::write(kept.folder.join(ACCOUNT), "{\"cont").unwrap();
        fs::write(kept.folder.join(TRIES), "").unwrap();
        assert!(kept.pair().unwrap().unwrap().names("a.example"));
        assert!(kept.account().unwrap().is_none());
        assert_eq!(fs::read_to_string(kept.folder.join("account.json.unusable-1")).unwrap(), "{\"cont");
        assert_eq!(kept.tries(OffsetDateTime::UNIX_EPOCH), Tries::default());
        kept.take(&whole, |_| Ok(())).unwrap();
        assert!(kept.pair().unwrap().unwrap().names("b.example"));
        fs::remove_dir_all(&data).unwrap();
    }

    #[test]
    fn an_account_whose_key_is_bad_is_put_aside_and_one_that_cannot_be_read_is_left() {
        let data = scratch("aside");
        let kept = Kept::new(&data, &Url::parse("https://ca.example/").unwrap());
        assert!(kept.account().unwrap().is_none());
        fs::create_dir_all(&kept.folder).unwrap();
        let path = kept.folder.join(ACCOUNT);
        let with_key = |key: &str| {
            format!(
                r#"{{"contact":null,"credentials":{{"id":"https://ca.example/1","key_pkcs8":"{key}","directory":"https://ca.example/"}}}}"#
            )
        };
        for (number, bad) in ["", "{}", &with_key("AAAA"), &with_key("*")].into_iter().enumerate() {
            fs::write(&path, bad).unwrap();
            assert!(kept.account().unwrap().is_none(), "{bad}");
            assert!(!path.exists());
            let aside = kept.folder.join(format!("{ASIDE}-{}", number + 1));
            assert_eq!(fs::read_to_string(aside).unwrap(), bad);
        }
        let key = rcgen::KeyPair::generate().unwrap().serialize_der();
        let good = with_key(&base64::Engine::encode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, key));
        fs::write(&path, &good).unwrap();
        assert!(kept.account().unwrap().is_some());
        assert_eq!(fs::read_to_string(&path).unwrap(), good);
        // A folder is not read, whoever asks.
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(kept.account().err().unwrap().contains("account.json"));
        assert!(path.is_dir());
        fs::remove_dir_all(&data).unwrap();
    }

    #[test]
    fn only_what_is_not_there_counts_as_none_and_all_else_that_cannot_be_read_is_an_error_that_names_the_file()
     {
        let data = scratch("unread");
        let kept = Kept::new(&data, &Url::parse("https://ca.example/").unwrap());
        let now = OffsetDateTime::UNIX_EPOCH;
        assert!(kept.pair().unwrap().is_none() && kept.account().unwrap().is_none());
        assert_eq!(kept.tries(now), Tries::default());
        fs::create_dir_all(&kept.folder).unwrap();
        // What no user can read, root included: a folder, and a link that leads to itself.
        for is_folder in [true, false] {
            let what = if is_folder { "folder" } else { "circle" };
            for name in [PAIR, ACCOUNT, TRIES] {
                let path = kept.folder.join(name);
                if is_folder {
                    fs::create_dir(&path).unwrap();
                } else {
                    std::os::unix::fs::symlink(&path, &path).unwrap();
                }
            }
            let Err(Unusable::Unread(why)) = kept.pair() else { panic!("{what}: {:?}", kept.pair()) };
            assert!(why.contains(PAIR), "{what}: {why}");
            assert!(kept.account().err().unwrap().contains(ACCOUNT), "{what}");
            let tries = kept.tries(now);
            assert!(tries.reason().unwrap().contains(TRIES) && tries.next() > Some(now), "{what}: {tries:?}");
            assert!(kept.could_take().unwrap_err().contains(PAIR), "{what}: no order is placed");
            fs::remove_dir_all(&kept.folder).unwrap();
            fs::create_dir_all(&kept.folder).unwrap();
        }
        // So it is where the folder cannot be looked into: a file is in its place.
        fs::remove_dir_all(&kept.folder).unwrap();
        fs::write(&kept.folder, "").unwrap();
        assert!(matches!(kept.pair(), Err(Unusable::Unread(why)) if why.contains(PAIR)));
        assert!(kept.account().err().unwrap().contains(ACCOUNT));
        assert!(kept.tries(now).reason().unwrap().contains(TRIES));
        fs::remove_dir_all(&data).unwrap();
    }

    #[test]
    fn whether_a_certificate_could_be_kept_is_found_out_without_one() {
        let data = scratch("could");
        let kept = Kept::new(&data, &Url::parse("https://ca.example/").unwrap());
        kept.could_take().unwrap();
        assert_eq!(fs::read_dir(&kept.folder).unwrap().count(), 0);
        kept.take(&pem("a.example"), |_| Ok(())).unwrap();
        kept.could_take().unwrap();
        assert!(kept.pair().unwrap().unwrap().names("a.example"));
        for name in ["pair.pem.new", "pair.pem"] {
            let path = kept.folder.join(name);
            let _there = fs::remove_file(&path);
            fs::create_dir(&path).unwrap();
            let why = kept.could_take().unwrap_err();
            assert!(why.contains(name), "{why}");
            fs::remove_dir(&path).unwrap();
        }
        fs::remove_dir_all(&data).unwrap();
    }
}
