//! An answer that identical calls are answered with.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::store::class::Class;
use crate::store::record::Record;

/// A stored answer. Its key is a digest of the account and of everything that makes two calls the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replay {
    /// The answer, in the words of whoever stored it.
    pub answer: Arc<str>,
}

impl Record for Replay {
    type Key = [u8; 32];
    const CLASS: Class = Class::Replay;
}
