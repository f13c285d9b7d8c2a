//! `get_usage`: what the caller's account has used of its month.

use super::account::{AccountView, finding};
use super::registry::ToolName;
use super::spec::{Access, ToolSpec};
use crate::answer::{Data, Finding};
use crate::envelope::attribution::Origin;
use crate::envelope::error::ToolError;
use crate::profile::Profile;

/// What is published about it.
pub(super) static SPEC: ToolSpec = ToolSpec {
    name: ToolName::GetUsage,
    title: "Get the account's usage",
    description: "What the signed-in account has used of this month's units, what is left, and when the month ends \
        (UTC). Says nothing about music. Costs nothing.",
    arguments: &[],
    access: Access::SignedIn,
    profile: Profile::Core,
    cost: "0",
    families: &[],
};

/// The answer.
pub(super) fn run(account: Option<&AccountView>, origin: Origin) -> Result<Finding, ToolError> {
    finding(account, origin, |account| Data::AccountUsage(account.usage.clone()))
}
