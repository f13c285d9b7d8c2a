//! `get_profile`: what the caller's account may do.

use super::account::{AccountView, finding};
use super::registry::ToolName;
use super::spec::{Access, ToolSpec};
use crate::answer::{Data, Finding};
use crate::envelope::attribution::Origin;
use crate::envelope::error::ToolError;
use crate::profile::Profile;

/// What is published about it.
pub(super) static SPEC: ToolSpec = ToolSpec {
    name: ToolName::GetProfile,
    title: "Get the account's profile",
    description: "What the signed-in account may do: its plan if it has one, units a month, calls a minute and at \
        once. Says nothing about music. Costs nothing.",
    arguments: &[],
    access: Access::SignedIn,
    profile: Profile::Core,
    cost: "0",
    families: &[],
};

/// The answer.
pub(super) fn run(account: Option<&AccountView>, origin: Origin) -> Result<Finding, ToolError> {
    finding(account, origin, |account| Data::AccountProfile(account.profile.clone()))
}
