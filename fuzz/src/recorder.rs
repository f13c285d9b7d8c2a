//! One request with its answer, as the judge of the tests reads it.

use serde_json::Value;

/// One request with its answer.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The method, in lower case.
    pub method: String,
    /// The path, as it was asked for.
    pub target: String,
    /// The status.
    pub status: u16,
    /// The body; null when it is no JSON.
    pub body: Value,
}

impl Exchange {
    /// The path.
    pub fn path(&self) -> String {
        self.target.clone()
    }
}
