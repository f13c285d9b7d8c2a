//! `[anonymous]`: what callers without a token may use.

use super::keys::Keys;

/// What callers without a token may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anonymous {
    /// Units a UTC day that all of them share; 0 closes anonymous use.
    pub units_per_day: u64,
    /// Calls a minute for one address (IPv6: one /64).
    pub calls_per_minute: u32,
}

impl Default for Anonymous {
    fn default() -> Self {
        Self {
            units_per_day: 2_000,
            calls_per_minute: 10,
        }
    }
}

impl Anonymous {
    pub(super) fn read(keys: &mut Keys<'_, '_>) -> Self {
        let default = Self::default();
        Self {
            units_per_day: keys.whole("units_per_day", default.units_per_day, 0..=1_000_000_000, "units"),
            calls_per_minute: keys
                .whole(
                    "calls_per_minute",
                    default.calls_per_minute.into(),
                    1..=1_000_000,
                    "calls",
                )
                .try_into()
                .unwrap_or(default.calls_per_minute),
        }
    }
}
