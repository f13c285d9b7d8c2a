//! A file beside the database that says how far its commits had come.
//!
//! Decides whether a database that opens is the one that was written last. The file is written after a commit is
//! durable and before anybody is told, without waiting for the disk: after a kill it names the last commit, after a
//! power cut perhaps an earlier one, and never one that was not durable. A database that is behind it lost what was
//! acknowledged, however whole it looks.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use super::folder;
use crate::small_file;

/// A database's name, drawn when it is made.
pub(super) type DatabaseId = [u8; 16];

const BYTES: usize = 28;
/// Enough to see that it is longer than it ever is.
const READ_MAX: u64 = 4_096;

/// What the file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// Nothing: there is none.
    Nothing,
    /// Something that nobody can read.
    Unreadable,
    /// That this database had come to this commit.
    Commits(DatabaseId, u64),
}

/// Reads the file.
pub(super) fn read(path: &Path) -> io::Result<Told> {
    match small_file::read(path, READ_MAX) {
        Ok(bytes) => Ok(told(&bytes).unwrap_or(Told::Unreadable)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Told::Nothing),
        Err(error) => Err(error),
    }
}

fn told(bytes: &[u8]) -> Option<Told> {
    let (framed, sum) = bytes.split_last_chunk::<4>()?;
    let (id, commits) = framed.split_first_chunk::<16>()?;
    let commits = u64::from_be_bytes(commits.try_into().ok()?);
    (crc32fast::hash(framed) == u32::from_be_bytes(*sum)).then_some(Told::Commits(*id, commits))
}

fn bytes(id: &DatabaseId, commits: u64) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    let commits = commits.to_be_bytes();
    let sum = crc32fast::hash(&[id.as_slice(), &commits].concat()).to_be_bytes();
    let parts = id.iter().chain(&commits).chain(&sum);
    for (to, from) in bytes.iter_mut().zip(parts) {
        *to = *from;
    }
    bytes
}

/// The file, open for the next commit.
#[derive(Debug)]
pub(super) struct Witness {
    path: PathBuf,
    file: Option<File>,
}

impl Witness {
    /// One that is not written yet.
    pub(super) fn at(path: PathBuf) -> Self {
        Self { path, file: None }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Says that the database has come so far. Failing makes the file say less than it could, and never more.
    pub(super) fn say(&mut self, id: &DatabaseId, commits: u64) -> io::Result<()> {
        let bytes = bytes(id, commits);
        if let Some(file) = &self.file {
            return file.write_all_at(&bytes, 0);
        }
        let unfinished = self.path.with_extension("unfinished");
        let mut file =
            OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&unfinished)?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        std::fs::rename(&unfinished, &self.path)?;
        self.path.parent().map_or(Ok(()), folder::sync)?;
        self.file = Some(file);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_last_is_read_and_a_changed_byte_is_noticed() {
        let path = std::env::temp_dir().join(format!("ono-sendai-witness-{}", std::process::id()));
        assert_eq!(read(&path).unwrap(), Told::Nothing);
        let mut witness = Witness::at(path.clone());
        for commits in [1, 2, u64::MAX] {
            witness.say(&[7; 16], commits).unwrap();
            assert_eq!(read(&path).unwrap(), Told::Commits([7; 16], commits));
        }
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0x5a;
            std::fs::write(&path, changed).unwrap();
            assert_eq!(read(&path).unwrap(), Told::Unreadable, "byte {at}");
        }
        std::fs::write(&path, [whole.as_slice(), b"x"].concat()).unwrap();
        assert_eq!(read(&path).unwrap(), Told::Unreadable);
        std::fs::remove_file(path).unwrap();
    }
}
