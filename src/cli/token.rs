//! A bearer token as a person passes it.

use std::fmt;

use http::HeaderValue;

/// A token; never shown. Any text can be one here: the parser of the command line would show a faulty one
/// back, so it is looked at later, by [`Token::bearer`].
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Token(String);

impl From<String> for Token {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

impl Token {
    /// The Authorization header of this token; the error never repeats it.
    pub(super) fn bearer(&self) -> Result<HeaderValue, String> {
        let Self(text) = self;
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("a token has no spaces, line breaks or letters beyond ASCII".to_owned());
        }
        let mut value =
            HeaderValue::from_str(&format!("Bearer {text}")).map_err(|error| error.to_string())?;
        value.set_sensitive(true);
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_sent_and_never_shown() {
        let token = Token::from("s3cr3t".to_owned());
        let header = token.bearer().unwrap();
        assert_eq!(header.as_bytes(), b"Bearer s3cr3t");
        assert!(!format!("{token:?} {header:?}").contains("s3cr3t"));
        for bad in ["", "s3cr3t word", "s3cr3t\n", "s3cr3té"] {
            let error = Token::from(bad.to_owned()).bearer().unwrap_err();
            assert!(!error.contains("s3cr3t"), "{error}");
        }
    }
}
