//! `[guard]`: which hosts, origins and proxies are believed beside the public base.

use super::keys::Keys;
use super::table::Key;
use crate::host::{Authority, Origin};
use crate::network::Network;

/// The keys of `[guard]`.
pub(super) const KEYS: &[Key] = &[
    Key::new(
        "extra_hosts",
        "[]",
        "Further values of the Host header to accept beside public_base, such as \"mcp.example.org\" or \
         \"10.0.0.5:8443\".",
    )
    .reloads(),
    Key::new(
        "extra_origins",
        "[]",
        "Further web origins that may call from a browser, such as \"https://app.example.org\".",
    )
    .reloads(),
    Key::new(
        "trusted_proxies",
        "[]",
        "Proxies in front of this server whose word about the client's address is taken: addresses or \
         networks, such as \"10.0.0.5\" or \"10.0.0.0/8\".",
    )
    .reloads(),
];

/// What is believed beside the public base.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guard {
    /// Further values that the Host header may have.
    pub extra_hosts: Vec<Authority>,
    /// Further web origins that may call from a browser.
    pub extra_origins: Vec<Origin>,
    /// Proxies whose word about the client's address is taken.
    pub trusted_proxies: Vec<Network>,
}

impl Guard {
    pub(super) fn read(keys: &mut Keys<'_, '_>) -> Self {
        Self {
            extra_hosts: keys.list(
                "extra_hosts",
                "a host such as \"mcp.example.org\" or \"10.0.0.5:8443\"",
                Authority::configured,
            ),
            extra_origins: keys.list(
                "extra_origins",
                "an origin such as \"https://app.example.org\"",
                Origin::configured,
            ),
            trusted_proxies: keys.list(
                "trusted_proxies",
                "an address or a network such as \"10.0.0.5\" or \"10.0.0.0/8\"",
                Network::parse,
            ),
        }
    }
}
