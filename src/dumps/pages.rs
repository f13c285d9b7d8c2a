//! Pages elsewhere, as MusicBrainz lists them: by kind.
//!
//! Decides nothing but that the kinds are left out: an address says itself where it leads.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

/// The addresses of all kinds in one list.
pub(super) fn flat<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let by_kind = BTreeMap::<String, Vec<String>>::deserialize(deserializer)?;
    Ok(by_kind.into_values().flatten().collect())
}
