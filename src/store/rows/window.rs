//! A degraded window that is open.

use serde::{Deserialize, Serialize};

use crate::store::class::Class;
use crate::store::record::Record;

/// A window. Its key is the name of what it closes: `service`, or a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// Until when nothing is asked, in milliseconds since 1970 UTC.
    pub until_ms: u64,
}

impl Record for Window {
    type Key = String;
    const CLASS: Class = Class::Window;
}
