//! `[issuer]`: the built-in issuer for demos and tests.

use std::time::Duration;

use super::keys::Keys;

/// The built-in issuer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issuer {
    /// Whether it runs; never on a public server.
    pub enabled: bool,
    /// How long its tokens are good for.
    pub token_lifetime: Duration,
}

impl Default for Issuer {
    fn default() -> Self {
        Self { enabled: false, token_lifetime: Duration::from_secs(3600) }
    }
}

impl Issuer {
    pub(super) fn read(keys: &mut Keys<'_, '_>) -> Self {
        let default = Self::default();
        Self {
            enabled: keys.flag("enabled", default.enabled),
            token_lifetime: keys.seconds("token_lifetime_s", default.token_lifetime, 1..=86_400),
        }
    }
}
