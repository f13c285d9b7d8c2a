//! Everything that a store holds, in one file and back.
//!
//! Decides the form of the file: a line that says what it is, each row with the lengths of its key and value, and a
//! SHA-256 of all of it at the end. A file that was cut or changed is refused as a whole. Nothing that is there is ever
//! written over.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom as _, SystemRandom};
use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::batch::Row;
use super::folder::{self, Folder, FolderFault};
use super::opening;
use super::record::{self, Only};
use super::rows::Ladder;
use crate::clock::Clock;
use crate::small_file;

const HEAD: &[u8] = b"ono-sendai backup 1\n";
const SUM_BYTES: usize = 32;
/// The only folder in the data folder that an operator's backups may lie in.
const BACKUPS: &str = "backups";
/// More than every bounded class together.
const FILE_BYTES_MAX: u64 = 1024 * 1024 * 1024;

/// Why a backup was not written or restored. One line that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// A file or folder cannot be used.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is something of this name.
    #[error("{} is there already, and a backup replaces nothing; name another file", path.display())]
    Exists {
        /// The name.
        path: PathBuf,
    },
    /// The file would lie among those of the server.
    #[error("{} would lie in the data folder; there, only its folder {BACKUPS} takes backups", path.display())]
    InData {
        /// The file.
        path: PathBuf,
    },
    /// The file is no backup, or was cut or changed.
    #[error("{} is no whole backup of this program; take another one", path.display())]
    NotWhole {
        /// The file.
        path: PathBuf,
    },
    /// A server uses the folder.
    #[error("a server uses the data folder (lock {}); stop it first", lock.display())]
    InUse {
        /// The lock.
        lock: PathBuf,
    },
    /// The new database cannot be made.
    #[error("the database cannot be made: {reason}")]
    Database {
        /// What it said.
        reason: String,
    },
}

impl From<FolderFault> for BackupError {
    fn from(fault: FolderFault) -> Self {
        match fault {
            FolderFault::InUse(lock) => Self::InUse { lock },
            FolderFault::Io(path, source) => Self::Io { path, source },
        }
    }
}

/// Where a backup that an operator asks for lies: outside of the data folder or in its folder for backups, and where
/// nothing is yet.
///
/// # Errors
/// Why it may not lie there.
pub fn place(data: &Path, file: &Path) -> Result<PathBuf, BackupError> {
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| BackupError::Io { path, source }
    };
    let data = data.canonicalize().map_err(io(data))?;
    let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else {
        return Err(BackupError::Exists { path: file.to_owned() });
    };
    let backups = data.join(BACKUPS);
    let is_backups = folder.file_name() == backups.file_name()
        && folder.parent().and_then(|above| above.canonicalize().ok()).is_some_and(|above| above == data);
    if is_backups {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&backups).map_err(io(&backups))?;
    }
    // As it is, whichever links lead to it.
    let folder = folder.canonicalize().map_err(io(folder))?;
    if folder.starts_with(&data) && !folder.starts_with(&backups) {
        return Err(BackupError::InData { path: file.to_owned() });
    }
    let path = folder.join(name);
    if path.symlink_metadata().is_ok() {
        return Err(BackupError::Exists { path });
    }
    Ok(path)
}

/// Writes rows to `path`, which has its name only once it is durable. What has that name already stays.
pub(super) fn write(path: &Path, rows: &[Row]) -> Result<(), BackupError> {
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::AlreadyExists => BackupError::Exists { path: path.to_owned() },
        _ => BackupError::Io { path: path.to_owned(), source },
    };
    let bytes = bytes_of(rows);
    let unfinished = unfinished(path).map_err(failed)?;
    let mut options = OpenOptions::new();
    // New: nothing that lies there, a link neither, is opened, and its mode is this one.
    options.create_new(true).write(true).mode(0o600);
    let mut file = options.open(&unfinished).map_err(failed)?;
    let named = file.write_all(&bytes).and_then(|()| file.sync_all()).and_then(|()| name(&unfinished, path));
    if named.is_err() {
        // It is of no use, and the reason is told.
        let _removed = std::fs::remove_file(&unfinished);
    }
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    named.and_then(|()| folder::sync(folder)).map_err(failed)
}

/// The file that holds these rows.
pub(crate) fn bytes_of(rows: &[Row]) -> Vec<u8> {
    let mut bytes = HEAD.to_vec();
    for row in rows {
        for part in [&row.key, &row.value] {
            bytes.extend(u32::try_from(part.len()).unwrap_or(u32::MAX).to_be_bytes());
            bytes.extend(part);
        }
    }
    let sum = digest(&SHA256, &bytes);
    bytes.extend(sum.as_ref());
    bytes
}

/// A name that nobody else has, for a file that is not whole yet.
fn unfinished(path: &Path) -> io::Result<PathBuf> {
    let mut own = [0; 8];
    SystemRandom::new().fill(&mut own).map_err(|_| io::Error::other("the system gives no random bytes"))?;
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{}.unfinished", u64::from_be_bytes(own)));
    Ok(path.with_file_name(name))
}

/// Gives a file its name, which nothing may have.
fn name(unfinished: &Path, path: &Path) -> io::Result<()> {
    match renameat_with(CWD, unfinished, CWD, path, RenameFlags::NOREPLACE).map_err(io::Error::from) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // Not every file system can do that; a link replaces nothing either.
        Err(_) => std::fs::hard_link(unfinished, path).and_then(|()| std::fs::remove_file(unfinished)),
    }
}

/// The rows of a backup.
pub(super) fn read(path: &Path) -> Result<Vec<Row>, BackupError> {
    let bytes = small_file::read(path, FILE_BYTES_MAX)
        .map_err(|source| BackupError::Io { path: path.to_owned(), source })?;
    rows_of(&bytes).ok_or_else(|| BackupError::NotWhole { path: path.to_owned() })
}

/// The rows that such a file holds; `None` for anything else.
pub(crate) fn rows_of(bytes: &[u8]) -> Option<Vec<Row>> {
    let (told, sum) = bytes.split_last_chunk::<SUM_BYTES>()?;
    if digest(&SHA256, told).as_ref() != sum {
        return None;
    }
    let mut rest = told.strip_prefix(HEAD)?;
    let mut rows = Vec::new();
    while !rest.is_empty() {
        let key = part(&mut rest)?;
        let value = part(&mut rest)?;
        rows.push(Row { key, value });
    }
    record::whole(&rows).ok()?;
    Some(rows)
}

fn part(rest: &mut &[u8]) -> Option<Vec<u8>> {
    let (length, after) = rest.split_first_chunk::<4>()?;
    let (part, after) = after.split_at_checked(usize::try_from(u32::from_be_bytes(*length)).ok()?)?;
    *rest = after;
    Some(part.to_vec())
}

/// Puts a backup in the place of the database in the data folder; what was there is kept beside it, and its place is
/// returned. Metered calls are refused afterwards until an operator confirms: what was used since the backup is not in
/// it.
///
/// # Errors
/// Why it was not done; the database is as it was then.
pub fn restore(data: &Path, file: &Path, clock: &Clock) -> Result<Option<PathBuf>, BackupError> {
    let rows = read(file)?;
    let folder = Folder::lock(data)?;
    folder.given(replace(&folder, unconfirmed(rows), clock))
}

/// Puts a database that holds these rows in the place of the one that is there, which is kept; its new place.
pub(super) fn replace(
    folder: &Folder,
    rows: Vec<Row>,
    clock: &Clock,
) -> Result<Option<PathBuf>, BackupError> {
    let (making, path) = (folder.making(), folder.database());
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| BackupError::Io { path, source }
    };
    opening::make(folder, rows, None)
        .map_err(|fault| BackupError::Database { reason: format!("{fault:?}") })?;
    let kept = if path.exists() {
        let aside = folder.beside("quarantine", clock.utc());
        folder::exchange(&making, &path, &aside).map_err(io(&path))?;
        Some(aside)
    } else {
        std::fs::rename(&making, &path).map_err(io(&making))?;
        path.parent().map_or(Ok(()), folder::sync).map_err(io(&path))?;
        None
    };
    // What is said of the old one does not hold for the new one. A crash before this leaves a database that is refused,
    // and never one that is taken for what it is not.
    for stale in [folder.witness(), folder.verdict()] {
        folder::remove_if_there(&stale).map_err(io(&stale))?;
    }
    Ok(kept)
}

/// The same rows with the mark that an operator has to confirm them.
pub(super) fn unconfirmed(mut rows: Vec<Row>) -> Vec<Row> {
    let is_ladder = |row: &Row| row.key.first() == Some(&super::Class::Ladder.byte());
    let stored: Vec<Row> = rows.iter().filter(|row| is_ladder(row)).cloned().collect();
    let mut ladder: Ladder = record::whole(&stored)
        .ok()
        .and_then(|records| record::read(records.first()?.version, &records.first()?.body).ok())
        .map_or_else(Ladder::default, |(ladder, _)| ladder);
    ladder.restore_unconfirmed = true;
    let confirm = record::rows(&Only, &ladder, None).or_else(|_| {
        // So many tools switched off cannot be; without them it is small.
        record::rows(&Only, &Ladder { restore_unconfirmed: true, ..Ladder::default() }, None)
    });
    rows.retain(|row| !is_ladder(row));
    rows.extend(confirm.unwrap_or_default());
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::rows::Quota;

    fn rows() -> Vec<Row> {
        let quota = Quota { month: 202_701, used: 3, reserved: 9 };
        (0..3_u8).flat_map(|n| record::rows(&[n; 16], &quota, Some(1)).unwrap()).collect()
    }

    #[test]
    fn a_backup_reads_back_and_any_changed_or_missing_byte_is_noticed() {
        let path = std::env::temp_dir().join(format!("ono-sendai-backup-{}", std::process::id()));
        let _gone = std::fs::remove_file(&path);
        write(&path, &rows()).unwrap();
        assert_eq!(read(&path).unwrap(), rows());
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x5a;
            assert_eq!(rows_of(&bytes), None, "byte {at}");
            assert_eq!(rows_of(&whole[..at]), None, "cut at {at}");
        }
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_backup_replaces_nothing_follows_no_link_and_is_its_owners() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};

        let folder = std::env::temp_dir().join(format!("ono-sendai-backup-place-{}", std::process::id()));
        let _gone = std::fs::remove_dir_all(&folder);
        let (data, outside) = (folder.join("data"), folder.join("outside"));
        std::fs::create_dir_all(data.join("store/db")).unwrap();
        std::fs::create_dir_all(&outside).unwrap();
        for file in [data.join("store/db/db"), data.join("issuer-key.pem"), outside.join("mine")] {
            std::fs::write(&file, "as it was").unwrap();
            assert!(place(&data, &file).is_err(), "{}", file.display());
            assert!(matches!(write(&file, &rows()), Err(BackupError::Exists { .. })), "{}", file.display());
            assert_eq!(std::fs::read(&file).unwrap(), b"as it was");
        }
        symlink(data.join("store"), outside.join("way")).unwrap();
        symlink(outside.join("mine"), outside.join("link")).unwrap();
        for file in [data.join("new.pem"), data.join("store/new"), outside.join("way/new")] {
            assert!(matches!(place(&data, &file), Err(BackupError::InData { .. })), "{}", file.display());
        }
        assert!(matches!(place(&data, &outside.join("link")), Err(BackupError::Exists { .. })));
        // What an earlier version wrote its temporary file to.
        symlink(outside.join("mine"), outside.join("new.unfinished")).unwrap();
        for file in [outside.join("new.backup"), data.join("backups/new")] {
            let path = place(&data, &file).unwrap();
            write(&path, &rows()).unwrap();
            assert_eq!(read(&file).unwrap(), rows());
            assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        }
        assert_eq!(std::fs::read(outside.join("mine")).unwrap(), b"as it was");
        assert_eq!(std::fs::read_dir(data.join("backups")).unwrap().count(), 1, "nothing half is left");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
