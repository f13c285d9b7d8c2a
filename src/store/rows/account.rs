//! What is known of an account beyond its use.

use serde::{Deserialize, Serialize};

use super::AccountKey;
use crate::store::class::Class;
use crate::store::record::Record;

/// An account that was seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Account {
    /// When it was first seen, in seconds since 1970 UTC.
    pub first_seen_s: i64,
    /// The units a month that an operator set for it; `None` for what its kind of account has.
    pub allowance: Option<u64>,
    /// Whether an operator shut it out.
    pub blocked: bool,
}

impl Record for Account {
    type Key = AccountKey;
    const CLASS: Class = Class::Account;
}
