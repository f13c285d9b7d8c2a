//! Asks another server for a small document, within a size and a time, and without being led elsewhere.
//!
//! Decides nothing about what a document means. Redirects are never followed; what was sent never stands
//! in an error.

pub mod trust;

use std::error::Error as StdError;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http::header::DATE;
use http::{HeaderMap, Request, Response, StatusCode};
use reqwest::{Certificate, Client, redirect, retry};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc2822;
use url::Url;

/// Whose certificates are believed and how long is waited.
#[derive(Clone, Debug)]
pub struct FetchSettings {
    /// PEM certificates to trust beside the machine's own; may be empty.
    pub extra_roots: Vec<u8>,
    /// From the start to the last byte.
    pub time: Duration,
    /// The largest document.
    pub limit_bytes: usize,
    /// A host whose addresses are known; it is asked at no other.
    pub pinned: Option<(String, Vec<SocketAddr>)>,
}

/// A client for small documents.
#[derive(Clone, Debug)]
pub struct Fetcher {
    client: Client,
    limit_bytes: usize,
}

/// An answer of any status.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// The status.
    pub status: u16,
    /// The whole body.
    pub body: Bytes,
    /// What time it is there, to the second.
    pub date: Option<OffsetDateTime>,
}

/// Why there is no answer. It reads as its reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Unanswered {
    /// One line for the operator.
    pub reason: String,
    /// Whether there was no connection at all, so that it would have been the same for any question.
    pub is_unreachable: bool,
    /// Whether the other side's certificate is one that nobody who is trusted vouches for.
    pub is_untrusted: bool,
}

impl Unanswered {
    /// For a reason that has nothing to do with the connection.
    fn other(reason: String) -> Self {
        Self { reason, is_unreachable: false, is_untrusted: false }
    }
}

impl From<reqwest::Error> for Unanswered {
    fn from(error: reqwest::Error) -> Self {
        Self {
            is_unreachable: error.is_connect() && !error.is_timeout(),
            is_untrusted: trust::is_untrusted(&error),
            reason: innermost(&error.without_url()),
        }
    }
}

/// An address as a message may show it: a user, a password or a query may be a secret.
#[must_use]
pub fn shown(url: &Url) -> String {
    let mut shown = url.clone();
    shown.set_query(None);
    shown.set_fragment(None);
    // Addresses that can have neither have none.
    let _no_user = shown.set_username("");
    let _no_password = shown.set_password(None);
    shown.to_string()
}

impl Fetcher {
    /// A client; connects when it is first used.
    ///
    /// # Errors
    /// Certificates that cannot be read, as one line.
    pub fn new(settings: FetchSettings) -> Result<Self, String> {
        // Fails only when one is installed already, which is as good.
        let _installed = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Client::builder()
            .user_agent(concat!("ono-sendai/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .referer(false)
            .retry(retry::never())
            .timeout(settings.time)
            .connect_timeout(settings.time)
            .pool_idle_timeout(Duration::from_secs(60))
            .pool_max_idle_per_host(4);
        if let Some((host, addresses)) = &settings.pinned {
            builder = builder.no_proxy().resolve_to_addrs(host, addresses);
        }
        if !settings.extra_roots.is_empty() {
            let roots = Certificate::from_pem_bundle(&settings.extra_roots)
                .ok()
                .filter(|roots| !roots.is_empty())
                .ok_or_else(|| "holds no PEM certificate".to_owned())?;
            builder = builder.tls_certs_merge(roots);
        }
        let client = builder.build().map_err(|error| innermost(&error))?;
        Ok(Self { client, limit_bytes: settings.limit_bytes })
    }

    /// Gets a document.
    ///
    /// # Errors
    /// Why there is no answer.
    pub async fn get(&self, url: &Url) -> Result<Fetched, Unanswered> {
        self.read(self.client.get(url.clone()).header("accept", "application/json")).await
    }

    /// Finds out whether there is a way to a server, and what time it is there. Of its answer only the head is looked
    /// at; one that does not come, or cannot be read, tells no time.
    ///
    /// # Errors
    /// When no connection could be made.
    pub async fn reach(&self, url: &Url) -> Result<Option<OffsetDateTime>, Unanswered> {
        match self.client.get(url.clone()).send().await {
            Ok(response) => Ok(date(response.headers())),
            Err(error) if error.is_connect() => Err(error.into()),
            Err(_no_answer) => Ok(None),
        }
    }

    /// Posts a body and reads the answer.
    ///
    /// # Errors
    /// Why there is no answer.
    pub async fn post(&self, url: &Url, headers: HeaderMap, body: Bytes) -> Result<Fetched, Unanswered> {
        self.read(self.client.post(url.clone()).headers(headers).body(body)).await
    }

    /// Sends a request as it is and reads the answer with its headers.
    ///
    /// # Errors
    /// Why there is no answer.
    pub async fn exchange(&self, request: Request<Bytes>) -> Result<Response<Bytes>, Unanswered> {
        let request =
            reqwest::Request::try_from(request).map_err(|error| Unanswered::other(innermost(&error)))?;
        let mut headers = HeaderMap::new();
        let request = reqwest::RequestBuilder::from_parts(self.client.clone(), request);
        let fetched = self.read_with(request, |answered| headers = answered.clone()).await?;
        let mut response = Response::new(fetched.body);
        *response.status_mut() = StatusCode::from_u16(fetched.status).unwrap_or_default();
        *response.headers_mut() = headers;
        Ok(response)
    }

    async fn read(&self, request: reqwest::RequestBuilder) -> Result<Fetched, Unanswered> {
        self.read_with(request, |_| {}).await
    }

    async fn read_with(
        &self,
        request: reqwest::RequestBuilder,
        look: impl FnOnce(&HeaderMap),
    ) -> Result<Fetched, Unanswered> {
        let mut response = request.send().await?;
        let status = response.status().as_u16();
        let date = date(response.headers());
        look(response.headers());
        let mut body = Vec::new();
        while let Some(part) = response.chunk().await? {
            if body.len() + part.len() > self.limit_bytes {
                let reason = format!("the answer has more than {} bytes", self.limit_bytes);
                return Err(Unanswered::other(reason));
            }
            body.extend_from_slice(&part);
        }
        Ok(Fetched { status, body: body.into(), date })
    }
}

fn date(headers: &HeaderMap) -> Option<OffsetDateTime> {
    let date = headers.get(DATE).and_then(|date| date.to_str().ok());
    date.and_then(|date| OffsetDateTime::parse(date, &Rfc2822).ok())
}

/// What the innermost error says; the outer ones repeat the address.
fn innermost(error: &(dyn StdError + 'static)) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string().replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{Ipv4Addr, TcpListener};

    use super::*;

    #[test]
    fn an_address_is_shown_without_what_may_be_a_secret() {
        for (address, said) in [
            ("https://user:s3cr3t@keys.example/a?code=s3cr3t#s3cr3t", "https://keys.example/a"),
            ("https://keys.example:8443/a/b", "https://keys.example:8443/a/b"),
            ("data:text/plain,x?y#z", "data:text/plain,x"),
        ] {
            assert_eq!(shown(&Url::parse(address).unwrap()), said);
        }
    }

    #[tokio::test]
    async fn a_pinned_host_is_asked_at_its_addresses_whatever_its_name_leads_to() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let host = std::thread::spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            let mut head = Vec::new();
            let mut byte = [0];
            while !head.ends_with(b"\r\n\r\n") && socket.read(&mut byte).unwrap() == 1 {
                head.push(byte[0]);
            }
            let date = "date: Sun, 31 Jan 2027 12:00:00 GMT";
            write!(socket, "HTTP/1.1 200 OK\r\n{date}\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{{}}")
                .unwrap();
            String::from_utf8(head).unwrap()
        });
        // A name that no resolver knows: it can only be reached by what was looked up before.
        let settings = FetchSettings {
            extra_roots: Vec::new(),
            time: Duration::from_secs(5),
            limit_bytes: 100,
            pinned: Some(("pinned.invalid".to_owned(), vec![address])),
        };
        let fetcher = Fetcher::new(settings).unwrap();
        let url = Url::parse(&format!("http://pinned.invalid:{}/document", address.port())).unwrap();
        let fetched = fetcher.get(&url).await.unwrap();
        assert_eq!((fetched.status, fetched.body.as_ref()), (200, b"{}".as_slice()));
        assert_eq!(fetched.date, Some(time::macros::datetime!(2027-01-31 12:00 UTC)));
        let head = host.join().unwrap();
        assert!(head.to_ascii_lowercase().contains("host: pinned.invalid"), "{head}");
        // A name that is not pinned is looked up, and this one is not there.
        let other = Url::parse("http://other.invalid/document").unwrap();
        assert!(fetcher.get(&other).await.is_err());
    }
}
