//! The word that a caller holds: an id that cannot be guessed, and a mark that only this server can make.
//!
//! Decides what a cursor looks like. A word that was edited, cut or made up is told without looking anything up.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};

/// The length of an id, in bytes.
pub const ID_BYTES: usize = 16;
/// The length of the mark, in bytes.
const MARK_BYTES: usize = 16;

/// Makes and checks the words.
pub struct Seal {
    key: hmac::Key,
    random: SystemRandom,
}

impl std::fmt::Debug for Seal {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Seal")
    }
}

impl Seal {
    /// A seal of this key, so that words outlive the program.
    #[must_use]
    pub fn of(key: &[u8; 32]) -> Self {
        Self { key: hmac::Key::new(hmac::HMAC_SHA256, key), random: SystemRandom::new() }
    }

    /// A seal of a key that nobody knows; its words end with the program. `None` without a source of chance.
    #[must_use]
    pub fn fresh() -> Option<Self> {
        let mut key = [0; 32];
        SystemRandom::new().fill(&mut key).ok()?;
        Some(Self::of(&key))
    }

    /// An id that nobody can guess; `None` without a source of chance.
    #[must_use]
    pub fn new_id(&self) -> Option<[u8; ID_BYTES]> {
        let mut id = [0; ID_BYTES];
        self.random.fill(&mut id).ok()?;
        Some(id)
    }

    /// The word for an id.
    #[must_use]
    pub fn word(&self, id: &[u8; ID_BYTES]) -> String {
        let mark = hmac::sign(&self.key, id);
        let bytes: Vec<u8> = id.iter().chain(mark.as_ref().iter().take(MARK_BYTES)).copied().collect();
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The id of a word that this seal made.
    #[must_use]
    pub fn id(&self, word: &str) -> Option<[u8; ID_BYTES]> {
        let bytes = URL_SAFE_NO_PAD.decode(word).ok()?;
        let id: [u8; ID_BYTES] = bytes.get(..ID_BYTES)?.try_into().ok()?;
        // One word an id: what decodes to the same bytes in another spelling is not ours.
        (bytes.len() == ID_BYTES + MARK_BYTES && self.word(&id) == word).then_some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_word_of_this_seal_is_opened() {
        let seal = Seal::of(&[7; 32]);
        let id = seal.new_id().unwrap();
        let word = seal.word(&id);
        assert_eq!(seal.id(&word), Some(id));
        assert_eq!(Seal::of(&[8; 32]).id(&word), None);
        for at in 0..word.len() {
            let mut edited: Vec<char> = word.chars().collect();
            edited[at] = if edited[at] == 'A' { 'B' } else { 'A' };
            assert_eq!(seal.id(&edited.into_iter().collect::<String>()), None, "{at}");
            assert_eq!(seal.id(&word[..at]), None, "{at}");
        }
        for made_up in
            ["", "x", "%%%", &"A".repeat(43), &format!("{word}="), &format!(" {word}"), &format!("{word}A")]
        {
            assert_eq!(seal.id(made_up), None, "{made_up}");
        }
    }

    #[test]
    fn ids_differ() {
        let seal = Seal::fresh().unwrap();
        let ids: std::collections::HashSet<_> = (0..100).map(|_| seal.new_id().unwrap()).collect();
        assert_eq!(ids.len(), 100);
    }
}
