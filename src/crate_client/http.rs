//! The real service: requests over HTTP, with the key of this server.
//!
//! Decides how a request is written and which answers are taken for the service's own. The key leaves this
//! file in one header field only, and only for the configured host. Must never know what is asked.

mod header;

use std::error::Error as StdError;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use http::header::{ACCEPT, ACCEPT_ENCODING};
use http::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Certificate, Client, Response, redirect, retry};
use url::Url;

use super::fault::UpstreamFault;
use super::transport::{Answer, Request, Sending, Transport};
use crate::clock::Clock;
use crate::fetch::trust::is_untrusted;

/// The header field that carries the key.
const KEY_FIELD: HeaderName = HeaderName::from_static("x-api-key");
/// No answer of the service is longer.
const BODY_MAX_BYTES: usize = 4 * 1024 * 1024;
/// How often a request may be sent on to another address of the same host.
const REDIRECTS_MAX: usize = 3;
/// How long a connection is kept for the next request.
const IDLE: Duration = Duration::from_secs(90);
/// How often the log says why the service cannot be reached.
const TOLD_EVERY: Duration = Duration::from_secs(60);

/// Where the service is, and how this server is known there.
#[derive(Clone)]
pub struct HttpSettings {
    /// The address of the service; every path is appended to it.
    pub base_url: Url,
    /// The key of this server.
    pub key: Option<HeaderValue>,
    /// Certificates to trust beside the machine's own, as PEM; empty for none.
    pub extra_roots: Vec<u8>,
    /// Connections that are kept while nothing is asked.
    pub idle_connections: usize,
}

impl fmt::Debug for HttpSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpSettings")
            .field("base_url", &self.base_url.as_str())
            .field("key", &self.key.as_ref().map(|_| "redacted"))
            .finish_non_exhaustive()
    }
}

/// Why a client cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum HttpSetupError {
    /// The extra certificates are none.
    #[error("holds something that is not a PEM certificate")]
    ExtraRoots,
    /// There is nothing to trust, or no client at all.
    #[error("{0}")]
    Client(String),
}

/// Sends requests to the service.
pub struct HttpTransport {
    client: Client,
    base_url: Url,
    clock: Clock,
    told: Mutex<Option<Instant>>,
}

impl fmt::Debug for HttpTransport {
    /// The client holds the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpTransport").field("base_url", &self.base_url.as_str()).finish_non_exhaustive()
    }
}

impl HttpTransport {
    /// A client of the service; connects when it is first used.
    ///
    /// # Errors
    /// Certificates that cannot be read, or a machine that trusts none.
    pub fn new(settings: HttpSettings, clock: Clock) -> Result<Self, HttpSetupError> {
        // Fails only when one is installed already, which is as good.
        let _installed = rustls::crypto::ring::default_provider().install_default();
        let mut fields = HeaderMap::new();
        fields.insert(ACCEPT, HeaderValue::from_static("application/json"));
        // Compressed answers would need a bound of their own on what they unfold to.
        fields.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        if let Some(mut key) = settings.key {
            key.set_sensitive(true);
            fields.insert(KEY_FIELD, key);
        }
        let mut builder = Client::builder()
            .user_agent(concat!("ono-sendai/", env!("CARGO_PKG_VERSION")))
            .default_headers(fields)
            .redirect(same_origin(settings.base_url.clone()))
            .referer(false)
            // Whether a request is made again is decided where its cost and its time are known.
            .retry(retry::never())
            .tcp_nodelay(true)
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(settings.idle_connections);
        if settings.base_url.scheme() == "http" {
            // Only this machine is asked without TLS; no certificate is needed for it, and no proxy.
            builder = builder.no_proxy().tls_certs_only(Vec::new());
        } else if !settings.extra_roots.is_empty() {
            let roots = Certificate::from_pem_bundle(&settings.extra_roots)
                .ok()
                .filter(|roots| !roots.is_empty())
                .ok_or(HttpSetupError::ExtraRoots)?;
            builder = builder.tls_certs_merge(roots);
        }
        let client = builder.build().map_err(|error| HttpSetupError::Client(innermost(&error)))?;
        Ok(Self { client, base_url: settings.base_url, clock, told: Mutex::default() })
    }

    fn url(&self, request: Request<'_>) -> Option<Url> {
        let mut url = self.base_url.clone();
        url.path_segments_mut()
            .ok()?
            .pop_if_empty()
            .extend(request.path.split('/').filter(|segment| !segment.is_empty()));
        if !request.query.is_empty() {
            url.query_pairs_mut().extend_pairs(request.query.iter().map(|(name, value)| (*name, value)));
        }
        Some(url)
    }

    async fn exchange(&self, request: Request<'_>) -> Result<Answer, UpstreamFault> {
        // An address that takes no path is refused when the configuration is read.
        let url = self.url(request).ok_or(UpstreamFault::Unreachable)?;
        let response = self.client.get(url).send().await.map_err(|error| {
            self.tell(&error);
            UpstreamFault::Unreachable
        })?;
        let status = response.status().as_u16();
        let hints = header::hints(response.headers(), &self.clock);
        let is_text = header::is_json_text(response.headers());
        match body(response).await {
            Ok(body) => {
                let body = body.filter(|_| is_text).unwrap_or_default();
                Ok(Answer { status, body, hints })
            }
            Err(error) if status == 200 => {
                self.tell(&error);
                Err(UpstreamFault::BrokenOff)
            }
            // What such an answer says stands in its first line.
            Err(_) => Ok(Answer { status, body: Bytes::new(), hints }),
        }
    }

    /// Says in the log why the service is not there, but not for every request. The error's own address is
    /// left out, since it holds what was asked.
    fn tell(&self, error: &reqwest::Error) {
        let now = self.clock.monotonic();
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.is_none_or(|told| now.saturating_duration_since(told) >= TOLD_EVERY) {
            *told = Some(now);
            drop(told);
            let host = self.base_url.host_str().unwrap_or_default();
            let reason = innermost(error);
            // What rustls says of a certificate names no setting.
            let hint = match is_untrusted(error) {
                true => "; if the certificate is right, name the file of its issuer as ca_file under [crate]",
                false => "",
            };
            tracing::warn!(host, %reason, "the data service cannot be reached{hint}");
        }
    }
}

impl Transport for HttpTransport {
    fn send<'a>(&'a self, request: Request<'a>) -> Sending<'a> {
        Box::pin(self.exchange(request))
    }
}

/// The whole body; `None` when it is longer than any answer of the service.
async fn body(mut response: Response) -> Result<Option<Bytes>, reqwest::Error> {
    if response.content_length().is_some_and(|length| length > BODY_MAX_BYTES as u64) {
        return Ok(None);
    }
    let mut body = BytesMut::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > BODY_MAX_BYTES {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body.freeze()))
}

/// Follows a redirect to the same host; what leads elsewhere is not followed, and the key with it.
fn same_origin(base_url: Url) -> redirect::Policy {
    redirect::Policy::custom(move |attempt| {
        if attempt.url().origin() == base_url.origin() && attempt.previous().len() <= REDIRECTS_MAX {
            attempt.follow()
        } else {
            attempt.stop()
        }
    })
}

/// What the innermost error says: the outer ones only repeat where it happened.
fn innermost(error: &(dyn StdError + 'static)) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string().chars().filter(|c| !c.is_control()).take(200).collect()
}
