//! The lists that clients ask for, made once: they are the same for every caller.

use serde_json::{Value, json};

use crate::profile::Profile;
use crate::prompts;
use crate::resources::Resources;
use crate::tools::registry;

/// The result of each list method.
#[derive(Debug)]
pub struct Lists {
    core_tools: Value,
    full_tools: Value,
    pub(super) resources: Value,
    pub(super) resource_templates: Value,
    pub(super) prompts: Value,
}

impl Lists {
    /// Makes every list. `scopes` are what a client asks the issuer for; `None` where there is no sign-in.
    #[must_use]
    pub fn new(resources: &Resources, scopes: Option<&[String]>) -> Self {
        Self {
            core_tools: registry::list(Profile::Core, scopes),
            full_tools: registry::list(Profile::Full, scopes),
            resources: resources.list(),
            resource_templates: json!({"resourceTemplates": []}),
            prompts: prompts::list(),
        }
    }

    /// The tools of an endpoint.
    pub(super) fn tools(&self, profile: Profile) -> &Value {
        match profile {
            Profile::Core => &self.core_tools,
            Profile::Full => &self.full_tools,
        }
    }
}
