//! Units of a period: what was used and what is set aside.

use serde::{Deserialize, Serialize};

use super::AccountKey;
use crate::store::class::Class;
use crate::store::record::{Only, Record};

/// The allowance of one account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quota {
    /// The UTC month, as year * 100 + month.
    pub month: u32,
    /// Units of calls that were answered.
    pub used: u64,
    /// Units that may have been used, answered or not: what counts as used after a crash. Never below `used`.
    pub reserved: u64,
}

impl Record for Quota {
    type Key = AccountKey;
    const CLASS: Class = Class::Quota;
}

/// The budget that anonymous callers share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Anonymous {
    /// The UTC day, as days since 1970-01-01.
    pub day: u32,
    /// Units of calls that were answered.
    pub used: u64,
    /// Units that may have been used, answered or not. Never below `used`.
    pub reserved: u64,
}

impl Record for Anonymous {
    type Key = Only;
    const CLASS: Class = Class::Anonymous;
}

/// Calls that the data service's plan counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Month {
    /// The UTC month, as year * 100 + month.
    pub month: u32,
    /// Calls.
    pub used: u64,
}

impl Record for Month {
    type Key = Only;
    const CLASS: Class = Class::Month;
}

/// The latest UTC day that units were counted in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calendar {
    /// As days since 1970-01-01.
    pub day: u32,
}

impl Record for Calendar {
    type Key = Only;
    const CLASS: Class = Class::Calendar;
}
