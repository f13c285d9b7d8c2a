//! Backups that are written by themselves: one every so often, so many kept.
//!
//! Decides when one is due and which ones go. It must never know what is in them.

mod outcomes;

use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use time::OffsetDateTime;

pub use self::outcomes::{Outcome, Outcomes, Standing};
use super::{BackupError, Health, State, folder};
use crate::clock::Clock;

const PREFIX: &str = "ono-sendai-";
const SUFFIX: &str = ".backup";
const UNFINISHED: &str = ".unfinished";
/// How often it is looked whether one is due.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// A server without any backup writes its first one so long after its start.
const FIRST_AFTER: Duration = Duration::from_secs(60);

/// The backups of one server.
#[derive(Debug)]
pub struct Backups {
    /// Where they lie; made when absent. Others' files in it are not touched.
    pub folder: PathBuf,
    /// What tells this server's backups from those of others in the same folder: letters and digits.
    pub server: String,
    /// The time between two.
    pub every: Duration,
    /// How many are kept.
    pub keep: usize,
    /// When the next one is due.
    pub due: Instant,
    /// When the newest one was written that lay there at the start.
    pub newest: Option<OffsetDateTime>,
    /// Whether it was said that one is put off.
    pub is_put_off: bool,
}

impl Backups {
    /// Backups of which the first is due when the newest one that lies there is old enough, however often the server
    /// was started since.
    #[must_use]
    pub fn new(folder: PathBuf, server: String, every: Duration, keep: usize, clock: &Clock) -> Self {
        let newest = list(&folder, &server)
            .unwrap_or_default()
            .pop()
            .and_then(|path| std::fs::metadata(path).and_then(|found| found.modified()).ok())
            .map(OffsetDateTime::from);
        let age = newest.map(|at| (clock.utc() - at).try_into().unwrap_or_default());
        let wait = age.map_or(FIRST_AFTER, |age| every.saturating_sub(age)).min(every);
        Self { folder, server, every, keep, due: clock.monotonic() + wait, newest, is_put_off: false }
    }

    /// Writes one if it is due, and removes those that are too many; the one that was written. On a disk with little
    /// room it is put off. The state is told what became of it.
    ///
    /// # Errors
    /// When it cannot be written; it is tried again when the next one is due.
    pub fn tick(&mut self, state: &State, clock: &Clock) -> Result<Option<PathBuf>, BackupError> {
        if clock.monotonic() < self.due {
            return Ok(None);
        }
        let why = match state.health() {
            Health::Good => None,
            Health::Tight => Some("it is put off, since the disk has little room".to_owned()),
            Health::Refusing(error) => Some(format!("it is put off, since the store refuses: {error}")),
        };
        if let Some(why) = why {
            if !self.is_put_off {
                tracing::warn!("a backup is due and is put off until the store is well");
                state.backups().put_off(why);
            }
            self.is_put_off = true;
            return Ok(None);
        }
        self.is_put_off = false;
        self.due = clock.monotonic() + self.every;
        let written = self.write(state, clock);
        match &written {
            Ok(_) => state.backups().written(clock.utc()),
            Err(error) => state.backups().failed(error.to_string()),
        }
        written.map(Some)
    }

    fn write(&self, state: &State, clock: &Clock) -> Result<PathBuf, BackupError> {
        let io = |source| BackupError::Io { path: self.folder.clone(), source };
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.folder).map_err(io)?;
        let path =
            self.folder.join(format!("{PREFIX}{}-{}{SUFFIX}", self.server, folder::stamp(clock.utc())));
        state.back_up(&path)?;
        if let Err(error) = self.prune(&path) {
            tracing::warn!(folder = %self.folder.display(), %error, "old backups cannot be removed");
        }
        Ok(path)
    }

    /// Keeps the newest, and in any case the one that was just written: its clock may have been set back.
    fn prune(&self, written: &std::path::Path) -> io::Result<()> {
        let others: Vec<PathBuf> =
            list(&self.folder, &self.server)?.into_iter().filter(|path| path != written).collect();
        let surplus = (others.len() + 1).saturating_sub(self.keep);
        for path in others.iter().take(surplus) {
            std::fs::remove_file(path)?;
        }
        for entry in std::fs::read_dir(&self.folder)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            // A killed server leaves one half written.
            if stamp_of(&name, &self.server, UNFINISHED).is_some() {
                std::fs::remove_file(&path)?;
            }
        }
        Ok(())
    }

    /// Writes them in a thread of its own, for as long as somebody else holds the state.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn write_in_background(mut self, state: &Arc<State>, clock: Clock) -> io::Result<()> {
        state.backups().begin(self.newest, self.every);
        let state: Weak<State> = Arc::downgrade(state);
        std::thread::Builder::new().name("store-backups".into()).spawn(move || {
            while let Some(state) = state.upgrade() {
                match self.tick(&state, &clock) {
                    Ok(None) => {}
                    Ok(Some(path)) => tracing::info!(path = %path.display(), "a backup was written"),
                    Err(error) => tracing::error!(%error, "no backup could be written"),
                }
                drop(state);
                std::thread::sleep(LOOK_EVERY);
            }
        })?;
        Ok(())
    }
}

/// Every backup of a server in a folder, the oldest first.
fn list(folder: &std::path::Path, server: &str) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if stamp_of(&name, server, SUFFIX).is_some() {
            found.push(folder.join(name));
        }
    }
    found.sort();
    Ok(found)
}

/// When a file of this server was written, if its name is that of one.
fn stamp_of<'a>(name: &'a str, server: &str, suffix: &str) -> Option<&'a str> {
    let of_server = name.strip_prefix(PREFIX)?.strip_prefix(server)?.strip_prefix('-')?;
    let stamp = of_server.strip_suffix(suffix)?;
    stamp.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-').then_some(stamp)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::store::rows::Quota;
    use crate::store::{Batch, MemoryStore, backup};
    use time::macros::datetime;

    const SERVER: &str = "0a1b2c3d";
    const HOUR: Duration = Duration::from_secs(3_600);

    struct Scratch(PathBuf);

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _gone = std::fs::remove_dir_all(&self.0);
        }
    }

    fn scratch(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("ono-sendai-backups-{name}-{}", std::process::id()));
        let _gone = std::fs::remove_dir_all(&path);
        Scratch(path)
    }

    #[test]
    fn one_is_written_every_hour_and_so_many_are_kept() {
        let clock = Clock::wound_to(datetime!(2027-01-31 12:00 UTC));
        let store = Arc::new(MemoryStore::new());
        let state = State::load(Arc::clone(&store) as _, &clock).unwrap();
        let folder = scratch("hourly");
        let mut backups = Backups::new(folder.0.clone(), SERVER.to_owned(), HOUR, 3, &clock);
        assert_eq!(backups.tick(&state, &clock).unwrap(), None);
        clock.advance(FIRST_AFTER);
        let first = backups.tick(&state, &clock).unwrap().unwrap();
        assert_eq!(std::fs::metadata(&first).unwrap().permissions().mode() & 0o777, 0o600);
        let file = |name: &str| folder.0.join(name);
        std::fs::write(file("ono-sendai-0a1b2c3d-20270131-000000.unfinished"), "half").unwrap();
        let of_others = [
            "ono-sendai-mine.backup",
            "ono-sendai-ffffffff-20270131-000000.backup",
            "ono-sendai-ffffffff-20270131-000000.unfinished",
        ];
        of_others.iter().for_each(|name| std::fs::write(file(name), "theirs").unwrap());
        for hour in 1..6_u64 {
            let mut batch = Batch::new();
            let quota = Quota { month: 202_701, used: hour, reserved: hour };
            state.quotas.put(&mut batch, [1; 16], quota).unwrap();
            clock.advance(HOUR - Duration::from_secs(1));
            assert_eq!(backups.tick(&state, &clock).unwrap(), None);
            clock.advance(Duration::from_secs(1));
            let path = backups.tick(&state, &clock).unwrap().unwrap();
            assert!(backup::read(&path).unwrap().rows == state.quotas.rows());
            let there = list(&folder.0, SERVER).unwrap();
            assert_eq!((there.len(), there.last()), (3.min(1 + usize::try_from(hour).unwrap()), Some(&path)));
        }
        assert!(!file("ono-sendai-0a1b2c3d-20270131-000000.unfinished").exists());
        assert!(of_others.iter().all(|name| file(name).exists()), "others' files stay");
        clock.step_utc(datetime!(1970-01-01 0:00 UTC));
        clock.advance(HOUR);
        let path = backups.tick(&state, &clock).unwrap().unwrap();
        assert!(path.exists(), "a clock that was set back costs no backup");
        store.fail(true);
        clock.advance(HOUR);
        assert_eq!(backups.tick(&state, &clock).unwrap(), None, "nothing is copied from a store that fails");
        assert!(backups.is_put_off);
    }

    #[test]
    fn an_operator_is_told_of_each_backup_whether_it_was_written_failed_or_was_put_off_and_when_the_last_good_one_was()
     {
        let clock = Clock::wound_to(datetime!(2027-01-31 12:00 UTC));
        let store = Arc::new(MemoryStore::new());
        let state = State::load(Arc::clone(&store) as _, &clock).unwrap();
        let place = scratch("told");
        std::fs::create_dir(&place.0).unwrap();
        let folder = place.0.join("backups");
        let mut backups = Backups::new(folder.clone(), SERVER.to_owned(), HOUR, 3, &clock);
        let mut due = |state: &State| {
            clock.advance(HOUR);
            let _told_to_the_state = backups.tick(state, &clock);
            let counts = [Outcome::Written, Outcome::Failed, Outcome::PutOff]
                .map(|outcome| state.backups().counts().get(outcome));
            (counts, state.backups().standing())
        };
        assert_eq!(state.backups().standing(), Standing::default());
        let (counts, standing) = due(&state);
        let first = clock.utc();
        assert_eq!((counts, standing.last, standing.missing), ([1, 0, 0], Some(first), None));
        // Somebody put a file in the place of the folder.
        std::fs::remove_dir_all(&folder).unwrap();
        std::fs::write(&folder, "in the way").unwrap();
        let (counts, standing) = due(&state);
        assert_eq!((counts, standing.last), ([1, 1, 0], Some(first)), "the last good one is of before");
        assert!(standing.missing.is_some_and(|why| why.contains("backups: ")));
        // However long it is put off, it is one backup.
        store.fail(true);
        assert_eq!(due(&state).0, [1, 1, 1]);
        let (counts, standing) = due(&state);
        assert_eq!((counts, standing.last), ([1, 1, 1], Some(first)));
        assert!(standing.missing.is_some_and(|why| why.starts_with("it is put off")));
        store.fail(false);
        std::fs::remove_file(&folder).unwrap();
        let (counts, standing) = due(&state);
        assert_eq!((counts, standing.last, standing.missing), ([2, 1, 1], Some(clock.utc()), None));
    }

    #[test]
    fn a_server_that_is_started_often_still_writes_one_every_hour() {
        let clock = Clock::system();
        let state = State::load(Arc::new(MemoryStore::new()), &clock).unwrap();
        let folder = scratch("often");
        let due = |age: Duration| {
            let made = std::fs::File::open(list(&folder.0, SERVER).unwrap().pop().unwrap()).unwrap();
            made.set_modified(std::time::SystemTime::now() - age).unwrap();
            Backups::new(folder.0.clone(), SERVER.to_owned(), HOUR, 3, &clock)
                .due
                .saturating_duration_since(clock.monotonic())
        };
        let mut backups = Backups::new(folder.0.clone(), SERVER.to_owned(), HOUR, 3, &clock);
        backups.due = clock.monotonic();
        backups.tick(&state, &clock).unwrap().unwrap();
        assert!(due(HOUR / 4) > HOUR / 2 && due(HOUR / 4) <= HOUR * 3 / 4);
        assert_eq!(due(HOUR * 5), Duration::ZERO);
    }
}
