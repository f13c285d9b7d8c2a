//! Ends the program when the store's thread is silent: nothing inside could wake it, a supervisor can start anew.

use std::sync::{Arc, Weak};
use std::time::Duration;

use super::owner::Owner;

/// How long the thread may be silent.
pub const SILENT_MAX: Duration = Duration::from_secs(60);

const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Whether the thread has been silent for too long.
pub(super) fn is_stuck(owner: &Owner) -> bool {
    owner.silent() >= SILENT_MAX
}

/// Watches for as long as the owner lives, from a thread of its own; `stuck` is called once.
pub(super) fn start(owner: &Arc<Owner>, stuck: Box<dyn FnOnce() + Send>) -> std::io::Result<()> {
    let owner: Weak<Owner> = Arc::downgrade(owner);
    std::thread::Builder::new().name("store-watchdog".into()).spawn(move || {
        while let Some(owner) = owner.upgrade() {
            if is_stuck(&owner) {
                return stuck();
            }
            drop(owner);
            std::thread::sleep(LOOK_EVERY);
        }
    })?;
    Ok(())
}
