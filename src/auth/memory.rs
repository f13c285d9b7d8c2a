//! Tokens that were verified, so that their next use costs no arithmetic on keys.
//!
//! Decides nothing about validity: who looks one up checks its time and its key. Holds hashes only, so
//! that no token lies in memory longer than its request. They are taken under a key that nobody ever sees, so that
//! nobody can make a token with the hash of another one.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use lru::LruCache;
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::rand::{SecureRandom as _, SystemRandom};

use super::keys::Fingerprint;
use super::principal::Principal;

/// How many tokens are remembered; the least used one goes first.
const TOKENS: NonZeroUsize = NonZeroUsize::new(20_000).expect("not zero");

/// What was found out about a token.
#[derive(Clone, Debug)]
pub(super) struct Verified {
    pub(super) principal: Principal,
    pub(super) expires_s: i64,
    pub(super) key: Fingerprint,
}

/// The name of a token that cannot be turned back into it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct TokenHash([u8; 16]);

/// A bounded memory of verified tokens.
pub(super) struct TokenMemory {
    key: Option<LessSafeKey>,
    of: Mutex<LruCache<TokenHash, Verified>>,
}

impl TokenMemory {
    /// An empty one. Without randomness it stays empty.
    pub(super) fn new() -> Self {
        let mut key = [0; 16];
        let key = SystemRandom::new().fill(&mut key).and_then(|()| UnboundKey::new(&AES_128_GCM, &key));
        Self { key: key.ok().map(LessSafeKey::new), of: Mutex::new(LruCache::new(TOKENS)) }
    }

    /// The hash of a token: what authenticates it as data that is sent along with nothing. Under one nonce that is a
    /// universal hash, whose collisions cannot be found by whoever sees neither key nor hashes.
    pub(super) fn hash(&self, token: &str) -> Option<TokenHash> {
        let nonce = Nonce::assume_unique_for_key([0; 12]);
        let tag = self.key.as_ref()?.seal_in_place_separate_tag(nonce, Aad::from(token), &mut []).ok()?;
        tag.as_ref().try_into().ok().map(TokenHash)
    }

    pub(super) fn find(&self, token: TokenHash) -> Option<Verified> {
        self.of.lock().unwrap_or_else(PoisonError::into_inner).get(&token).cloned()
    }

    pub(super) fn keep(&self, token: TokenHash, verified: Verified) {
        self.of.lock().unwrap_or_else(PoisonError::into_inner).put(token, verified);
    }

    pub(super) fn forget(&self, token: TokenHash) {
        self.of.lock().unwrap_or_else(PoisonError::into_inner).pop(&token);
    }
}

impl fmt::Debug for TokenMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenMemory")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_token_has_a_hash_of_its_own_in_each_memory() {
        let (memory, other) = (TokenMemory::new(), TokenMemory::new());
        let hash = |memory: &TokenMemory, token| memory.hash(token).unwrap();
        assert!(hash(&memory, "a.b.c") == hash(&memory, "a.b.c"));
        assert!(hash(&memory, "a.b.c") != hash(&other, "a.b.c"));
        // Those that differ in their length alone, in zeros at the end, and in one bit.
        let tokens = ["", "\0", "a", "a\0", "a.b.c", "a.b.d", "a.b.c\0\0\0\0\0\0\0\0\0\0\0"];
        for (n, token) in tokens.iter().enumerate() {
            assert!(tokens.iter().take(n).all(|before| hash(&memory, before) != hash(&memory, token)), "{n}");
        }
    }
}
