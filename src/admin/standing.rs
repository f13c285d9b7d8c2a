//! What became of the last reading of configuration and certificates, for whoever asks.

use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

/// What holds, and what does not although somebody wanted it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReloadReport {
    /// Why the configuration file as it is now was not taken; `None` when what runs was read from it.
    pub configuration_refused: Option<String>,
    /// Sections with values that wait for the next start.
    pub waits_for_start: Vec<String>,
    /// Keys whose files hold something else than at the start, and are read at the next one only.
    pub files_wait_for_start: Vec<String>,
    /// Why the certificate files as they are now were not taken; `None` when they are what is shown.
    pub certificate_refused: Option<String>,
    /// Until when the first certificate that is shown is valid, as RFC 3339; `None` before one is.
    pub certificate_until: Option<String>,
    /// How an automatic certificate stands; `None` where there is none.
    pub renewal: Option<RenewalReport>,
}

/// How an automatic certificate stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RenewalReport {
    /// When the authority is asked next, as RFC 3339; `None` while it is being asked.
    pub next_try: Option<String>,
    /// Why the last try failed; `None` when it did not.
    pub last_failure: Option<String>,
}

/// The report, kept by whoever reads the files and read by whoever is asked.
#[derive(Debug, Default)]
pub struct Standing(Mutex<ReloadReport>);

impl Standing {
    /// What holds now.
    #[must_use]
    pub fn report(&self) -> ReloadReport {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes the report.
    pub fn note(&self, change: impl FnOnce(&mut ReloadReport)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
