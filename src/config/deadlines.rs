//! `[deadlines]`: how long a call may take before the answer says so.

use std::time::Duration;

use super::keys::Keys;
use super::table::Key;

/// The keys of `[deadlines]`.
pub(super) const KEYS: &[Key] = &[
    Key::new("call_ms", "8000", "One call to the data service: 100 to 60000 milliseconds, at most tool_ms."),
    Key::new("tool_ms", "12000", "One tool call as a whole: 100 to 120000 milliseconds."),
];

/// How long a call may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// One call to the data service.
    pub call: Duration,
    /// One tool call as a whole; never less than `call`.
    pub tool: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self { call: Duration::from_millis(8_000), tool: Duration::from_millis(12_000) }
    }
}

impl Deadlines {
    pub(super) fn read(keys: &mut Keys<'_, '_>) -> Self {
        let default = Self::default();
        Self {
            call: keys.millis("call_ms", default.call, 100..=60_000),
            tool: keys.millis("tool_ms", default.tool, 100..=120_000),
        }
    }
}
