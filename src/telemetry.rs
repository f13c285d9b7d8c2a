//! What operators see: one line a call, on standard error, without anything that is not theirs to see.
//!
//! Decides which facts of a call are logged, and how many lines a flood may write. Never: tokens, keys,
//! arguments, names, full addresses.

pub mod line_limit;
pub mod trace;

pub use self::line_limit::LineLimit;
pub use self::trace::{Refused, RefusedLines, Trace};
