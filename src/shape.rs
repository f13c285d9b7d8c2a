//! What an answer costs its reader, the sizes that it has to keep, and which rows it gives up for them.
//!
//! Decides how many tokens an answer is worth and how long its lists may be. It must never know what
//! the answer is about, nor who asked.

pub mod estimate;
pub mod list;
pub mod plan;

pub use self::estimate::{Weight, tokens, weigh};
pub use self::list::{List, Role};
pub use self::plan::{Plan, plan};

/// The size that answers of the default shape keep at the 95th percentile, in tokens.
pub const SOFT_TOKENS: u32 = 1_500;
/// The size that no answer exceeds, in tokens.
pub const HARD_TOKENS: u32 = 4_000;
/// The estimate that no answer exceeds: what is left of [`HARD_TOKENS`] when the tokenizer finds a little more.
pub const HARD_ESTIMATE: u32 = HARD_TOKENS / 100 * 95;
/// The rows that an include keeps whatever its size.
pub const INCLUDE_ROWS_MIN: usize = 2;
