//! The music vocabulary: what an answer is about, in types that cannot be wrong.
//!
//! Decides what a clean name, a gap and a fact are. Knows no wire format, no MCP and no HTTP.

pub mod artist;
pub mod aura;
pub mod catalog;
pub mod date;
pub mod day;
pub mod family;
pub mod gap;
pub mod gig;
pub mod label;
pub mod link;
pub mod listed;
pub mod neighbour;
pub mod prose;
pub mod rising;
pub mod score;
pub mod signals;
pub mod source;
pub mod text;
pub mod track;
pub mod word;
