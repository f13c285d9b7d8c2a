//! What clients can read beside the tools: what the server can do, how answers look, what facts mean.
//!
//! Decides the list of resources and their content. Reading one never calls the data service and is
//! never counted.

pub mod capabilities;

use serde::Serialize;
use serde_json::{Value, json};

use crate::envelope::schema::{self, SCHEMA_URI};

/// The resources. Closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceName {
    /// Tools, limits, sign-in, error codes.
    Capabilities,
    /// The schema of every answer.
    EnvelopeSchema,
    /// What the facets of a dossier are and where they come from.
    DossierManifest,
    /// What the data service's words and measures mean.
    SemanticsDictionary,
}

impl ResourceName {
    /// Every resource, in the order of the list.
    pub const ALL: [Self; 4] =
        [Self::Capabilities, Self::EnvelopeSchema, Self::DossierManifest, Self::SemanticsDictionary];

    /// Its address.
    #[must_use]
    pub fn uri(self) -> &'static str {
        match self {
            Self::Capabilities => "hosaka://capabilities",
            Self::EnvelopeSchema => SCHEMA_URI,
            Self::DossierManifest => "hosaka://dossier-manifest",
            Self::SemanticsDictionary => "hosaka://semantics-dictionary",
        }
    }

    fn entry(self) -> Entry {
        let (name, title, description) = match self {
            Self::Capabilities => {
                ("capabilities", "Capabilities", "Tools, limits, sign-in and error codes of this server")
            }
            Self::EnvelopeSchema => (
                "envelope-schema",
                "Envelope schema",
                "JSON Schema 2020-12 of every answer, success and error",
            ),
            Self::DossierManifest => (
                "dossier-manifest",
                "Dossier manifest",
                "What the facets of a dossier are and where they come from",
            ),
            Self::SemanticsDictionary => (
                "semantics-dictionary",
                "Semantics dictionary",
                "What the data service's words and measures mean, and what they do not",
            ),
        };
        Entry { uri: self.uri(), name, title, description, mime_type: "application/json" }
    }
}

#[derive(Serialize)]
struct Entry {
    uri: &'static str,
    name: &'static str,
    title: &'static str,
    description: &'static str,
    #[serde(rename = "mimeType")]
    mime_type: &'static str,
}

/// The content of every resource.
#[derive(Clone, Debug)]
pub struct Resources {
    capabilities: String,
    schema: String,
    manifest: String,
    dictionary: String,
}

impl Resources {
    /// Puts the resources together; `manifest` and `dictionary` are the data service's own documents.
    #[must_use]
    pub fn new(capabilities: &Value, manifest: String, dictionary: String) -> Self {
        Self {
            capabilities: capabilities.to_string(),
            schema: schema::envelope().to_string(),
            manifest,
            dictionary,
        }
    }

    /// The result of `resources/list`.
    #[must_use]
    pub fn list(&self) -> Value {
        json!({"resources": ResourceName::ALL.map(ResourceName::entry)})
    }

    /// The result of `resources/read`; `None` when there is no such resource.
    #[must_use]
    pub fn read(&self, uri: &str) -> Option<Value> {
        let resource = ResourceName::ALL.into_iter().find(|resource| resource.uri() == uri)?;
        let text = match resource {
            ResourceName::Capabilities => &self.capabilities,
            ResourceName::EnvelopeSchema => &self.schema,
            ResourceName::DossierManifest => &self.manifest,
            ResourceName::SemanticsDictionary => &self.dictionary,
        };
        Some(
            json!({"contents": [{"uri": resource.uri(), "mimeType": resource.entry().mime_type, "text": text}]}),
        )
    }
}
