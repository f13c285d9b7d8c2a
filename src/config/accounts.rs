//! `[accounts]`: what signed-in accounts may use.

use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use super::auth::remote;
use super::keys::Keys;

/// Where the account service is, and how it is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountHook {
    /// The address that questions are posted to.
    pub url: Url,
    /// A file with the secret that they are signed with.
    pub key_file: PathBuf,
    /// How long an answer is believed.
    pub cache: Duration,
}

/// What signed-in accounts may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accounts {
    /// The account service; `None` makes accounts at their first call.
    pub hook: Option<AccountHook>,
    /// Units of one UTC month for each account.
    pub units_per_month: u64,
    /// Calls a minute for one account.
    pub calls_per_minute: u32,
    /// Calls of one account at once.
    pub calls_at_once: u32,
}

impl Accounts {
    /// Limits that one person never meets.
    pub(super) const ONE_PERSON: Self =
        Self { hook: None, units_per_month: 1_000, calls_per_minute: 60_000, calls_at_once: 64 };
}

impl Default for Accounts {
    fn default() -> Self {
        Self { hook: None, units_per_month: 1_000, calls_per_minute: 60, calls_at_once: 4 }
    }
}

impl Accounts {
    pub(super) fn read(keys: &mut Keys<'_, '_>) -> Self {
        let default = Self::default();
        let hook = hook(keys);
        let mut count = |key, default: u32, unit| {
            keys.whole(key, default.into(), 1..=1_000_000, unit).try_into().unwrap_or(default)
        };
        let calls_per_minute = count("calls_per_minute", default.calls_per_minute, "calls");
        let calls_at_once = count("calls_at_once", default.calls_at_once, "calls");
        Self {
            hook,
            units_per_month: keys.whole(
                "units_per_month",
                default.units_per_month,
                0..=1_000_000_000,
                "units",
            ),
            calls_per_minute,
            calls_at_once,
        }
    }
}

fn hook(keys: &mut Keys<'_, '_>) -> Option<AccountHook> {
    let hooked =
        keys.choice("mode", false, &[false, true], |hooked| if hooked { "hooked" } else { "interim" });
    let url = keys.optional(
        "service_url",
        "an https address (http on this machine only), without a user or a fragment",
        remote,
    );
    let key_file = keys.optional_path("service_key_file");
    let cache = keys.seconds("service_cache_s", Duration::from_secs(60), 1..=600);
    match (hooked, url, key_file) {
        (true, Some(url), Some(key_file)) => Some(AccountHook { url, key_file, cache }),
        (true, ..) => {
            keys.refuse(
                &["mode", "service_url", "service_key_file"],
                "\"hooked\" without service_url and service_key_file",
                "both, or mode = \"interim\"",
            );
            None
        }
        (false, None, None) => None,
        (false, ..) => {
            keys.refuse(
                &["service_url", "service_key_file", "mode"],
                "an account service together with mode = \"interim\"",
                "mode = \"hooked\", or neither service_url nor service_key_file",
            );
            None
        }
    }
}
