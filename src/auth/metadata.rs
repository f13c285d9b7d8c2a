//! The document that says where to sign in for this server (RFC 9728).
//!
//! Decides its fields. Made once from the configuration; nothing of a request ever gets into it.

use bytes::Bytes;
use serde_json::json;

use crate::profile::Endpoint;

/// The protected-resource metadata, the same bytes at every address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    public_base: String,
    issuer: String,
    scopes: Vec<String>,
    document: Bytes,
}

impl Metadata {
    /// The metadata of the server that clients call `public_base`, with tokens of `issuer`.
    #[must_use]
    pub fn new(public_base: &str, issuer: &str, scopes: &[String]) -> Self {
        let document = json!({
            "resource": resource(public_base),
            "authorization_servers": [issuer],
            "scopes_supported": scopes,
            "bearer_methods_supported": ["header"],
            "resource_name": "hosaka music data",
            "resource_policy_uri": format!("{public_base}/legal/privacy"),
            "resource_tos_uri": format!("{public_base}/legal/terms"),
        });
        Self {
            public_base: public_base.to_owned(),
            issuer: issuer.to_owned(),
            scopes: scopes.to_vec(),
            document: Bytes::from(document.to_string()),
        }
    }

    /// Where an endpoint's document is found.
    #[must_use]
    pub fn address(&self, endpoint: Endpoint) -> String {
        format!("{}{}", self.public_base, endpoint.metadata_path())
    }

    /// The address of an endpoint, as clients call it.
    #[must_use]
    pub fn endpoint_address(&self, endpoint: Endpoint) -> String {
        format!("{}{}", self.public_base, endpoint.path())
    }

    /// Whose tokens are accepted.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// What a client asks its issuer for.
    #[must_use]
    pub fn scopes(&self) -> &[String] {
        &self.scopes
    }

    /// The document.
    #[must_use]
    pub fn document(&self) -> Bytes {
        self.document.clone()
    }
}

/// What tokens for this server are issued for: one audience for every endpoint.
#[must_use]
pub fn resource(public_base: &str) -> String {
    format!("{public_base}{}", Endpoint::CORE.path())
}
