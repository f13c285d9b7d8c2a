//! Whose tokens are accepted, the built-in issuer where that is on, and what accounts may do.
//!
//! Decides which keys, which words and which accounts the sign-in has. Knows nothing of a request.

use std::sync::Arc;
use std::time::Duration;

use super::source::{self, Wrong};
use super::start::{DemoToken, StartError};
use crate::accounts::Accounts;
use crate::accounts::service::HttpAccountService;
use crate::auth::{
    Authenticator, Challenges, IssuerDocument, KeySet, KeySource, Metadata, TokenPolicy, metadata,
};
use crate::clock::Clock;
use crate::config::{AccountHook, Config, PublicBase, Secret, SecretSource, is_service_key};
use crate::fetch::{FetchSettings, Fetcher};
use crate::issuer::{self, DEMO_SUBJECT, Issuer, IssuerKey, IssuerSettings, Mint, TokenRequest};
use crate::profile::Endpoint;
use crate::store::State;

/// What a demo token names as its client.
const DEMO_CLIENT: &str = "ono-sendai";
/// How long the issuer and the account service may take to answer.
const ANSWER_TIME: Duration = Duration::from_secs(3);
/// The largest document that either may send.
const ANSWER_MAX_BYTES: usize = 512 * 1024;

/// The parts of the sign-in.
#[derive(Debug)]
pub struct SignIn {
    pub(super) auth: Authenticator,
    pub(super) challenges: Challenges,
    pub(super) accounts: Accounts,
    pub(super) issuer: Option<Arc<Issuer>>,
    pub(super) demo_token: Option<DemoToken>,
}

impl SignIn {
    /// The sign-in that the configuration describes, or none.
    pub(super) fn of(
        config: &Config,
        public_base: &PublicBase,
        state: &Arc<State>,
        clock: &Clock,
    ) -> Result<Self, StartError> {
        let base = public_base.as_str();
        let extra_roots = extra_roots(config)?;
        let (name, keys, issuer, demo_token) = if config.issuer.enabled {
            let mint = mint(config, public_base)?;
            let document = mint.key().key_set().to_string();
            let keys = KeySet::parse(document.as_bytes(), &config.auth.algorithms)
                .map_err(|error| StartError::Issuer { reason: error.to_string() })?;
            let demo_token = demo_token(&mint, config, public_base, DEMO_SUBJECT, clock)?;
            let name = mint.issuer().to_owned();
            let settings = IssuerSettings {
                mint,
                scopes: config.auth.scopes.clone(),
                audience: metadata::resource(base),
                resources: Endpoint::ALL.map(|endpoint| public_base.join(endpoint.path())).to_vec(),
                client_networks: config.issuer.client_networks.clone(),
                extra_roots: extra_roots.clone(),
            };
            let issuer = Arc::new(Issuer::new(settings, clock.clone()));
            (name, KeySource::fixed(keys), Some(issuer), Some(demo_token))
        } else if let Some(name) = &config.auth.issuer {
            let fetcher = fetcher(&extra_roots, config)?;
            let document = IssuerDocument::new(name, config.auth.jwks_uri.clone(), fetcher)
                .map_err(|error| StartError::SignIn { reason: error.to_string() })?;
            let keys = KeySource::fetched(Arc::new(document), &config.auth.algorithms, clock.clone());
            (name.clone(), keys, None, None)
        } else {
            return Ok(Self::none(config, state, clock));
        };
        let policy = TokenPolicy {
            issuer: name.clone(),
            resource: metadata::resource(base),
            further_audiences: config.auth.audiences.clone(),
            algorithms: config.auth.algorithms.clone(),
            chatgpt_clients: config.auth.chatgpt_client_ids.clone(),
        };
        Ok(Self {
            accounts: accounts(config, &name, &extra_roots, state, clock)?,
            challenges: Challenges::new(Some(Metadata::new(base, &name, &config.auth.scopes))),
            auth: Authenticator::new(policy, keys, clock.clone()),
            issuer,
            demo_token,
        })
    }

    /// A server on which nobody can sign in.
    pub(super) fn none(config: &Config, state: &Arc<State>, clock: &Clock) -> Self {
        Self {
            auth: Authenticator::without_sign_in(clock.clone()),
            challenges: Challenges::new(None),
            accounts: Accounts::interim(config.accounts.units_per_month, Arc::clone(state), clock.clone()),
            issuer: None,
            demo_token: None,
        }
    }
}

/// Whether anybody can sign in.
pub(super) fn is_offered(config: &Config) -> bool {
    config.issuer.enabled || config.auth.issuer.is_some()
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

fn accounts(
    config: &Config,
    issuer: &str,
    extra_roots: &[u8],
    state: &Arc<State>,
    clock: &Clock,
) -> Result<Accounts, StartError> {
    let units = config.accounts.units_per_month;
    let accounts = Accounts::interim(units, Arc::clone(state), clock.clone()).of_issuer(issuer);
    let Some(AccountHook { url, key, cache }) = &config.accounts.hook else {
        return Ok(accounts);
    };
    let key = secret(key).map_err(unusable)?;
    let fetcher = fetcher(extra_roots, config)?;
    let service = HttpAccountService::new(url.clone(), issuer.to_owned(), key.expose().as_bytes(), fetcher);
    Ok(accounts.hooked(Arc::new(service), *cache))
}

pub(super) fn fetcher(extra_roots: &[u8], config: &Config) -> Result<Fetcher, StartError> {
    let settings = FetchSettings {
        extra_roots: extra_roots.to_vec(),
        time: ANSWER_TIME,
        limit_bytes: ANSWER_MAX_BYTES,
        pinned: None,
    };
    Fetcher::new(settings).map_err(|reason| match &config.auth.ca_file {
        Some(_) => StartError::SignIn { reason: format!("auth.ca_file: {reason}") },
        None => StartError::SignIn { reason },
    })
}

pub(super) fn extra_roots(config: &Config) -> Result<Vec<u8>, StartError> {
    source::certificates(config.auth.ca_file.as_deref(), "auth.ca_file").map_err(unusable)
}

/// What questions to the account service are signed with.
pub(super) fn secret(source: &SecretSource) -> Result<Secret, Wrong> {
    source::secret(
        source,
        "accounts.service_key",
        is_service_key,
        "a file with a secret of 32 to 512 characters",
    )
}

pub(super) fn unusable(wrong: Wrong) -> StartError {
    StartError::SignIn { reason: wrong.to_string() }
}
