//! The identity of one request, its one log line, and its place in the counts.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use http::HeaderValue;
use ring::rand::{SecureRandom as _, SystemRandom};
use time::OffsetDateTime;
use uuid::{Builder, Uuid};

use super::calls::Calls;
use super::line_limit::LineLimit;
use crate::clock::Clock;

/// The header that carries the request id.
pub const REQUEST_ID: &str = "x-request-id";

/// The outcome of a request that nobody waited for.
pub(super) const CLIENT_ABORT: &str = "client_abort";
/// The outcome of a request that ended in a fault of this program.
pub(super) const PANIC: &str = "panic";
/// The outcome of a request that was cut short because the server stops.
pub(super) const STOPPED: &str = "stopped";

/// One request, from its first byte read to its answer. Dropping it writes its line, whatever became of
/// the request.
#[derive(Debug)]
pub struct Trace {
    id: Uuid,
    clock: Clock,
    began: Instant,
    method: &'static str,
    tool: &'static str,
    outcome: Option<&'static str>,
    units: Option<u32>,
    stopped: Arc<AtomicBool>,
    line: Line,
    calls: Arc<Calls>,
}

/// Whether the line is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// It is, unless it cost nothing and there were too many like it.
    Due,
    /// It is, after so many of its kind that were not.
    After(u64),
    /// There were too many of its kind just now.
    LeftOut,
    /// Neither is it written nor counted.
    Own,
}

/// Tells a trace from outside that the server cut its request short.
#[derive(Clone, Debug)]
pub struct StopMark(Arc<AtomicBool>);

impl StopMark {
    /// The request is cut short now.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Why a request was not even looked at. Anyone can cause these, so their lines are limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Credentials that are not accepted.
    Unauthenticated,
    /// An address that sends too much.
    Flooded,
    /// No message that can be read.
    Unreadable,
    /// A message that wants a method which there is not.
    UnknownMethod,
}

impl Refused {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Unauthenticated, Self::Flooded, Self::Unreadable, Self::UnknownMethod];

    /// The word in the log and in metrics.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unauthenticated => "unauthenticated",
            Self::Flooded => "flooded",
            Self::Unreadable => "unreadable",
            Self::UnknownMethod => "unknown_method",
        }
    }
}

/// How many lines of each kind of refusal may be written.
#[derive(Debug)]
pub struct RefusedLines {
    unauthenticated: LineLimit,
    flooded: LineLimit,
    unreadable: LineLimit,
    unknown_method: LineLimit,
}

impl RefusedLines {
    const LINES: u32 = 20;
    const PERIOD: Duration = Duration::from_secs(10);

    fn of(&self, kind: Refused) -> &LineLimit {
        match kind {
            Refused::Unauthenticated => &self.unauthenticated,
            Refused::Flooded => &self.flooded,
            Refused::Unreadable => &self.unreadable,
            Refused::UnknownMethod => &self.unknown_method,
        }
    }
}

impl Default for RefusedLines {
    fn default() -> Self {
        let limit = || LineLimit::new(Self::LINES, Self::PERIOD);
        Self { unauthenticated: limit(), flooded: limit(), unreadable: limit(), unknown_method: limit() }
    }
}

impl Trace {
    /// Starts now; `calls` counts how it ends.
    #[must_use]
    pub fn start(clock: &Clock, calls: &Arc<Calls>) -> Self {
        Self {
            id: new_id(clock.utc()),
            clock: clock.clone(),
            began: clock.monotonic(),
            method: "-",
            tool: "-",
            outcome: None,
            units: None,
            stopped: Arc::default(),
            line: Line::Due,
            calls: Arc::clone(calls),
        }
    }

    /// The request id, a UUIDv7.
    #[must_use]
    pub fn id(&self) -> String {
        self.id.hyphenated().encode_lower(&mut Uuid::encode_buffer()).to_owned()
    }

    /// The id as a header.
    #[must_use]
    pub fn header(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(self.id.hyphenated().encode_lower(&mut Uuid::encode_buffer())).ok()
    }

    /// What was asked for, once that is known. Both are words of a closed set.
    pub fn asks(&mut self, method: &'static str, tool: &'static str) {
        self.method = method;
        self.tool = tool;
    }

    /// How it ended, a word of a closed set, and what it cost.
    pub fn finish(&mut self, outcome: &'static str, units: u32) {
        self.outcome = Some(outcome);
        self.units = Some(units);
    }

    /// It is the program that asked itself, again and again: nobody wants a line for that, nor is it a call.
    pub fn leave_out(&mut self) {
        self.line = Line::Own;
    }

    /// It was refused before it was looked at.
    pub fn refuse(&mut self, kind: Refused, lines: &RefusedLines) {
        self.finish(kind.as_str(), 0);
        self.line = match lines.of(kind).note(self.clock.monotonic()) {
            Some(left_out) => Line::After(left_out),
            None => Line::LeftOut,
        };
    }

    /// What tells this trace that the server cut its request short.
    #[must_use]
    pub fn stop_mark(&self) -> StopMark {
        StopMark(Arc::clone(&self.stopped))
    }

    fn outcome(&self) -> &'static str {
        match self.outcome {
            Some(outcome) => outcome,
            None if std::thread::panicking() => PANIC,
            None if self.stopped.load(Ordering::Relaxed) => STOPPED,
            None => CLIENT_ABORT,
        }
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        if self.line == Line::Own {
            return;
        }
        let now = self.clock.monotonic();
        let took = now.saturating_duration_since(self.began);
        let outcome = self.outcome();
        self.calls.ended(self.method, self.tool, outcome, took);
        let left_out = match self.line {
            Line::After(left_out) => Some(left_out),
            // What was paid for is always told of; there is no more of it than units.
            Line::Due if self.units.is_some_and(|units| units > 0) => Some(0),
            Line::Due => self.calls.free_line(now),
            Line::LeftOut | Line::Own => None,
        };
        let Some(left_out) = left_out else { return };
        let took_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let left_out = Some(left_out).filter(|left_out| *left_out > 0);
        let Self { id, method, tool, units, .. } = self;
        tracing::info!(request_id = %id, method, tool, outcome, units, took_us, left_out, "call");
    }
}

/// The random bytes of a UUIDv7.
const RANDOM_BYTES: usize = 10;

/// Random bytes for the next ids of a thread: asking the system for those of each takes longer than all else of it.
#[derive(Default)]
struct Random(Vec<[u8; RANDOM_BYTES]>);

impl Random {
    fn next(&mut self) -> [u8; RANDOM_BYTES] {
        if self.0.is_empty() {
            let mut many = [0; RANDOM_BYTES * 64];
            // Where there is no randomness there is no TLS, and no request comes this far.
            let _filled = SystemRandom::new().fill(&mut many);
            self.0.extend_from_slice(many.as_chunks().0);
        }
        self.0.pop().unwrap_or_default()
    }
}

thread_local! {
    static RANDOM: RefCell<Random> = RefCell::default();
}

/// A UUIDv7: the time, and random bytes from where those of TLS come, which needs no file.
fn new_id(at: OffsetDateTime) -> Uuid {
    // Before 1970 there are no UUIDv7; such a clock is wrong anyway, and ids stay unique.
    let millis = u64::try_from(at.unix_timestamp_nanos() / 1_000_000).unwrap_or_default();
    let random = RANDOM.with_borrow_mut(Random::next);
    Builder::from_unix_timestamp_millis(millis, &random).into_uuid()
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::{Mutex, PoisonError};

    use serde_json::{Value, json};
    use time::macros::datetime;
    use tracing_subscriber::fmt::MakeWriter;

    use super::super::calls::{FREE_LINES, FREE_LINES_PERIOD, Words};
    use super::*;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl<'a> MakeWriter<'a> for Written {
        type Writer = Self;

        fn make_writer(&'a self) -> Self {
            self.clone()
        }
    }

    /// The fields of every line that `work` writes.
    fn lines(work: impl FnOnce(&Clock)) -> Vec<Value> {
        let written = Written::default();
        let log = tracing_subscriber::fmt().json().with_writer(written.clone()).finish();
        tracing::subscriber::with_default(log, || work(&Clock::wound_to(datetime!(2027-01-31 12:00:00 UTC))));
        let bytes = written.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let lines = String::from_utf8(bytes).unwrap();
        lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["fields"].clone()).collect()
    }

    #[test]
    fn a_finished_request_has_one_line_with_numbers_as_numbers() {
        let lines = lines(|clock| {
            let mut trace = Trace::start(clock, &Arc::new(Calls::new(&Words::default())));
            trace.asks("tools/call", "get_artist");
            clock.advance(Duration::from_millis(3));
            trace.finish("ok", 2);
        });
        let [line] = lines.as_slice() else { panic!("{lines:?}") };
        assert_eq!(
            (&line["method"], &line["tool"], &line["outcome"], &line["units"], &line["took_us"]),
            (&json!("tools/call"), &json!("get_artist"), &json!("ok"), &json!(2), &json!(3_000))
        );
        assert!(line.get("left_out").is_none() && line["request_id"].is_string(), "{line}");
    }

    #[test]
    fn a_request_that_is_dropped_says_why_and_claims_no_cost() {
        let lines = lines(|clock| {
            drop(Trace::start(clock, &Arc::new(Calls::new(&Words::default()))));
            let stopped = Trace::start(clock, &Arc::new(Calls::new(&Words::default())));
            stopped.stop_mark().set();
            drop(stopped);
            let panics = Trace::start(clock, &Arc::new(Calls::new(&Words::default())));
            let _unwound = catch_unwind(AssertUnwindSafe(|| {
                let _moved = panics;
                panic!("the test asked for it");
            }));
        });
        let outcomes: Vec<&Value> = lines.iter().map(|line| &line["outcome"]).collect();
        assert_eq!(outcomes, [&json!("client_abort"), &json!("stopped"), &json!("panic")]);
        assert!(lines.iter().all(|line| line.get("units").is_none()), "{lines:?}");
    }

    #[test]
    fn a_flood_of_requests_that_cost_nothing_does_not_fill_the_log_and_hides_nothing_that_cost_something() {
        let lines = lines(|clock| {
            let calls = Arc::new(Calls::new(&Words::default()));
            let ends = |units| Trace::start(clock, &calls).finish("ok", units);
            for _ in 0..FREE_LINES + 500 {
                ends(0);
            }
            ends(1);
            clock.advance(FREE_LINES_PERIOD);
            ends(0);
        });
        let (free, rest) = lines.split_at(FREE_LINES as usize);
        assert!(free.iter().all(|line| line["units"] == json!(0)));
        let [paid, last] = rest else { panic!("{}", rest.len()) };
        assert_eq!((&paid["units"], paid.get("left_out")), (&json!(1), None));
        assert_eq!(last["left_out"], json!(500));
    }

    #[test]
    fn a_flood_of_refusals_does_not_fill_the_log() {
        let refusals = RefusedLines::default();
        let lines = lines(|clock| {
            for kind in Refused::ALL {
                for _ in 0..500 {
                    Trace::start(clock, &Arc::new(Calls::new(&Words::default()))).refuse(kind, &refusals);
                }
            }
            clock.advance(RefusedLines::PERIOD);
            Trace::start(clock, &Arc::new(Calls::new(&Words::default()))).refuse(Refused::Flooded, &refusals);
        });
        assert_eq!(lines.len(), Refused::ALL.len() * 20 + 1);
        assert_eq!(lines.last().map(|line| &line["left_out"]), Some(&json!(480)));
    }
}
