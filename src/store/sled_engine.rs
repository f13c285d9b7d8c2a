//! sled behind the engine's seam. No other file names a type of sled.
//!
//! Decides how sled is called so that it keeps its promises: one tree, one batch a commit, one flush after it
//! through the real barrier, never its asynchronous flush, and nothing of it after an error.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::batch::{Change, Row};
use super::engine::{Engine, EngineError};
use super::space::Space;
use crate::durability;

/// Memory that sled may use for pages. Nothing is read from it while serving.
const CACHE_BYTES: u64 = 64 * 1024 * 1024;
/// How often sled writes by itself what nobody waits for.
const FLUSH_EVERY_MS: u64 = 500;
/// The lock of a closed database is free only when its last thread has ended.
const LOCK_PATIENCE: Duration = Duration::from_secs(3);
const LOCK_STEP: Duration = Duration::from_millis(20);

/// The first byte of this file's own rows, which is that of no class.
const OWN: u8 = 0;
/// The row that shows at start that writing reaches the disk.
const PROBE: &[u8] = b"\0probe";
/// The first row of every database. One without it lost what it held, however well it opens.
const BORN: &[u8] = b"\0born";

/// Why a database could not be opened or read to its end.
#[derive(Debug)]
pub(super) enum OpenFault {
    /// Another process holds it.
    Locked,
    /// The disk is full.
    Full,
    /// The system refuses its files.
    Io(io::Error),
    /// What it holds cannot be read.
    Damaged(String),
    /// Writing does not reach the disk.
    NotDurable,
}

/// An open database.
#[derive(Debug)]
pub(super) struct SledEngine {
    folder: PathBuf,
    ballast: PathBuf,
    db: Option<sled::Db>,
}

impl SledEngine {
    /// Makes a database in `folder`, and closes it again once its first row is durable.
    pub(super) fn create(folder: &Path) -> Result<(), OpenFault> {
        let db = open_db(folder)?;
        db.insert(BORN, &[]).map_err(fault)?;
        db.flush().map_err(fault).map(drop)
    }

    /// Opens the database in `folder` and reads every row to its end.
    pub(super) fn open(folder: &Path, ballast: &Path) -> Result<(Self, Vec<Row>), OpenFault> {
        let db = open_db(folder)?;
        let mut rows = Vec::new();
        let mut born = false;
        // The first error ends it: behind a damaged page sled's iterator yields errors for ever.
        for row in db.iter() {
            let (key, value) = row.map_err(fault)?;
            born |= &*key == BORN;
            if key.first() != Some(&OWN) {
                rows.push(Row { key: key.to_vec(), value: value.to_vec() });
            }
        }
        if !born {
            return Err(OpenFault::Damaged("it opens, but what it held is gone".into()));
        }
        let engine = Self { folder: folder.to_owned(), ballast: ballast.to_owned(), db: Some(db) };
        Ok((engine, rows))
    }

    /// Writes and counts the barriers that this took.
    pub(super) fn prove_durable(&mut self) -> Result<(), OpenFault> {
        let db = self.db.as_ref().ok_or(OpenFault::NotDurable)?;
        // Another value each time: sled writes nothing for one that is there already.
        let last = db.get(PROBE).map_err(fault)?.and_then(|bytes| bytes.as_ref().try_into().ok());
        let next = last.map_or(0, u64::from_be_bytes).wrapping_add(1);
        let before = durability::barriers();
        db.insert(PROBE, &next.to_be_bytes()).map_err(fault)?;
        db.flush().map_err(fault)?;
        if durability::barriers() == before { Err(OpenFault::NotDurable) } else { Ok(()) }
    }
}

impl Engine for SledEngine {
    fn commit(&mut self, changes: Vec<Change>) -> Result<(), EngineError> {
        let db = self.db.as_ref().ok_or_else(|| EngineError::other("the database is closed"))?;
        let mut batch = sled::Batch::default();
        for change in changes {
            match change {
                Change::Put(row) => batch.insert(row.key, row.value),
                Change::Remove(key) => batch.remove(key),
            }
        }
        db.apply_batch(batch).map_err(engine_error)?;
        db.flush().map_err(engine_error).map(drop)
    }

    fn reopen(&mut self) -> Result<(), EngineError> {
        drop(self.db.take());
        let opened = open_db(&self.folder).map_err(|fault| match fault {
            OpenFault::Full => EngineError { is_full: true, reason: "no room to open the database".into() },
            other => EngineError::other(format!("{other:?}")),
        })?;
        self.db = Some(opened);
        self.prove_durable().map_err(|fault| EngineError {
            is_full: matches!(fault, OpenFault::Full),
            reason: format!("{fault:?}"),
        })
    }

    fn space(&self) -> Option<Space> {
        Space::of(&self.folder).ok()
    }

    fn drop_ballast(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.ballast)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(path = %self.ballast.display(), %error, "the ballast cannot be removed");
        }
    }

    fn keep_ballast(&mut self, bytes: u64) {
        if std::fs::metadata(&self.ballast).is_ok_and(|found| found.len() == bytes) {
            return;
        }
        if let Err(error) = write_zeros(&self.ballast, bytes) {
            self.drop_ballast();
            tracing::warn!(path = %self.ballast.display(), %error, "there is no ballast for a full disk");
        }
    }
}

fn write_zeros(path: &Path, bytes: u64) -> io::Result<()> {
    static CHUNK: [u8; 65_536] = [0; 65_536];
    let mut file = File::create(path)?;
    let mut left = bytes;
    while left > 0 {
        let now = left.min(CHUNK.len() as u64);
        file.write_all(CHUNK.get(..usize::try_from(now).unwrap_or(CHUNK.len())).unwrap_or(&CHUNK))?;
        left -= now;
    }
    Ok(())
}

fn open_db(folder: &Path) -> Result<sled::Db, OpenFault> {
    let config =
        sled::Config::new().path(folder).cache_capacity(CACHE_BYTES).flush_every_ms(Some(FLUSH_EVERY_MS));
    let mut waited = Duration::ZERO;
    loop {
        match config.open().map_err(fault) {
            Err(OpenFault::Locked) if waited < LOCK_PATIENCE => {
                std::thread::sleep(LOCK_STEP);
                waited += LOCK_STEP;
            }
            opened => return opened,
        }
    }
}

fn fault(error: sled::Error) -> OpenFault {
    match error {
        sled::Error::Io(io) if io.kind() == io::ErrorKind::StorageFull => OpenFault::Full,
        // The kind of this one is `Other`; only its text tells.
        sled::Error::Io(io) if io.to_string().contains("could not acquire lock") => OpenFault::Locked,
        sled::Error::Io(io)
            if matches!(
                io.kind(),
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::NotFound
            ) =>
        {
            OpenFault::Io(io)
        }
        other => OpenFault::Damaged(one_line(&other.to_string())),
    }
}

fn engine_error(error: sled::Error) -> EngineError {
    let is_full = matches!(&error, sled::Error::Io(io) if io.kind() == io::ErrorKind::StorageFull);
    EngineError { is_full, reason: one_line(&error.to_string()) }
}

/// Whether the newest snapshot in `folder` is not what sled wrote: its last four bytes are the sum of all but the
/// last twelve.
pub(super) fn snapshot_is_broken(folder: &Path) -> io::Result<bool> {
    let mut newest: Option<PathBuf> = None;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with("snap.") {
            newest = newest.max(Some(entry.path()));
        }
    }
    let Some(path) = newest else { return Ok(false) };
    let bytes = std::fs::read(path)?;
    let sound = bytes.split_last_chunk::<4>().is_some_and(|(rest, sum)| {
        let body = rest.len().checked_sub(8).and_then(|length| rest.get(..length));
        body.is_some_and(|body| !body.is_empty() && crc32fast::hash(body) == u32::from_le_bytes(*sum))
    });
    Ok(!sound)
}

/// sled's messages as one line of a sensible length.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(200).collect()
}
