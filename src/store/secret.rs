//! A key that only this server knows, made once and kept beside the database.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use ring::rand::{SecureRandom as _, SystemRandom};

use super::folder;
use crate::small_file;

/// The length of the key, in bytes.
pub const SECRET_BYTES: usize = 32;
/// Its file beside the database.
pub(super) const SECRET: &str = "key";

/// The key of a data folder whose store is open, made when there is none.
///
/// # Errors
/// When it cannot be read or written, or has another length: then it was changed, and what it marked is lost.
pub fn secret(data: &Path) -> io::Result<[u8; SECRET_BYTES]> {
    let folder = data.join("store");
    let path = folder.join(SECRET);
    match small_file::read(&path, 2 * SECRET_BYTES as u64) {
        Ok(bytes) => bytes.try_into().map_err(|_| io::Error::other("the key has another length")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut key = [0; SECRET_BYTES];
            let no_chance = |_| io::Error::other("the system gave no random numbers");
            SystemRandom::new().fill(&mut key).map_err(no_chance)?;
            prepare(&folder, &key)?;
            take(&folder)?;
            Ok(key)
        }
        Err(error) => Err(error),
    }
}

/// Where a key lies in the store in `folder` before it is the store's.
pub(super) fn beside(folder: &Path) -> PathBuf {
    folder.join("key.new")
}

/// Writes a key [beside](beside()) that of the store, durably.
pub(super) fn prepare(folder: &Path, key: &[u8; SECRET_BYTES]) -> io::Result<()> {
    let mut file =
        OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(beside(folder))?;
    file.write_all(key)?;
    file.sync_all()?;
    folder::sync(folder)
}

/// Makes the key that was [prepared](prepare()) that of the store, durably and in one step.
pub(super) fn take(folder: &Path) -> io::Result<()> {
    std::fs::rename(beside(folder), folder.join(SECRET))?;
    folder::sync(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn the_key_is_made_once_and_is_its_owners_alone() {
        let data = std::env::temp_dir().join(format!("ono-sendai-secret-{}", std::process::id()));
        let path = data.join("store").join(SECRET);
        std::fs::create_dir_all(data.join("store")).unwrap();
        let key = secret(&data).unwrap();
        assert_eq!(secret(&data).unwrap(), key);
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::write(&path, "short").unwrap();
        assert!(secret(&data).is_err());
        std::fs::remove_file(&path).unwrap();
        assert_ne!(secret(&data).unwrap(), key);
        std::fs::remove_dir_all(data).unwrap();
    }
}
