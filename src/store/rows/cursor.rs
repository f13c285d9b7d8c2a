//! Where a walk through a long result stands.

use serde::{Deserialize, Serialize};

use super::{AccountKey, hex};
use crate::store::class::Class;
use crate::store::record::Record;

/// How the next rows are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CursorMode {
    /// With the data service's own cursor: no row is skipped and none comes twice.
    Keyset,
    /// By counting: no row comes twice, but one may be skipped when the catalogue changes.
    OffsetWalk,
}

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
    /// How it goes on.
    pub mode: CursorMode,
    /// Where it goes on, in the words of whoever began it.
    pub position: String,
    /// Rows that were served so far.
    pub rows: u32,
    /// When the walk began, in milliseconds since 1970 UTC.
    pub began_ms: u64,
}

impl Record for Cursor {
    type Key = [u8; 16];
    const CLASS: Class = Class::Cursor;
}
