//! What a full TLS handshake costs the server, and that the next one of the same client is a short one.

use std::io::Write as _;
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::client::Resumption;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, Error, SignatureScheme};

use super::Length;
use super::programs::{Data, Running, Setting, Under};
use super::results::{Bar, Results};

/// Of each program, in as many parts as there are rounds.
const HANDSHAKES: u32 = 10_000;
/// Clients at a time.
const CLIENTS: u32 = 8;

/// Processor time of a handshake beside the floor's, in microseconds.
pub fn measure(results: &mut Results, length: Length) {
    let server = Running::server(Setting { under: Under::OneCore, data: Data::Demo, accounts: 0 });
    resumes(&server);
    let floor = server.floor(Under::OneCore, 1_000);
    let each = HANDSHAKES / length.rounds;
    let (mut ours, mut least) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..length.rounds {
        ours += handshakes(&server, each);
        least += handshakes(&floor, each);
    }
    let us = |time: Duration| time.as_secs_f64() * 1e6 / f64::from(each * length.rounds);
    results.ratio("handshakes", "processor time", (us(ours), us(least)), Bar::AtMost(1.4));
}

/// The processor time that so many handshakes take a program.
fn handshakes(program: &Running, count: u32) -> Duration {
    let config = client();
    let before = program.cpu();
    std::thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                for _ in 0..count / CLIENTS {
                    handshake(&config, program.port());
                }
            });
        }
    });
    program.cpu() - before
}

fn handshake(config: &Arc<ClientConfig>, port: u16) {
    let mut socket = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("a connection");
    let name = ServerName::try_from("localhost").expect("a name");
    let mut tls = ClientConnection::new(Arc::clone(config), name).expect("a client");
    while tls.is_handshaking() {
        tls.complete_io(&mut socket).expect("a handshake");
    }
    // The tickets come once the server has seen the end of it.
    tls.read_tls(&mut socket).expect("tickets");
    assert_eq!(tls.handshake_kind(), Some(rustls::HandshakeKind::Full));
}

/// A client that others made takes up its session again.
fn resumes(server: &Running) {
    let session = server.folder().join("session.pem");
    let first = s_client(server.port(), "-sess_out", &session);
    assert!(first.contains("New, TLSv1.3"), "{first}");
    let again = s_client(server.port(), "-sess_in", &session);
    assert!(again.contains("Reused, TLSv1.3"), "{again}");
    println!("MEASURED openssl s_client -sess_in: Reused, TLSv1.3");
}

fn s_client(port: u16, option: &str, session: &Path) -> String {
    let mut client = Command::new("openssl");
    client.args(["s_client", "-connect", &format!("localhost:{port}"), option]).arg(session);
    let mut client =
        client.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("openssl");
    let mut stdin = client.stdin.take().expect("its input");
    stdin
        .write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .expect("a request");
    // The answer ends the connection, and that ends the client; the tickets are read before it.
    let deadline = Instant::now() + Duration::from_secs(30);
    while client.try_wait().expect("its end").is_none() {
        assert!(Instant::now() < deadline, "s_client does not end");
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = client.wait_with_output().expect("its output");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Remembers no session and believes every certificate: what the client does is not measured.
fn client() -> Arc<ClientConfig> {
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Anyone))
        .with_no_client_auth();
    config.resumption = Resumption::disabled();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Arc::new(config)
}

#[derive(Debug)]
struct Anyone;

impl ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        ring::default_provider().signature_verification_algorithms.supported_schemes()
    }
}
