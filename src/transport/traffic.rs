//! Connections and answers, counted for operators.
//!
//! Decides which closed word an answer counts under. Nothing is decided by these counts.

use http::StatusCode;

use crate::telemetry::count::{Counter, Counters, Level};

/// The statuses that answers have. Those that are none of them are counted as the last.
const STATUSES: [&str; 21] = [
    "200", "202", "204", "302", "303", "304", "400", "401", "403", "404", "405", "406", "408", "413", "415",
    "421", "429", "431", "500", "503", "other",
];

/// The counts of one listening socket since the start.
#[derive(Debug)]
pub struct Traffic {
    /// Connections that are open.
    pub open: Level,
    /// Connections that were taken.
    pub taken: Counter,
    /// Times that no further connection was taken, by why.
    pub held: Counters,
    /// Connections that stood still and were ended, so that another one could be taken.
    pub gave_way: Counter,
    /// Handshakes that came to nothing, by why.
    pub handshakes: Counters,
    /// Answers by status.
    pub answers: Counters,
}

/// As many connections are open as may be.
pub(super) const FULL: &str = "full";
/// The system has no descriptor or memory for one more.
pub(super) const SHORTAGE: &str = "shortage";
/// A handshake that was no such thing, or that the two sides did not agree in.
pub(super) const FAILED: &str = "failed";
/// A handshake that took too long.
pub(super) const LATE: &str = "late";

impl Default for Traffic {
    fn default() -> Self {
        Self {
            open: Level::default(),
            taken: Counter::default(),
            held: Counters::new([FULL, SHORTAGE]),
            gave_way: Counter::default(),
            handshakes: Counters::new([FAILED, LATE]),
            answers: Counters::new(STATUSES),
        }
    }
}

impl Traffic {
    pub(super) fn answered(&self, status: StatusCode) {
        self.answers.one(status.as_str());
    }
}
