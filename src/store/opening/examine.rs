//! Whether the database of a folder would open, found out without touching it: on a copy, which is removed again.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::OFlags;

use super::{Attempt, OpenError, OpenFault, VERDICT_BYTES_MAX, attempt_at, folder, one_line};
use crate::clock::Clock;
use crate::small_file;
use crate::store::secret::SECRET;
use crate::store::{Ack, Batch, Health, Row, State, Store, StoreError};

/// What lies in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Examined {
    /// No database; a server would make one.
    Absent,
    /// None where there was one: a server would begin anew, and wait for a word before it serves what is metered.
    Gone,
    /// A database that a server uses just now.
    InUse,
    /// A database that opens, with so many rows.
    Whole {
        /// The rows.
        rows: usize,
    },
    /// A database of which no copy could be made or used; that says nothing about itself.
    NotLookedAt {
        /// Why, and where the copy should be.
        reason: String,
    },
}

/// Looks at the database in the folder `data`. A server that uses it is not disturbed, and one that starts meanwhile
/// waits for no longer than a copy takes.
///
/// # Errors
/// What the next start would say.
pub fn examine(data: &Path, clock: &Clock) -> Result<Examined, OpenError> {
    let store = data.join("store");
    let path = store.join("db");
    let io_at = |path: &Path| {
        let path = path.to_owned();
        move |source: io::Error| OpenError::Io { path, source }
    };
    if !path.try_exists().map_err(io_at(&path))? {
        let was_there = [SECRET, "witness"].iter().any(|left| store.join(left).exists());
        return Ok(if was_there { Examined::Gone } else { Examined::Absent });
    }
    if !path.is_dir() {
        return Err(io_at(&path)(io::Error::other("it is not a folder; move it away and start again")));
    }
    let lock_path = store.join("LOCK");
    let lock = match folder::open_lock(&lock_path, OFlags::RDONLY) {
        Ok(lock) => Some(lock),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(io_at(&lock_path)(error)),
    };
    match lock.as_ref().map(File::try_lock_shared) {
        None | Some(Ok(())) => {}
        Some(Err(TryLockError::WouldBlock)) => return Ok(Examined::InUse),
        Some(Err(TryLockError::Error(error))) => return Err(io_at(&lock_path)(error)),
    }
    super::refuse_newer(&store, &path)?;
    let aside = || folder::beside(&store, "quarantine", clock.utc());
    let damaged = |reason: String| OpenError::Damaged { path: path.clone(), aside: aside(), reason };
    if let Ok(reason) = small_file::read_text(&store.join("unreadable"), VERDICT_BYTES_MAX) {
        return Err(damaged(one_line(&reason)));
    }
    let unlooked = |source: &dyn std::fmt::Display| {
        let folder = std::env::temp_dir();
        Ok(Examined::NotLookedAt {
            reason: format!("there is no copy of it in {}: {source}", folder.display()),
        })
    };
    let trial = match Trial::new() {
        Ok(trial) => trial,
        Err(source) => return unlooked(&source),
    };
    let copy = trial.0.join("db");
    // Without it, a copy that has lost what was written last would pass for whole.
    let witness = trial.0.join("witness");
    let own = store.join("witness");
    match folder::copy_file(&own, &witness) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            read_to_end(&own).map_err(io_at(&own))?;
            return unlooked(&source);
        }
        _ => {}
    }
    // A half-written snapshot is removed by a start too.
    let leftover = |name: &str| name.starts_with("snap.") && name.ends_with(".generating");
    if let Err(source) = folder::copy(&path, &copy, &leftover) {
        // What cannot be read would keep a server from starting too; the rest lies with the place of the copy.
        read_all(&path).map_err(io_at(&path))?;
        return unlooked(&source);
    }
    drop(lock);
    let rows = match attempt_at(&copy, trial.0.join("ballast"), witness) {
        Ok((engine, rows)) => {
            drop(engine);
            rows
        }
        Err(Attempt::Newer(what)) => return Err(OpenError::Newer { path, what }),
        Err(Attempt::Slow) => {
            let aside = aside();
            return Err(OpenError::Slow { path, aside });
        }
        // All of it was read, so that this is about the copy.
        Err(Attempt::Fault(OpenFault::Io(source))) => return unlooked(&source),
        Err(Attempt::Fault(OpenFault::Full)) => {
            return unlooked(&io::Error::from(io::ErrorKind::StorageFull));
        }
        Err(Attempt::Fault(OpenFault::Damaged(reason))) => return Err(damaged(reason)),
        Err(Attempt::Fault(_)) => return Err(damaged("a copy of it does not open".to_owned())),
    };
    let count = rows.len();
    State::load(Arc::new(Held(Mutex::new(rows))), clock).map_err(|error| damaged(error.to_string()))?;
    Ok(Examined::Whole { rows: count })
}

/// Reads every file below a folder.
fn read_all(folder: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            read_all(&entry.path())?;
        } else {
            read_to_end(&entry.path())?;
        }
    }
    Ok(())
}

fn read_to_end(path: &Path) -> io::Result<()> {
    io::copy(&mut folder::open(path)?, &mut io::sink()).map(drop)
}

/// Names that are tried for a folder: others are being looked at, or were left behind.
const TRIALS_MAX: u32 = 100;

/// A folder for a copy, removed at the end.
struct Trial(PathBuf);

impl Trial {
    fn new() -> io::Result<Self> {
        use std::os::unix::fs::DirBuilderExt as _;
        let mut number = 0;
        loop {
            let name = format!("ono-sendai-doctor-{}-{number}", std::process::id());
            let path = std::env::temp_dir().join(name);
            // Never one that is there already, whoever made it.
            match std::fs::DirBuilder::new().mode(0o700).create(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < TRIALS_MAX => {
                    number += 1
                }
                made => return made.map(|()| Self(path)),
            }
        }
    }
}

impl Drop for Trial {
    fn drop(&mut self) {
        // What stays behind in the folder for such things is the system's to remove.
        let _left = std::fs::remove_dir_all(&self.0);
    }
}

/// Rows to be read once; nothing is written anywhere.
#[derive(Debug)]
struct Held(Mutex<Vec<Row>>);

impl Store for Held {
    fn submit(&self, _: Batch) -> Ack {
        Ack::known(Ok(()))
    }

    fn load(&self) -> Result<Vec<Row>, StoreError> {
        Ok(std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    fn health(&self) -> Health {
        Health::Good
    }

    fn close(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_database_is_told_and_never_waited_for() {
        let data = std::env::temp_dir().join(format!("ono-sendai-examine-{}", std::process::id()));
        let _gone = std::fs::remove_dir_all(&data);
        let (store, db) = (data.join("store"), data.join("store/db"));
        let pipe = |path: &Path| {
            assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
        };
        let said = || examine(&data, &Clock::system()).unwrap_err().to_string();
        std::fs::create_dir_all(&store).unwrap();
        for make in [&pipe as &dyn Fn(&Path), &|path| std::fs::write(path, "x").unwrap()] {
            make(&db);
            assert!(said().contains("store/db: it is not a folder; move it away"), "{}", said());
            std::fs::remove_file(&db).unwrap();
        }
        std::fs::create_dir(&db).unwrap();
        let lock = store.join("LOCK");
        std::fs::create_dir(&lock).unwrap();
        assert!(said().contains("LOCK: it is not a regular file; move it away"), "{}", said());
        assert!(folder::Folder::lock(&data).is_err());
        std::fs::remove_dir(&lock).unwrap();
        for place in [lock, store.join("witness"), db.join("conf")] {
            pipe(&place);
            assert!(said().contains("it is not a regular file; move it away"), "{}", said());
            std::fs::remove_file(&place).unwrap();
        }
        std::fs::remove_dir_all(data).unwrap();
    }
}
