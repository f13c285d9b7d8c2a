//! From a folder to an open database: what is tried, in which order, and what is said when nothing helps.
//!
//! Decides which damage can be undone without guessing, and when a database is written anew because its file has
//! grown. A repair works on a copy; what was damaged is kept beside it, and nothing is ever deleted but leftovers that
//! sled itself never reads again.

mod examine;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Once, mpsc};
use std::time::Duration;

use super::backup::{self, BackupError};
use super::batch::Row;
use super::folder::{self, Folder, FolderFault};
use super::form;
use super::record;
use super::sled_engine::{Identity, OpenFault, SledEngine, one_line, snapshot_is_broken};
use crate::clock::Clock;
use crate::small_file;

pub use self::examine::{Examined, examine};

/// How long opening and reading a database may take.
const OPEN_MAX: Duration = Duration::from_secs(60);
/// What the files may take beside eight times what is in them.
const SIZE_FREE: u64 = 64 * 1024 * 1024;
/// A verdict is one line.
const VERDICT_BYTES_MAX: u64 = 4_096;
/// The threads in which sled may panic without a word; what came of it is told once, in one line.
const THREAD: &str = "store-open";

/// Why there is no store. Each is one line that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process uses the folder.
    #[error(
        "the data folder is in use by another ono-sendai, which holds the lock {}; stop that one, or choose another folder with --data (or [server] data_dir)",
        lock.display()
    )]
    InUse {
        /// The lock file.
        lock: PathBuf,
    },
    /// The system refuses a file or a folder.
    #[error("the store cannot use {}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is no room.
    #[error("the disk that holds {} is full; free some space and start again, nothing was lost", path.display())]
    Full {
        /// The database.
        path: PathBuf,
    },
    /// The database cannot be read, and no repair helped.
    #[error(
        "the database {} cannot be read ({reason}); nothing of it was deleted. Restore a backup with `ono-sendai restore FILE --data {data}`, keep what can still be read with `ono-sendai salvage --data {data}`, or move it away with `mv {} {}` to begin anew; metered calls are then refused until `ono-sendai admin restore-confirm --data {data}`",
        path.display(), path.display(), aside.display(), data = data_of(path).display()
    )]
    Damaged {
        /// The database.
        path: PathBuf,
        /// Where it could be moved.
        aside: PathBuf,
        /// What is wrong, in a few words.
        reason: String,
    },
    /// A newer program wrote it.
    #[error("the database {} holds {what}; start the newer program again, nothing was changed", path.display())]
    Newer {
        /// The database.
        path: PathBuf,
        /// Which record.
        what: String,
    },
    /// Opening it does not come to an end.
    #[error(
        "the database {} was not open after {} s; try again, or move it away with `mv {} {}` to start without what it knew",
        path.display(), OPEN_MAX.as_secs(), path.display(), aside.display()
    )]
    Slow {
        /// The database.
        path: PathBuf,
        /// Where it could be moved.
        aside: PathBuf,
    },
    /// Written data does not reach the disk.
    #[error(
        "writing to {} does not reach the disk: this build lacks its own barrier, and the program will not run without; report it",
        path.display()
    )]
    NotDurable {
        /// The database.
        path: PathBuf,
    },
}

/// The data folder of a database.
pub(super) fn data_of(database: &Path) -> &Path {
    database.ancestors().nth(2).unwrap_or(database)
}

/// An open database with everything in it.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) engine: SledEngine,
    pub(super) rows: Vec<Row>,
    /// Keeps the lock.
    pub(super) folder: Folder,
}

/// Opens the store in the data folder, made when absent; repairs what can be repaired.
pub(super) fn open(data: &Path, clock: &Clock) -> Result<Opened, OpenError> {
    let folder = Folder::lock(data).map_err(|fault| match fault {
        FolderFault::InUse(lock) => OpenError::InUse { lock },
        FolderFault::Io(path, source) => OpenError::Io { path, source },
    })?;
    let path = folder.database();
    let is_new = !path.exists();
    let verdict = folder.verdict();
    if !is_new {
        refuse_newer(folder.path(), &path)?;
    }
    if is_new {
        begin(&folder, &path, clock)?;
    } else if let Ok(reason) = small_file::read_text(&verdict, VERDICT_BYTES_MAX) {
        return Err(told(Attempt::Fault(OpenFault::Damaged(one_line(&reason))), &folder, &path, clock));
    }
    remove_leftovers(&path).map_err(|source| OpenError::Io { path: path.clone(), source })?;
    let (mut engine, rows) = match attempt(&folder, &path) {
        Ok(opened) => opened,
        Err(Attempt::Fault(OpenFault::Damaged(reason))) => repair(&folder, &path, &reason, clock)?,
        Err(other) => return Err(told(other, &folder, &path, clock)),
    };
    form::settle(folder.path())
        .map_err(|source| OpenError::Io { path: form::file(folder.path()), source })?;
    if is_overgrown(&path, &rows) {
        let identity = engine.identity();
        drop(engine);
        compact(&folder, &path, &rows, identity);
        (engine, _) = attempt(&folder, &path).map_err(|attempt| told(attempt, &folder, &path, clock))?;
    }
    let proven = caught(|| engine.prove_durable());
    proven.map_err(|fault| told(Attempt::Fault(fault), &folder, &path, clock))?;
    Ok(Opened { engine, rows, folder })
}

/// Leaves alone what a newer program wrote.
fn refuse_newer(store: &Path, path: &Path) -> Result<(), OpenError> {
    match form::newer(store) {
        Ok(None) => Ok(()),
        Ok(Some(what)) => Err(OpenError::Newer { path: path.to_owned(), what }),
        Err(source) => Err(OpenError::Io { path: form::file(store), source }),
    }
}

/// Makes the first database of a folder. In one that had another already, nothing that is metered is served until an
/// operator confirms: to begin with nothing used would grant everything again.
fn begin(folder: &Folder, path: &Path, clock: &Clock) -> Result<(), OpenError> {
    let had_another = folder.secret().exists() || folder.witness().exists();
    for stale in [folder.verdict(), folder.witness()] {
        folder::remove_if_there(&stale).map_err(|source| OpenError::Io { path: stale.clone(), source })?;
    }
    let rows = if had_another { backup::unconfirmed(Vec::new()) } else { Vec::new() };
    create(folder, path, rows).map_err(|fault| told(Attempt::Fault(fault), folder, path, clock))?;
    if had_another {
        let data = data_of(path).display();
        tracing::warn!(
            database = %path.display(),
            "the database is gone and begins anew; metered calls are refused until `ono-sendai restore FILE --data {data}` or `ono-sendai admin restore-confirm --data {data}`"
        );
    }
    Ok(())
}

/// How an attempt ended that brought no database.
enum Attempt {
    Fault(OpenFault),
    Newer(String),
    Slow,
}

fn told(attempt: Attempt, folder: &Folder, path: &Path, clock: &Clock) -> OpenError {
    let path = path.to_owned();
    let aside = folder.beside("quarantine", clock.utc());
    match attempt {
        Attempt::Slow => OpenError::Slow { path, aside },
        Attempt::Newer(what) => OpenError::Newer { path, what },
        Attempt::Fault(fault) => match fault {
            OpenFault::Locked => OpenError::InUse { lock: path.join("db") },
            OpenFault::Full => OpenError::Full { path },
            OpenFault::Io(source) => OpenError::Io { path, source },
            OpenFault::Damaged(reason) => OpenError::Damaged { path, aside, reason },
            OpenFault::NotDurable => OpenError::NotDurable { path },
        },
    }
}

/// Opens a database of this folder and reads everything in it.
fn attempt(folder: &Folder, path: &Path) -> Result<(SledEngine, Vec<Row>), Attempt> {
    attempt_at(path, folder.ballast(), folder.witness())
}

/// The same wherever it lies.
fn attempt_at(path: &Path, ballast: PathBuf, witness: PathBuf) -> Result<(SledEngine, Vec<Row>), Attempt> {
    let path = path.to_owned();
    apart(move || SledEngine::open(&path, &ballast, &witness)).and_then(checked)
}

/// Takes a step with a database in a thread of its own, which may panic or hang.
fn apart<T: Send + 'static>(
    step: impl FnOnce() -> Result<T, OpenFault> + Send + 'static,
) -> Result<T, Attempt> {
    quiet_panics();
    let (send, receive) = mpsc::channel();
    let thread = std::thread::Builder::new().name(THREAD.into()).spawn(move || {
        // Nobody listens any more when it took too long.
        let _gone = send.send(caught(step));
    });
    if let Err(source) = thread {
        return Err(Attempt::Fault(OpenFault::Io(source)));
    }
    match receive.recv_timeout(OPEN_MAX) {
        Ok(done) => done.map_err(Attempt::Fault),
        Err(_late) => Err(Attempt::Slow),
    }
}

/// A batch is in the database as a whole or not at all; a part of a record alone is damage like any other.
fn checked((engine, rows): (SledEngine, Vec<Row>)) -> Result<(SledEngine, Vec<Row>), Attempt> {
    match record::whole(&rows) {
        Ok(_) => Ok((engine, rows)),
        Err(fault @ record::Fault::Newer(..)) => Err(Attempt::Newer(fault.to_string())),
        Err(fault) => Err(Attempt::Fault(OpenFault::Damaged(fault.to_string()))),
    }
}

/// sled panics on some damage. Whatever it was doing is dropped.
fn caught<T>(step: impl FnOnce() -> Result<T, OpenFault>) -> Result<T, OpenFault> {
    catch_unwind(AssertUnwindSafe(step)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("sled panicked");
        Err(OpenFault::Damaged(one_line(text)))
    })
}

/// A half-written snapshot that a kill left behind keeps sled from opening. It is safe to remove while nobody else
/// has the database open: sled overwrites nothing before that file has its final name.
fn remove_leftovers(path: &Path) -> io::Result<()> {
    let entries = match std::fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("snap.") && name.ends_with(".generating") {
            std::fs::remove_file(entry.path())?;
            tracing::warn!(file = %entry.path().display(), "removed what a killed server left half written");
        }
    }
    Ok(())
}

/// Makes a database that holds these rows. It gets its name only once it is durable, so that one that has its name
/// and holds nothing is known to be damaged.
fn create(folder: &Folder, path: &Path, rows: Vec<Row>) -> Result<(), OpenFault> {
    make(folder, rows, None)?;
    let parent = path.parent().unwrap_or(path);
    let named = std::fs::rename(folder.making(), path).and_then(|()| folder::sync(parent));
    named.map_err(OpenFault::Io)
}

/// Makes a database that is not in its place yet; with an identity when it continues another one.
pub(super) fn make(folder: &Folder, rows: Vec<Row>, identity: Option<Identity>) -> Result<(), OpenFault> {
    let making = folder.making();
    if making.exists() {
        std::fs::remove_dir_all(&making).map_err(OpenFault::Io)?;
    }
    caught(|| SledEngine::create(&making, rows, identity))?;
    folder::sync(&making).map_err(OpenFault::Io)
}

/// Whether the files are larger than docs/storage.md promises for what is in them: what came and went left its room
/// behind, which sled never gives back.
fn is_overgrown(path: &Path, rows: &[Row]) -> bool {
    let live: usize = rows.iter().map(|row| row.key.len() + row.value.len()).sum();
    let live = u64::try_from(live).unwrap_or(u64::MAX);
    folder::size(path).is_ok_and(|size| size > live.saturating_mul(8).saturating_add(SIZE_FREE))
}

/// Writes a sound database anew. When that cannot be done, it stays as it is.
fn compact(folder: &Folder, path: &Path, rows: &[Row], identity: Option<Identity>) {
    let before = folder::size(path).unwrap_or(0);
    let making = folder.making();
    // It goes on under the same name, so that a crash at any point leaves one that is taken for what it is.
    let made = make(folder, rows.to_vec(), identity).map_err(|fault| format!("{fault:?}"));
    let swapped = made.and_then(|()| folder::swap(&making, path).map_err(|error| error.to_string()));
    let durable = path.parent().map_or(Ok(()), folder::sync);
    match (swapped, durable) {
        (Ok(()), Ok(())) => {
            let after = folder::size(path).unwrap_or(0);
            tracing::info!(before, after, "the database was written anew, since its files had grown");
        }
        // A crash may bring either of the two back under its name: both stay until the next attempt.
        (Ok(()), Err(error)) => {
            tracing::warn!(%error, "the database was written anew, and both copies are kept");
            return;
        }
        (Err(error), _) => tracing::warn!(error, "the database stays as large as it is"),
    }
    match std::fs::remove_dir_all(&making) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!(path = %making.display(), %error, "it is not needed and cannot be removed");
        }
        _ => {}
    }
}

/// What [`salvage`] did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Salvaged {
    /// Records that were read whole and kept.
    pub records: usize,
    /// Where the damaged database lies now.
    pub kept: PathBuf,
}

/// Puts what can still be read of a damaged database in its place, while no server runs; the damaged one is kept
/// beside it. Metered calls are refused afterwards until an operator confirms: what could not be read is not in it.
///
/// # Errors
/// Why it was not done; the database is as it was then, unless it is [`BackupError::Replaced`].
pub fn salvage(data: &Path, clock: &Clock) -> Result<Salvaged, BackupError> {
    let folder = Folder::lock(data)?;
    backup::given(&folder, salvage_in(&folder, clock), |salvaged| Some(salvaged.kept.clone()))
}

fn salvage_in(folder: &Folder, clock: &Clock) -> Result<Salvaged, BackupError> {
    let path = folder.database();
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| BackupError::Io { path, source }
    };
    std::fs::metadata(&path).map_err(io(&path))?;
    if let Some(what) = form::newer(folder.path()).map_err(io(&form::file(folder.path())))? {
        return Err(BackupError::Newer { path, what });
    }
    let mut best: Option<Vec<Row>> = None;
    let ways: [fn(&str) -> bool; 4] = [
        |_| false,
        |name| name == "conf",
        |name| name.starts_with("snap."),
        |name| name == "conf" || name.starts_with("snap."),
    ];
    for without in ways {
        let trial = folder.beside("trial", clock.utc());
        let leftover = move |name: &str| name.ends_with(".generating") || without(name);
        folder::copy(&path, &trial, &leftover).map_err(io(&trial))?;
        let place = trial.clone();
        let read = apart(move || SledEngine::salvage(&place));
        std::fs::remove_dir_all(&trial).map_err(io(&trial))?;
        if let Ok((rows, lost)) = read {
            let rows = record::sound(rows);
            if best.as_ref().is_none_or(|best| rows.len() > best.len()) {
                best = Some(rows);
            }
            if !lost {
                break;
            }
        }
    }
    let nothing = || BackupError::Nothing {
        path: path.clone(),
        data: data_of(&path).to_owned(),
        aside: folder.beside("quarantine", clock.utc()),
        backup: backup::newest_in(&data_of(&path).join(backup::BACKUPS)),
    };
    let rows = best.filter(|rows| !rows.is_empty()).ok_or_else(nothing)?;
    let records = record::whole(&rows).map_or(0, |records| records.len());
    let kept = backup::replace(folder, backup::unconfirmed(rows), None, clock)?.ok_or_else(nothing)?;
    Ok(Salvaged { records, kept })
}

/// A copy without some files, and how that is called.
type Repair = (&'static str, fn(&str) -> bool);

/// What may be left out of a copy without guessing: the settings are always the same, and a snapshot that is broken
/// itself is made anew from the log. A sound snapshot that does not fit its log means that the log is damaged; without
/// it sled would open with less and call it whole.
fn repairs(path: &Path) -> io::Result<Vec<Repair>> {
    let mut repairs: Vec<Repair> = vec![("without its settings file", |name| name == "conf")];
    if snapshot_is_broken(path)? {
        repairs.push(("without its broken snapshot", |name| name.starts_with("snap.")));
        repairs.push(("without both", |name| name == "conf" || name.starts_with("snap.")));
    }
    Ok(repairs)
}

fn repair(
    folder: &Folder,
    path: &Path,
    reason: &str,
    clock: &Clock,
) -> Result<(SledEngine, Vec<Row>), OpenError> {
    let io_at = |path: &Path| {
        let path = path.to_owned();
        move |source: io::Error| {
            if source.kind() == io::ErrorKind::StorageFull {
                OpenError::Full { path }
            } else {
                OpenError::Io { path, source }
            }
        }
    };
    for (how, without) in repairs(path).map_err(io_at(path))? {
        let trial = folder.beside("trial", clock.utc());
        folder::copy(path, &trial, &without).map_err(io_at(&trial))?;
        if let Ok(opened) = attempt(folder, &trial) {
            // sled remembers the path that it was opened at: it has to be opened again at its own.
            drop(opened);
            let quarantine = folder.beside("quarantine", clock.utc());
            folder::exchange(&trial, path, &quarantine).map_err(|failed| io_at(path)(failed.source))?;
            let opened = attempt(folder, path).map_err(|attempt| told(attempt, folder, path, clock))?;
            tracing::warn!(
                database = %path.display(), reason, kept = %quarantine.display(),
                "the database was damaged and opened {how}; the damaged one is kept"
            );
            return Ok(opened);
        }
        // A copy that did not help is no evidence of anything.
        std::fs::remove_dir_all(&trial).map_err(io_at(&trial))?;
    }
    // Opening may have cut what sled took for a torn end. A second attempt could then succeed with less in it, as if
    // nothing had been lost, so that there is none.
    let verdict = folder.verdict();
    std::fs::write(&verdict, reason).map_err(io_at(&verdict))?;
    Err(told(Attempt::Fault(OpenFault::Damaged(reason.to_owned())), folder, path, clock))
}

/// Keeps the panics of the opening thread off stderr, where they would bury the one line that helps.
fn quiet_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if std::thread::current().name() != Some(THREAD) {
                before(panic);
            }
        }));
    });
}
