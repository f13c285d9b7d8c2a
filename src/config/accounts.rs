//! `[accounts]`: what signed-in accounts may use.

use std::time::Duration;

use url::Url;

use super::auth::remote;
use super::keys::Keys;
use super::source::SecretSource;
use super::table::Key;

/// The keys of `[accounts]`.
pub(super) const KEYS: &[Key] = &[
    Key::new(
        "mode",
        "\"interim\"",
        "How accounts come about. \"interim\": with the first call, all with the same allowance. \"hooked\": \
         an account service says who is active and what each may use.",
    ),
    Key::new(
        "service_url",
        "\"\"",
        "The https address of the account service; http on this machine only. docs/sign-in.md says what it is \
         asked.",
    ),
    Key::new(
        "service_key",
        "\"\"",
        "The secret that questions to it are signed with, 32 to 512 characters. Better kept in a file of its own.",
    ),
    Key::new(
        "service_key_file",
        "\"\"",
        "A file with the secret that questions to it are signed with, 32 to 512 characters, and that only its owner \
         and group can read.",
    ),
    Key::new(
        "service_key_credential",
        "\"\"",
        "The name of a credential of systemd with that secret. One of service_key, service_key_file and \
         service_key_credential.",
    ),
    Key::new("service_cache_s", "60", "How long its answers are believed: 1 to 600 seconds."),
    Key::new(
        "units_per_month",
        "1000",
        "Units a UTC month for each account that is given no other number: 0 to 1000000000. A hooked server \
         usually gives 10000.",
    ),
    Key::new("calls_per_minute", "60", "Calls a minute for one account: 1 to 1000000."),
    Key::new("calls_at_once", "4", "Calls of one account that may run at once: 1 to 1000000."),
];

/// Where the account service is, and how it is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountHook {
    /// The address that questions are posted to.
    pub url: Url,
    /// The secret that they are signed with.
    pub key: SecretSource,
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
    let key = keys.secret_source(
        ["service_key", "service_key_file", "service_key_credential"],
        "a secret of 32 to 512 characters",
        is_service_key,
    );
    let cache = keys.seconds("service_cache_s", Duration::from_secs(60), 1..=600);
    match (hooked, url, key) {
        (true, Some(url), Some(key)) => Some(AccountHook { url, key, cache }),
        (true, ..) => {
            keys.refuse(
                &["mode", "service_url", "service_key", "service_key_file", "service_key_credential"],
                "\"hooked\" without service_url and a secret",
                "service_url and one of service_key, service_key_file, service_key_credential, or mode = \"interim\"",
            );
            None
        }
        (false, None, None) => None,
        (false, ..) => {
            keys.refuse(
                &["service_url", "service_key", "service_key_file", "service_key_credential", "mode"],
                "an account service together with mode = \"interim\"",
                "mode = \"hooked\", or neither service_url nor a secret for it",
            );
            None
        }
    }
}

/// Whether a text can be the secret that questions to an account service are signed with.
#[must_use]
pub fn is_service_key(text: &str) -> bool {
    (32..=512).contains(&text.chars().count()) && !text.chars().any(char::is_control)
}
