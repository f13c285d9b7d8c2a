//! What is known of a server that has started, and what can go wrong on the way there.

use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::certificate::DemoCertificateFile;
use crate::config::PublicBase;

/// Told once that the server is ready.
pub type Announce = Box<dyn FnOnce(&Started) + Send>;

/// A server that answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Started {
    /// The address that it really listens on.
    pub address: SocketAddr,
    /// What clients call it, with the real port.
    pub public_base: PublicBase,
    /// The demo certificate, when it made its own; clients have to be told to trust it.
    pub certificate: Option<DemoCertificateFile>,
    /// A token of the built-in issuer, where that runs.
    pub demo_token: Option<DemoToken>,
}

/// A token that may be printed, once, where a person asked for it.
#[derive(Clone, PartialEq, Eq)]
pub struct DemoToken(String);

impl DemoToken {
    pub(super) fn new(token: String) -> Self {
        Self(token)
    }

    /// The token itself.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for DemoToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DemoToken(…)")
    }
}

/// Why the server could not start. Each is one line that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Another program listens there.
    #[error(
        "{address} is taken by another program; stop that one, or choose another port with --listen (or [server] listen)"
    )]
    PortTaken {
        /// The address that was asked for.
        address: SocketAddr,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on {address} as uid {uid}: {source}")]
    Listen {
        /// The address that was asked for.
        address: SocketAddr,
        /// The user that the program runs as.
        uid: u32,
        /// What the system said.
        source: io::Error,
    },
    /// The operator's socket cannot be opened.
    #[error(
        "[operator] listen = \"{listen}\" cannot be opened: {reason}; choose another place, or \"\" for none"
    )]
    Operator {
        /// What was asked for.
        listen: String,
        /// What is wrong.
        reason: String,
    },
    /// The socket that whoever runs this program passed on cannot be served.
    #[error("socket activation: {reason}")]
    Passed {
        /// What is wrong and what to do.
        reason: String,
    },
    /// The data folder cannot be made or written.
    #[error(
        "data folder {} cannot be used by uid {uid}{owner}: {source}; choose another with --data (or [server] data_dir)",
        path.display()
    )]
    DataFolder {
        /// The folder.
        path: PathBuf,
        /// The user that the program runs as.
        uid: u32,
        /// Who owns the nearest folder that exists, as ` (FOLDER belongs to uid N, mode 0755)`.
        owner: String,
        /// What the system said.
        source: io::Error,
    },
    /// What the server keeps cannot be opened.
    #[error("{reason}")]
    Store {
        /// What is wrong and what to do.
        reason: String,
    },
    /// The certificate or its key cannot be read or used.
    #[error("certificate: {reason}")]
    Certificate {
        /// What is wrong, with the file.
        reason: String,
    },
    /// A text that the configuration names cannot be read.
    #[error("text {}: {reason}", path.display())]
    Text {
        /// The text file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The built-in issuer has no key.
    #[error("built-in issuer: {reason}")]
    Issuer {
        /// What is wrong, with the file.
        reason: String,
    },
    /// The configured issuer cannot be used.
    #[error("sign-in: {reason}")]
    SignIn {
        /// What is wrong.
        reason: String,
    },
    /// The demo catalogue is not sound.
    #[error("demo catalogue: {reason}")]
    Catalogue {
        /// What is wrong with it.
        reason: String,
    },
    /// The data service cannot be asked as it is configured.
    #[error("data service: {reason} (see [crate])")]
    DataService {
        /// What is wrong, with the file; never the key.
        reason: String,
    },
    /// The system gave no threads or no event queue.
    #[error("cannot start the runtime: {source}")]
    Runtime {
        /// What the system said.
        source: io::Error,
    },
}

impl StartError {
    /// What went wrong when binding `address`.
    #[must_use]
    pub fn listen(address: SocketAddr, source: io::Error) -> Self {
        if source.kind() == io::ErrorKind::AddrInUse {
            return Self::PortTaken { address };
        }
        Self::Listen { address, uid: uid(), source }
    }

    /// What went wrong when making or writing the data folder `path`.
    #[must_use]
    pub fn data_folder(path: &Path, source: io::Error) -> Self {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let existing = absolute.ancestors().find_map(|folder| Some((folder, folder.metadata().ok()?)));
        let owner = existing.map_or_else(String::new, |(folder, found)| {
            format!(
                " ({} belongs to uid {}, mode {:04o})",
                folder.display(),
                found.uid(),
                found.mode() & 0o7777
            )
        });
        Self::DataFolder { path: absolute, uid: uid(), owner, source }
    }
}

/// The user that this process acts as. The kernel says it, since there is no /proc in an empty root.
pub(super) fn uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_error_is_one_line_that_names_the_place() {
        let address: SocketAddr = "127.0.0.1:8443".parse().unwrap();
        let errors = [
            (StartError::listen(address, io::ErrorKind::AddrInUse.into()), "127.0.0.1:8443 is taken"),
            (
                StartError::listen(address, io::ErrorKind::PermissionDenied.into()),
                "cannot listen on 127.0.0.1:8443",
            ),
            (
                StartError::data_folder(Path::new("/proc/none/data"), io::ErrorKind::PermissionDenied.into()),
                "data folder /proc/none/data cannot be used by uid",
            ),
            (
                StartError::Certificate { reason: "/c.pem holds no certificate".into() },
                "certificate: /c.pem holds",
            ),
        ];
        for (error, wanted) in errors {
            let line = error.to_string();
            assert!(line.contains(wanted) && !line.contains('\n'), "{line}");
        }
    }

    #[test]
    fn a_data_folder_error_says_who_owns_what_is_there() {
        let error = StartError::data_folder(Path::new("/proc/none/data"), io::ErrorKind::NotFound.into());
        assert!(error.to_string().contains("(/proc belongs to uid 0, mode 0555)"), "{error}");
    }
}
