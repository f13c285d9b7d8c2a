//! What became of the last reading of configuration and certificates, for whoever asks.

use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::telemetry::count::{Counters, closed_words};

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
pub struct Standing {
    report: Mutex<ReloadReport>,
    kinds: Mutex<Vec<CertificateKind>>,
    /// What became of configuration files that changed.
    pub configuration: Counters<Reading>,
    /// What became of certificate files that changed.
    pub certificate: Counters<Reading>,
}

closed_words! {
    /// What became of changed files that were read again.
    pub enum Reading {
        /// They were taken.
        Taken = "taken",
        /// They were refused, and the last good went on.
        Refused = "refused",
    }
}

/// Where a certificate that is shown comes from. Closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificateKind {
    /// Files that the configuration names.
    File,
    /// A credential of systemd.
    Credential,
    /// An authority issues and renews it.
    Automatic,
    /// The server made it for a demo.
    Demo,
}

impl CertificateKind {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Credential => "credential",
            Self::Automatic => "automatic",
            Self::Demo => "demo",
        }
    }
}

impl Standing {
    /// What holds now.
    #[must_use]
    pub fn report(&self) -> ReloadReport {
        self.report.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes the report.
    pub fn note(&self, change: impl FnOnce(&mut ReloadReport)) {
        change(&mut self.report.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Where the certificates come from that are shown, in their order.
    #[must_use]
    pub fn kinds(&self) -> Vec<CertificateKind> {
        self.kinds.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes where they come from.
    pub fn note_kinds(&self, kinds: Vec<CertificateKind>) {
        *self.kinds.lock().unwrap_or_else(PoisonError::into_inner) = kinds;
    }
}
