//! What is published about one tool, and everything that is made of it.

use serde_json::{Map, Value, json};

use super::argument::{ArgumentSpec, Kind};
use super::registry::ToolName;
use crate::envelope::error::{ErrorType, Property};
use crate::envelope::schema;
use crate::model::family::Family;
use crate::profile::Profile;

/// Who may call a tool. Closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Everybody, also without a token.
    Anonymous,
    /// Accounts only.
    SignedIn,
}

impl Access {
    /// The word in lists and documents.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anonymous => "anonymous",
            Self::SignedIn => "signed_in",
        }
    }

    /// The schemes that a client may use, as the list of tools publishes them.
    fn security_schemes(self, scopes: Option<&[String]>) -> Value {
        // No tool needs more than a sign-in, so the first scope stands for all of them: the list is paid
        // for by its readers, and the metadata document has the rest.
        let scopes = scopes.map(|scopes| scopes.get(..1).unwrap_or_default());
        match (self, scopes) {
            (Self::Anonymous, None) => json!([{"type": "noauth"}]),
            // Both together: works for everyone, and an account is charged instead of the shared budget.
            (Self::Anonymous, Some(scopes)) => {
                json!([{"type": "noauth"}, {"type": "oauth2", "scopes": scopes}])
            }
            (Self::SignedIn, scopes) => json!([{"type": "oauth2", "scopes": scopes.unwrap_or_default()}]),
        }
    }
}

/// What is published about one tool.
#[derive(Debug, PartialEq, Eq)]
pub struct ToolSpec {
    /// Its name.
    pub name: ToolName,
    /// Its name for people.
    pub title: &'static str,
    /// What it does, for a model that has to choose; the error codes are added when it is listed.
    pub description: &'static str,
    /// Its arguments.
    pub arguments: &'static [ArgumentSpec],
    /// Who may call it.
    pub access: Access,
    /// The endpoint that lists it first.
    pub profile: Profile,
    /// What it costs, in words.
    pub cost: &'static str,
    /// The families of data that it asks for.
    pub families: &'static [Family],
}

/// As long as the longest id, for all of them: one that stands in another's place is told where it belongs.
pub(super) const ID_MAX_CHARS: usize = 64;

impl ToolSpec {
    /// The schema of its arguments: flat, without combinators or references.
    #[must_use]
    pub fn input_schema(&self) -> Value {
        let properties: Map<String, Value> =
            self.arguments.iter().map(|spec| (spec.name.to_owned(), spec.schema())).collect();
        let required: Vec<&str> =
            self.arguments.iter().filter(|spec| spec.required).map(|spec| spec.name).collect();
        let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
        if let (false, Some(object)) = (required.is_empty(), schema.as_object_mut()) {
            object.insert("required".to_owned(), json!(required));
        }
        schema
    }

    /// What it does, ending with the error codes.
    #[must_use]
    pub fn full_description(&self) -> String {
        let codes: Vec<&str> = ErrorType::ALL
            .iter()
            .filter(|kind| kind.retryable() != Property::Reserved)
            .map(|kind| kind.as_str())
            .collect();
        format!("{} Errors: {}.", self.description, codes.join(", "))
    }

    /// Its entry of `tools/list`. `scopes` are what a client asks the issuer for; `None` where there is no
    /// sign-in.
    #[must_use]
    pub fn list_entry(&self, scopes: Option<&[String]>) -> Value {
        let schemes = self.access.security_schemes(scopes);
        json!({
            "name": self.name.as_str(),
            "title": self.title,
            "description": self.full_description(),
            "inputSchema": self.input_schema(),
            "outputSchema": schema::output(),
            "annotations": {
                "title": self.title,
                "readOnlyHint": true,
                "destructiveHint": false,
                "idempotentHint": true,
                "openWorldHint": true,
            },
            // Clients of one SDK drop unknown fields of the entry, so the schemes stand in both places.
            "securitySchemes": schemes,
            "_meta": {"securitySchemes": schemes},
        })
    }

    /// Its row of `hosaka://capabilities`.
    #[must_use]
    pub fn capability(&self) -> Value {
        let limit = self.arguments.iter().find_map(|argument| match argument.kind {
            Kind::Integer { max, .. } if argument.name == "limit" => Some(max),
            _ => None,
        });
        json!({
            "name": self.name.as_str(),
            "title": self.title,
            "auth": self.access.as_str(),
            "profile": self.profile.as_str(),
            "units": self.cost,
            "limit_max": limit,
            "families": self.families.iter().map(|family| family.as_str()).collect::<Vec<_>>(),
        })
    }
}
