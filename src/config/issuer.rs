//! `[issuer]`: the built-in issuer for demos and tests.

use std::time::Duration;

use super::keys::Keys;
use super::table::Key;
use crate::network::Network;

/// The keys of `[issuer]`.
pub(super) const KEYS: &[Key] = &[
    Key::new(
        "enabled",
        "false",
        "true runs a small issuer of this server's own, for demos and tests: whoever reaches it can sign in \
         under any name, so a public server refuses it.",
    ),
    Key::new("token_lifetime_s", "3600", "How long its tokens are good for: 1 to 86400 seconds."),
    Key::new(
        "client_networks",
        "[]",
        "Clients may name the https address of a document about them instead of registering. It is fetched \
         from public addresses only, and from these: addresses or networks, such as \"10.0.0.5\" or \
         \"10.0.0.0/8\".",
    ),
];

/// The built-in issuer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issuer {
    /// Whether it runs; never on a public server.
    pub enabled: bool,
    /// How long its tokens are good for.
    pub token_lifetime: Duration,
    /// Networks in which documents about clients may lie although they are not public.
    pub client_networks: Vec<Network>,
}

impl Default for Issuer {
    fn default() -> Self {
        Self { enabled: false, token_lifetime: Duration::from_secs(3600), client_networks: Vec::new() }
    }
}

impl Issuer {
    pub(super) fn read(keys: &mut Keys<'_, '_>) -> Self {
        let default = Self::default();
        Self {
            enabled: keys.flag("enabled", default.enabled),
            token_lifetime: keys.seconds("token_lifetime_s", default.token_lifetime, 1..=86_400),
            client_networks: keys.list(
                "client_networks",
                "an address or a network such as \"10.0.0.5\" or \"10.0.0.0/8\"",
                Network::parse,
            ),
        }
    }
}
