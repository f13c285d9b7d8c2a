//! Tokens that were verified, so that their next use costs no arithmetic on keys.
//!
//! Decides nothing about validity: who looks one up checks its time and its key. Holds hashes only, so
//! that no token lies in memory longer than its request.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use lru::LruCache;
use ring::digest::{SHA256, digest};

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
pub(super) struct TokenHash([u8; 32]);

impl TokenHash {
    pub(super) fn of(token: &str) -> Self {
        let mut hash = [0; 32];
        for (to, from) in hash.iter_mut().zip(digest(&SHA256, token.as_bytes()).as_ref()) {
            *to = *from;
        }
        Self(hash)
    }
}

/// A bounded memory of verified tokens.
pub(super) struct TokenMemory(Mutex<LruCache<TokenHash, Verified>>);

impl TokenMemory {
    pub(super) fn new() -> Self {
        Self(Mutex::new(LruCache::new(TOKENS)))
    }

    pub(super) fn find(&self, token: TokenHash) -> Option<Verified> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&token).cloned()
    }

    pub(super) fn keep(&self, token: TokenHash, verified: Verified) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).put(token, verified);
    }

    pub(super) fn forget(&self, token: TokenHash) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop(&token);
    }
}

impl fmt::Debug for TokenMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenMemory")
    }
}
