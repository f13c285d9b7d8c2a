//! What an answer costs its reader, and the sizes that it has to keep.
//!
//! Decides how many tokens an answer is worth and what the limits are. It must never know what the
//! answer is about, nor who asked.

pub mod estimate;

pub use self::estimate::tokens;

/// The size that answers of the default shape keep at the 95th percentile, in tokens.
pub const SOFT_TOKENS: u32 = 1_500;
/// The size that no answer exceeds, in tokens.
pub const HARD_TOKENS: u32 = 4_000;
