//! The state that outlives the program: one thread, one database, and typed handles on it.
//!
//! Decides what is durable and when, what expires, and what becomes of a database that fails. It must never know
//! what a tool answers, who may call, or what anything costs. sled stands behind [`Store`]; its types never leave
//! `sled_engine`. docs/storage.md names every key, value and lifetime.

pub mod ack;
pub mod backup;
pub mod backups;
pub mod batch;
pub mod class;
pub mod cursor_book;
mod engine;
mod folder;
mod form;
pub mod memory;
pub mod opening;
mod owner;
pub mod record;
pub mod rows;
pub mod secret;
mod sled_engine;
pub mod space;
pub mod state;
pub mod table;
mod tally;
mod watchdog;
mod witness;

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

pub use self::ack::{Ack, StoreError};
pub use self::backup::BackupError;
pub use self::backups::Backups;
pub use self::batch::{Batch, Row};
pub use self::class::Class;
pub use self::cursor_book::CursorBook;
pub use self::memory::MemoryStore;
pub use self::opening::{Examined, OpenError, examine};
pub use self::state::State;
pub use self::table::{Refused, Table};
pub use self::watchdog::SILENT_MAX;

use self::folder::Folder;
use self::owner::Owner;
use crate::clock::Clock;
use crate::telemetry::count::Times;

/// Where batches become durable.
pub trait Store: fmt::Debug + Send + Sync {
    /// Queues a batch and returns at once. Batches take effect in the order in which they were submitted, each as
    /// a whole or not at all.
    fn submit(&self, batch: Batch) -> Ack;

    /// Every row that the store held when it was opened. Can be asked once; later it is empty.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn load(&self) -> Result<Vec<Row>, StoreError>;

    /// Whether it takes batches now.
    fn health(&self) -> Health;

    /// How long writes took to become durable; `None` where nothing has to.
    fn flushes(&self) -> Option<Flushes> {
        None
    }

    /// Makes everything durable that was submitted, and takes nothing more.
    fn close(&self);
}

/// Writes that became durable since the start, and those that did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flushes {
    /// How long those took that did.
    pub took: Times,
    /// How many the database or the disk refused.
    pub failed: u64,
}

/// Whether a store takes batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// It takes everything.
    Good,
    /// It takes everything, but has little room: what can be done without should not be written.
    Tight,
    /// It refuses everything, for this reason.
    Refusing(StoreError),
}

impl Health {
    /// The word of every state.
    pub const WORDS: [&'static str; 3] = ["good", "tight", "refusing"];

    /// The word for it.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        let [good, tight, refusing] = Self::WORDS;
        match self {
            Self::Good => good,
            Self::Tight => tight,
            Self::Refusing(_) => refusing,
        }
    }
}

/// The store on disk.
#[derive(Debug)]
pub struct SledStore {
    owner: Arc<Owner>,
    rows: Mutex<Vec<Row>>,
    /// Unlocked only after the database is closed: fields are dropped in their order.
    _folder: Folder,
}

impl SledStore {
    /// Opens the store in the folder `data`, made when absent. `stuck` is called when the thread that owns the
    /// database has been silent for [`SILENT_MAX`]; it should end the program.
    ///
    /// # Errors
    /// Why there is no store, in one line that says what to do.
    pub fn open(data: &Path, clock: &Clock, stuck: Box<dyn FnOnce() + Send>) -> Result<Self, OpenError> {
        let opened = opening::open(data, clock)?;
        let io = |source| OpenError::Io { path: data.to_owned(), source };
        let owner = Arc::new(Owner::start(opened.engine, clock.clone()).map_err(io)?);
        watchdog::start(&owner, stuck).map_err(io)?;
        Ok(Self { owner, rows: Mutex::new(opened.rows), _folder: opened.folder })
    }
}

impl Store for SledStore {
    fn submit(&self, batch: Batch) -> Ack {
        self.owner.submit(batch)
    }

    fn load(&self) -> Result<Vec<Row>, StoreError> {
        Ok(std::mem::take(&mut *self.rows.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    fn health(&self) -> Health {
        self.owner.health()
    }

    fn flushes(&self) -> Option<Flushes> {
        Some(self.owner.flushes())
    }

    fn close(&self) {
        self.owner.close();
    }
}

impl Drop for SledStore {
    /// The watchdog may hold the owner for a moment longer; the lock must not be free before the database is.
    fn drop(&mut self) {
        self.owner.close();
    }
}
