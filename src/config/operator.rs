//! `[operator]`: where operators read metrics and their page.

use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use super::keys::Keys;
use super::table::Key;

/// The keys of `[operator]`.
pub(super) const KEYS: &[Key] = &[Key::new(
    "listen",
    "\"\"",
    "Where metrics and the operator's page are served, in plain HTTP that never leaves this machine: a loopback \
     address such as \"127.0.0.1:9464\", or \"unix:/path\" for the server's own user alone; \"\" serves them nowhere. \
     docs/operating.md says who can read them.",
)];

/// The longest path that a socket can have, in bytes.
const SOCKET_PATH_MAX: usize = 107;

/// Where operators read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operator {
    /// `None` for nowhere.
    pub listen: Option<OperatorListen>,
}

/// A place that only this machine reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperatorListen {
    /// A loopback address; port 0 takes any free one.
    Loopback(SocketAddr),
    /// A socket at this path.
    Unix(PathBuf),
}

impl OperatorListen {
    fn parse(text: &str) -> Option<Self> {
        if let Some(path) = text.strip_prefix("unix:") {
            let fits = path.len() <= SOCKET_PATH_MAX && !path.ends_with('/') && !path.contains('\0');
            return (Path::new(path).is_absolute() && fits).then(|| Self::Unix(PathBuf::from(path)));
        }
        let address: SocketAddr = text.parse().ok()?;
        address.ip().is_loopback().then_some(Self::Loopback(address))
    }
}

impl fmt::Display for OperatorListen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loopback(address) => address.fmt(f),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

impl Operator {
    pub(super) fn read(keys: &mut Keys<'_, '_>) -> Self {
        let accepted = format!(
            "an address of the loopback and a port, such as \"127.0.0.1:9464\" or \"[::1]:9464\", or unix: and the \
             absolute path of a socket of at most {SOCKET_PATH_MAX} bytes"
        );
        Self { listen: keys.optional("listen", &accepted, OperatorListen::parse) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_can_be_named() {
        for good in ["127.0.0.1:9464", "127.8.8.8:1", "[::1]:0", "unix:/run/ono-sendai/operator.sock"] {
            assert_eq!(OperatorListen::parse(good).map(|listen| listen.to_string()).as_deref(), Some(good));
        }
        let long = format!("unix:/{}", "x".repeat(SOCKET_PATH_MAX));
        for bad in [
            "0.0.0.0:9464",
            "[::]:9464",
            "192.0.2.1:9464",
            "[::ffff:127.0.0.1]:9464",
            "localhost:9464",
            "127.0.0.1",
            "9464",
            "unix:",
            "unix:operator.sock",
            "unix:/run/",
            "unix:/a\0b",
            "http://127.0.0.1:9464",
            &long,
        ] {
            assert_eq!(OperatorListen::parse(bad), None, "{bad}");
        }
    }
}
