//! The data folder and the database in it.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::folder::{Little, Tried, is_dynamic, try_out};
use super::{Fault, Findings};
use crate::admin::{self, Report, Verb};
use crate::app::start::uid;
use crate::clock::Clock;
use crate::config::Config;
use crate::issuer::KEY_FILE;
use crate::store::{self, Examined};
use crate::transport::{DEMO_CERTIFICATE_FILE, DEMO_KEY_FILE};

const FOLDER: &str = "data folder";
const DATABASE: &str = "database";

/// A server that runs on the data folder.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Running {
    /// How many files it may have open, if it says so.
    pub(super) open_files: Option<u64>,
}

/// Looks at both; the server that runs there, if one does.
pub(super) async fn examine(
    config: &Config,
    clock: &Clock,
    as_the_service: &str,
    found: &mut Findings,
) -> Option<Running> {
    let data = config.server.data_dir.clone();
    folder(&data, as_the_service, found);
    owners(&data, found);
    let clock = clock.clone();
    let folder = data.clone();
    // Copying and reading a database takes its time.
    let shown = std::path::absolute(&data).unwrap_or_else(|_| data.clone());
    let shown = shown.display();
    let examined = tokio::task::spawn_blocking(move || store::examine(&folder, &clock)).await;
    match examined {
        Ok(Ok(Examined::Absent)) => found.good(DATABASE, "none yet; the first start makes it"),
        Ok(Ok(Examined::Gone)) => found.warn(
            DATABASE,
            format!(
                "it is gone, though there was one; the next start begins anew and refuses metered calls until `ono-sendai \
                 restore FILE --data {shown}` or `ono-sendai admin restore-confirm --data {shown}`"
            ),
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
    let shown = std::path::absolute(&data).unwrap_or_else(|_| data.clone());
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
        let text = format!(
            "a server runs on it, which waits for `ono-sendai admin restore-confirm --data {}` before it serves what is \
             metered",
            shown.display()
        );
        found.warn(DATABASE, text);
    }
    if found.of.len() == before {
        found.good(DATABASE, "a server runs on it, and writes");
    }
    Running { open_files }
}

fn folder(data: &Path, as_the_service: &str, found: &mut Findings) {
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
            // The number of a dynamic user is another's tomorrow.
            let advice = if is_dynamic(uid()) {
                "let StateDirectory= of the unit name it, or choose another with [server] data_dir"
            } else {
                "run this as the user of the server, give the folder to that user with chown, or choose another with \
                 [server] data_dir"
            };
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
        let mut text = format!(
            "{shown} belongs to uid {owner}, and this runs as uid {}; whether the server can write it is known only when \
             this runs as its user",
            uid()
        );
        if is_dynamic(owner) {
            text.push_str(&format!(", with {as_the_service}"));
        }
        found.warn(FOLDER, text);
    }
    if found.of.len() == before {
        found.good(FOLDER, format!("{shown} can be written"));
    }
}

/// What the server keeps in the data folder, each with how many folders deep it is looked into. Backups are written there
/// and never read by the server, so that only their folder counts; whatever else lies there somebody else put there.
const KEPT: [(&str, u32); 6] = [
    ("store", 2),
    ("acme", 2),
    ("backups", 0),
    (DEMO_CERTIFICATE_FILE, 0),
    (DEMO_KEY_FILE, 0),
    (KEY_FILE, 0),
];

/// What the server keeps belongs to whom the data folder belongs: the server runs as that user, and can use nothing of
/// another. One line for each part.
fn owners(data: &Path, found: &mut Findings) {
    let Ok(owner) = data.metadata().map(|entry| entry.uid()) else { return };
    for (name, depth) in KEPT {
        let part = data.join(name);
        let Some((path, other)) = stray(&part, owner, depth) else { continue };
        // A dynamic user has another number after the next start, and the folder with it.
        let to = match is_dynamic(owner) {
            true => format!("--reference={}", data.display()),
            false => owner.to_string(),
        };
        let text = format!(
            "{} belongs to uid {other}, and the data folder to uid {owner}: a server that runs as its user cannot use it; \
             run chown -R {to} {}",
            path.display(),
            part.display()
        );
        found.fail(FOLDER, Fault::Here, text);
    }
}

/// The file or folder, or something in it, that belongs to another user. No link is followed.
fn stray(path: &Path, owner: u32, depth: u32) -> Option<(PathBuf, u32)> {
    let entry = path.symlink_metadata().ok()?;
    if entry.uid() != owner {
        return Some((path.to_owned(), entry.uid()));
    }
    let deeper = depth.checked_sub(1).filter(|_| entry.is_dir())?;
    let entries = std::fs::read_dir(path).ok()?;
    entries.filter_map(Result::ok).find_map(|entry| stray(&entry.path(), owner, deeper))
}
