//! `[server]`: where it listens, what it is called from outside, where it keeps its state.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use super::keys::{Keys, path};
use super::public_base::PublicBase;
use super::table::Key;

/// The keys of `[server]`.
pub(super) const KEYS: &[Key] = &[
    Key::new(
        "listen",
        "\"127.0.0.1:8443\"",
        "The IP address and port that the server listens on, with TLS. Port 0 takes any free one.",
    ),
    Key::new(
        "public_base",
        "\"https://localhost:8443\"",
        "What clients call this server: https, lower case, no path, no final slash; a port only when it is \
         not 443, or 0 for the one that listen gets. Every address that the server publishes starts with it.",
    ),
    Key::new(
        "public",
        "false",
        "true when strangers can reach it. A public server needs its own name in public_base, its own \
         certificate, and an operator and contact under [legal]; it never serves the demo catalogue.",
    ),
    Key::new(
        "fixture_mode",
        "true",
        "true: answers come from the built-in demo catalogue, and say so. false: they come from the service \
         under [crate], which needs a key.",
    ),
    Key::new(
        "data_dir",
        "\"./ono-sendai-data\"",
        "The folder for everything the server keeps, the demo certificate included; made when absent.",
    ),
];

/// The port that the server listens on unless it is told otherwise.
pub const PORT: u16 = 8443;

/// Where the server keeps everything unless it is told otherwise.
pub const DATA_FOLDER: &str = "./ono-sendai-data";

/// Where the server listens and what it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// The address and port that the TLS listener binds; port 0 takes any free one.
    pub listen: SocketAddr,
    /// What clients call this server; every address it publishes starts with it. Port 0 takes the one
    /// that the listener gets.
    pub public_base: PublicBase,
    /// Whether strangers can reach it. A public server never serves fixtures.
    pub public: bool,
    /// Whether it answers from the built-in demo catalogue.
    pub fixture_mode: bool,
    /// The folder that holds everything it keeps; made when absent.
    pub data_dir: PathBuf,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, PORT)),
            public_base: PublicBase::localhost(PORT),
            public: false,
            fixture_mode: true,
            data_dir: PathBuf::from(DATA_FOLDER),
        }
    }
}

impl Server {
    pub(super) fn read(keys: &mut Keys<'_, '_>) -> Self {
        let default = Self::default();
        Self {
            listen: keys.text(
                "listen",
                default.listen,
                "an IP address and a port, such as \"127.0.0.1:8443\" or \"[::]:443\"",
                |text| text.parse().ok(),
            ),
            public_base: keys.text(
                "public_base",
                default.public_base,
                "https://NAME or https://NAME:PORT in lower case, without a path or a final slash",
                PublicBase::parse,
            ),
            public: keys.flag("public", default.public),
            fixture_mode: keys.flag("fixture_mode", default.fixture_mode),
            data_dir: keys.text("data_dir", default.data_dir, "the path of a folder", path),
        }
    }
}
