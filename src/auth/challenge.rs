//! What a caller is told whose credentials are not accepted.

use http::{HeaderValue, StatusCode};

/// Why credentials are not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthRefusal {
    /// The token is not valid here.
    InvalidToken,
    /// More than one `Authorization` field.
    SeveralCredentials,
}

impl AuthRefusal {
    /// The HTTP status.
    #[must_use]
    pub fn status(self) -> StatusCode {
        match self {
            Self::InvalidToken => StatusCode::UNAUTHORIZED,
            Self::SeveralCredentials => StatusCode::BAD_REQUEST,
        }
    }

    /// The sentence for a person.
    #[must_use]
    pub fn message(self) -> &'static str {
        match self {
            Self::InvalidToken => {
                "this token is not accepted; this server has no sign-in, so send no Authorization header"
            }
            Self::SeveralCredentials => "send one Authorization header",
        }
    }

    /// The `WWW-Authenticate` field, where the status asks for one.
    #[must_use]
    pub fn challenge(self) -> Option<HeaderValue> {
        match self {
            Self::InvalidToken => Some(HeaderValue::from_static(
                "Bearer error=\"invalid_token\", error_description=\"this server has no sign-in\"",
            )),
            Self::SeveralCredentials => None,
        }
    }
}
