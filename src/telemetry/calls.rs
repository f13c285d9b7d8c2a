//! What became of requests, counted as their traces end.
//!
//! Decides which counts a request belongs to. The words come from those who know them; whatever is none of them is
//! counted as `other`, so that no caller can add to a set.

use std::time::{Duration, Instant};

use super::count::{Counter, Histogram, OpenCounters, Times};
use super::line_limit::LineLimit;
use super::trace::{CLIENT_ABORT, PANIC, Refused, STOPPED};

/// Ends of calls that are answers.
const ANSWERS: [&str; 2] = ["ok", "replay"];
/// How else a call can end beside the errors that its answer may name.
const ENDS: [&str; 4] = ["rpc_error", CLIENT_ABORT, PANIC, STOPPED];
/// What a client only tells, in the place of a method.
const NOTIFICATION: &str = "notification";
/// The method of a request that is a call of a tool.
const TOOL_CALL: &str = "tools/call";

/// Lines of requests that cost nothing, in each period.
pub(super) const FREE_LINES: u32 = 2_000;
pub(super) const FREE_LINES_PERIOD: Duration = Duration::from_secs(10);

/// The closed sets of what requests are about.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// Every tool.
    pub tools: Vec<&'static str>,
    /// Every error that a tool may answer with.
    pub errors: Vec<&'static str>,
    /// Every method.
    pub methods: Vec<&'static str>,
}

/// Requests and calls since the start.
#[derive(Debug)]
pub struct Calls {
    tools: Box<[Tool]>,
    requests: OpenCounters,
    refused: [Counter; Refused::ALL.len()],
    free_lines: LineLimit,
}

/// The calls of one tool.
#[derive(Debug)]
struct Tool {
    name: &'static str,
    ended: OpenCounters,
    took: Histogram,
}

impl Calls {
    /// None yet, of these.
    #[must_use]
    pub fn new(words: &Words) -> Self {
        let ends = || ANSWERS.into_iter().chain(ENDS).chain(words.errors.iter().copied());
        let tool =
            |name: &&'static str| Tool { name, ended: OpenCounters::new(ends()), took: Histogram::default() };
        Self {
            tools: words.tools.iter().map(tool).collect(),
            requests: OpenCounters::new(words.methods.iter().copied().chain([NOTIFICATION])),
            refused: std::array::from_fn(|_| Counter::default()),
            free_lines: LineLimit::new(FREE_LINES, FREE_LINES_PERIOD),
        }
    }

    /// One more request ended.
    pub(super) fn ended(&self, method: &str, tool: &str, outcome: &str, took: Duration) {
        if let Some((_, counter)) = self.kinds().find(|(kind, _)| kind.as_str() == outcome) {
            counter.one();
            return;
        }
        self.requests.one(method);
        if method == TOOL_CALL
            && let Some(tool) = self.tools.iter().find(|known| known.name == tool)
        {
            tool.ended.one(outcome);
            tool.took.note(took);
        }
    }

    /// Whether the line of a request that cost nothing may be written now, and how many were left out before it.
    pub(super) fn free_line(&self, now: Instant) -> Option<u64> {
        self.free_lines.note(now)
    }

    fn kinds(&self) -> impl Iterator<Item = (Refused, &Counter)> {
        Refused::ALL.into_iter().zip(&self.refused)
    }

    /// Calls that ended, by tool and by how.
    pub fn by_outcome(&self) -> impl Iterator<Item = (&'static str, &'static str, u64)> + '_ {
        self.tools
            .iter()
            .flat_map(|tool| tool.ended.read().map(|(outcome, count)| (tool.name, outcome, count)))
    }

    /// Every way in which a call can end without an answer.
    #[must_use]
    pub fn failures(&self) -> Vec<&'static str> {
        let ends = self.tools.first().into_iter().flat_map(|tool| tool.ended.read());
        ends.map(|(end, _)| end).filter(|end| !ANSWERS.contains(end)).collect()
    }

    /// How long calls took, by tool.
    pub fn took(&self) -> impl Iterator<Item = (&'static str, Times)> + '_ {
        self.tools.iter().map(|tool| (tool.name, tool.took.read()))
    }

    /// Requests that were read, by method.
    pub fn requests(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.requests.read()
    }

    /// Requests that were refused before they were looked at, by kind.
    pub fn refused(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.kinds().map(|(kind, counter)| (kind.as_str(), counter.get()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::count::OTHER;
    use super::*;

    #[test]
    fn nothing_that_a_request_says_makes_a_new_row() {
        let words =
            Words { tools: vec!["get_artist"], errors: vec!["internal"], methods: vec!["ping", TOOL_CALL] };
        let calls = Calls::new(&words);
        let rows = || calls.by_outcome().count() + calls.requests().count() + calls.took().count();
        let before = rows();
        let took = Duration::from_millis(3);
        calls.ended(TOOL_CALL, "get_artist", "ok", took);
        calls.ended(TOOL_CALL, "get_artist", "made up", took);
        calls.ended(TOOL_CALL, "-", "rpc_error", took);
        calls.ended("made/up", "-", "ok", took);
        calls.ended("-", "-", Refused::Flooded.as_str(), took);
        assert_eq!(rows(), before);
        let ended: Vec<_> = calls.by_outcome().filter(|(_, _, count)| *count > 0).collect();
        assert_eq!(ended, [("get_artist", "ok", 1), ("get_artist", OTHER, 1)]);
        let requests: Vec<_> = calls.requests().filter(|(_, count)| *count > 0).collect();
        assert_eq!(requests, [(TOOL_CALL, 3), (OTHER, 1)]);
        assert_eq!(
            calls.refused().collect::<Vec<_>>(),
            [("unauthenticated", 0), ("flooded", 1), ("unreadable", 0), ("unknown_method", 0)]
        );
        assert_eq!(calls.took().map(|(_, times)| times.count()).sum::<u64>(), 2);
    }
}
