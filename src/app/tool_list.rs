//! The tools as the command line lists them.

use serde::Serialize;

use crate::shape;
use crate::tools::registry::ToolName;

/// One tool, as its list entry describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToolRow {
    /// The name that clients call.
    pub name: String,
    /// The name that people read.
    pub title: String,
    /// What it does.
    pub description: String,
    /// Its arguments by name.
    pub arguments: Vec<String>,
    /// What a call costs, in units.
    pub cost: String,
    /// Whether a sign-in is needed.
    pub auth: String,
    /// About how many tokens its entry in `tools/list` costs a model.
    #[serde(skip)]
    pub listed_tokens: u64,
}

/// The tools, in the order in which clients see them.
#[must_use]
pub fn tools() -> Vec<ToolRow> {
    ToolName::ALL.into_iter().map(row).collect()
}

fn row(tool: ToolName) -> ToolRow {
    let spec = tool.spec();
    ToolRow {
        name: tool.as_str().to_owned(),
        title: spec.title.to_owned(),
        description: spec.description.to_owned(),
        arguments: spec.arguments.iter().map(|argument| argument.name.to_owned()).collect(),
        cost: spec.cost.to_owned(),
        auth: spec.access.as_str().to_owned(),
        listed_tokens: shape::tokens(&spec.list_entry(None).to_string()).into(),
    }
}
