//! sled behind the engine's seam. No other file names a type of sled.
//!
//! Decides how sled is called so that it keeps its promises: one tree, one batch a commit, one flush after it
//! through the real barrier, never its asynchronous flush, and nothing of it after an error.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ring::rand::{SecureRandom as _, SystemRandom};

use super::batch::{Change, Row};
use super::engine::{Engine, EngineError};
use super::space::Space;
use super::tally::{Ledger, Tally};
use super::witness::{self, DatabaseId, Told, Witness};
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
/// The first row of every database, with its name. One without it lost what it held, however well it opens.
const BORN: &[u8] = b"\0born";
/// How much the database should hold, written with every commit.
const TALLY: &[u8] = b"\0tally";
/// Rows that one batch writes while a database is made.
const MAKING_BATCH: usize = 1_000;

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
    witness: Witness,
    open: Option<Open>,
}

/// Which database it is, and how far its commits have come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Identity {
    id: DatabaseId,
    commits: u64,
}

/// What is known of it while it is open.
#[derive(Debug)]
struct Open {
    db: sled::Db,
    /// `None` in one that an earlier program made, until it is given a name.
    id: Option<DatabaseId>,
    ledger: Ledger,
}

/// Everything in a database, as it was read to its end.
struct Content {
    rows: Vec<Row>,
    id: Option<DatabaseId>,
    tally: Option<Tally>,
}

impl SledEngine {
    /// Makes a database that holds these rows, and closes it again once they are durable.
    /// Without an identity it gets one of its own.
    pub(super) fn create(folder: &Path, rows: Vec<Row>, identity: Option<Identity>) -> Result<(), OpenFault> {
        let db = open_db(folder)?;
        let Identity { id, commits } = match identity {
            Some(identity) => identity,
            None => Identity { id: new_id()?, commits: 1 },
        };
        let tally = Ledger::of(&rows, commits).tally();
        let mut batch = sled::Batch::default();
        let mut waiting = 0;
        for row in rows {
            batch.insert(row.key, row.value);
            waiting += 1;
            if waiting == MAKING_BATCH {
                db.apply_batch(std::mem::take(&mut batch)).map_err(fault)?;
                waiting = 0;
            }
        }
        batch.insert(BORN, id.as_slice());
        batch.insert(TALLY, tally.to_bytes().as_slice());
        db.apply_batch(batch).map_err(fault)?;
        db.flush().map_err(fault).map(drop)
    }

    /// Opens the database in `folder`, reads every row to its end, and holds them against what the database and the
    /// file beside it say that there should be.
    pub(super) fn open(folder: &Path, ballast: &Path, beside: &Path) -> Result<(Self, Vec<Row>), OpenFault> {
        let db = open_db(folder)?;
        let Content { rows, id, tally } = read_all(&db)?;
        let ledger = Ledger::of(&rows, tally.map_or(0, |tally| tally.commits));
        is_whole(id, tally, &ledger, witness::read(beside).map_err(OpenFault::Io)?)?;
        let engine = Self {
            folder: folder.to_owned(),
            ballast: ballast.to_owned(),
            witness: Witness::at(beside.to_owned()),
            open: Some(Open { db, id, ledger }),
        };
        Ok((engine, rows))
    }

    /// Which database it is; `None` for one that an earlier program made.
    pub(super) fn identity(&self) -> Option<Identity> {
        let open = self.open.as_ref()?;
        Some(Identity { id: open.id?, commits: open.ledger.tally().commits })
    }

    /// Every row of a damaged database that can still be read, and whether there were others. Nothing is checked.
    pub(super) fn salvage(folder: &Path) -> Result<(Vec<Row>, bool), OpenFault> {
        let db = open_db(folder)?;
        let (mut rows, mut lost) = (Vec::new(), false);
        let mut from = Vec::new();
        loop {
            let failed = db.range(from.clone()..).try_for_each(|row| {
                let (key, value) = row.map_err(drop)?;
                from = [&*key, &[0]].concat();
                if key.first() != Some(&OWN) {
                    rows.push(Row { key: key.to_vec(), value: value.to_vec() });
                }
                Ok::<(), ()>(())
            });
            if failed.is_ok() {
                return Ok((rows, lost));
            }
            lost = true;
            let Some(next) = behind_the_damage(&db, &from) else { return Ok((rows, lost)) };
            from = next;
        }
    }

    /// Writes and counts the barriers that this took; from then on the file beside it knows the database.
    pub(super) fn prove_durable(&mut self) -> Result<(), OpenFault> {
        let open = self.open.as_mut().ok_or(OpenFault::NotDurable)?;
        let db = &open.db;
        // Another value each time: sled writes nothing for one that is there already.
        let last = db.get(PROBE).map_err(fault)?.and_then(|bytes| bytes.as_ref().try_into().ok());
        let next = last.map_or(0, u64::from_be_bytes).wrapping_add(1);
        let before = durability::barriers();
        let mut batch = sled::Batch::default();
        batch.insert(PROBE, next.to_be_bytes().as_slice());
        let id = match open.id {
            Some(id) => id,
            None => {
                let id = new_id()?;
                batch.insert(BORN, id.as_slice());
                batch.insert(TALLY, open.ledger.tally().to_bytes().as_slice());
                id
            }
        };
        db.apply_batch(batch).map_err(fault)?;
        db.flush().map_err(fault)?;
        if durability::barriers() == before {
            return Err(OpenFault::NotDurable);
        }
        open.id = Some(id);
        self.witness.say(&id, open.ledger.tally().commits).map_err(io_fault)
    }
}

impl Engine for SledEngine {
    fn commit(&mut self, changes: Vec<Change>) -> Result<(), EngineError> {
        let open = self.open.as_mut().ok_or_else(|| EngineError::other("the database is closed"))?;
        let tally = open.ledger.commit(&changes);
        let mut batch = sled::Batch::default();
        for change in changes {
            match change {
                Change::Put(row) => batch.insert(row.key, row.value),
                Change::Remove(key) => batch.remove(key),
            }
        }
        batch.insert(TALLY, tally.to_bytes().as_slice());
        open.db.apply_batch(batch).map_err(engine_error)?;
        open.db.flush().map_err(engine_error)?;
        // Without this word a loss may go unnoticed; the commit is durable all the same.
        if let Some(id) = &open.id
            && let Err(error) = self.witness.say(id, tally.commits)
        {
            tracing::warn!(path = %self.witness.path().display(), %error, "the witness of the database cannot be written");
        }
        Ok(())
    }

    fn reopen(&mut self) -> Result<(), EngineError> {
        drop(self.open.take());
        let (folder, ballast) = (self.folder.clone(), self.ballast.clone());
        let opened = Self::open(&folder, &ballast, self.witness.path());
        let reopened = opened.and_then(|(mut engine, _)| engine.prove_durable().map(|()| engine));
        *self = reopened.map_err(|fault| match fault {
            OpenFault::Full => EngineError { is_full: true, reason: "no room to open the database".into() },
            other => EngineError::other(format!("{other:?}")),
        })?;
        Ok(())
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

fn new_id() -> Result<DatabaseId, OpenFault> {
    let mut id = DatabaseId::default();
    let no_chance = |_| OpenFault::Io(io::Error::other("the system gave no random numbers"));
    SystemRandom::new().fill(&mut id).map_err(no_chance)?;
    Ok(id)
}

fn read_all(db: &sled::Db) -> Result<Content, OpenFault> {
    let mut content = Content { rows: Vec::new(), id: None, tally: None };
    let mut born = false;
    // The first error ends it: behind a damaged page sled's iterator yields errors for ever.
    for row in db.iter() {
        let (key, value) = row.map_err(fault)?;
        match &*key {
            BORN => (born, content.id) = (true, value.as_ref().try_into().ok()),
            TALLY => content.tally = Tally::from_bytes(&value),
            own if own.first() == Some(&OWN) => {}
            _ => content.rows.push(Row { key: key.to_vec(), value: value.to_vec() }),
        }
    }
    if born { Ok(content) } else { Err(damaged("it opens, but what it held is gone")) }
}

/// Whether a database that was read holds what it should.
fn is_whole(
    id: Option<DatabaseId>,
    tally: Option<Tally>,
    ledger: &Ledger,
    told: Told,
) -> Result<(), OpenFault> {
    let found = ledger.tally();
    match tally {
        Some(tally) if !tally.counts_as(found) => {
            return Err(damaged(&format!(
                "it opens, but it should hold {} rows as they were written and has {}",
                tally.rows, found.rows
            )));
        }
        None if id.is_some() => return Err(damaged("it opens, but its own count is gone")),
        _ => {}
    }
    match told {
        Told::Commits(known, _) if id.is_some_and(|id| id != known) => {
            Err(damaged("it opens, but it is not the one that was written last"))
        }
        Told::Commits(_, commits) if commits > found.commits => Err(damaged(&format!(
            "it opens, but its last {} commits are gone, which had been acknowledged",
            commits - found.commits
        ))),
        Told::Unreadable => {
            tracing::warn!(
                "the witness beside the database is damaged; whether the last commits are there is not known"
            );
            Ok(())
        }
        _ => Ok(()),
    }
}

fn damaged(reason: &str) -> OpenFault {
    OpenFault::Damaged(reason.to_owned())
}

/// The first key behind a page that cannot be read, as near to the page as the first bytes of keys tell.
fn behind_the_damage(db: &sled::Db, from: &[u8]) -> Option<Vec<u8>> {
    let mut first = [0; 8];
    for (to, byte) in first.iter_mut().zip(from) {
        *to = *byte;
    }
    let first = u64::from_be_bytes(first);
    let reads = |at: u64| !matches!(db.range(at.to_be_bytes()..).next(), Some(Err(_)));
    // The steps grow until one lands behind the page, and are then halved back to its end.
    let mut step = 1_u64;
    let mut behind = loop {
        let at = first.checked_add(step)?;
        if reads(at) {
            break at;
        }
        step = step.checked_mul(2)?;
    };
    let mut inside = first.saturating_add(step / 2);
    while behind - inside > 1 {
        let middle = inside + (behind - inside) / 2;
        if reads(middle) { behind = middle } else { inside = middle }
    }
    Some(behind.to_be_bytes().to_vec())
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

fn io_fault(error: io::Error) -> OpenFault {
    if error.kind() == io::ErrorKind::StorageFull { OpenFault::Full } else { OpenFault::Io(error) }
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
