//! What protects the data service, as an operator or its own consumption set it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::store::class::Class;
use crate::store::record::{Only, Record};

/// The protection ladder and the switches beside it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ladder {
    /// The rung that an operator set; `None` to follow consumption.
    pub by_hand: Option<u8>,
    /// Whether an operator paused anonymous use.
    pub anonymous_paused: bool,
    /// Tools that an operator switched off.
    pub tools_off: BTreeSet<String>,
    /// Whether a restored backup still waits for an operator's word.
    pub restore_unconfirmed: bool,
}

impl Record for Ladder {
    type Key = Only;
    const CLASS: Class = Class::Ladder;
}
