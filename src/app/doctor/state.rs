//! The data folder and the database in it.

use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::{Fault, Findings};
use crate::admin::{self, Report, Verb};
use crate::app::start::uid;
use crate::clock::Clock;
use crate::config::Config;
use crate::store::{self, Examined};

const FOLDER: &str = "data folder";
const DATABASE: &str = "database";

pub(super) async fn examine(config: &Config, clock: &Clock, found: &mut Findings) {
    let data = config.server.data_dir.clone();
    folder(&data, found);
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
        Ok(Ok(Examined::InUse)) => running(data, found).await,
        Ok(Ok(Examined::NotLookedAt { reason })) => found.warn(
            DATABASE,
            format!("it could not be looked at: {reason}; make room there, or set TMPDIR to another folder"),
        ),
        Ok(Err(error)) => found.fail(DATABASE, Fault::Here, error.to_string()),
        Err(error) => found.fail(DATABASE, Fault::Here, format!("it cannot be looked at: {error}")),
    }
}

/// A server has it open, so that it is the server that knows.
async fn running(data: PathBuf, found: &mut Findings) {
    let told = tokio::task::spawn_blocking(move || admin::ask(&data, &Verb::Status)).await;
    match told {
        Ok(Ok(Report::Status { store_refuses: Some(reason), .. })) => {
            let text = format!("a server runs on it, which writes nothing: {reason}; see its log");
            found.fail(DATABASE, Fault::Here, text);
        }
        Ok(Ok(Report::Status { restore_unconfirmed: true, .. })) => found.warn(
            DATABASE,
            "a server runs on it, which waits for `ono-sendai admin restore-confirm` before it serves what is metered",
        ),
        Ok(Ok(Report::Status { store, .. })) if store != "good" => {
            found.warn(DATABASE, format!("a server runs on it, and its disk is {store}; free some space"));
        }
        Ok(Ok(Report::Status { .. })) => found.good(DATABASE, "a server runs on it, and writes"),
        _ => found.warn(DATABASE, "a server runs on it, but does not say how it is; is it just starting?"),
    }
}

fn folder(data: &Path, found: &mut Findings) {
    let shown = data.display();
    let Ok(entry) = std::fs::metadata(data) else {
        return match nearest(data) {
            Some((folder, entry)) if entry.is_dir() && is_writable(&folder) => {
                found.good(FOLDER, format!("{shown} is not there yet; the first start makes it"));
            }
            Some((folder, _)) => found.fail(
                FOLDER,
                Fault::Here,
                format!(
                    "{shown} is not there, and uid {} cannot make it in {}; make it, or choose another with [server] \
                     data_dir",
                    uid(),
                    folder.display()
                ),
            ),
            None => found.fail(FOLDER, Fault::Here, format!("{shown} cannot be made; correct [server] data_dir")),
        };
    };
    let (owner, mode) = (entry.uid(), entry.mode() & 0o7777);
    if !entry.is_dir() {
        return found.fail(FOLDER, Fault::Here, format!("{shown} is no folder; correct [server] data_dir"));
    }
    if !is_writable(data) {
        let text = format!(
            "{shown} cannot be written by uid {} (it belongs to uid {owner}, mode {mode:04o}); run this as the user of \
             the server, or give the folder to that user with chown",
            uid()
        );
        return found.fail(FOLDER, Fault::Here, text);
    }
    if mode & 0o022 != 0 {
        return found.warn(
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
        return found.warn(FOLDER, text);
    }
    found.good(FOLDER, format!("{shown} can be written"));
}

/// The nearest folder above that is there.
fn nearest(path: &Path) -> Option<(PathBuf, Metadata)> {
    let absolute = std::path::absolute(path).ok()?;
    absolute.ancestors().skip(1).find_map(|folder| Some((folder.to_owned(), folder.metadata().ok()?)))
}

/// Found out by writing: a mode does not tell of a file system that is read-only or full.
fn is_writable(folder: &Path) -> bool {
    let path = folder.join(format!(".ono-sendai-doctor-{}", std::process::id()));
    let made = File::create_new(&path).is_ok();
    if made {
        // It was made just now, so that it can be removed.
        let _removed = std::fs::remove_file(&path);
    }
    made
}
