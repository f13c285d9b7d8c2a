//! Connections and answers, counted for operators.
//!
//! Decides which closed word an answer counts under. Nothing is decided by these counts.

use http::StatusCode;

use crate::telemetry::count::{Counter, Counters, Level, OpenCounters, closed_words};

/// The statuses that answers have; a test holds the source to them.
const STATUSES: [&str; 21] = [
    "200", "201", "202", "204", "302", "303", "304", "400", "401", "403", "404", "405", "406", "408", "413",
    "415", "421", "429", "431", "500", "503",
];

closed_words! {
    /// Why no further connection is taken for a while.
    pub enum Held {
        /// As many are open as may be.
        Full = "full",
        /// The system has no descriptor or memory for one more.
        Shortage = "shortage",
    }
}

closed_words! {
    /// Why a handshake came to nothing.
    pub enum Unshaken {
        /// It was no such thing, or the two sides did not agree in it.
        Failed = "failed",
        /// It took too long.
        Late = "late",
    }
}

/// The counts of one listening socket since the start.
#[derive(Debug)]
pub struct Traffic {
    /// Connections that are open.
    pub open: Level,
    /// Connections that were taken.
    pub taken: Counter,
    /// Times that no further connection was taken, by why.
    pub held: Counters<Held>,
    /// Connections that stood still and were ended, so that another one could be taken.
    pub gave_way: Counter,
    /// Handshakes that came to nothing, by why.
    pub handshakes: Counters<Unshaken>,
    /// Answers by status.
    pub answers: OpenCounters,
}

impl Default for Traffic {
    fn default() -> Self {
        Self {
            open: Level::default(),
            taken: Counter::default(),
            held: Counters::default(),
            gave_way: Counter::default(),
            handshakes: Counters::default(),
            answers: OpenCounters::new(STATUSES),
        }
    }
}

impl Traffic {
    pub(super) fn answered(&self, status: StatusCode) {
        self.answers.one(status.as_str());
    }
}
