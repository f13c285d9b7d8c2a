//! A verified identity behind a cluster id.

use serde::{Deserialize, Serialize};

use crate::store::class::Class;
use crate::store::record::Record;

/// What was verified. Its key is the cluster id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// In the words of whoever remembers; `None` when homonyms share the cluster and it stands for nobody.
    pub known: Option<String>,
}

impl Record for Identity {
    type Key = [u8; 32];
    const CLASS: Class = Class::Identity;
}
