//! Certificates, keys and what the handshake agrees on.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ono_sendai::transport::{DemoCertificateError, Identity, Limits, TlsError, demo_certificate};
use rustls::HandshakeKind;
use time::{Duration, OffsetDateTime};
use tokio::net::TcpStream;

use super::support::{POST, Protocol, Raw, Server, certificate, client_config, scratch, soon};

fn now() -> OffsetDateTime {
    OffsetDateTime::now_utc()
}

#[tokio::test]
async fn the_agreed_protocol_is_the_servers_first_choice() {
    let server = Server::start();
    for (offered, agreed) in [
        (&[&b"http/1.1"[..], b"h2"][..], Some(&b"h2"[..])),
        (&[b"h2"], Some(b"h2")),
        (&[b"http/1.1"], Some(b"http/1.1")),
        (&[], None),
    ] {
        assert_eq!(server.raw_with(offered).await.0.get_ref().1.alpn_protocol(), agreed);
    }
}

#[tokio::test]
async fn sessions_are_resumed_in_both_versions_of_tls() {
    let server = Server::start();
    for version in [&rustls::version::TLS12, &rustls::version::TLS13] {
        let mut config = Arc::unwrap_or_clone(client_config(&[]));
        config = {
            let provider = config.crypto_provider().clone();
            let mut roots = rustls::RootCertStore::empty();
            let pem = fs::read(&certificate().certificate_path).unwrap();
            let root =
                <rustls::pki_types::CertificateDer<'_> as rustls::pki_types::pem::PemObject>::from_pem_slice(
                    &pem,
                );
            roots.add(root.unwrap()).unwrap();
            rustls::ClientConfig::builder_with_provider(provider)
                .with_protocol_versions(&[version])
                .unwrap()
                .with_root_certificates(roots)
                .with_no_client_auth()
        };
        let connector = tokio_rustls::TlsConnector::from(Arc::new(config));
        let mut kinds = Vec::new();
        for _ in 0..2 {
            let tcp = TcpStream::connect(server.address).await.unwrap();
            let tls = soon(connector.connect("localhost".try_into().unwrap(), tcp)).await.unwrap();
            let mut raw = Raw(tls);
            raw.send(format!("{POST}\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx")).await;
            raw.until("}").await;
            kinds.push(raw.0.get_ref().1.handshake_kind().unwrap());
            raw.rest().await;
        }
        assert_eq!(kinds, [HandshakeKind::Full, HandshakeKind::Resumed], "{version:?}");
    }
}

#[tokio::test]
async fn a_client_without_a_server_name_is_served() {
    let server = Server::start();
    let tcp = TcpStream::connect(server.address).await.unwrap();
    let connector = tokio_rustls::TlsConnector::from(client_config(&[]));
    let raw = Raw(soon(connector.connect("127.0.0.1".try_into().unwrap(), tcp)).await.unwrap());
    assert!(raw.request(POST, "x").await.starts_with("HTTP/1.1 200"));
}

#[test]
fn a_demo_certificate_is_kept_until_a_week_before_its_end() {
    let folder = scratch("kept").join("not").join("there");
    let first = demo_certificate(&folder, now()).unwrap();
    assert!(first.is_new);
    assert_eq!(fs::metadata(&first.key_path).unwrap().permissions().mode() & 0o777, 0o600);
    let lasts = first.identity.not_after() - now();
    assert!(lasts > Duration::days(80) && lasts < Duration::days(91), "{lasts}");
    let bytes = fs::read(&first.certificate_path).unwrap();

    let again = demo_certificate(&folder, now() + lasts - Duration::days(8)).unwrap();
    assert!(!again.is_new && fs::read(&first.certificate_path).unwrap() == bytes);
    let renewed = demo_certificate(&folder, now() + lasts - Duration::days(6)).unwrap();
    assert!(renewed.is_new && fs::read(&first.certificate_path).unwrap() != bytes);
    let names: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "something was left behind: {names:?}");
}

#[test]
fn a_demo_certificate_that_does_not_match_its_key_is_replaced() {
    let folder = scratch("mismatch");
    let first = demo_certificate(&folder, now()).unwrap();
    let other = demo_certificate(&scratch("other"), now()).unwrap();
    for broken in [fs::read(other.key_path).unwrap(), b"-----BEGIN PRIVATE KEY-----\n".to_vec(), Vec::new()] {
        fs::write(&first.key_path, broken).unwrap();
        assert!(demo_certificate(&folder, now()).unwrap().is_new);
        assert!(!demo_certificate(&folder, now()).unwrap().is_new);
    }
}

#[test]
fn a_folder_that_cannot_be_used_is_named() {
    let file = scratch("file").join("file");
    fs::write(&file, "").unwrap();
    let error = demo_certificate(&file.join("folder"), now()).unwrap_err();
    assert!(matches!(error, DemoCertificateError::Folder { .. }), "{error}");
    assert!(error.to_string().contains(file.to_str().unwrap()), "{error}");
}

/// Keys that protect nothing, as openssl writes them, with certificates of one test issuer.
fn pem(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/transport/pem").join(name)
}

#[test]
fn keys_load_in_every_common_encoding_and_the_missing_issuer_is_named() {
    let folder = scratch("encodings");
    for (leaf, keys) in [
        ("rsa.pem", &["rsa-pkcs1.key", "rsa-pkcs8.key"][..]),
        ("ec.pem", &["ec-sec1.key", "ec-pkcs8.key", "ec-sec1-with-parameters.key"]),
    ] {
        let chain = folder.join("chain.pem");
        let both = [fs::read(pem(leaf)).unwrap(), fs::read(pem("issuer.pem")).unwrap()].concat();
        fs::write(&chain, both).unwrap();
        for key in keys {
            let whole = Identity::load(&chain, &pem(key)).unwrap_or_else(|error| panic!("{key}: {error}"));
            assert_eq!(whole.missing_issuer(), None);
            let alone = Identity::load(&pem(leaf), &pem(key)).unwrap();
            assert_eq!(alone.missing_issuer(), Some("Test-Issuer"));
        }
    }
    assert_eq!(
        certificate().identity.missing_issuer(),
        None,
        "a certificate that is its own root lacks nothing"
    );
}

#[tokio::test]
async fn a_certificate_with_an_rsa_key_serves() {
    let identity = Identity::load(&pem("rsa.pem"), &pem("rsa-pkcs1.key")).unwrap();
    let server = Server::with_identity(Limits::default(), &identity);
    let root = reqwest::Certificate::from_pem(&fs::read(pem("issuer.pem")).unwrap()).unwrap();
    let client = server.client_builder(Protocol::Http2).tls_certs_only([root]).build().unwrap();
    assert_eq!(client.post(server.url("/mcp")).body("x").send().await.unwrap().status(), 200);
}

#[test]
fn a_pair_that_cannot_be_used_is_refused_with_the_files_name() {
    let folder = scratch("unusable");
    let made = demo_certificate(&folder, now()).unwrap();
    let other = demo_certificate(&scratch("unusable-other"), now()).unwrap();
    let (chain, key) = (made.certificate_path, made.key_path);
    let file = |name: &str, content: &[u8]| {
        let path = folder.join(name);
        fs::write(&path, content).unwrap();
        path
    };
    let whole = fs::read(&chain).unwrap();
    let cut = file("cut.pem", &whole[..whole.len() / 2]);
    let empty = file("empty.pem", b"");
    let absent = folder.join("absent.pem");
    let nonsense = file("nonsense.key", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
    let no_certificate = file("no.pem", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");

    let refused = |chain: &Path, key: &Path, named: &Path| {
        let error = Identity::load(chain, key).unwrap_err();
        assert!(error.to_string().contains(named.to_str().unwrap()), "{error}");
        error
    };
    assert!(matches!(refused(&cut, &key, &cut), TlsError::BrokenPem { .. } | TlsError::NoCertificate(_)));
    assert!(matches!(refused(&empty, &key, &empty), TlsError::NoCertificate(_)));
    assert!(matches!(refused(&absent, &key, &absent), TlsError::Unreadable { .. }));
    assert!(matches!(refused(&no_certificate, &key, &no_certificate), TlsError::BrokenCertificate { .. }));
    let (old, old_key) = (pem("version-1.pem"), pem("ec-sec1.key"));
    assert!(matches!(refused(&old, &old_key, &old), TlsError::BrokenCertificate { .. }));
    assert!(matches!(refused(&chain, &absent, &absent), TlsError::Unreadable { .. }));
    assert!(matches!(refused(&chain, &chain, &chain), TlsError::NoKey(_)));
    assert!(matches!(refused(&chain, &nonsense, &nonsense), TlsError::UnusableKey { .. }));
    assert!(matches!(refused(&chain, &other.key_path, &other.key_path), TlsError::Mismatch { .. }));
}
