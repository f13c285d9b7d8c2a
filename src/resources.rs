//! What clients can read beside the tools: what the server can do, how answers look, what facts mean.
//!
//! Decides the list of resources and their content. Reading one never calls the data service and is
//! never counted: what the service says of its data is brought here from time to time, and read as it stands.

pub mod capabilities;

use std::sync::{PoisonError, RwLock};

use serde::Serialize;
use serde_json::{Value, json};

use crate::envelope::schema::{self, SCHEMA_URI};

/// What says where the copy of a document comes from.
const META_SOURCE: &str = "ono-sendai/source";
/// What says of when it is.
const META_AS_OF: &str = "ono-sendai/as_of";

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

/// Where the copy of a document comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentSource {
    /// It came with the program.
    Shipped,
    /// The data service gave it.
    Service,
}

impl DocumentSource {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Shipped => "shipped",
            Self::Service => "service",
        }
    }
}

/// A copy of one of the data service's documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceDocument {
    /// JSON.
    pub text: String,
    /// Where it comes from.
    pub source: DocumentSource,
    /// The day of a shipped copy, the moment at which another one was fetched, in UTC.
    pub as_of: String,
}

/// The data service's documents about its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceDocuments {
    /// What the facets of a dossier are.
    pub manifest: ServiceDocument,
    /// What words and measures mean.
    pub dictionary: ServiceDocument,
}

/// The content of every resource.
#[derive(Debug)]
pub struct Resources {
    capabilities: String,
    schema: String,
    of_the_service: RwLock<ServiceDocuments>,
}

impl Resources {
    /// Puts the resources together, with what is known of the data service's documents so far.
    #[must_use]
    pub fn new(capabilities: &Value, of_the_service: ServiceDocuments) -> Self {
        Self {
            capabilities: capabilities.to_string(),
            schema: schema::envelope().to_string(),
            of_the_service: RwLock::new(of_the_service),
        }
    }

    /// Takes another copy of the manifest from now on.
    pub fn renew_manifest(&self, copy: ServiceDocument) {
        self.of_the_service.write().unwrap_or_else(PoisonError::into_inner).manifest = copy;
    }

    /// Takes another copy of the dictionary from now on.
    pub fn renew_dictionary(&self, copy: ServiceDocument) {
        self.of_the_service.write().unwrap_or_else(PoisonError::into_inner).dictionary = copy;
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
        let known = self.of_the_service.read().unwrap_or_else(PoisonError::into_inner);
        let (text, copy) = match resource {
            ResourceName::Capabilities => (&self.capabilities, None),
            ResourceName::EnvelopeSchema => (&self.schema, None),
            ResourceName::DossierManifest => (&known.manifest.text, Some(&known.manifest)),
            ResourceName::SemanticsDictionary => (&known.dictionary.text, Some(&known.dictionary)),
        };
        let mime_type = resource.entry().mime_type;
        let contents = match copy {
            None => json!({"uri": resource.uri(), "mimeType": mime_type, "text": text}),
            Some(copy) => json!({
                "uri": resource.uri(), "mimeType": mime_type, "text": text,
                "_meta": {META_SOURCE: copy.source.as_str(), META_AS_OF: copy.as_of},
            }),
        };
        Some(json!({"contents": [contents]}))
    }
}
