//! `[auth]`: whose tokens are accepted.

use std::path::PathBuf;

use url::{Host, Url};

use super::keys::Keys;
use super::table::Key;
use crate::auth::SigningAlgorithm;
use crate::host::is_loopback;

/// The keys of `[auth]`.
pub(super) const KEYS: &[Key] = &[
    Key::new(
        "issuer",
        "\"\"",
        "The issuer whose tokens are accepted, exactly as they carry it in \"iss\"; docs/sign-in.md says how \
         to set one up. \"\" is the built-in issuer where that is enabled, and otherwise no sign-in.",
    ),
    Key::new(
        "jwks_uri",
        "\"\"",
        "Where the issuer's key set is. \"\" is where the issuer's own metadata says.",
    ),
    Key::new(
        "algorithms",
        "[\"RS256\", \"ES256\", \"EdDSA\"]",
        "The signature algorithms that are accepted: \"RS256\", \"ES256\", \"EdDSA\".",
    ),
    Key::new(
        "audiences",
        "[]",
        "Audiences that are accepted beside this server's own address (public_base with /mcp), such as the \
         client id that some issuers put there.",
    ),
    Key::new(
        "scopes",
        "[\"openid\", \"email\", \"offline_access\"]",
        "What clients ask the issuer for. Name nothing that the issuer does not know.",
    ),
    Key::new("chatgpt_client_ids", "[]", "Client ids whose calls are counted as ChatGPT's."),
    Key::new(
        "ca_file",
        "\"\"",
        "A PEM file with certificates to trust beside the machine's own: at the issuer, at the account \
         service and, for the built-in issuer, where documents about clients lie.",
    ),
];

/// The scopes that clients ask for unless the operator says otherwise.
const SCOPES: [&str; 3] = ["openid", "email", "offline_access"];

/// Whose tokens are accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Auth {
    /// The issuer, exactly as its tokens name it; `None` is the built-in one if that is on, and otherwise
    /// no sign-in.
    pub issuer: Option<String>,
    /// Where its keys are; `None` is where its own metadata says.
    pub jwks_uri: Option<Url>,
    /// The signature algorithms that are accepted.
    pub algorithms: Vec<SigningAlgorithm>,
    /// Audiences that are accepted beside the address of this server, such as a client id.
    pub audiences: Vec<String>,
    /// What clients ask the issuer for.
    pub scopes: Vec<String>,
    /// Client ids that are counted as ChatGPT.
    pub chatgpt_client_ids: Vec<String>,
    /// A PEM file of certificates to trust beside the machine's own, at the issuer, at the account service
    /// and where documents about clients lie.
    pub ca_file: Option<PathBuf>,
}

impl Default for Auth {
    fn default() -> Self {
        Self {
            issuer: None,
            jwks_uri: None,
            algorithms: SigningAlgorithm::ALL.to_vec(),
            audiences: Vec::new(),
            scopes: SCOPES.map(str::to_owned).to_vec(),
            chatgpt_client_ids: Vec::new(),
            ca_file: None,
        }
    }
}

impl Auth {
    pub(super) fn read(keys: &mut Keys<'_, '_>) -> Self {
        let default = Self::default();
        let auth = Self {
            issuer: keys.optional(
                "issuer",
                "the https address that the issuer's tokens carry as iss (http on this machine only)",
                |text| remote(text).map(|_| text.to_owned()),
            ),
            jwks_uri: keys.optional("jwks_uri", "the https address of a key set", remote),
            algorithms: keys.list_or(
                "algorithms",
                default.algorithms,
                "\"RS256\", \"ES256\" or \"EdDSA\"",
                SigningAlgorithm::named,
            ),
            audiences: keys.list("audiences", "an audience of 1 to 200 characters", word),
            scopes: keys.list_or("scopes", default.scopes, "one scope, without spaces or quotes", scope),
            chatgpt_client_ids: keys.list("chatgpt_client_ids", "a client id of 1 to 200 characters", word),
            ca_file: keys.optional_path("ca_file"),
        };
        if auth.algorithms.is_empty() {
            keys.refuse(&["algorithms"], "an empty list", "at least one algorithm");
        }
        if auth.issuer.is_none() && auth.jwks_uri.is_some() {
            keys.refuse(&["jwks_uri", "issuer"], "a key set without an issuer", "issuer, or no jwks_uri");
        }
        auth
    }
}

/// An address that a token or a secret may be sent to, or keys fetched from.
pub(super) fn remote(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let loopback = url.host().is_some_and(|host: Host<&str>| is_loopback(&host));
    let sound = (url.scheme() == "https" || url.scheme() == "http" && loopback)
        && url.username().is_empty()
        && url.password().is_none()
        && url.fragment().is_none()
        && text.len() <= 500
        && !text.chars().any(|c| c.is_control() || c.is_whitespace());
    sound.then_some(url)
}

fn word(text: &str) -> Option<String> {
    let sound = (1..=200).contains(&text.chars().count()) && !text.chars().any(char::is_control);
    sound.then(|| text.to_owned())
}

fn scope(text: &str) -> Option<String> {
    let plain = |byte: u8| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\';
    ((1..=100).contains(&text.len()) && text.bytes().all(plain)).then(|| text.to_owned())
}
