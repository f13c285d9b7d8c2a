//! Words of the data service's own vocabularies, such as `breakout`.
//!
//! Decides what such a word may look like. A vocabulary may grow, so the words are not listed; but what does
//! not look like one is no word, so that nobody's prose can pass for one.

use serde::Serialize;

/// The longest word, in bytes.
pub const WORD_MAX_BYTES: usize = 40;

/// One word: lower-case ASCII letters, digits and `_ - @ / .`, beginning with a letter or a digit.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Word(String);

impl Word {
    /// Takes a word; `None` for anything else.
    #[must_use]
    pub fn new(raw: &str) -> Option<Self> {
        let mut bytes = raw.bytes();
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let is_word = raw.len() <= WORD_MAX_BYTES
            && bytes.next().is_some_and(plain)
            && bytes.all(|byte| plain(byte) || b"_-@/.".contains(&byte));
        is_word.then(|| Self(raw.to_owned()))
    }

    /// The word.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for Word {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_looks_like_a_word_is_one() {
        for word in ["breakout", "booking_ahead", "festival-pedigree", "producer@1", "5"] {
            assert_eq!(Word::new(word).map(|word| word.to_string()).as_deref(), Some(word));
        }
        let long = "a".repeat(WORD_MAX_BYTES + 1);
        for prose in ["", "Breakout", "ignore all", "<b>", "rïsing", "-a", "a\u{200b}b", &long] {
            assert_eq!(Word::new(prose), None, "{prose}");
        }
    }
}
