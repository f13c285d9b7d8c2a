//! Clients: what they say about themselves, and where they may be answered.
//!
//! Decides which redirect addresses are safe to send a code to. Knows nothing of tokens or people.

use serde::{Deserialize, Serialize};
use url::{Host, Url};

use crate::host::is_loopback;
use crate::model::text::clean;

/// The most addresses of one client.
const REDIRECTS_MAX: usize = 20;
/// The longest address, in bytes.
const REDIRECT_MAX_BYTES: usize = 500;
/// The most bytes of all addresses of a client: its id holds them, and every token holds the id.
const REDIRECTS_MAX_BYTES: usize = 4_000;
/// The longest name that is shown, in characters.
const NAME_MAX_CHARS: usize = 80;

/// A client that may ask for codes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Client {
    /// What it calls itself; anyone can write anything there.
    pub(super) name: Option<String>,
    pub(super) redirect_uris: Vec<String>,
}

/// What a client says about itself, in registration and in its own document alike.
#[derive(Debug, Deserialize)]
pub(super) struct ClientMetadata {
    pub(super) client_id: Option<String>,
    client_name: Option<String>,
    redirect_uris: Vec<String>,
    token_endpoint_auth_method: Option<String>,
    grant_types: Option<Vec<String>>,
    response_types: Option<Vec<String>>,
}

/// Why what a client says cannot be taken, as the error of RFC 7591 and a sentence.
pub(super) type Unfit = (&'static str, &'static str);

impl Client {
    /// Takes what a client says about itself.
    pub(super) fn of(metadata: ClientMetadata) -> Result<Self, Unfit> {
        let uris = metadata.redirect_uris;
        let few = (1..=REDIRECTS_MAX).contains(&uris.len())
            && uris.iter().map(String::len).sum::<usize>() <= REDIRECTS_MAX_BYTES;
        if !few || !uris.iter().all(|uri| is_safe(uri)) {
            return Err((
                "invalid_redirect_uri",
                "give 1 to 20 redirect_uris, 4000 bytes in all: https, http on this machine, or an app's own scheme",
            ));
        }
        let lacks =
            |list: Option<&Vec<String>>, word| list.is_some_and(|list| !list.iter().any(|of| of == word));
        if metadata.token_endpoint_auth_method.as_deref().is_some_and(|method| method != "none") {
            return Err(("invalid_client_metadata", "token_endpoint_auth_method must be none"));
        }
        if lacks(metadata.grant_types.as_ref(), "authorization_code")
            || lacks(metadata.response_types.as_ref(), "code")
        {
            return Err(("invalid_client_metadata", "only authorization_code with code is offered"));
        }
        let name = metadata.client_name.and_then(|name| clean(&name, NAME_MAX_CHARS));
        Ok(Self { name, redirect_uris: uris })
    }

    /// Whether a code for it may be sent to `uri`. The port of an address on the client's own machine may
    /// be another one at every start.
    pub(super) fn may_redirect_to(&self, uri: &str) -> bool {
        self.redirect_uris.iter().any(|registered| registered == uri || same_but_for_port(registered, uri))
    }
}

fn same_but_for_port(registered: &str, uri: &str) -> bool {
    let (Ok(mut registered), Ok(mut uri)) = (Url::parse(registered), Url::parse(uri)) else { return false };
    let local =
        |url: &Url| url.scheme() == "http" && url.host().is_some_and(|host: Host<&str>| is_loopback(&host));
    local(&registered)
        && local(&uri)
        && registered.set_port(None).is_ok()
        && uri.set_port(None).is_ok()
        && registered == uri
}

/// Schemes that run or show something in a browser instead of opening an app.
const UNSAFE_SCHEMES: [&str; 10] =
    ["javascript", "data", "vbscript", "file", "blob", "about", "filesystem", "ws", "wss", "ftp"];

fn is_safe(uri: &str) -> bool {
    let plain = uri.len() <= REDIRECT_MAX_BYTES && uri.bytes().all(|byte| byte.is_ascii_graphic());
    let Some(url) = plain.then(|| Url::parse(uri).ok()).flatten() else { return false };
    let named = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
    named
        && match url.scheme() {
            "https" => url.host().is_some(),
            "http" => url.host().is_some_and(|host: Host<&str>| is_loopback(&host)),
            scheme => !UNSAFE_SCHEMES.contains(&scheme) && scheme.len() >= 3,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(uris: &[&str]) -> Client {
        Client { name: None, redirect_uris: uris.iter().map(|uri| (*uri).to_owned()).collect() }
    }

    #[test]
    fn a_code_goes_to_registered_addresses_only() {
        let web = client(&["https://claude.ai/api/mcp/auth_callback"]);
        assert!(web.may_redirect_to("https://claude.ai/api/mcp/auth_callback"));
        for other in [
            "https://claude.ai/api/mcp/auth_callback/",
            "https://claude.ai/api/mcp/auth_callback?x=1",
            "https://claude.ai:444/api/mcp/auth_callback",
            "https://evil.example/api/mcp/auth_callback",
            "",
        ] {
            assert!(!web.may_redirect_to(other), "{other}");
        }
        let local = client(&["http://127.0.0.1:1234/callback", "http://localhost/cb"]);
        assert!(local.may_redirect_to("http://127.0.0.1:9/callback"));
        assert!(local.may_redirect_to("http://localhost:5000/cb"));
        for other in
            ["http://127.0.0.1:9/other", "http://localhost:9/callback", "https://127.0.0.1:9/callback"]
        {
            assert!(!local.may_redirect_to(other), "{other}");
        }
    }

    #[test]
    fn an_address_that_runs_something_or_is_in_the_clear_is_not_registered() {
        for good in [
            "https://vscode.dev/redirect",
            "http://127.0.0.1:33418/",
            "http://[::1]/cb",
            "cursor://anysphere.cursor-mcp/oauth/callback",
            "com.example.app:/cb",
        ] {
            assert!(is_safe(good), "{good}");
        }
        for bad in [
            "http://example.org/cb",
            "javascript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "https://user@example.org/",
            "https://example.org/#x",
            "https://example.org/ x",
            "//example.org",
            "",
        ] {
            assert!(!is_safe(bad), "{bad}");
        }
        assert!(!is_safe(&format!("https://example.org/{}", "a".repeat(REDIRECT_MAX_BYTES))));
    }
}
