//! The answers of `get_profile` and `get_usage`.

use serde::Serialize;

/// The answer of `get_profile`: what the account may do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AccountProfile {
    /// `interim` or `hooked`.
    pub account_mode: &'static str,
    /// The name of its plan, if the account service gives it one.
    pub plan: Option<String>,
    /// Units of one UTC month.
    pub units_per_month: u64,
    /// Calls a minute.
    pub calls_per_minute: u32,
    /// Calls at once.
    pub calls_at_once: u32,
}

/// The answer of `get_usage`: what the account has used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AccountUsage {
    /// Units used in the running month.
    pub used: u64,
    /// Units of the month.
    pub allowance: u64,
    /// Units left.
    pub remaining: u64,
    /// Whether four fifths are used.
    pub warning_80: bool,
    /// When the month ends, in UTC.
    pub reset_at: String,
}
