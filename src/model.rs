//! The music vocabulary: what an answer is about, in types that cannot be wrong.
//!
//! Decides what a clean name, a gap and a fact are. Knows no wire format, no MCP and no HTTP.

pub mod artist;
pub mod catalog;
pub mod day;
pub mod family;
pub mod gap;
pub mod label;
pub mod link;
pub mod prose;
pub mod signals;
pub mod source;
pub mod text;
pub mod track;
