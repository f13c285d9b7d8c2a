//! Finds the key set of an issuer by the issuer's name alone.
//!
//! Decides which of the issuer's documents are believed: only one that names the issuer to the letter.

use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use serde::Deserialize;
use url::Url;

use super::key_source::KeyDocument;
use super::object::object;
use crate::fetch::{Fetcher, shown};

/// The key set of an issuer, wherever its metadata says it is.
#[derive(Debug)]
pub struct IssuerDocument {
    issuer: Url,
    name: String,
    fetcher: Fetcher,
    configured: Option<Url>,
    /// Where the metadata said; asked for again after a failure.
    found: Mutex<Option<Url>>,
}

#[derive(Deserialize)]
struct Metadata {
    issuer: String,
    jwks_uri: String,
}

impl IssuerDocument {
    /// The key set at `configured`, or where the metadata of `issuer` says.
    ///
    /// # Errors
    /// When the issuer's name is no address.
    pub fn new(issuer: &str, configured: Option<Url>, fetcher: Fetcher) -> Result<Self, url::ParseError> {
        let url = Url::parse(issuer)?;
        Ok(Self { issuer: url, name: issuer.to_owned(), fetcher, configured, found: Mutex::default() })
    }

    async fn key_set(&self) -> Result<Bytes, String> {
        let known = self.configured.clone().or_else(|| self.found().clone());
        let address = match known {
            Some(address) => address,
            None => {
                let address = self.discover().await?;
                *self.found() = Some(address.clone());
                address
            }
        };
        let fetched = match self.fetcher.get(&address).await {
            Ok(answer) if answer.status == 200 => Ok(answer.body),
            Ok(answer) => Err(format!("{} answered HTTP {}", shown(&address), answer.status)),
            Err(unanswered) => Err(unanswered.reason),
        };
        if fetched.is_err() {
            *self.found() = None;
        }
        fetched
    }

    async fn discover(&self) -> Result<Url, String> {
        let mut why = String::new();
        for address in self.metadata_addresses() {
            let answer = match self.fetcher.get(&address).await {
                Ok(answer) => answer,
                Err(unanswered) => {
                    why = format!("{}: {unanswered}", shown(&address));
                    continue;
                }
            };
            if answer.status != 200 {
                why = format!("{} answered HTTP {}", shown(&address), answer.status);
                continue;
            }
            match self.read(&answer.body) {
                Ok(found) => return Ok(found),
                Err(reason) => why = format!("{} {reason}", shown(&address)),
            }
        }
        Err(why)
    }

    fn read(&self, document: &[u8]) -> Result<Url, &'static str> {
        let metadata: Metadata = object(document).ok_or("holds no issuer metadata")?;
        if metadata.issuer != self.name {
            return Err("names another issuer than the configuration");
        }
        let keys = Url::parse(&metadata.jwks_uri).map_err(|_| "names no address for the keys")?;
        if keys.scheme() != "https" && keys.scheme() != self.issuer.scheme() {
            return Err("names an address without TLS for the keys");
        }
        Ok(keys)
    }

    /// Where issuers publish it: RFC 8414 first, then the two places of OpenID Connect.
    #[must_use]
    pub fn metadata_addresses(&self) -> Vec<Url> {
        let path = self.issuer.path().trim_end_matches('/');
        [
            format!("/.well-known/oauth-authorization-server{path}"),
            format!("{path}/.well-known/openid-configuration"),
            format!("/.well-known/openid-configuration{path}"),
        ]
        .into_iter()
        .map(|path| {
            let mut address = self.issuer.clone();
            address.set_path(&path);
            address
        })
        .collect()
    }

    fn found(&self) -> std::sync::MutexGuard<'_, Option<Url>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KeyDocument for IssuerDocument {
    fn fetch(&self) -> Pin<Box<dyn Future<Output = Result<Bytes, String>> + Send + '_>> {
        Box::pin(self.key_set())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::fetch::FetchSettings;

    fn document(issuer: &str) -> IssuerDocument {
        let settings = FetchSettings {
            extra_roots: Vec::new(),
            time: Duration::from_secs(1),
            limit_bytes: 1_000,
            pinned: None,
        };
        IssuerDocument::new(issuer, None, Fetcher::new(settings).unwrap()).unwrap()
    }

    #[test]
    fn the_metadata_is_looked_for_at_the_published_places() {
        let addresses = |issuer| -> Vec<String> {
            document(issuer).metadata_addresses().iter().map(Url::to_string).collect()
        };
        assert_eq!(
            addresses("https://auth.example"),
            [
                "https://auth.example/.well-known/oauth-authorization-server",
                "https://auth.example/.well-known/openid-configuration",
                "https://auth.example/.well-known/openid-configuration",
            ]
        );
        assert_eq!(
            addresses("https://auth.example/realms/a"),
            [
                "https://auth.example/.well-known/oauth-authorization-server/realms/a",
                "https://auth.example/realms/a/.well-known/openid-configuration",
                "https://auth.example/.well-known/openid-configuration/realms/a",
            ]
        );
    }

    #[test]
    fn a_document_of_another_issuer_or_with_keys_in_the_clear_is_not_believed() {
        let issuer = document("https://auth.example");
        let read = |issuer_name: &str, keys: &str| {
            let text = format!(r#"{{"issuer":"{issuer_name}","jwks_uri":"{keys}"}}"#);
            issuer.read(text.as_bytes()).map(|url| url.to_string())
        };
        assert_eq!(
            read("https://auth.example", "https://keys.example/jwks").as_deref(),
            Ok("https://keys.example/jwks")
        );
        assert!(read("https://auth.example/", "https://keys.example/jwks").is_err());
        assert!(read("https://evil.example", "https://keys.example/jwks").is_err());
        assert!(read("https://auth.example", "http://keys.example/jwks").is_err());
        assert!(read("https://auth.example", "jwks").is_err());
        assert!(issuer.read(b"[]").is_err());
    }
}
