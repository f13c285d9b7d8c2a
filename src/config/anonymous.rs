//! `[anonymous]`: what callers without a token may use.

use super::keys::Keys;
use super::table::Key;
use crate::network::Network;

/// The keys of `[anonymous]`.
pub(super) const KEYS: &[Key] = &[
    Key::new(
        "units_per_day",
        "2000",
        "Units a UTC day that all callers without a token share: 0 (none is served) to 1000000000.",
    ),
    Key::new(
        "calls_per_minute",
        "10",
        "Calls a minute for one address without a token (IPv6: one /64): 1 to 1000000.",
    ),
    Key::new(
        "requests_per_second",
        "20",
        "POST requests a second to the MCP endpoints that one address (IPv6: one /64) may send without a \
         valid token, whatever they ask: 1 to 1000000. More answer HTTP 429. Counted once the body has \
         arrived and before it is read; pages and preflights are not counted.",
    ),
    Key::new(
        "requests_burst",
        "200",
        "Such requests that one address may send at once after a rest: 1 to 1000000.",
    ),
    Key::new(
        "chatgpt_networks",
        "[]",
        "The addresses that OpenAI publishes for the calls of ChatGPT: addresses or networks, such as \
         \"203.0.113.0/28\". Many people share each of them, so that callers from there without a token are \
         not paced by address but all together.",
    ),
    Key::new("chatgpt_calls_per_minute", "120", "Calls a minute for all of those together: 1 to 1000000."),
];

/// What callers without a token may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anonymous {
    /// Units a UTC day that all of them share; 0 closes anonymous use.
    pub units_per_day: u64,
    /// Calls a minute for one address (IPv6: one /64).
    pub calls_per_minute: u32,
    /// POST requests a second to the MCP endpoints for one address (IPv6: one /64), whatever they ask;
    /// those with a refused token count too. Counted once a body has arrived, before it is read as a
    /// message. Pages, preflights and what the transport itself refuses are not counted.
    pub requests_per_second: u32,
    /// Such requests that may come at once from one address after a rest.
    pub requests_burst: u32,
    /// The addresses that ChatGPT publishes as its own: so many people share each that they are not paced by address.
    pub chatgpt_networks: Vec<Network>,
    /// Calls a minute for all callers from there together.
    pub chatgpt_calls_per_minute: u32,
}

impl Anonymous {
    /// Limits that one person never meets.
    pub(super) const ONE_PERSON: Self = Self {
        units_per_day: 1_000_000,
        calls_per_minute: 60_000,
        requests_per_second: 10_000,
        requests_burst: 100_000,
        chatgpt_networks: Vec::new(),
        chatgpt_calls_per_minute: 60_000,
    };
}

impl Default for Anonymous {
    fn default() -> Self {
        Self {
            units_per_day: 2_000,
            calls_per_minute: 10,
            requests_per_second: 20,
            requests_burst: 200,
            chatgpt_networks: Vec::new(),
            chatgpt_calls_per_minute: 120,
        }
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
        let chatgpt_calls_per_minute =
            count("chatgpt_calls_per_minute", default.chatgpt_calls_per_minute, "calls");
        Self {
            units_per_day: keys.whole("units_per_day", default.units_per_day, 0..=1_000_000_000, "units"),
            calls_per_minute,
            requests_per_second,
            requests_burst,
            chatgpt_networks: keys.list(
                "chatgpt_networks",
                "an address or a network such as \"203.0.113.0/28\"",
                Network::parse,
            ),
            chatgpt_calls_per_minute,
        }
    }
}
