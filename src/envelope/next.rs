//! Calls that the server recommends.

use serde::Serialize;
use serde_json::{Map, Value};

/// A follow-up that helps with a gap, an ambiguity or a cut list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NextAction {
    tool: &'static str,
    args: Map<String, Value>,
    why: &'static str,
    #[serde(skip)]
    repeats_the_caller: bool,
}

/// The corrected form of a call that was refused.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SuggestedCall {
    tool: &'static str,
    args: Map<String, Value>,
}

impl NextAction {
    /// Recommends `tool` with `args` because of `why`.
    #[must_use]
    pub fn new<const N: usize>(tool: &'static str, args: [(&str, Value); N], why: &'static str) -> Self {
        let args = args.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self { tool, args, why, repeats_the_caller: false }
    }

    /// The same with arguments that the caller typed: the text names them and does not repeat them.
    #[must_use]
    pub fn repeating<const N: usize>(
        tool: &'static str,
        args: [(&str, Value); N],
        why: &'static str,
    ) -> Self {
        Self { repeats_the_caller: true, ..Self::new(tool, args, why) }
    }

    /// The tool's name.
    #[must_use]
    pub fn tool(&self) -> &'static str {
        self.tool
    }

    /// Its arguments.
    #[must_use]
    pub fn args(&self) -> &Map<String, Value> {
        &self.args
    }

    /// Whether its arguments hold what the caller typed.
    #[must_use]
    pub fn repeats_the_caller(&self) -> bool {
        self.repeats_the_caller
    }

    /// What it is good for.
    #[must_use]
    pub fn why(&self) -> &'static str {
        self.why
    }
}

impl SuggestedCall {
    /// Suggests `tool` with `args`.
    #[must_use]
    pub fn new(tool: &'static str, args: Map<String, Value>) -> Self {
        Self { tool, args }
    }

    /// The tool's name.
    #[must_use]
    pub fn tool(&self) -> &'static str {
        self.tool
    }

    /// Its arguments.
    #[must_use]
    pub fn args(&self) -> &Map<String, Value> {
        &self.args
    }
}
