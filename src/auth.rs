//! From the credentials of a request to who is asking.
//!
//! Decides who a caller is. Only this module can make a [`Principal`]. It must never know what is
//! asked for, nor what it costs.

pub mod challenge;
pub mod principal;

use http::HeaderMap;
use http::header::AUTHORIZATION;

pub use self::challenge::AuthRefusal;
pub use self::principal::Principal;

/// Finds out who sends a request.
///
/// This version has no sign-in: a request without credentials is anonymous, and one with credentials is
/// refused, since a token that nobody can check must not pass for none.
///
/// # Errors
/// Credentials that are malformed or cannot be accepted.
pub fn authenticate(headers: &HeaderMap) -> Result<Principal, AuthRefusal> {
    let mut fields = headers.get_all(AUTHORIZATION).iter();
    match (fields.next(), fields.next()) {
        (None, _) => Ok(Principal::anonymous()),
        (Some(_), None) => Err(AuthRefusal::InvalidToken),
        (Some(_), Some(_)) => Err(AuthRefusal::SeveralCredentials),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(fields: &[&str]) -> Result<Principal, AuthRefusal> {
        let mut headers = HeaderMap::new();
        for field in fields {
            headers.append(AUTHORIZATION, field.parse().unwrap());
        }
        authenticate(&headers)
    }

    #[test]
    fn no_credentials_are_anonymous_and_none_that_cannot_be_checked_pass() {
        assert!(with(&[]).is_ok());
        for bad in ["Bearer x", "Bearer ", "Basic eA==", "Token x", "bearer a.b.c", ""] {
            assert_eq!(with(&[bad]).err(), Some(AuthRefusal::InvalidToken), "{bad}");
        }
        assert_eq!(with(&["Bearer x", "Bearer x"]).err(), Some(AuthRefusal::SeveralCredentials));
    }
}
