//! What the tools about the caller's own account are given to answer with.

use crate::answer::{AccountProfile, AccountUsage, Data, Finding};
use crate::envelope::attribution::{Attribution, Origin};
use crate::envelope::error::{ErrorType, ToolError};
use crate::model::source::Sources;

/// The caller's own account, in the words of the answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountView {
    /// What it may do.
    pub profile: AccountProfile,
    /// What it has used.
    pub usage: AccountUsage,
}

/// An answer made of the account; whoever has none has been refused before.
pub(super) fn finding(
    account: Option<&AccountView>,
    origin: Origin,
    data: impl FnOnce(&AccountView) -> Data,
) -> Result<Finding, ToolError> {
    let account = account
        .ok_or_else(|| ToolError::new(ErrorType::Unauthorized, "This tool is for signed-in accounts."))?;
    Ok(Finding {
        data: data(account),
        present: Ok(()),
        ambiguity: None,
        degraded: None,
        untrusted_text: Vec::new(),
        attribution: Attribution::of(&Sources::default(), origin),
        next_actions: Vec::new(),
    })
}
