//! The data folder and the database in it.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::folder::{Little, Tried, try_out};
use super::{Fault, Findings};
use crate::admin::{self, Report, Verb};
use crate::app::start::uid;
use crate::clock::Clock;
use crate::config::Config;
use crate::store::{self, Examined};

const FOLDER: &str = "data folder";
const DATABASE: &str = "database";

/// A server that runs on the data folder.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Running {
    /// How many files it may have open, if it says so.
    pub(super) open_files: Option<u64>,
}

/// Looks at both; the server that runs there, if one does.
pub(super) async fn examine(config: &Config, clock: &Clock, found: &mut Findings) -> Option<Running> {
    let data = config.server.data_dir.clone();
    folder(&data, found);
    owners(&data, found);
    let clock = clock.clone();
    let folder = data.clone();
    // Copying and reading a database takes its time.
    let examined = tokio::task::spawn_blocking(move || store::examine(&folder, &clock)).await;
    match examined {
        Ok(Ok(Examined::Absent)) => found.good(DATABASE, "none yet; the first start makes it"),
        Ok(Ok(Examined::Gone)) => found.warn(
            DATABASE,
            "it is gone, though there was one; the next start begins anew and refuses metered calls until `ono-sendai \
             restore FILE` or `ono-sendai admin restore-confirm`",
        ),
        Ok(Ok(Examined::Whole { rows })) => {
            found.good(DATABASE, format!("a copy of it opens, with {rows} rows; no server runs on it"));
        }
        Ok(Ok(Examined::InUse)) => return Some(running(data, found).await),
        Ok(Ok(Examined::NotLookedAt { reason })) => found.warn(
            DATABASE,
            format!("it could not be looked at: {reason}; make room there, or set TMPDIR to another folder"),
        ),
        Ok(Err(error)) => found.fail(DATABASE, Fault::Here, error.to_string()),
        Err(error) => found.fail(DATABASE, Fault::Here, format!("it cannot be looked at: {error}")),
    }
    None
}

/// A server has it open, so that it is the server that knows.
async fn running(data: PathBuf, found: &mut Findings) -> Running {
    let told = tokio::task::spawn_blocking(move || admin::ask(&data, &Verb::Status)).await;
    let Ok(Ok(Report::Status { store, store_refuses, restore_unconfirmed, open_files, .. })) = told else {
        found.warn(DATABASE, "a server runs on it, but does not say how it is; is it just starting?");
        return Running::default();
    };
    let before = found.of.len();
    if let Some(reason) = store_refuses {
        let text = format!("a server runs on it, which writes nothing: {reason}; see its log");
        found.fail(DATABASE, Fault::Here, text);
    } else if store != "good" {
        found.warn(DATABASE, format!("a server runs on it, and its disk is {store}; free some space"));
    }
    if restore_unconfirmed {
        found.warn(
            DATABASE,
            "a server runs on it, which waits for `ono-sendai admin restore-confirm` before it serves what is metered",
        );
    }
    if found.of.len() == before {
        found.good(DATABASE, "a server runs on it, and writes");
    }
    Running { open_files }
}

fn folder(data: &Path, found: &mut Findings) {
    let shown = data.display();
    let before = found.of.len();
    match try_out(data) {
        Tried::Writable(None) => {}
        Tried::Writable(Some(Little { mark, text })) => found.add(FOLDER, mark, format!("{shown} {text}")),
        Tried::CanBeMade => {
            return found.good(FOLDER, format!("{shown} is not there yet; the first start makes it"));
        }
        Tried::None(why) => {
            let advice = "make it, or choose another with [server] data_dir";
            found.fail(FOLDER, Fault::Here, format!("{shown} {why}; {advice}"));
        }
        Tried::Not(why) => {
            let advice = "run this as the user of the server, give the folder to that user with chown, or choose another \
                          with [server] data_dir";
            found.fail(FOLDER, Fault::Here, format!("{shown} {why}; {advice}"));
        }
    }
    let Ok(entry) = std::fs::metadata(data) else { return };
    let (owner, mode) = (entry.uid(), entry.mode() & 0o7777);
    if entry.is_dir() && mode & 0o022 != 0 {
        found.warn(
            FOLDER,
            format!("{shown} can be written by others (mode {mode:04o}); run chmod go-w on it"),
        );
    }
    if owner != uid() {
        let text = format!(
            "{shown} belongs to uid {owner}, and this runs as uid {}; whether the server can write it is known only when \
             this runs as its user",
            uid()
        );
        found.warn(FOLDER, text);
    }
    if found.of.len() == before {
        found.good(FOLDER, format!("{shown} can be written"));
    }
}

/// What lies in the store belongs to whom the data folder belongs: the server runs as that user, and can use nothing of
/// another.
fn owners(data: &Path, found: &mut Findings) {
    let Ok(owner) = data.metadata().map(|entry| entry.uid()) else { return };
    let store = data.join("store");
    let stray = [store.clone(), store.join("db")].iter().find_map(|folder| stray(folder, owner));
    if let Some((path, other)) = stray {
        let text = format!(
            "{} belongs to uid {other}, and the data folder to uid {owner}: a server that runs as its user cannot use it; \
             run chown -R {owner} {}",
            path.display(),
            store.display()
        );
        found.fail(FOLDER, Fault::Here, text);
    }
}

/// The folder, or something in it, that belongs to another user.
fn stray(folder: &Path, owner: u32) -> Option<(PathBuf, u32)> {
    let of_another = |path: &Path| {
        let uid = path.symlink_metadata().ok()?.uid();
        (uid != owner).then(|| (path.to_owned(), uid))
    };
    of_another(folder).or_else(|| {
        let entries = std::fs::read_dir(folder).ok()?;
        entries.filter_map(Result::ok).find_map(|entry| of_another(&entry.path()))
    })
}
