//! `[accounts]`: what signed-in accounts may use.

use super::keys::Keys;

/// What signed-in accounts may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accounts {
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
        Self { units_per_month: 1_000, calls_per_minute: 60_000, calls_at_once: 64 };
}

impl Default for Accounts {
    fn default() -> Self {
        Self { units_per_month: 1_000, calls_per_minute: 60, calls_at_once: 4 }
    }
}

impl Accounts {
    pub(super) fn read(keys: &mut Keys<'_, '_>) -> Self {
        let default = Self::default();
        let mut count = |key, default: u32, unit| {
            keys.whole(key, default.into(), 1..=1_000_000, unit).try_into().unwrap_or(default)
        };
        let calls_per_minute = count("calls_per_minute", default.calls_per_minute, "calls");
        let calls_at_once = count("calls_at_once", default.calls_at_once, "calls");
        Self {
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
