//! Whose tokens are accepted, and the built-in issuer where that is on.
//!
//! Decides which keys and which words the sign-in has. Knows nothing of a request.

use super::start::{DemoToken, StartError};
use crate::auth::{Authenticator, Challenges, KeySet, KeySource, Metadata, TokenPolicy, metadata};
use crate::clock::Clock;
use crate::config::{Config, PublicBase};
use crate::issuer::{self, DEMO_SUBJECT, IssuerKey, Mint, TokenRequest};

/// What a demo token names as its client.
const DEMO_CLIENT: &str = "ono-sendai";

/// The parts of the sign-in.
#[derive(Debug)]
pub struct SignIn {
    pub(super) auth: Authenticator,
    pub(super) challenges: Challenges,
    pub(super) demo_token: Option<DemoToken>,
}

impl SignIn {
    /// The sign-in that the configuration describes, or none.
    pub(super) fn of(config: &Config, public_base: &PublicBase, clock: &Clock) -> Result<Self, StartError> {
        if !config.issuer.enabled {
            return Ok(Self {
                auth: Authenticator::without_sign_in(clock.clone()),
                challenges: Challenges::new(None),
                demo_token: None,
            });
        }
        let mint = mint(config, public_base)?;
        let keys = KeySet::parse(mint.key().key_set().to_string().as_bytes(), &config.auth.algorithms)
            .map_err(|error| StartError::Issuer { reason: error.to_string() })?;
        let base = public_base.as_str();
        let policy = TokenPolicy {
            issuer: mint.issuer().to_owned(),
            resource: metadata::resource(base),
            further_audiences: config.auth.audiences.clone(),
            algorithms: config.auth.algorithms.clone(),
            chatgpt_clients: config.auth.chatgpt_client_ids.clone(),
        };
        let demo_token = demo_token(&mint, config, public_base, DEMO_SUBJECT, clock)?;
        Ok(Self {
            challenges: Challenges::new(Some(Metadata::new(base, mint.issuer(), &config.auth.scopes))),
            auth: Authenticator::new(policy, KeySource::fixed(keys), clock.clone()),
            demo_token: Some(demo_token),
        })
    }
}

/// A token of the built-in issuer of the server that `config` describes.
///
/// # Errors
/// When its key cannot be read or made.
pub fn token(
    config: &Config,
    public_base: &PublicBase,
    subject: &str,
    clock: &Clock,
) -> Result<DemoToken, StartError> {
    demo_token(&mint(config, public_base)?, config, public_base, subject, clock)
}

fn mint(config: &Config, public_base: &PublicBase) -> Result<Mint, StartError> {
    let key = IssuerKey::load_or_make(&config.server.data_dir)
        .map_err(|error| StartError::Issuer { reason: error.to_string() })?;
    Ok(Mint::new(issuer::name(public_base.as_str()), key, config.issuer.token_lifetime))
}

fn demo_token(
    mint: &Mint,
    config: &Config,
    public_base: &PublicBase,
    subject: &str,
    clock: &Clock,
) -> Result<DemoToken, StartError> {
    let request = TokenRequest {
        subject,
        client_id: DEMO_CLIENT,
        scope: &config.auth.scopes.join(" "),
        audience: &metadata::resource(public_base.as_str()),
    };
    let token =
        mint.token(request, clock.utc()).map_err(|error| StartError::Issuer { reason: error.to_string() })?;
    Ok(DemoToken::new(token))
}
