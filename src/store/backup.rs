//! Everything that a store holds, in one file and back.
//!
//! Decides the form of the file: a line that says what it is, the key that cursors are marked with, each row with the
//! lengths of its key and value, and a SHA-256 of all of it at the end. A file that was cut or changed is refused as a
//! whole. Nothing that is there is ever written over.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom as _, SystemRandom};
use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::batch::Row;
use super::folder::{self, Folder, FolderFault};
use super::form;
use super::opening;
use super::record::{self, Fault, Only};
use super::rows::Ladder;
use super::secret::{self, SECRET_BYTES};
use crate::clock::Clock;
use crate::small_file;

const HEAD: &[u8] = b"ono-sendai backup 2\n";
/// How it began before the key was in it.
const FIRST_HEAD: &[u8] = b"ono-sendai backup 1\n";
/// How every one of them begins.
const ANY_HEAD: &[u8] = b"ono-sendai backup ";
const SUM_BYTES: usize = 32;
/// The only folder in the data folder that an operator's backups may lie in.
pub(super) const BACKUPS: &str = "backups";
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
    /// A newer program wrote it.
    #[error("{} holds {what}; use the newer program, nothing was changed", path.display())]
    Newer {
        /// The file or the database.
        path: PathBuf,
        /// What is newer.
        what: String,
    },
    /// A server uses the folder.
    #[error("a server uses the data folder (lock {}); stop it first", lock.display())]
    InUse {
        /// The lock.
        lock: PathBuf,
    },
    /// The database was replaced, and what had to follow could not be done.
    #[error(
        "the database was replaced{}, but then {what}; put that right and do the same once more",
        .kept.as_ref().map(|kept| format!(", and the old one is at {}", kept.display())).unwrap_or_default()
    )]
    Replaced {
        /// Where the one lies that was there; `None` when there was none.
        kept: Option<PathBuf>,
        /// What could not be done.
        what: Box<BackupError>,
    },
    /// No record of a damaged database can be read.
    #[error(
        "no record in {} can be read, and it was left as it is; restore a backup with `ono-sendai restore {} --data {}`, \
         or move it away with `mv {} {}` to begin anew",
        path.display(),
        backup.as_deref().unwrap_or(Path::new("FILE")).display(),
        data.display(),
        path.display(),
        aside.display()
    )]
    Nothing {
        /// The database.
        path: PathBuf,
        /// The data folder.
        data: PathBuf,
        /// Where the database could be moved.
        aside: PathBuf,
        /// The newest backup in the data folder.
        backup: Option<PathBuf>,
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

/// The backup in a folder that was written last, by its date.
pub(super) fn newest_in(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.filter_map(Result::ok);
    let backups =
        entries.filter(|entry| Path::new(&entry.file_name()).extension().is_some_and(|end| end == "backup"));
    let dated = backups.filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())));
    dated.max().map(|(_, path)| path)
}

/// What a backup holds.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Backup {
    /// The key that its cursors are marked with, if it is in it.
    pub(crate) key: Option<[u8; SECRET_BYTES]>,
    pub(crate) rows: Vec<Row>,
}

/// Writes rows, and the key that the cursors among them are marked with, to `path`, which has its name only once it is
/// durable. What has that name already stays.
pub(super) fn write(path: &Path, key: Option<&[u8; SECRET_BYTES]>, rows: &[Row]) -> Result<(), BackupError> {
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::AlreadyExists => BackupError::Exists { path: path.to_owned() },
        _ => BackupError::Io { path: path.to_owned(), source },
    };
    let bytes = bytes_of(key, rows);
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

/// The file that holds these rows, and the key of what is marked.
pub(crate) fn bytes_of(key: Option<&[u8; SECRET_BYTES]>, rows: &[Row]) -> Vec<u8> {
    let mut bytes = HEAD.to_vec();
    let parts = rows.iter().flat_map(|row| [row.key.as_slice(), row.value.as_slice()]);
    for part in std::iter::once(key.map_or(&[][..], |key| key)).chain(parts) {
        bytes.extend(u32::try_from(part.len()).unwrap_or(u32::MAX).to_be_bytes());
        bytes.extend(part);
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

/// What a backup holds.
pub(super) fn read(path: &Path) -> Result<Backup, BackupError> {
    let bytes = small_file::read(path, FILE_BYTES_MAX)
        .map_err(|source| BackupError::Io { path: path.to_owned(), source })?;
    content_of(&bytes).map_err(|unread| match unread {
        Unread::NotWhole => BackupError::NotWhole { path: path.to_owned() },
        Unread::Newer(what) => BackupError::Newer { path: path.to_owned(), what },
    })
}

/// Why a file gives no rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    NotWhole,
    Newer(String),
}

pub(crate) fn content_of(bytes: &[u8]) -> Result<Backup, Unread> {
    let told = summed(bytes).ok_or(Unread::NotWhole)?;
    let (key, rows) = if let Some(mut rest) = told.strip_prefix(HEAD) {
        let key = part(&mut rest).ok_or(Unread::NotWhole)?;
        (if key.is_empty() { None } else { Some(key.try_into().map_err(|_| Unread::NotWhole)?) }, rest)
    } else if let Some(rest) = told.strip_prefix(FIRST_HEAD) {
        (None, rest)
    } else if told.starts_with(ANY_HEAD) {
        return Err(Unread::Newer("a backup of a newer program".to_owned()));
    } else {
        return Err(Unread::NotWhole);
    };
    let rows = split(rows).ok_or(Unread::NotWhole)?;
    match record::whole(&rows) {
        Ok(_) => Ok(Backup { key, rows }),
        // It is as it was written, so that a row which is not known is one of later.
        Err(fault @ (Fault::Newer(..) | Fault::Foreign)) => Err(Unread::Newer(fault.to_string())),
        Err(_) => Err(Unread::NotWhole),
    }
}

/// What stands before the sum, if the sum is right.
fn summed(bytes: &[u8]) -> Option<&[u8]> {
    let (told, sum) = bytes.split_last_chunk::<SUM_BYTES>()?;
    (digest(&SHA256, told).as_ref() == sum).then_some(told)
}

fn split(mut rest: &[u8]) -> Option<Vec<Row>> {
    let mut rows = Vec::new();
    while !rest.is_empty() {
        let key = part(&mut rest)?;
        let value = part(&mut rest)?;
        rows.push(Row { key, value });
    }
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
/// Why it was not done; the database is as it was then, unless it is [`BackupError::Replaced`].
pub fn restore(data: &Path, file: &Path, clock: &Clock) -> Result<Option<PathBuf>, BackupError> {
    let Backup { key, rows } = read(file)?;
    let folder = Folder::lock(data)?;
    given(&folder, replace(&folder, unconfirmed(rows), key.as_ref(), clock), Clone::clone)
}

/// How work that replaces the database ended, once what it made belongs to the user of the server; `kept` says where the
/// database lies that was there.
pub(super) fn given<T>(
    folder: &Folder,
    done: Result<T, BackupError>,
    kept: impl FnOnce(&T) -> Option<PathBuf>,
) -> Result<T, BackupError> {
    let replaced = done.as_ref().ok().map(kept);
    folder.given(done).map_err(|error| match replaced {
        Some(kept) => BackupError::Replaced { kept, what: Box::new(error) },
        None => error,
    })
}

/// Puts a database that holds these rows in the place of the one that is there, which is kept; its new place. With a key,
/// that becomes the one that cursors are marked with: without it, walks that were begun before could not go on.
///
/// # Errors
/// Why it was not done; the database is as it was then, unless it is [`BackupError::Replaced`].
pub(super) fn replace(
    folder: &Folder,
    rows: Vec<Row>,
    key: Option<&[u8; SECRET_BYTES]>,
    clock: &Clock,
) -> Result<Option<PathBuf>, BackupError> {
    let beside = secret::beside(folder.path());
    let prepared = key.map_or(Ok(()), |key| secret::prepare(folder.path(), key));
    let done = prepared
        .map_err(|source| BackupError::Io { path: beside.clone(), source })
        .and_then(|()| put_in_place(folder, rows, clock));
    if !matches!(done, Ok(_) | Err(BackupError::Replaced { .. })) {
        // It is the key of nothing; the next one is written over it.
        let _removed = folder::remove_if_there(&beside);
    }
    let kept = done?;
    settle(folder, key.is_some())
        .map_err(|what| BackupError::Replaced { kept: kept.clone(), what: Box::new(what) })?;
    Ok(kept)
}

/// Makes the database and gives it its place; where the one lies that was there.
fn put_in_place(folder: &Folder, rows: Vec<Row>, clock: &Clock) -> Result<Option<PathBuf>, BackupError> {
    let (making, path) = (folder.making(), folder.database());
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| BackupError::Io { path, source }
    };
    opening::make(folder, rows, None)
        .map_err(|fault| BackupError::Database { reason: format!("{fault:?}") })?;
    if !path.exists() {
        std::fs::rename(&making, &path).map_err(io(&path))?;
        folder::sync(folder.path()).map_err(|source| {
            let what = Box::new(BackupError::Io { path: folder.path().to_owned(), source });
            BackupError::Replaced { kept: None, what }
        })?;
        return Ok(None);
    }
    let aside = folder.beside("quarantine", clock.utc());
    folder::exchange(&making, &path, &aside).map_err(|failed| {
        let what = BackupError::Io { path: path.clone(), source: failed.source };
        match failed.moved {
            None => what,
            kept => BackupError::Replaced { kept, what: Box::new(what) },
        }
    })?;
    Ok(Some(aside))
}

/// What has to follow once another database has the place.
fn settle(folder: &Folder, has_key: bool) -> Result<(), BackupError> {
    let io = |path: PathBuf| move |source| BackupError::Io { path, source };
    // What is said of the old one does not hold for the new one. A crash before this leaves a database that is refused,
    // and never one that is taken for what it is not.
    for stale in [folder.witness(), folder.verdict()] {
        folder::remove_if_there(&stale).map_err(io(stale))?;
    }
    if has_key {
        secret::take(folder.path()).map_err(io(folder.secret()))?;
    }
    form::settle(folder.path()).map_err(io(form::file(folder.path())))
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
        for key in [None, Some([7; SECRET_BYTES])] {
            let _gone = std::fs::remove_file(&path);
            write(&path, key.as_ref(), &rows()).unwrap();
            assert!(read(&path).unwrap() == Backup { key, rows: rows() });
            let whole = std::fs::read(&path).unwrap();
            let is_not_whole = |bytes: &[u8]| content_of(bytes).err() == Some(Unread::NotWhole);
            for at in 0..whole.len() {
                let mut bytes = whole.clone();
                bytes[at] ^= 0x5a;
                assert!(is_not_whole(&bytes), "byte {at}");
                assert!(is_not_whole(&whole[..at]), "cut at {at}");
            }
        }
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_backup_of_the_first_form_is_read_and_has_no_key() {
        let mut bytes = FIRST_HEAD.to_vec();
        for row in rows() {
            for part in [&row.key, &row.value] {
                bytes.extend(u32::try_from(part.len()).unwrap().to_be_bytes());
                bytes.extend(part);
            }
        }
        let sum = digest(&SHA256, &bytes);
        bytes.extend(sum.as_ref());
        assert!(content_of(&bytes).is_ok_and(|read| read == Backup { key: None, rows: rows() }));
    }

    #[test]
    fn a_backup_of_a_newer_program_is_told_from_one_that_is_damaged() {
        let told = |head: &[u8], parts: &[&[u8]]| {
            let mut bytes = head.to_vec();
            for part in parts {
                bytes.extend(u32::try_from(part.len()).unwrap().to_be_bytes());
                bytes.extend(*part);
            }
            let sum = digest(&SHA256, &bytes);
            bytes.extend(sum.as_ref());
            content_of(&bytes).err().unwrap()
        };
        assert!(matches!(told(b"ono-sendai backup 3\n", &[]), Unread::Newer(what) if what.contains("newer")));
        let unknown = told(HEAD, &[b"", b"?unknown", b"a value"]);
        assert!(matches!(unknown, Unread::Newer(what) if what.contains("never writes")));
        assert_eq!(told(b"another backup 2\n", &[b""]), Unread::NotWhole);
        assert_eq!(told(HEAD, &[b"", b"q0", b"a value"]), Unread::NotWhole);
        assert_eq!(told(HEAD, &[b"a key of another length"]), Unread::NotWhole);
        assert_eq!(told(HEAD, &[]), Unread::NotWhole);
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
            assert!(
                matches!(write(&file, None, &rows()), Err(BackupError::Exists { .. })),
                "{}",
                file.display()
            );
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
            write(&path, None, &rows()).unwrap();
            assert!(read(&file).unwrap().rows == rows());
            assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        }
        assert_eq!(std::fs::read(outside.join("mine")).unwrap(), b"as it was");
        assert_eq!(std::fs::read_dir(data.join("backups")).unwrap().count(), 1, "nothing half is left");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
