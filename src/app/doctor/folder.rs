//! Whether a folder can be written, found out by writing: a mode does not tell of a file system that is read-only or
//! full.

use std::fs::{File, Metadata};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::{Fault, Mark};
use crate::app::start::uid;
use crate::store::space::{Room, Space};

const MIB: u64 = 1024 * 1024;

/// What became of the try.
pub(super) enum Tried {
    /// It can be written; when there is little room left, what that means.
    Writable(Option<Little>),
    /// It is not there, and can be made.
    CanBeMade,
    /// It cannot be written: what follows its name.
    Not(String),
    /// There is none, and none can be made: what follows its name.
    None(String),
}

/// Little room.
pub(super) struct Little {
    /// How good that is.
    pub(super) mark: Mark,
    /// What follows the name of the folder.
    pub(super) text: String,
}

/// Tries a folder out. Nothing stays behind.
pub(super) fn try_out(folder: &Path) -> Tried {
    match std::fs::metadata(folder) {
        Ok(entry) if !entry.is_dir() => Tried::None("is no folder".to_owned()),
        Ok(_) => match write_in(folder) {
            Ok(()) => Tried::Writable(little_room(folder)),
            Err(error) => Tried::Not(unwritable(&error)),
        },
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Tried::Not(unwritable(&error)),
        Err(_) => match nearest(folder) {
            Some((above, entry)) if entry.is_dir() && write_in(&above).is_ok() => Tried::CanBeMade,
            Some((above, _)) => {
                Tried::None(format!("is not there, and uid {} cannot make it in {}", uid(), above.display()))
            }
            None => Tried::None("cannot be made".to_owned()),
        },
    }
}

fn unwritable(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            format!("cannot be written, since its disk is full ({error}): free some space there")
        }
        io::ErrorKind::ReadOnlyFilesystem => format!("cannot be written: its disk is read-only ({error})"),
        _ => format!("cannot be written by uid {} ({error})", uid()),
    }
}

/// Whether a user is one that systemd makes for as long as a service runs. What is given to it by its number is given to
/// whoever has that number later.
pub(super) fn is_dynamic(user: u32) -> bool {
    (61_184..=65_519).contains(&user)
}

/// Whether another user than the one who looks may make files there, as far as owner and mode tell: of a folder that is
/// open to a group it is not known who belongs to that.
pub(super) fn is_open_to(user: u32, folder: &Metadata) -> bool {
    let (owner, mode) = (folder.uid(), folder.mode());
    if owner == user { mode & 0o300 == 0o300 } else { [0o030, 0o003].iter().any(|bits| mode & bits == *bits) }
}

/// The nearest folder above that is there.
pub(super) fn nearest(path: &Path) -> Option<(PathBuf, Metadata)> {
    let absolute = std::path::absolute(path).ok()?;
    absolute.ancestors().skip(1).find_map(|folder| Some((folder.to_owned(), folder.metadata().ok()?)))
}

fn write_in(folder: &Path) -> io::Result<()> {
    let path = folder.join(format!(".ono-sendai-doctor-{}", std::process::id()));
    let mut file = File::create_new(&path)?;
    let written = file.write_all(&[0; 4_096]).and_then(|()| file.sync_all());
    // It was made just now, so that it can be removed.
    let _removed = std::fs::remove_file(&path);
    written
}

/// What a server gives up for want of room.
fn little_room(folder: &Path) -> Option<Little> {
    let space = Space::of(folder).ok()?;
    let (mark, gives_up) = match space.room() {
        Room::Ample => return None,
        Room::Tight => {
            (Mark::Warn, "answers are no longer kept for identical calls, and no backup is written")
        }
        Room::None => (Mark::Fail(Fault::Here), "metered calls are refused"),
    };
    let (free, total) = (space.free_bytes / MIB, space.total_bytes / MIB);
    let text = format!("has {free} MiB of {total} left, too little: {gives_up}; free some space there");
    Some(Little { mark, text })
}
