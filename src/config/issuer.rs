//! `[issuer]`: the built-in issuer for demos and tests.

use std::time::Duration;

use super::keys::Keys;
use crate::network::Network;

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
