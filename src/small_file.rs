//! Reads files that people name: only regular ones, and only up to a size.
//!
//! Decides that a device, a pipe or an enormous file is an error and not a wait. Knows nothing of contents.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;

/// Reads the whole file.
///
/// # Errors
/// What the system says; or that it is no regular file, or that it holds more than `max_bytes`.
pub fn read(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    whole(open(path)?, max_bytes)
}

/// Reads the whole of a file that is [open](open()).
///
/// # Errors
/// What the system says; or that it holds more than `max_bytes`.
pub fn whole(file: File, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(max_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        return Err(io::Error::other(format!("larger than {max_bytes} bytes")));
    }
    Ok(bytes)
}

/// Opens a regular file. What stands there is looked at once it is open, so that nothing can be put in its place
/// between; opening a pipe so waits for nobody.
///
/// # Errors
/// What the system says; or that it is no regular file.
pub fn open(path: &Path) -> io::Result<File> {
    // The same bits, as the other side of the call has them.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Ok(file) if file.metadata()?.is_file() => Ok(file),
        Ok(_) => Err(io::Error::other(NotRegular)),
        // What a socket says.
        Err(error) if error.raw_os_error() == Some(Errno::NXIO.raw_os_error()) => {
            Err(io::Error::other(NotRegular))
        }
        Err(error) => Err(error),
    }
}

/// Whether an error of this module says that something else than a regular file is there.
#[must_use]
pub fn is_not_regular(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<NotRegular>())
}

#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("not a regular file")]
struct NotRegular;

/// The name of a file as a message may show it. Whoever takes the setting for the place of the secret itself writes the
/// secret there: what leads nowhere is not shown.
#[must_use]
pub fn shown(path: &Path) -> Option<String> {
    let is_there = |folder: &Path| folder.parent().is_some() && folder.is_dir();
    let leads_somewhere = path.symlink_metadata().is_ok() || path.ancestors().skip(1).any(is_there);
    leads_somewhere.then(|| path.display().to_string())
}

/// Reads the whole file as UTF-8.
///
/// # Errors
/// As for [`read`], and when it is not UTF-8.
pub fn read_text(path: &Path, max_bytes: u64) -> io::Result<String> {
    text(read(path, max_bytes)?)
}

/// What a file holds, as UTF-8.
///
/// # Errors
/// When it is not UTF-8.
pub fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| io::Error::other("not UTF-8 text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_leads_nowhere_is_not_shown() {
        for secret in ["0123456789abcdef", "0123456789ab/cdef==", "/0123456789abcdef", ""] {
            assert_eq!(shown(Path::new(secret)), None, "{secret}");
        }
        for path in ["/proc/version", "/proc/self/none", "/proc/none/none", "Cargo.toml"] {
            assert_eq!(shown(Path::new(path)).as_deref(), Some(path));
        }
    }

    #[test]
    fn a_pipe_is_an_error_and_nobody_is_waited_for() {
        let pipe = std::env::temp_dir().join(format!("ono-sendai-pipe-{}", std::process::id()));
        let _ = std::fs::remove_file(&pipe);
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        let error = read(&pipe, 100).unwrap_err();
        std::fs::remove_file(&pipe).unwrap();
        assert_eq!((error.to_string().as_str(), is_not_regular(&error)), ("not a regular file", true));
        let socket = std::os::unix::net::UnixListener::bind(&pipe).unwrap();
        assert!(is_not_regular(&read(&pipe, 100).unwrap_err()));
        drop(socket);
        std::fs::remove_file(&pipe).unwrap();
        assert!(!is_not_regular(&read(&pipe, 100).unwrap_err()));
    }

    #[test]
    fn a_device_a_folder_and_a_large_file_are_errors_and_never_waits() {
        for (path, why) in [
            ("/dev/zero", "not a regular file"),
            ("/proc", "not a regular file"),
            (concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.lock"), "larger than 100 bytes"),
        ] {
            assert_eq!(read(Path::new(path), 100).unwrap_err().to_string(), why, "{path}");
        }
        assert_eq!(read(Path::new("/proc/none"), 100).unwrap_err().kind(), io::ErrorKind::NotFound);
        let own = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/rustfmt.toml"));
        assert!(read_text(own, 1_000).unwrap().contains("max_width"));
    }
}
