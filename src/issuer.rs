//! The built-in issuer for demos and tests: whoever reaches it can sign in under any name.
//!
//! Decides which tokens it gives out. It must never run on a server that strangers can reach, and knows
//! nothing of tools, allowances or what a token is used for.

mod client;
mod document;
mod flow;
mod form;
mod key;
mod mint;
mod page;
mod seal;
mod web;

pub use self::key::{IssuerKey, IssuerKeyError, KEY_FILE};
pub use self::mint::{Mint, NoToken, TokenRequest};
pub use self::web::{Issuer, IssuerSettings};

/// Where its pages stand, below the public base; also the end of its name.
pub const ISSUER_PATH: &str = "/issuer";

/// Who signs in when nobody gives another name.
pub const DEMO_SUBJECT: &str = "demo";

/// The name of the issuer of the server that clients call `public_base`.
#[must_use]
pub fn name(public_base: &str) -> String {
    format!("{public_base}{ISSUER_PATH}")
}

#[cfg(test)]
mod tests {
    use super::seal::{Purpose, Seal};
    use super::*;

    #[test]
    fn what_was_sealed_before_a_restart_opens_after_it() {
        let folder = std::env::temp_dir().join(format!("ono-sendai-seal-{}", std::process::id()));
        let seal = || Seal::new(IssuerKey::load_or_make(&folder).unwrap().secret());
        let client = seal().close(Purpose::Client, None, "client");
        assert_eq!(seal().open::<String>(Purpose::Client, &client, 0).as_deref(), Some("client"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
