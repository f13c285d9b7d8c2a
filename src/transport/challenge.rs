//! How this server proves to an authority that it has a name: TLS-ALPN-01 (RFC 8737), on the port that clients use.
//!
//! Decides which handshakes are proofs: those that offer its protocol and no other. Each is shown the certificate of its
//! own proof and nothing else, gets no ticket to come back with, and ends there. Knows nothing of authorities.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use rcgen::{CertificateParams, CustomExtension, DistinguishedName, DnType, KeyPair};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::{Acceptor, ClientHello, NoServerSessionStorage, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;
use tokio_rustls::{LazyConfigAcceptor, TlsAcceptor};

use super::shown::versions;

/// The only protocol of a handshake that is a proof.
const PROTOCOL: &[u8] = b"acme-tls/1";
/// Whom the certificate of a proof is said to belong to.
const SUBJECT: &str = "ACME challenge";

/// The proofs that are asked for just now, each for its name.
#[derive(Debug, Default)]
pub struct Challenges(Mutex<HashMap<String, Arc<CertifiedKey>>>);

impl Challenges {
    /// Proves `name` from now on; `digest` is the SHA-256 of what the authority agreed on with this server.
    ///
    /// # Errors
    /// When the certificate cannot be made, as one line.
    pub fn prove(&self, name: &str, digest: &[u8]) -> Result<(), String> {
        let certified = certificate(name, digest)?;
        self.proofs().insert(name.to_ascii_lowercase(), Arc::new(certified));
        Ok(())
    }

    /// Proves nothing any more.
    pub fn forget(&self) {
        self.proofs().clear();
    }

    fn proofs(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<CertifiedKey>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ResolvesServerCert for Challenges {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.proofs().get(&hello.server_name()?.to_ascii_lowercase()).cloned()
    }
}

fn certificate(name: &str, digest: &[u8]) -> Result<CertifiedKey, String> {
    let digest: &[u8; 32] = digest.try_into().map_err(|_| "the digest of a proof has 32 bytes".to_owned())?;
    let said = |error: rcgen::Error| error.to_string();
    let mut params = CertificateParams::new(vec![name.to_owned()]).map_err(said)?;
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, SUBJECT);
    params.custom_extensions = vec![CustomExtension::new_acme_identifier(digest)];
    let key = KeyPair::generate().map_err(said)?;
    let certificate = params.self_signed(&key).map_err(said)?;
    let private = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let signer = ring::sign::any_supported_type(&private).map_err(|error| error.to_string())?;
    Ok(CertifiedKey::new(vec![certificate.der().clone()], signer))
}

/// How connections begin: as ordinary ones, and as proofs where there are any to give.
#[derive(Clone, Debug)]
pub struct Handshakes {
    ordinary: Arc<ServerConfig>,
    proofs: Option<Arc<ServerConfig>>,
}

impl From<Arc<ServerConfig>> for Handshakes {
    fn from(ordinary: Arc<ServerConfig>) -> Self {
        Self { ordinary, proofs: None }
    }
}

impl Handshakes {
    /// The same with these proofs.
    #[must_use]
    pub fn proving(self, challenges: Arc<Challenges>) -> Self {
        let mut config =
            versions(Arc::new(ring::default_provider())).with_no_client_auth().with_cert_resolver(challenges);
        config.alpn_protocols = vec![PROTOCOL.to_vec()];
        // Nobody comes back to a proof.
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.send_tls13_tickets = 0;
        Self { proofs: Some(Arc::new(config)), ..self }
    }

    /// A connection that may ask for something; `None` for a proof, which is over.
    pub(super) async fn accept(&self, tcp: TcpStream) -> io::Result<Option<TlsStream<TcpStream>>> {
        let Some(proofs) = &self.proofs else {
            return TlsAcceptor::from(self.ordinary.clone()).accept(tcp).await.map(Some);
        };
        let begun = LazyConfigAcceptor::new(Acceptor::default(), tcp).await?;
        let is_proof = begun
            .client_hello()
            .alpn()
            .is_some_and(|mut offered| offered.next() == Some(PROTOCOL) && offered.next().is_none());
        if !is_proof {
            return begun.into_stream(self.ordinary.clone()).await.map(Some);
        }
        let mut proof = begun.into_stream(proofs.clone()).await?;
        proof.shutdown().await?;
        Ok(None)
    }
}
