//! A TLS connection of our own client.

use std::net::{Ipv4Addr, TcpStream};
use std::sync::Arc;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use super::PATIENCE;

/// A connection, and TLS on it.
pub type Tls = StreamOwned<ClientConnection, TcpStream>;

/// A connection to a server on this machine, which trusts one certificate and offers no protocol: HTTP/1.1. The
/// handshake comes with what is sent first.
pub fn tls(port: u16, root: &[u8]) -> Tls {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(root).expect("PEM")).expect("a certificate");
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").expect("a name");
    let connection = ClientConnection::new(Arc::new(config), name).expect("a client");
    let tcp = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("a connection");
    tcp.set_read_timeout(Some(PATIENCE)).expect("a patience");
    StreamOwned::new(connection, tcp)
}
