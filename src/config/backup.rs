//! `[backup]`: how often everything that is kept is written to a file of its own.

use std::path::PathBuf;
use std::time::Duration;

use super::keys::Keys;
use super::table::Key;

/// The keys of `[backup]`.
pub(super) const KEYS: &[Key] = &[
    Key::new(
        "every_minutes",
        "60",
        "Minutes between two backups of everything that the server keeps: 0 (none) to 10080. docs/storage.md \
         says how one is restored.",
    ),
    Key::new("keep", "3", "How many are kept: 1 to 1000."),
    Key::new(
        "folder",
        "\"\"",
        "The folder for them; \"\" is `backups` in the data folder. Another disk is better.",
    ),
];

/// How often backups are written, and how many are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backup {
    /// The time between two; `None` writes none.
    pub every: Option<Duration>,
    /// How many are kept.
    pub keep: usize,
    /// Where they lie; `None` for `backups` in the data folder.
    pub folder: Option<PathBuf>,
}

impl Default for Backup {
    fn default() -> Self {
        Self { every: Some(Duration::from_secs(60 * 60)), keep: 3, folder: None }
    }
}

impl Backup {
    pub(super) fn read(keys: &mut Keys<'_, '_>) -> Self {
        let default = Self::default();
        let minutes = keys.whole("every_minutes", 60, 0..=10_080, "minutes");
        Self {
            every: (minutes > 0).then(|| Duration::from_secs(minutes * 60)),
            keep: keys.whole("keep", 3, 1..=1_000, "backups").try_into().unwrap_or(default.keep),
            folder: keys.optional_folder("folder"),
        }
    }
}
