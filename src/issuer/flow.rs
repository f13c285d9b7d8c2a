//! The flow: a request for a code, a person's decision, a code for a token, a token for the next.
//!
//! Decides who gets a token for what. Only codes with PKCE (S256) are given; each is good once and for a
//! minute. Knows HTTP by its fields alone.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lru::LruCache;
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use url::Url;

use super::client::{Client, ClientMetadata, Unfit};
use super::document::ClientDocuments;
use super::form::Form;
use super::mint::{Mint, TokenRequest, random_name};
use super::seal::{Purpose, Seal};

/// How long a person may think, in seconds.
const CONSENT_S: i64 = 600;
/// How long a code is good, in seconds.
const CODE_S: i64 = 60;
/// How long a refresh token is good, in seconds.
const REFRESH_S: i64 = 30 * 86_400;
/// How many codes wait, and how many used refresh tokens are remembered.
const REMEMBERED: NonZeroUsize = NonZeroUsize::new(10_000).expect("not zero");

/// What a client asked for, once it was found to be in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Asked {
    pub(super) client_id: String,
    pub(super) client_name: Option<String>,
    pub(super) redirect_uri: String,
    state: Option<String>,
    challenge: String,
    scope: String,
}

/// A code that waits to be changed for a token.
#[derive(Clone, Debug)]
struct Granted {
    asked: Asked,
    subject: String,
    until_s: i64,
}

#[derive(Serialize, Deserialize)]
struct Refresh {
    id: String,
    /// Which start of the program gave it out.
    start: String,
    client_id: String,
    subject: String,
    scope: String,
}

/// Why a request for a code is not answered with one.
#[derive(Debug)]
pub(super) enum NotAsked {
    /// The client or its address is not known, so nobody may be sent there.
    Problem(&'static str),
    /// The client is told at its address.
    Redirect(Url),
}

/// Tokens, as the token endpoint gives them.
#[derive(Debug, Serialize)]
pub(super) struct Tokens {
    access_token: String,
    token_type: &'static str,
    expires_in: u64,
    refresh_token: String,
    scope: String,
}

/// The error of RFC 6749, and a sentence.
pub(super) type Denied = (&'static str, &'static str);

/// Gives out codes and tokens.
#[derive(Debug)]
pub(super) struct Flow {
    mint: Mint,
    seal: Seal,
    documents: ClientDocuments,
    scopes: Vec<String>,
    /// What tokens are for.
    audience: String,
    /// The addresses that clients may name for it, without a final slash.
    resources: Vec<String>,
    codes: Mutex<LruCache<String, Granted>>,
    used: Mutex<LruCache<String, ()>>,
    /// A name of this start. Which refresh tokens were used is forgotten with the program, so that those of an earlier
    /// start are good for nothing; `None` when the system gives no random bytes, and then there are no tokens.
    start: Option<String>,
}

impl Flow {
    pub(super) fn new(
        mint: Mint,
        documents: ClientDocuments,
        scopes: Vec<String>,
        audience: String,
        resources: Vec<String>,
    ) -> Self {
        Self {
            seal: Seal::new(mint.key().secret()),
            mint,
            documents,
            scopes,
            audience,
            resources,
            codes: Mutex::new(LruCache::new(REMEMBERED)),
            used: Mutex::new(LruCache::new(REMEMBERED)),
            start: random_name().ok(),
        }
    }

    pub(super) fn mint(&self) -> &Mint {
        &self.mint
    }

    pub(super) fn audience(&self) -> &str {
        &self.audience
    }

    /// Registers a client; its id is what it said, sealed.
    pub(super) fn register(&self, metadata: ClientMetadata) -> Result<(String, Client), Unfit> {
        let client = Client::of(metadata)?;
        Ok((self.seal.close(Purpose::Client, None, &client), client))
    }

    /// Looks at a request for a code.
    pub(super) async fn ask(&self, form: &Form, now: OffsetDateTime) -> Result<(Asked, String), NotAsked> {
        let problem = |text| Err(NotAsked::Problem(text));
        if form.is_ambiguous {
            return problem("The address holds a field twice.");
        }
        let Some(id) = form.get("client_id") else { return problem("The address names no client.") };
        let client = match self.client(id, now).await {
            Ok(client) => client,
            Err(text) => return problem(text),
        };
        let redirect = match (form.get("redirect_uri"), client.redirect_uris.as_slice()) {
            (Some(uri), _) if client.may_redirect_to(uri) => uri,
            (None, [only]) => only,
            (Some(_), _) => return problem("The client is not registered with this redirect address."),
            (None, _) => return problem("The address names no redirect address."),
        };
        let Ok(url) = Url::parse(redirect) else { return problem("The redirect address cannot be read.") };
        let state = form.get("state").map(str::to_owned);
        let deny = |error: &str, text: &str| {
            Err(NotAsked::Redirect(self.answer_at(
                &url,
                state.as_deref(),
                &[("error", error), ("error_description", text)],
            )))
        };
        if form.get("response_type") != Some("code") {
            return deny("unsupported_response_type", "response_type must be code");
        }
        let challenge = match (form.get("code_challenge"), form.get("code_challenge_method")) {
            (Some(challenge), Some("S256")) if is_challenge(challenge) => challenge.to_owned(),
            _ => return deny("invalid_request", "code_challenge with code_challenge_method S256 is needed"),
        };
        if !self.is_resource(form.get("resource")) {
            return deny("invalid_target", "this issuer gives no tokens for that resource");
        }
        let asked = Asked {
            client_id: id.to_owned(),
            client_name: client.name,
            redirect_uri: redirect.to_owned(),
            state,
            challenge,
            scope: self.granted(form.get("scope")),
        };
        let sealed = self.seal.close(Purpose::Consent, Some(now.unix_timestamp() + CONSENT_S), &asked);
        Ok((asked, sealed))
    }

    /// The request that a form brings back.
    pub(super) fn reopened(&self, sealed: &str, now: OffsetDateTime) -> Option<Asked> {
        self.seal.open(Purpose::Consent, sealed, now.unix_timestamp())
    }

    /// Where the client is told that the person signs in as `subject`, or not at all.
    pub(super) fn decided(&self, asked: Asked, subject: Option<String>, now: OffsetDateTime) -> Option<Url> {
        let url = Url::parse(&asked.redirect_uri).ok()?;
        let state = asked.state.clone();
        let Some(subject) = subject else {
            let denied = [("error", "access_denied"), ("error_description", "the person said no")];
            return Some(self.answer_at(&url, state.as_deref(), &denied));
        };
        let code = random_name().ok()?;
        let granted = Granted { asked, subject, until_s: now.unix_timestamp() + CODE_S };
        self.codes.lock().unwrap_or_else(PoisonError::into_inner).put(code.clone(), granted);
        Some(self.answer_at(&url, state.as_deref(), &[("code", &code)]))
    }

    /// Tokens for a code or a refresh token.
    pub(super) fn grant(&self, form: &Form, now: OffsetDateTime) -> Result<Tokens, Denied> {
        if form.is_ambiguous {
            return Err(("invalid_request", "a field comes twice"));
        }
        if !self.is_resource(form.get("resource")) {
            return Err(("invalid_target", "this issuer gives no tokens for that resource"));
        }
        match form.get("grant_type") {
            Some("authorization_code") => self.for_code(form, now),
            Some("refresh_token") => self.for_refresh(form, now),
            _ => Err(("unsupported_grant_type", "use authorization_code or refresh_token")),
        }
    }

    fn for_code(&self, form: &Form, now: OffsetDateTime) -> Result<Tokens, Denied> {
        let code = form.get("code").ok_or(("invalid_request", "code is missing"))?;
        // Taken away whatever comes next: a code is good once.
        let granted = self.codes.lock().unwrap_or_else(PoisonError::into_inner).pop(code);
        let granted = granted
            .filter(|granted| now.unix_timestamp() < granted.until_s)
            .ok_or(("invalid_grant", "the code is not known, or was used, or is too old"))?;
        let verifier = form.get("code_verifier").unwrap_or_default();
        let proof = URL_SAFE_NO_PAD.encode(digest(&SHA256, verifier.as_bytes()));
        if !is_verifier(verifier) {
            return Err((
                "invalid_grant",
                "code_verifier is missing, or not 43 to 128 characters of RFC 7636",
            ));
        }
        let same_redirect = form.get("redirect_uri").is_none_or(|uri| uri == granted.asked.redirect_uri);
        if form.get("client_id") != Some(&granted.asked.client_id)
            || !same_redirect
            || proof != granted.asked.challenge
        {
            return Err((
                "invalid_grant",
                "client_id, redirect_uri or code_verifier is not that of the code",
            ));
        }
        self.tokens(&granted.asked.client_id, &granted.subject, &granted.asked.scope, now)
    }

    fn for_refresh(&self, form: &Form, now: OffsetDateTime) -> Result<Tokens, Denied> {
        let token = form.get("refresh_token").ok_or(("invalid_request", "refresh_token is missing"))?;
        let refresh: Option<Refresh> = self.seal.open(Purpose::Refresh, token, now.unix_timestamp());
        let refresh = refresh
            .filter(|refresh| form.get("client_id") == Some(&refresh.client_id))
            .filter(|refresh| self.start.as_ref() == Some(&refresh.start))
            .ok_or((
                "invalid_grant",
                "the refresh token is not known, is too old, or is of an earlier start",
            ))?;
        let first =
            self.used.lock().unwrap_or_else(PoisonError::into_inner).put(refresh.id.clone(), ()).is_none();
        if !first {
            return Err(("invalid_grant", "the refresh token was used"));
        }
        let Refresh { client_id, subject, scope, .. } = refresh;
        self.tokens(&client_id, &subject, &scope, now)
    }

    fn tokens(
        &self,
        client_id: &str,
        subject: &str,
        scope: &str,
        now: OffsetDateTime,
    ) -> Result<Tokens, Denied> {
        let failed = |_| ("server_error", "no token could be made");
        let request = TokenRequest { subject, client_id, scope, audience: &self.audience };
        let access_token = self.mint.token(request, now).map_err(failed)?;
        let refresh = Refresh {
            id: random_name().map_err(failed)?,
            start: self.start.clone().ok_or(("server_error", "no token could be made"))?,
            client_id: client_id.to_owned(),
            subject: subject.to_owned(),
            scope: scope.to_owned(),
        };
        Ok(Tokens {
            access_token,
            token_type: "Bearer",
            expires_in: self.mint.lifetime().as_secs(),
            refresh_token: self.seal.close(Purpose::Refresh, Some(now.unix_timestamp() + REFRESH_S), refresh),
            scope: scope.to_owned(),
        })
    }

    async fn client(&self, id: &str, now: OffsetDateTime) -> Result<Client, &'static str> {
        if ClientDocuments::is_address(id) {
            return self.documents.client(id).await;
        }
        let known = self.seal.open(Purpose::Client, id, now.unix_timestamp());
        known.ok_or("This client is not registered here. In the program that you came from, remove this server and add it again.")
    }

    /// Without a resource a token is for the only one there is.
    fn is_resource(&self, named: Option<&str>) -> bool {
        named.is_none_or(|named| {
            let named = named.strip_suffix('/').unwrap_or(named);
            self.resources.iter().any(|resource| resource == named)
        })
    }

    /// What is asked for of what there is; everything when nothing is asked for.
    fn granted(&self, asked: Option<&str>) -> String {
        let asked: Option<Vec<&str>> = asked.map(|scope| scope.split_ascii_whitespace().collect());
        let granted: Vec<&str> = self
            .scopes
            .iter()
            .map(String::as_str)
            .filter(|scope| asked.as_ref().is_none_or(|asked| asked.contains(scope)))
            .collect();
        granted.join(" ")
    }

    fn answer_at(&self, redirect: &Url, state: Option<&str>, fields: &[(&str, &str)]) -> Url {
        let mut url = redirect.clone();
        url.query_pairs_mut()
            .extend_pairs(fields)
            .extend_pairs(state.map(|state| ("state", state)))
            .append_pair("iss", self.mint.issuer());
        url
    }
}

fn is_verifier(text: &str) -> bool {
    (43..=128).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte))
}

fn is_challenge(text: &str) -> bool {
    text.len() == 43 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}
