//! Makes access tokens.
//!
//! Decides what they claim. Knows nothing of who asked for one, and keeps none.

use std::fmt::Write as _;
use std::time::Duration;

use jsonwebtoken::{Algorithm, Header};
use ring::rand::{SecureRandom as _, SystemRandom};
use serde_json::json;
use time::OffsetDateTime;

use super::key::IssuerKey;
use crate::auth::signature;

/// What a token is to say.
#[derive(Clone, Copy, Debug)]
pub struct TokenRequest<'a> {
    /// Who signed in.
    pub subject: &'a str,
    /// The client that asked.
    pub client_id: &'a str,
    /// The words of its scope, with spaces between them.
    pub scope: &'a str,
    /// What it is for.
    pub audience: &'a str,
}

/// Signs tokens in the name of one issuer.
#[derive(Clone, Debug)]
pub struct Mint {
    issuer: String,
    key: IssuerKey,
    lifetime: Duration,
}

/// The system gave no random numbers, or the key cannot sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no token could be made")]
pub struct NoToken;

impl Mint {
    /// A mint whose tokens are good for `lifetime`.
    #[must_use]
    pub fn new(issuer: String, key: IssuerKey, lifetime: Duration) -> Self {
        signature::install();
        Self { issuer, key, lifetime }
    }

    /// The name that its tokens carry.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// How long its tokens are good for.
    #[must_use]
    pub fn lifetime(&self) -> Duration {
        self.lifetime
    }

    /// The key that signs them.
    #[must_use]
    pub fn key(&self) -> &IssuerKey {
        &self.key
    }

    /// A new token.
    ///
    /// # Errors
    /// When the system gives no random numbers.
    pub fn token(&self, request: TokenRequest<'_>, now: OffsetDateTime) -> Result<String, NoToken> {
        let header = Header {
            typ: Some("at+jwt".to_owned()),
            kid: Some(self.key.id().to_owned()),
            ..Header::new(Algorithm::ES256)
        };
        let now_s = now.unix_timestamp();
        let lifetime_s = i64::try_from(self.lifetime.as_secs()).map_err(|_| NoToken)?;
        let claims = json!({
            "iss": self.issuer,
            "sub": request.subject,
            "aud": request.audience,
            "client_id": request.client_id,
            "scope": request.scope,
            "iat": now_s,
            "exp": now_s.saturating_add(lifetime_s),
            "jti": random_name()?,
        });
        jsonwebtoken::encode(&header, &claims, self.key.signing()).map_err(|_| NoToken)
    }
}

/// 128 random bits, as hex digits.
pub(super) fn random_name() -> Result<String, NoToken> {
    let mut bytes = [0; 16];
    SystemRandom::new().fill(&mut bytes).map_err(|_| NoToken)?;
    let mut name = String::with_capacity(32);
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(name, "{byte:02x}");
    }
    Ok(name)
}
