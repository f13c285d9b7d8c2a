//! What stands in the `Authorization` field of a request.
//!
//! Decides what counts as one bearer token. Only the header is looked at, never the address or the body.

use http::HeaderMap;
use http::header::AUTHORIZATION;

use super::challenge::AuthRefusal;

/// The longest token that is looked at, in bytes; no honest one is nearly as long.
pub(super) const TOKEN_MAX_BYTES: usize = 16 * 1024;

/// The token of a request; `None` when it has no `Authorization` field.
///
/// # Errors
/// More than one field, or one that holds no bearer token.
pub(super) fn token(headers: &HeaderMap) -> Result<Option<&str>, AuthRefusal> {
    let mut fields = headers.get_all(AUTHORIZATION).iter();
    match (fields.next(), fields.next()) {
        (None, _) => Ok(None),
        (Some(field), None) => {
            let read = field.to_str().ok().and_then(read);
            read.map(Some).ok_or(AuthRefusal::InvalidToken)
        }
        (Some(_), Some(_)) => Err(AuthRefusal::SeveralCredentials),
    }
}

/// Which bytes a token may have: a table, since every byte of every token is looked up.
const IS_OF_TOKENS: [bool; 256] = {
    let mut is = [false; 256];
    let mut byte: u8 = 0;
    while byte < 128 {
        #[expect(clippy::indexing_slicing, reason = "it is below 256")]
        {
            is[byte as usize] = byte.is_ascii_alphanumeric()
                || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'+' | b'/' | b'=');
        }
        byte += 1;
    }
    is
};

/// Looks at every byte, also behind a wrong one: that takes a fraction of the time that asking after each takes.
fn all_are_of_tokens(token: &str) -> bool {
    #[expect(clippy::indexing_slicing, reason = "there is a place for each byte")]
    token.bytes().fold(true, |all, byte| all & IS_OF_TOKENS[usize::from(byte)])
}

fn read(field: &str) -> Option<&str> {
    let (scheme, rest) = field.split_once(' ')?;
    let token = rest.trim_matches(' ');
    let sound = scheme.eq_ignore_ascii_case("bearer")
        && !token.is_empty()
        && token.len() <= TOKEN_MAX_BYTES
        && all_are_of_tokens(token);
    sound.then_some(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(fields: &[&str]) -> Result<Option<String>, AuthRefusal> {
        let mut headers = HeaderMap::new();
        for field in fields {
            headers.append(AUTHORIZATION, field.parse().unwrap());
        }
        token(&headers).map(|token| token.map(str::to_owned))
    }

    #[test]
    fn the_scheme_is_read_in_every_case_and_spacing() {
        for field in ["Bearer a.b.c", "bearer a.b.c", "BEARER a.b.c", "Bearer   a.b.c"] {
            assert_eq!(of(&[field]), Ok(Some("a.b.c".to_owned())), "{field}");
        }
        assert_eq!(of(&[]), Ok(None));
    }

    #[test]
    fn what_is_no_single_bearer_token_is_refused() {
        let long = format!("Bearer {}", "a".repeat(TOKEN_MAX_BYTES + 1));
        for field in [
            "",
            "Bearer",
            "Bearer ",
            "Basic eA==",
            "Token x",
            "Bearera.b.c",
            "Bearer a b",
            "Bearer a, Bearer a",
            &long,
        ] {
            assert_eq!(of(&[field]), Err(AuthRefusal::InvalidToken), "{field:.40}");
        }
        assert_eq!(of(&["Bearer a", "Bearer a"]), Err(AuthRefusal::SeveralCredentials));
        assert_eq!(of(&["Bearer a", "Basic b"]), Err(AuthRefusal::SeveralCredentials));
    }
}
