//! Times and memory of a release build, measured from outside. They depend on the machine, so they run
//! only when `ONO_MEASURE=1` is set; `ONO_BINARY` names the build, else `target/release/ono-sendai`.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, SignatureScheme, StreamOwned};
use serde_json::json;

use crate::harness::{Demo, PATIENCE, artists};

const FIRST_START_MS: u128 = 150;
const SECOND_START_MS: u128 = 60;
const RESIDENT_KIB: u64 = 40 * 1024;
const IDLE_CONNECTIONS: u64 = 5_000;
const IDLE_CONNECTION_KIB: u64 = 45;
const BINARY_BYTES: u64 = 20 * 1024 * 1024;

/// The build to measure, or a loud line that nothing was.
fn build(bar: &str) -> Option<PathBuf> {
    if std::env::var_os("ONO_MEASURE").is_none_or(|value| value != "1") {
        say(&format!("SKIPPED, NOT MEASURED: {bar} (set ONO_MEASURE=1 and have a release build)"));
        return None;
    }
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("target/release/ono-sendai");
    let binary = std::env::var_os("ONO_BINARY").map_or_else(default, PathBuf::from);
    assert!(binary.is_file(), "{} is not there; build it with cargo build --release", binary.display());
    Some(binary)
}

/// Past the test harness, which keeps what passing tests print to itself.
fn say(line: &str) {
    writeln!(std::io::stderr(), "{line}").expect("stderr takes a line");
}

/// Believes every certificate: only the time counts here, and at the first start there is none to trust yet.
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
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        rustls::crypto::ring::default_provider().signature_verification_algorithms.supported_schemes()
    }
}

fn trusting_anyone() -> Arc<ClientConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Anyone))
        .with_no_client_auth();
    Arc::new(config)
}

/// Whether `/readyz` answers 200 right now.
fn is_ready(address: SocketAddr, config: &Arc<ClientConfig>) -> bool {
    let asked = || -> std::io::Result<bool> {
        let socket = TcpStream::connect_timeout(&address, PATIENCE)?;
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(PATIENCE))?;
        let name = ServerName::try_from("localhost").expect("a name");
        let connection = ClientConnection::new(Arc::clone(config), name).expect("a connection");
        let mut stream = StreamOwned::new(connection, socket);
        stream.write_all(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
        let mut status = [0; 12];
        stream.read_exact(&mut status)?;
        Ok(&status == b"HTTP/1.1 200")
    };
    asked().unwrap_or(false)
}

/// Ends the server when a start has been measured.
struct Started(Child);

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// From exec to the first 200 of `/readyz` over TLS.
fn start(binary: &Path, data: &Path, config: &Arc<ClientConfig>) -> Duration {
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .and_then(|free| free.local_addr())
        .expect("a port")
        .port();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut command = Command::new(binary);
    command.args(["demo", "--listen", &address.to_string(), "--data"]).arg(data);
    command.env_clear().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let began = Instant::now();
    let _server = Started(command.spawn().expect("the program runs"));
    while !is_ready(address, config) {
        assert!(began.elapsed() < PATIENCE, "{} does not get ready", binary.display());
        std::thread::sleep(Duration::from_micros(500));
    }
    began.elapsed()
}

fn median(mut times: Vec<Duration>) -> u128 {
    times.sort();
    times[times.len() / 2].as_millis()
}

#[test]
fn a_release_build_is_ready_in_150_ms_and_the_second_time_in_60_ms() {
    let Some(binary) = build("start in 150 ms, second start in 60 ms") else { return };
    let config = trusting_anyone();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("measured-{}", std::process::id()));
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for round in 0..5 {
        let data = folder.join(round.to_string());
        first.push(start(&binary, &data, &config));
        second.push(start(&binary, &data, &config));
    }
    std::fs::remove_dir_all(&folder).expect("the folder goes");
    say(&format!(
        "MEASURED from exec to the first 200 of /readyz: empty folder {first:.1?}, second start {second:.1?}"
    ));
    let (first, second) = (median(first), median(second));
    say(&format!("MEASURED medians: {first} ms with an empty folder, {second} ms the second time"));
    assert!(first <= FIRST_START_MS && second <= SECOND_START_MS, "{first} ms and {second} ms");
}

#[test]
fn a_release_build_keeps_within_40_mib_after_1000_calls() {
    let Some(binary) = build("40 MiB after 1,000 calls and 10 s idle") else { return };
    let demo = Demo::of(&binary);
    let artists = artists();
    for number in 0..1_000 {
        let artist = &artists[number / 2 % artists.len()];
        let envelope = match number % 2 {
            0 => demo.call("resolve_artist", json!({"q": artist.name})),
            _ => demo.call("get_artist", json!({"key": artist.slug})),
        };
        assert!(!envelope.is_error, "{}", envelope.json);
    }
    // The bar is about a server at rest, so this is the measured time and not a wait for something.
    std::thread::sleep(Duration::from_secs(10));
    let resident = resident_kib(demo.pid);
    say(&format!("MEASURED VmRSS after 1,000 calls and 10 s idle: {resident} KiB"));
    assert!(resident <= RESIDENT_KIB, "{resident} KiB");
}

/// What a process has in memory.
fn resident_kib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("a running server");
    let resident =
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse().ok());
    resident.expect("VmRSS")
}

/// A connection whose handshake is over, and on which nothing is sent.
fn idle(port: u16, config: &Arc<ClientConfig>) -> StreamOwned<ClientConnection, TcpStream> {
    let mut socket = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("a connection");
    let name = ServerName::try_from("localhost").expect("a name");
    let mut tls = ClientConnection::new(Arc::clone(config), name).expect("a client");
    while tls.is_handshaking() {
        tls.complete_io(&mut socket).expect("a handshake");
    }
    // The tickets come once the server has seen the end of it.
    tls.read_tls(&mut socket).expect("tickets");
    StreamOwned::new(tls, socket)
}

#[test]
fn a_release_build_takes_at_most_45_kib_for_an_idle_connection() {
    let Some(binary) = build("45 KiB for each of 5,000 idle connections") else { return };
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    let all = rustix::process::Rlimit { current: limit.maximum, ..limit };
    rustix::process::setrlimit(rustix::process::Resource::Nofile, all)
        .expect("as many files as there may be");
    let demo = Demo::of(&binary);
    let config = trusting_anyone();
    // What the first ones bring along is no other one's.
    let warm: Vec<_> = (0..64).map(|_| idle(demo.port, &config)).collect();
    let before = resident_kib(demo.pid);
    let connections: Vec<_> = (0..IDLE_CONNECTIONS).map(|_| idle(demo.port, &config)).collect();
    let each = resident_kib(demo.pid).saturating_sub(before) as f64 / connections.len() as f64;
    say(&format!("MEASURED memory of an idle connection, {IDLE_CONNECTIONS} of them: {each:.1} KiB"));
    drop(warm);
    assert!(each > 1.0 && each <= IDLE_CONNECTION_KIB as f64, "{each} KiB");
}

#[test]
fn a_release_build_has_at_most_20_mib() {
    let Some(binary) = build("20 MiB of program") else { return };
    let bytes = std::fs::metadata(&binary).expect("the build").len();
    say(&format!("MEASURED bytes of the program: {bytes}"));
    assert!(bytes <= BINARY_BYTES, "{bytes} bytes");
}

#[test]
fn a_release_build_refuses_1000_tokens_of_unknown_keys_within_5_s() {
    let Some(binary) = build("1,000 tokens of unknown keys within 5 s") else { return };
    let took = crate::signin::keys::measured_flood(&binary);
    say(&format!(
        "MEASURED 1,000 tokens of unknown keys, refused while 100 good ones are welcome: {took:.2?}"
    ));
}
