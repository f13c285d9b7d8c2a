//! What a token says, and whether that is acceptable here; signatures are checked elsewhere.
//!
//! Decides which claims a token needs and what they may hold. Pure: the time comes as an argument. What
//! is read here proves nothing until a key has confirmed it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::fault::TokenFault;
use super::keys::SigningAlgorithm;
use super::object::object;
use super::principal::{Account, ClientKind};

/// How far the clocks of issuer and server may differ, in seconds.
pub const LEEWAY_S: i64 = 60;
/// The longest subject, in bytes.
const SUBJECT_MAX_BYTES: usize = 255;
/// The most scopes of a token that are kept.
const SCOPES_MAX: usize = 50;

/// What a token must say to be accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenPolicy {
    /// The issuer, to the letter.
    pub issuer: String,
    /// The address of the endpoints, without a final slash; a token may name it with or without one.
    pub resource: String,
    /// Further audiences that are accepted, such as a client id.
    pub further_audiences: Vec<String>,
    /// The algorithms that are accepted.
    pub algorithms: Vec<SigningAlgorithm>,
    /// The client ids that are ChatGPT's.
    pub chatgpt_clients: Vec<String>,
}

/// A token whose claims are acceptable, but which nobody has confirmed yet.
#[derive(Debug)]
pub(super) struct Claimed {
    pub(super) algorithm: SigningAlgorithm,
    pub(super) key_id: Option<String>,
    pub(super) expires_s: i64,
    pub(super) account: Account,
}

/// A token that can never be accepted, whoever signed it; what of it is not acceptable, for the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unacceptable(pub(super) TokenFault);

const FORM: Unacceptable = Unacceptable(TokenFault::Form);

/// Only what is used. Any other field, an embedded key or the address of one included, is passed over.
#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    typ: Option<String>,
    crit: Option<Value>,
}

#[derive(Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    aud: Option<Audience>,
    exp: f64,
    nbf: Option<f64>,
    iat: Option<f64>,
    scope: Option<Value>,
    scp: Option<Value>,
    client_id: Option<Value>,
    azp: Option<Value>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Several(Vec<String>),
}

impl TokenPolicy {
    /// Reads a token and holds its claims to the policy. `now_s` is the time in seconds since 1970.
    pub(super) fn read(&self, token: &str, now_s: i64) -> Result<Claimed, Unacceptable> {
        let mut parts = token.split('.');
        let (Some(header), Some(claims), Some(signature), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(FORM);
        };
        if signature.is_empty() {
            return Err(FORM);
        }
        let header: Header = json(header)?;
        let algorithm = SigningAlgorithm::named(&header.alg).ok_or(Unacceptable(TokenFault::Algorithm))?;
        if !self.algorithms.contains(&algorithm) {
            return Err(Unacceptable(TokenFault::Algorithm));
        }
        if header.crit.is_some() {
            return Err(Unacceptable(TokenFault::Critical));
        }
        if !is_access_token(header.typ.as_deref()) {
            return Err(Unacceptable(TokenFault::Kind));
        }
        let claims: Claims = json(claims)?;
        let expires_s = self.check(&claims, now_s)?;
        let client = self.client(&claims);
        let scopes = scopes(claims.scope.as_ref().or(claims.scp.as_ref()));
        let account = Account::new(&self.issuer, claims.sub, client, scopes);
        Ok(Claimed { algorithm, key_id: header.kid, expires_s, account })
    }

    /// The end of the token's life, in seconds since 1970.
    fn check(&self, claims: &Claims, now_s: i64) -> Result<i64, Unacceptable> {
        let audience = match &claims.aud {
            Some(Audience::One(audience)) => self.is_for_us(audience),
            Some(Audience::Several(audiences)) => audiences.iter().any(|audience| self.is_for_us(audience)),
            None => false,
        };
        let subject = !claims.sub.is_empty()
            && claims.sub.len() <= SUBJECT_MAX_BYTES
            && !claims.sub.chars().any(char::is_control);
        let expires_s = whole_s(claims.exp);
        let begun = |at: Option<f64>| at.is_none_or(|at| whole_s(at) <= now_s.saturating_add(LEEWAY_S));
        let held = [
            (claims.iss == self.issuer, TokenFault::Issuer),
            (audience, TokenFault::Audience),
            (subject, TokenFault::Subject),
            (is_alive(expires_s, now_s), TokenFault::Expiry),
            (begun(claims.nbf), TokenFault::NotBefore),
            (begun(claims.iat), TokenFault::IssuedAt),
        ];
        match held.into_iter().find(|(sound, _)| !sound) {
            Some((_, claim)) => Err(Unacceptable(claim)),
            None => Ok(expires_s),
        }
    }

    fn is_for_us(&self, audience: &str) -> bool {
        audience.strip_suffix('/').unwrap_or(audience) == self.resource
            || self.further_audiences.iter().any(|further| further == audience)
    }

    fn client(&self, claims: &Claims) -> ClientKind {
        let id = [&claims.client_id, &claims.azp].into_iter().flatten().find_map(Value::as_str);
        match id {
            Some(id) if self.chatgpt_clients.iter().any(|chatgpt| chatgpt == id) => ClientKind::Chatgpt,
            _ => ClientKind::Other,
        }
    }
}

/// Whether a token that ends at `expires_s` is still good, as far as clocks can tell.
pub(super) fn is_alive(expires_s: i64, now_s: i64) -> bool {
    expires_s > now_s.saturating_sub(LEEWAY_S)
}

/// Other kinds of signed tokens, such as those of a log-out, say so in their type.
fn is_access_token(kind: Option<&str>) -> bool {
    kind.is_none_or(|kind| {
        let kind = kind.to_ascii_lowercase();
        matches!(kind.strip_prefix("application/").unwrap_or(&kind), "jwt" | "at+jwt")
    })
}

/// A text of words, or a list of them.
fn scopes(claim: Option<&Value>) -> Vec<String> {
    let words: Vec<&str> = match claim {
        Some(Value::String(text)) => text.split_ascii_whitespace().collect(),
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    words.into_iter().take(SCOPES_MAX).map(str::to_owned).collect()
}

/// Seconds, the fraction cut off; times beyond any calendar become the last one.
#[expect(clippy::cast_possible_truncation, reason = "the cast saturates, and fractions are meant to go")]
fn whole_s(seconds: f64) -> i64 {
    seconds as i64
}

fn json<T: DeserializeOwned>(part: &str) -> Result<T, Unacceptable> {
    let bytes = URL_SAFE_NO_PAD.decode(part).map_err(|_| FORM)?;
    object(&bytes).ok_or(FORM)
}
