//! `[anonymous]`: what callers without a token may use.

use super::keys::Keys;

/// What callers without a token may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anonymous {
    /// Units a UTC day that all of them share; 0 closes anonymous use.
    pub units_per_day: u64,
    /// Calls a minute for one address (IPv6: one /64).
    pub calls_per_minute: u32,
    /// Requests of any kind a second for one address, before anything is looked at.
    pub requests_per_second: u32,
    /// Requests that may come at once from one address after a rest.
    pub requests_burst: u32,
}

impl Default for Anonymous {
    fn default() -> Self {
        Self { units_per_day: 2_000, calls_per_minute: 10, requests_per_second: 20, requests_burst: 200 }
    }
}

impl Anonymous {
    pub(super) fn read(keys: &mut Keys<'_, '_>) -> Self {
        let default = Self::default();
        let mut count = |key, default: u32, unit| {
            keys.whole(key, default.into(), 1..=1_000_000, unit).try_into().unwrap_or(default)
        };
        let calls_per_minute = count("calls_per_minute", default.calls_per_minute, "calls");
        let requests_per_second = count("requests_per_second", default.requests_per_second, "requests");
        let requests_burst = count("requests_burst", default.requests_burst, "requests");
        Self {
            units_per_day: keys.whole("units_per_day", default.units_per_day, 0..=1_000_000_000, "units"),
            calls_per_minute,
            requests_per_second,
            requests_burst,
        }
    }
}
