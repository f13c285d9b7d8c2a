//! The signals that end the program.

use tokio::signal::unix::{Signal, SignalKind, signal};

use super::start::StartError;

/// Takes the signals away from their usual effect from here on.
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    pub(super) fn listen() -> Result<Self, StartError> {
        let on = |kind| signal(kind).map_err(|source| StartError::Runtime { source });
        Ok(Self { terminate: on(SignalKind::terminate())?, interrupt: on(SignalKind::interrupt())? })
    }

    /// Ends when the program is asked to stop once more.
    pub(super) async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
