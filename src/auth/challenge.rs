//! What a caller is told whose credentials are missing or not accepted.
//!
//! Decides the statuses and the exact words of the challenges. Repeats nothing that a caller sent.

use std::time::Duration;

use http::{HeaderValue, StatusCode};

use super::metadata::Metadata;
use crate::profile::Endpoint;

/// Why a request is not served for the credentials that it has, or lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthRefusal {
    /// The token is not valid here.
    InvalidToken,
    /// More than one `Authorization` field.
    SeveralCredentials,
    /// The endpoint wants a sign-in, and there is no token.
    SignInNeeded,
    /// The token cannot be checked just now; it may be good.
    Unverifiable {
        /// When to ask again.
        retry_after: Duration,
    },
}

impl AuthRefusal {
    /// The HTTP status.
    #[must_use]
    pub fn status(self) -> StatusCode {
        match self {
            Self::InvalidToken | Self::SignInNeeded => StatusCode::UNAUTHORIZED,
            Self::SeveralCredentials => StatusCode::BAD_REQUEST,
            Self::Unverifiable { .. } => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

/// What this server says about its sign-in: everything, or that it has none.
#[derive(Clone, Debug)]
pub struct Challenges(Option<Metadata>);

impl Challenges {
    /// Challenges that lead to `metadata`; without it the server has no sign-in.
    #[must_use]
    pub fn new(metadata: Option<Metadata>) -> Self {
        Self(metadata)
    }

    /// The sentence for a person.
    #[must_use]
    pub fn message(&self, refusal: AuthRefusal) -> &'static str {
        match refusal {
            AuthRefusal::InvalidToken if self.0.is_none() => {
                "this token is not accepted; this server has no sign-in, so send no Authorization header"
            }
            AuthRefusal::InvalidToken => "this token is not accepted; sign in again for a new one",
            AuthRefusal::SeveralCredentials => "send one Authorization header",
            AuthRefusal::SignInNeeded => "this endpoint needs a sign-in",
            AuthRefusal::Unverifiable { .. } => {
                "the token cannot be checked just now; keep it and ask again after Retry-After"
            }
        }
    }

    /// The `WWW-Authenticate` field, where the status asks for one.
    #[must_use]
    pub fn header(&self, refusal: AuthRefusal, endpoint: Endpoint) -> Option<HeaderValue> {
        let Some(metadata) = &self.0 else {
            return matches!(refusal, AuthRefusal::InvalidToken).then(|| {
                HeaderValue::from_static(
                    "Bearer error=\"invalid_token\", error_description=\"this server has no sign-in\"",
                )
            });
        };
        let mut challenge = match refusal {
            AuthRefusal::InvalidToken | AuthRefusal::SignInNeeded => bearer(metadata, endpoint),
            AuthRefusal::SeveralCredentials | AuthRefusal::Unverifiable { .. } => return None,
        };
        if !metadata.scopes().is_empty() {
            challenge += &format!(", scope=\"{}\"", metadata.scopes().join(" "));
        }
        // Without credentials there is no error to name.
        if refusal == AuthRefusal::InvalidToken {
            challenge +=
                ", error=\"invalid_token\", error_description=\"the token is not valid here or has expired\"";
        }
        HeaderValue::from_str(&challenge).ok()
    }

    /// The challenge inside the result of a tool that needs a sign-in; `None` when there is no sign-in.
    #[must_use]
    pub fn in_result(&self, endpoint: Endpoint) -> Option<String> {
        let metadata = self.0.as_ref()?;
        // Clients that read it want both an error and a description.
        Some(format!(
            "{}, error=\"insufficient_scope\", error_description=\"this tool needs a sign-in\"",
            bearer(metadata, endpoint)
        ))
    }

    /// The metadata document, if there is a sign-in.
    #[must_use]
    pub fn metadata(&self) -> Option<&Metadata> {
        self.0.as_ref()
    }
}

fn bearer(metadata: &Metadata, endpoint: Endpoint) -> String {
    format!("Bearer resource_metadata=\"{}\"", metadata.address(endpoint))
}
