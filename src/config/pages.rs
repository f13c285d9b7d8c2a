//! `[pages]`: what the documents beside the endpoints say.

use super::keys::Keys;
use super::table::Key;

/// The keys of `[pages]`.
pub(super) const KEYS: &[Key] = &[Key::new(
    "openai_apps_challenge",
    "\"\"",
    "The token that OpenAI shows to check whose name this is, served at \
         /.well-known/openai-apps-challenge; \"\" serves none.",
)];

/// What the documents say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pages {
    /// The token that OpenAI gives to show whose name this is; `None` serves none.
    pub openai_apps_challenge: Option<String>,
}

impl Pages {
    pub(super) fn read(keys: &mut Keys<'_, '_>) -> Self {
        Self {
            openai_apps_challenge: keys.optional(
                "openai_apps_challenge",
                "the token that OpenAI shows: at most 200 letters, digits and -_.~+/=",
                challenge,
            ),
        }
    }
}

fn challenge(text: &str) -> Option<String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~+/=".contains(&byte);
    ((1..=200).contains(&text.len()) && text.bytes().all(plain)).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_is_a_plain_token() {
        assert_eq!(challenge("abc-123_X.=").as_deref(), Some("abc-123_X.="));
        for bad in ["", "two words", "<b>", "a\nb", &"x".repeat(201)] {
            assert_eq!(challenge(bad), None, "{bad}");
        }
    }
}
