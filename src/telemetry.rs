//! What operators see: one line a call, on standard error, without anything that is not theirs to see.
//!
//! Decides which facts of a call are logged. Never: tokens, keys, arguments, names, full addresses.

pub mod trace;

pub use self::trace::Trace;
