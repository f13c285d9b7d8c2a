//! The folder for backups.

use std::os::unix::fs::MetadataExt as _;

use super::folder::{Little, Tried, try_out};
use super::{Fault, Findings};
use crate::config::Config;

const PART: &str = "backups";

pub(super) fn examine(config: &Config, found: &mut Findings) {
    let Some(every) = config.backup.every else {
        return found.good(PART, "none are written by themselves ([backup] every_minutes = 0)");
    };
    let Some(folder) = &config.backup.folder else {
        return found.good(PART, format!("every {} min, in the data folder", every.as_secs() / 60));
    };
    let shown = folder.display();
    let advice = "correct [backup] folder, or give it to the user of the server with chown";
    let before = found.of.len();
    match try_out(folder) {
        Tried::Writable(None) | Tried::CanBeMade => {}
        Tried::Writable(Some(Little { mark, text })) => found.add(PART, mark, format!("{shown} {text}")),
        Tried::Not(why) | Tried::None(why) => {
            found.fail(PART, Fault::Here, format!("{shown} {why}, so that no backup is written; {advice}"));
        }
    }
    // Root can write anywhere; the server, which runs as the owner of its data, may not.
    if let Some(other) = of_another_user(config) {
        found.fail(PART, Fault::Here, format!("{shown} {other}, so that no backup is written; {advice}"));
    }
    if found.of.len() == before {
        found.good(PART, format!("every {} min to {shown}", every.as_secs() / 60));
    }
}

/// Why the owner of the data folder cannot write there, as far as the owner and the mode of the folder tell.
fn of_another_user(config: &Config) -> Option<String> {
    let folder = config.backup.folder.as_ref()?.metadata().ok()?;
    let data = config.server.data_dir.metadata().ok()?;
    let open_to_others = folder.mode() & 0o022 != 0;
    (data.uid() != 0 && folder.uid() != data.uid() && !open_to_others).then(|| {
        format!(
            "belongs to uid {}, and the data folder to uid {}, which cannot write there",
            folder.uid(),
            data.uid()
        )
    })
}
