//! Where a walk through a long result stands.

use serde::{Deserialize, Serialize};

use super::{AccountKey, hex};
use crate::store::class::Class;
use crate::store::record::Record;

/// A walk that was begun. Its key is the random part of the cursor that the caller holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cursor {
    /// Who began it.
    #[serde(with = "hex")]
    pub account: AccountKey,
    /// A digest of the query that it belongs to.
    #[serde(with = "hex")]
    pub query: [u8; 32],
    /// Where it goes on, in the words of whoever began it.
    pub position: String,
    /// Rows that were served so far.
    pub rows: u32,
    /// When this place was kept, in milliseconds since 1970 UTC.
    pub kept_ms: u64,
}

impl Record for Cursor {
    type Key = [u8; 16];
    const CLASS: Class = Class::Cursor;
}
