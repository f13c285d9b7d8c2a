//! From the credentials of a request to who is asking.
//!
//! Decides who a caller is. Only this module can make a [`Principal`]. It must never know what is
//! asked for, nor what it costs.

mod bearer;
pub mod challenge;
pub mod discovery;
pub mod fault;
pub mod key_source;
pub mod keys;
mod memory;
pub mod metadata;
mod object;
pub mod principal;
pub mod signature;
pub mod token;

use std::sync::Arc;
use std::time::Duration;

use http::HeaderMap;

use self::fault::TokenFault;
use self::key_source::Found;
use self::keys::VerifyingKey;
use self::memory::{TokenMemory, Verified};
use self::token::{Claimed, Unacceptable, is_alive};
use crate::clock::Clock;
use crate::profile::Endpoint;
use crate::telemetry::LineLimit;
use crate::telemetry::count::{Counters, Word as _};

pub use self::challenge::{AuthRefusal, Challenges};
pub use self::discovery::IssuerDocument;
pub use self::key_source::{KeyDocument, KeySource};
pub use self::keys::{KeySet, SigningAlgorithm};
pub use self::metadata::Metadata;
pub(crate) use self::object::object;
pub use self::principal::{Account, AccountId, ClientKind, Principal};
pub use self::token::TokenPolicy;

/// When a caller may ask again whose token could not be checked.
const UNVERIFIABLE_RETRY: Duration = Duration::from_secs(key_source::AGAIN_AFTER.as_secs());

/// Lines about tokens that are not accepted, which anyone can cause, in each period.
const TOLD: u32 = 10;
const TOLD_EVERY: Duration = Duration::from_secs(60);

/// Finds out who sends a request.
#[derive(Debug)]
pub struct Authenticator {
    clock: Clock,
    verifier: Option<Verifier>,
    refused: Arc<Counters<TokenFault>>,
}

#[derive(Debug)]
struct Verifier {
    clock: Clock,
    policy: TokenPolicy,
    keys: KeySource,
    memory: TokenMemory,
    told: LineLimit,
    refused: Arc<Counters<TokenFault>>,
}

impl Authenticator {
    /// One for a server without a sign-in: no token is accepted.
    #[must_use]
    pub fn without_sign_in(clock: Clock) -> Self {
        Self { clock, verifier: None, refused: Arc::default() }
    }

    /// One that accepts tokens that keep to `policy` and are signed with one of `keys`.
    #[must_use]
    pub fn new(policy: TokenPolicy, keys: KeySource, clock: Clock) -> Self {
        signature::install();
        let told = LineLimit::new(TOLD, TOLD_EVERY);
        let refused = Arc::<Counters<TokenFault>>::default();
        let counted = Arc::clone(&refused);
        Self {
            clock: clock.clone(),
            verifier: Some(Verifier {
                clock,
                told,
                policy,
                keys,
                memory: TokenMemory::new(),
                refused: counted,
            }),
            refused,
        }
    }

    /// Who sends a request, when that is known without waiting for anyone: without credentials, with
    /// faulty ones, or with a token that was verified before.
    pub fn known(&self, headers: &HeaderMap, endpoint: Endpoint) -> Option<Result<Principal, AuthRefusal>> {
        match bearer::token(headers) {
            Ok(None) if endpoint.needs_sign_in() => Some(Err(AuthRefusal::SignInNeeded)),
            Ok(None) => Some(Ok(Principal::anonymous())),
            Ok(Some(token)) => match &self.verifier {
                None => Some(Err(self.refused(TokenFault::NoSignIn, AuthRefusal::InvalidToken))),
                Some(verifier) => verifier.remembered(token, self.now_s()),
            },
            Err(refusal) => Some(Err(self.refused(TokenFault::Header, refusal))),
        }
    }

    fn refused(&self, why: TokenFault, refusal: AuthRefusal) -> AuthRefusal {
        self.refused.one(why);
        refusal
    }

    /// Tokens that were not accepted, by what was at fault.
    pub fn refusals(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.refused.read()
    }

    /// Finds out who sends a request; waits for the issuer's keys where it must.
    ///
    /// # Errors
    /// Credentials that are missing, malformed, not acceptable, or cannot be checked just now.
    pub async fn authenticate(
        &self,
        headers: &HeaderMap,
        endpoint: Endpoint,
    ) -> Result<Principal, AuthRefusal> {
        if let Some(known) = self.known(headers, endpoint) {
            return known;
        }
        match (&self.verifier, bearer::token(headers)?) {
            (Some(verifier), Some(token)) => verifier.verify(token, self.now_s()).await,
            _ => Err(AuthRefusal::InvalidToken),
        }
    }

    /// Whether the issuer's keys are there; `None` without a sign-in, and before anyone needed them.
    #[must_use]
    pub fn has_keys(&self) -> Option<bool> {
        self.verifier.as_ref().and_then(|verifier| verifier.keys.has_keys())
    }

    fn now_s(&self) -> i64 {
        self.clock.utc().unix_timestamp()
    }
}

impl Verifier {
    /// Says in the log what of a token is not acceptable, and nothing of the token itself: its sender is told nothing.
    fn refused(&self, what: TokenFault) -> AuthRefusal {
        self.refused.one(what);
        if let Some(left_out) = self.told.note(self.clock.monotonic()) {
            let left_out = Some(left_out).filter(|left_out| *left_out > 0);
            tracing::info!(what = what.as_str(), left_out, "a token is not accepted");
        }
        AuthRefusal::InvalidToken
    }

    fn unverifiable(&self) -> AuthRefusal {
        self.refused.one(TokenFault::Unverifiable);
        AuthRefusal::Unverifiable { retry_after: UNVERIFIABLE_RETRY }
    }

    /// A token that was verified before, as long as its key is one of the issuer's.
    fn remembered(&self, token: &str, now_s: i64) -> Option<Result<Principal, AuthRefusal>> {
        let hash = self.memory.hash(token)?;
        let verified = self.memory.find(hash)?;
        if !is_alive(verified.expires_s, now_s) {
            self.memory.forget(hash);
            return Some(Err(self.refused(TokenFault::Expiry)));
        }
        let keys = self.keys.held()?;
        if !keys.holds(verified.key) {
            self.memory.forget(hash);
            return None;
        }
        Some(Ok(verified.principal))
    }

    async fn verify(&self, token: &str, now_s: i64) -> Result<Principal, AuthRefusal> {
        // What no key could make acceptable is refused without asking anyone for keys.
        let claimed = self.policy.read(token, now_s).map_err(|Unacceptable(what)| self.refused(what))?;
        let Claimed { algorithm, key_id, expires_s, account } = claimed;
        let key_id = key_id.as_deref();
        // A key may be turned over under its old name or under none: only a signature says whether the set has it.
        let signer = |keys: &KeySet| {
            keys.candidates(algorithm, key_id).find(|key| key.signed(token)).map(VerifyingKey::fingerprint)
        };
        let held = self.keys.held();
        let of_held = held.as_deref().and_then(signer);
        // Arithmetic is what a forged token costs: no set is tried twice.
        let signer = |keys: &Arc<KeySet>| match &held {
            Some(held) if Arc::ptr_eq(held, keys) => of_held,
            _ => signer(keys),
        };
        let signed = match of_held {
            Some(key) => key,
            None => match self.keys.keys(|keys| signer(keys).is_some()).await {
                Found::Keys(keys) => signer(&keys).ok_or_else(|| self.refused(TokenFault::Signature))?,
                // Those that are missing may have signed it.
                Found::Stale(keys) => signer(&keys).ok_or_else(|| self.unverifiable())?,
                Found::Nothing => return Err(self.unverifiable()),
            },
        };
        let principal = Principal::of(account);
        let verified = Verified { principal: principal.clone(), expires_s, key: signed };
        if let Some(hash) = self.memory.hash(token) {
            self.memory.keep(hash, verified);
        }
        Ok(principal)
    }
}

#[cfg(test)]
mod tests;
