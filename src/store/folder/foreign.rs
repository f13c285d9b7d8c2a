//! A data folder that belongs to another user than root, who works in it: `restore` and `salvage` do.
//!
//! Decides what root refuses to find there, and gives what it made to that user: the server runs as that one, and could
//! read nothing of it. Must never know what the files hold.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::fs::{Dir, FileType, Gid, Mode, OFlags, Uid, fchown, fstat, openat};
use rustix::io::Errno;

use super::FolderFault;

/// The user and the group of a folder, when root looks at one of another user.
fn owner(data: &File) -> io::Result<Option<(Uid, Gid)>> {
    if !rustix::process::geteuid().is_root() {
        return Ok(None);
    }
    let found = data.metadata()?;
    let owner = Uid::from_raw(found.uid());
    Ok((!owner.is_root()).then(|| (owner, Gid::from_raw(found.gid()))))
}

/// Makes sure that no name in the store leads root elsewhere, when the data folder is of another user. Root works there
/// by name, so that a link would have it read, write and remove what that user may not. No process of that user runs
/// while the server is stopped: what matters is what was planted before, and not what changes meanwhile.
pub(super) fn refuse_links(data: &Path, store: &Path) -> Result<(), FolderFault> {
    let failed = |error| FolderFault::Io(store.to_owned(), error);
    let is_foreign = match File::open(data) {
        // It is made by root then.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened.and_then(|data| owner(&data)).map_err(failed)?.is_some(),
    };
    if !is_foreign {
        return Ok(());
    }
    match store.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(failed(error)),
        Ok(found) if found.is_dir() => only_real(store),
        Ok(_) => Err(refused(store, "not a real folder")),
    }
}

fn only_real(folder: &Path) -> Result<(), FolderFault> {
    let failed = |error| FolderFault::Io(folder.to_owned(), error);
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let kind = entry.file_type().map_err(failed)?;
        if kind.is_symlink() {
            return Err(refused(&entry.path(), "a symbolic link"));
        }
        if kind.is_dir() {
            only_real(&entry.path())?;
        }
    }
    Ok(())
}

fn refused(path: &Path, what: &str) -> FolderFault {
    let why = format!(
        "it is {what}, and root follows none in the data folder of another user; find out who made it, move it away and try again"
    );
    FolderFault::Io(path.to_owned(), io::Error::other(why))
}

/// Gives what root made in the store to whom the data folder belongs.
pub(super) fn give_to_owner(store: &Path) -> Result<(), FolderFault> {
    let failed = |error| FolderFault::Io(store.to_owned(), error);
    let (Some(data), Some(name)) = (store.parent(), store.file_name()) else { return Ok(()) };
    let data = File::open(data).map_err(failed)?;
    let Some(owner) = owner(&data).map_err(failed)? else { return Ok(()) };
    let name = CString::new(name.as_bytes()).map_err(|error| failed(error.into()))?;
    give(&data, &name, owner).map_err(failed)
}

/// Gives what belongs to root there. Whoever may write there could change a name under root's hands to lead to a file of
/// the system: so nothing is given away by its name, no link is followed, and no file that has another name elsewhere is.
fn give(folder: impl AsFd, name: &CStr, to: (Uid, Gid)) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match openat(folder, name, flags, Mode::empty()) {
        // A link, a socket, or gone already: nothing that was made here.
        Err(Errno::LOOP | Errno::NXIO | Errno::NOENT) => return Ok(()),
        opened => opened?,
    };
    let found = fstat(&file)?;
    let kind = FileType::from_raw_mode(found.st_mode);
    let is_ours =
        found.st_uid == Uid::ROOT.as_raw() && (kind.is_dir() || (kind.is_file() && found.st_nlink == 1));
    if is_ours {
        fchown(&file, Some(to.0), Some(to.1))?;
    }
    if kind.is_dir() {
        for entry in Dir::read_from(&file)? {
            let entry = entry?;
            if ![c".", c".."].contains(&entry.file_name()) {
                give(&file, entry.file_name(), to)?;
            }
        }
    }
    Ok(())
}
