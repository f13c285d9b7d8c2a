//! Which certificate a client is shown, and how others take its place while connections are open.
//!
//! Decides by the name that the client asks for and by the signatures that it can check. A connection keeps what it was
//! shown. Knows nothing of files.

use std::sync::{Arc, PoisonError, RwLock};

use rustls::ServerConfig;
use rustls::SignatureScheme;
use rustls::crypto::{CryptoProvider, ring};
use rustls::server::{ClientHello, NoServerSessionStorage, ResolvesServerCert};
use rustls::sign::CertifiedKey;

use super::tls::Identity;
use crate::host::LOOPBACK_NAMES;

/// The certificates of a server: the first for whoever asks for no name or an unknown one, the others for their names.
#[derive(Debug)]
pub struct Shown(RwLock<Arc<Identities>>);

#[derive(Debug)]
struct Identities {
    first: Identity,
    more: Vec<Identity>,
    /// Whether the first only stands in for one that is still to come.
    stands_in: bool,
}

impl Shown {
    /// These from now on.
    #[must_use]
    pub fn new(first: Identity, more: Vec<Identity>) -> Arc<Self> {
        Arc::new(Self(RwLock::new(Arc::new(Identities { first, more, stands_in: false }))))
    }

    /// Nothing until it is replaced, but for who asks for no name or for one of this machine's own: they are shown the
    /// one that stands in, so that the program can ask itself and its operator can ask it why.
    #[must_use]
    pub fn waiting(stand_in: Identity) -> Arc<Self> {
        let nothing = Identities { first: stand_in, more: Vec::new(), stands_in: true };
        Arc::new(Self(RwLock::new(Arc::new(nothing))))
    }

    /// Whether nothing is shown yet.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.current().stands_in
    }

    /// Others from now on, the first one first; open connections stay as they are. None at all changes nothing.
    pub fn replace(&self, identities: Vec<Identity>) {
        let mut identities = identities.into_iter();
        let Some(first) = identities.next() else { return };
        let shown = Identities { first, more: identities.collect(), stands_in: false };
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(shown);
    }

    /// What is shown now, the first one first; empty while nothing is.
    #[must_use]
    pub fn now(&self) -> Vec<Identity> {
        let shown = self.current();
        if shown.stands_in {
            return Vec::new();
        }
        std::iter::once(&shown.first).chain(&shown.more).cloned().collect()
    }

    fn current(&self) -> Arc<Identities> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn choose(&self, name: Option<&str>, schemes: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        let shown = self.current();
        if shown.stands_in && name.is_some_and(|name| !LOOPBACK_NAMES.contains(&name)) {
            return None;
        }
        let usable = |identity: &&Identity| identity.signs_with(schemes);
        let named = |name: &str| {
            let all = || std::iter::once(&shown.first).chain(&shown.more).filter(|one| one.names(name));
            all().find(usable).or_else(|| all().next())
        };
        // With one certificate there is nothing to choose.
        let name = name.filter(|_| !shown.more.is_empty());
        Some(name.and_then(named).unwrap_or(&shown.first).certified())
    }
}

impl ResolvesServerCert for Shown {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.choose(hello.server_name(), hello.signature_schemes())
    }
}

/// The server's settings for one identity; see [`server_config_showing`].
#[must_use]
pub fn server_config(identity: &Identity) -> Arc<ServerConfig> {
    server_config_showing(Shown::new(identity.clone(), Vec::new()))
}

/// The server's settings for what is shown: TLS 1.2 and 1.3 with the suites that have forward secrecy and authenticated
/// encryption, in the server's order; HTTP/2 and HTTP/1.1; resumption by ticket.
#[must_use]
pub fn server_config_showing(shown: Arc<Shown>) -> Arc<ServerConfig> {
    let provider = Arc::new(ring::default_provider());
    let mut config = versions(provider).with_no_client_auth().with_cert_resolver(shown);
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    config.ignore_client_order = true;
    match ring::Ticketer::new() {
        Ok(ticketer) => {
            config.ticketer = ticketer;
            config.session_storage = Arc::new(NoServerSessionStorage {});
        }
        // Without randomness for tickets the default, a small memory of sessions, stays.
        Err(error) => tracing::warn!(%error, "sessions cannot be resumed by ticket"),
    }
    Arc::new(config)
}

#[expect(clippy::expect_used, reason = "the versions are constants that this provider supports")]
pub(super) fn versions(
    provider: Arc<CryptoProvider>,
) -> rustls::ConfigBuilder<ServerConfig, rustls::WantsVerifier> {
    ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13, &rustls::version::TLS12])
        .expect("the provider supports TLS 1.2 and 1.3")
}
