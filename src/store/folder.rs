//! Where the store keeps its files, and the lock that makes sure nobody else does.

mod foreign;

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{CWD, Mode, OFlags, RenameFlags, openat, renameat_with};
use rustix::io::Errno;

use super::secret::SECRET;
use crate::small_file;

/// A server that is just stopping still holds its lock for a moment.
const LOCK_PATIENCE: Duration = Duration::from_secs(4);
const LOCK_STEP: Duration = Duration::from_millis(50);

/// The store's own folder inside the data folder.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// Held for as long as the store is open; the system frees it when the process ends, however it ends.
    _lock: File,
}

/// Why the folder cannot be used.
#[derive(Debug)]
pub(super) enum FolderFault {
    /// Another process holds this lock.
    InUse(PathBuf),
    /// The system refuses it.
    Io(PathBuf, io::Error),
}

impl Folder {
    /// Makes the folder when absent and locks it.
    pub(super) fn lock(data: &Path) -> Result<Self, FolderFault> {
        let path = data.join("store");
        foreign::refuse_links(data, &path)?;
        let locked = Self::make_and_lock(data, path.clone());
        if let Err(FolderFault::Io(..)) = locked {
            // What it could make belongs to the user of the server all the same; the fault is what is told.
            let _nothing_more_to_do = foreign::give_to_owner(&path);
        }
        locked
    }

    fn make_and_lock(data: &Path, path: PathBuf) -> Result<Self, FolderFault> {
        let is_new = !path.is_dir();
        make(&path).map_err(|error| FolderFault::Io(path.clone(), error))?;
        if is_new {
            sync(&path).and_then(|()| sync(data)).map_err(|error| FolderFault::Io(path.clone(), error))?;
        }
        let lock_path = path.join("LOCK");
        let lock = open_lock(&lock_path, OFlags::WRONLY | OFlags::CREATE)
            .map_err(|error| FolderFault::Io(lock_path.clone(), error))?;
        let mut waited = Duration::ZERO;
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(Self { path, _lock: lock }),
                Err(TryLockError::WouldBlock) if waited < LOCK_PATIENCE => {
                    std::thread::sleep(LOCK_STEP);
                    waited += LOCK_STEP;
                }
                Err(TryLockError::WouldBlock) => return Err(FolderFault::InUse(lock_path)),
                Err(TryLockError::Error(error)) => return Err(FolderFault::Io(lock_path, error)),
            }
        }
    }

    /// The store's folder itself.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The database's folder.
    pub(super) fn database(&self) -> PathBuf {
        self.path.join("db")
    }

    /// Where a new database is made before it has its name.
    pub(super) fn making(&self) -> PathBuf {
        self.path.join("db.new")
    }

    /// The file that is given up when the disk is full.
    pub(super) fn ballast(&self) -> PathBuf {
        self.path.join("ballast")
    }

    /// The key that cursors are marked with: where it lies, there was a database once.
    pub(super) fn secret(&self) -> PathBuf {
        self.path.join(SECRET)
    }

    /// Says how far the database had come.
    pub(super) fn witness(&self) -> PathBuf {
        self.path.join("witness")
    }

    /// Says why the database cannot be read, once that was found out.
    pub(super) fn verdict(&self) -> PathBuf {
        self.path.join("unreadable")
    }

    /// How work in here ended that root may have done, once what it made belongs to the user of the server, as it does
    /// however the work ended. What went wrong first is told.
    pub(super) fn given<T, E: From<FolderFault>>(&self, done: Result<T, E>) -> Result<T, E> {
        let given = foreign::give_to_owner(&self.path);
        let done = done?;
        given?;
        Ok(done)
    }

    /// A name beside the database that is not taken, such as `quarantine-20261130-134500`.
    pub(super) fn beside(&self, kind: &str, at: time::OffsetDateTime) -> PathBuf {
        beside(&self.path, kind, at)
    }
}

/// The same in the folder of a store that need not be locked.
pub(super) fn beside(store: &Path, kind: &str, at: time::OffsetDateTime) -> PathBuf {
    let stamp = stamp(at);
    let first = store.join(format!("{kind}-{stamp}"));
    let later = (2_u32..).map(|number| store.join(format!("{kind}-{stamp}-{number}")));
    std::iter::once(first.clone()).chain(later).find(|path| !path.exists()).unwrap_or(first)
}

/// Opens the lock. A link is not followed, not even to where nothing is yet.
pub(super) fn open_lock(path: &Path, how: OFlags) -> io::Result<File> {
    let flags = how | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    match openat(CWD, path, flags, Mode::RUSR | Mode::WUSR) {
        // A link; a pipe or a socket; a folder.
        Err(Errno::LOOP | Errno::NXIO | Errno::ISDIR) => Err(not_regular()),
        Err(error) => Err(error.into()),
        Ok(lock) => Some(File::from(lock)).filter(is_regular).ok_or_else(not_regular),
    }
}

fn is_regular(file: &File) -> bool {
    file.metadata().is_ok_and(|found| found.is_file())
}

fn not_regular() -> io::Error {
    io::Error::other("it is not a regular file; move it away and start again")
}

/// Opens a regular file to be read; what else stands there is refused in the store's own words.
pub(super) fn open(path: &Path) -> io::Result<File> {
    small_file::open(path)
        .map_err(|error| if small_file::is_not_regular(&error) { not_regular() } else { error })
}

/// Copies a regular file to a name that nothing has, with its mode.
pub(super) fn copy_file(from: &Path, to: &Path) -> io::Result<File> {
    let mut source = open(from)?;
    let mut target = File::create_new(to)?;
    target.set_permissions(source.metadata()?.permissions())?;
    io::copy(&mut source, &mut target)?;
    Ok(target)
}

/// A moment in a name, such as `20261130-134500`.
pub(super) fn stamp(at: time::OffsetDateTime) -> String {
    let (date, time) = (at.date(), at.time());
    format!(
        "{:04}{:02}{:02}-{:02}{:02}{:02}",
        date.year(),
        u8::from(date.month()),
        date.day(),
        time.hour(),
        time.minute(),
        time.second()
    )
}

/// Makes a folder that only its owner may enter.
fn make(path: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Makes the names in a folder durable.
pub(super) fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Removes a file that may be gone already.
pub(super) fn remove_if_there(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// What all files of a folder take, in bytes.
pub(super) fn size(path: &Path) -> io::Result<u64> {
    let mut size = 0;
    for entry in std::fs::read_dir(path)? {
        let found = entry?;
        let kind = found.metadata()?;
        size += if kind.is_dir() { self::size(&found.path())? } else { kind.len() };
    }
    Ok(size)
}

/// Lets two folders change places in one step that a crash does not interrupt. It is durable once their parent was
/// [synced](sync).
pub(super) fn swap(one: &Path, other: &Path) -> io::Result<()> {
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

/// Why one folder is not, or not durably, in the place of another.
#[derive(Debug)]
pub(super) struct Unexchanged {
    /// What the system said.
    pub(super) source: io::Error,
    /// Where the old one lies now, if the new one has its place.
    pub(super) moved: Option<PathBuf>,
}

/// Puts `new` in the place of `old`, which gets the name `aside`. On file systems that cannot do it in one step, a
/// crash in between leaves neither in the place, and both beside it.
///
/// # Errors
/// When it cannot be done or made durable. What was done is undone where that can be; both are there still, under
/// whichever name.
pub(super) fn exchange(new: &Path, old: &Path, aside: &Path) -> Result<(), Unexchanged> {
    let synced = || old.parent().map_or(Ok(()), sync);
    if swap(new, old).is_ok() {
        // Before either gets another name: after an error here nothing is known of what a crash would leave.
        if let Err(source) = synced().and_then(|()| std::fs::rename(new, aside)) {
            // What lies where new ones are made is taken for a leftover by the next one.
            let moved = match swap(new, old) {
                Ok(()) => None,
                Err(_) if std::fs::rename(new, aside).is_ok() => Some(aside.to_owned()),
                Err(_) => Some(new.to_owned()),
            };
            // The first error is the one that is told.
            let _undone = synced();
            return Err(Unexchanged { source, moved });
        }
    } else {
        std::fs::rename(old, aside).map_err(|source| Unexchanged { source, moved: None })?;
        if let Err(source) = std::fs::rename(new, old) {
            let source = match std::fs::rename(aside, old) {
                Ok(()) => source,
                Err(_) => {
                    let now = aside.display();
                    io::Error::other(format!("{source}; what was there is at {now} now, move it back"))
                }
            };
            return Err(Unexchanged { source, moved: None });
        }
    }
    synced().map_err(|source| Unexchanged { source, moved: Some(aside.to_owned()) })
}

/// Copies a folder with everything in it, except the files that `without` names; the copy is durable.
pub(super) fn copy(from: &Path, to: &Path, without: &dyn Fn(&str) -> bool) -> io::Result<()> {
    make(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        let target = to.join(&name);
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target, without)?;
        } else if !without(&name.to_string_lossy()) {
            copy_file(&entry.path(), &target)?.sync_all()?;
        }
    }
    sync(to)
}
