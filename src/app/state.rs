//! What outlives the program: the store in the data folder, opened before anything is served.

use std::path::Path;
use std::sync::Arc;

use super::start::StartError;
use crate::clock::Clock;
use crate::config::Config;
use crate::cursors::seal::Seal;
use crate::store::secret::secret;
use crate::store::{Backups, SledStore, State};

/// Called when the store stops answering; it ends the program.
pub type Stuck = Box<dyn FnOnce() + Send>;

/// Opens the store in the data folder and reads everything in it. May take as long as the store is large.
pub(super) fn open(data: &Path, clock: &Clock, stuck: Stuck) -> Result<Arc<State>, StartError> {
    std::fs::create_dir_all(data).map_err(|error| StartError::data_folder(data, error))?;
    let store = SledStore::open(data, clock, stuck)
        .map_err(|error| StartError::Store { reason: error.to_string() })?;
    let state = State::load(Arc::new(store), clock)
        .map_err(|error| StartError::Store { reason: error.to_string() })?;
    let state = Arc::new(state.sealed_by(secret(data).map_err(|error| key_error(data, &error))?));
    state.sweep_in_background().map_err(|source| StartError::Runtime { source })?;
    Ok(state)
}

/// Writes backups from now on, as often as is configured.
pub(super) fn back_up(config: &Config, state: &Arc<State>, clock: &Clock) -> Result<(), StartError> {
    let Some(every) = config.backup.every else { return Ok(()) };
    let folder = config.backup.folder.clone().unwrap_or_else(|| config.server.data_dir.join("backups"));
    let key = secret(&config.server.data_dir).map_err(|error| key_error(&config.server.data_dir, &error))?;
    let backups = Backups::new(folder, short_name(&key), every, config.backup.keep, clock);
    backups.write_in_background(state, clock.clone()).map_err(|source| StartError::Runtime { source })
}

/// The seal of this server's cursors, the same in every run.
pub(super) fn seal(data: &Path) -> Result<Seal, StartError> {
    secret(data).map(|key| Seal::of(&key)).map_err(|error| key_error(data, &error))
}

/// Tells a server from others by its key without giving anything of it away.
fn short_name(key: &[u8]) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, key);
    digest.as_ref().iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

fn key_error(data: &Path, error: &std::io::Error) -> StartError {
    StartError::Store {
        reason: format!(
            "the key in {} cannot be used: {error}; remove it to make another, which ends all walks that were begun",
            data.join("store/key").display()
        ),
    }
}
