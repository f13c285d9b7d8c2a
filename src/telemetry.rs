//! What operators see: one line a call, on standard error, and counts, without anything that is not theirs to see.
//!
//! Decides which facts of a call are logged, how many lines a flood may write, what is counted and under which closed
//! words. Never: tokens, keys, arguments, names, full addresses.

pub mod calls;
pub mod count;
pub mod exposition;
pub mod line_limit;
pub mod metric;
pub mod process;
pub mod trace;

pub use self::calls::{Calls, Words};
pub use self::line_limit::LineLimit;
pub use self::metric::Metric;
pub use self::trace::{Refused, RefusedLines, Trace};
