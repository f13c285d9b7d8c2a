//! A folder of its own for each test, and the store in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use ono_sendai::clock::Clock;
use ono_sendai::store::rows::{Quota, Replay};
use ono_sendai::store::{Batch, OpenError, SledStore, State, Store};

/// A folder that is removed with the test.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("store-{name}-{}-{number}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    /// The database's own folder.
    pub fn database(&self) -> PathBuf {
        self.0.join("store/db")
    }

    /// The names in the store's folder that begin with `prefix`.
    pub fn beside(&self, prefix: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.join("store")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with(prefix)).collect()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The store of a folder; it must never hang.
pub fn sled(folder: &Path, clock: &Clock) -> Result<SledStore, OpenError> {
    SledStore::open(folder, clock, Box::new(|| panic!("the store's thread hangs")))
}

/// The same with everything in it read.
pub fn open(folder: &Path) -> State {
    let clock = Clock::system();
    State::load(Arc::new(sled(folder, &clock).unwrap()) as Arc<dyn Store>, &clock).unwrap()
}

/// The key of an account.
pub fn account(n: u8) -> [u8; 16] {
    [n; 16]
}

/// The key of the stored answer number `used` of an account.
pub fn answer(n: u8, used: u64) -> [u8; 32] {
    let mut key = [n; 32];
    key[..8].copy_from_slice(&used.to_be_bytes());
    key
}

/// One unit more for an account, with an answer that belongs to it, in one batch.
pub fn spend(state: &State, n: u8, used: u64) -> Batch {
    let mut batch = Batch::new();
    let quota = Quota { month: 202_701, used, reserved: used };
    state.quotas.put(&mut batch, account(n), quota).unwrap();
    let text = format!("{used} {}", "x".repeat(300 + usize::try_from(used % 17).unwrap() * 400));
    state.replays.put(&mut batch, answer(n, used), Replay { answer: text.as_str().into() }).unwrap();
    batch
}

/// What all files of a folder hold, in bytes.
pub fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| {
            let kind = entry.metadata().unwrap();
            if kind.is_dir() { size(&entry.path()) } else { kind.len() }
        })
        .sum()
}

/// Ends when it is so, and fails when it is not for half a minute.
pub fn eventually(what: &str, mut so: impl FnMut() -> bool) {
    for _ in 0..1_500 {
        if so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("never: {what}");
}

/// How many rounds a test runs: a few, or as many as the variable says.
pub fn rounds(variable: &str, few: u32) -> u32 {
    std::env::var(variable).map_or(few, |number| number.parse().unwrap())
}
