//! An authority of our own that does what a good one does not: it stalls, breaks off, and issues what nobody can use. What
//! it is sent is believed, and no proof is looked at.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ono_sendai::transport::{demo_certificate, server_config};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    PKCS_ECDSA_P256_SHA256, PublicKeyData, SignatureAlgorithm,
};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};
use time::{Duration, OffsetDateTime};

use super::NAME;
use super::advising::message;
use crate::harness::PATIENCE;

/// It answers for as long as the test runs.
pub struct Lying {
    pub directory: String,
    /// What its certificate is trusted by.
    pub trusted: PathBuf,
    shared: Arc<Shared>,
}

/// The questions of an order. Closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Directory,
    Nonce,
    Account,
    Order,
    Proofs,
    Challenge,
    Poll,
    Finalize,
    Certificate,
}

impl Step {
    pub const ALL: [Self; 9] = [
        Self::Directory,
        Self::Nonce,
        Self::Account,
        Self::Order,
        Self::Proofs,
        Self::Challenge,
        Self::Poll,
        Self::Finalize,
        Self::Certificate,
    ];
}

/// What it issues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Issues {
    Good,
    /// A good one that has to be renewed soon.
    Old,
    NotYetValid,
    /// With the certificate of another after it.
    Unlinked,
    /// With `CA:TRUE`.
    Authority,
    /// With `keyCertSign`.
    Signing,
    /// What no client reads.
    Nonsense,
    /// Signed with a key of a kind that this program cannot check.
    Uncheckable,
}

/// How it behaves.
#[derive(Clone, Debug)]
pub struct Lies {
    /// What it takes a question for, and answers nothing.
    pub stalls_at: Option<Step>,
    /// What it breaks off instead of answering.
    pub breaks_at: Option<Step>,
    pub issues: Issues,
    /// Whose proof it wants.
    pub wants: &'static str,
    /// What it says instead of taking an order.
    pub refuses: Option<&'static str>,
    /// A field of each answer.
    pub retry_after: Option<&'static str>,
    /// Where it says that nonces are.
    pub nonces: Option<&'static str>,
}

impl Default for Lies {
    fn default() -> Self {
        Self {
            stalls_at: None,
            breaks_at: None,
            issues: Issues::Good,
            wants: NAME,
            refuses: None,
            retry_after: None,
            nonces: None,
        }
    }
}

/// What it was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    pub accounts: u32,
    pub orders: u32,
    pub finalized: u32,
    pub stalled: u32,
}

struct Shared {
    place: PathBuf,
    base: String,
    lies: Mutex<Lies>,
    asked: Mutex<Asked>,
    /// What it was last asked to certify.
    request: Mutex<Vec<u8>>,
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Lying {
    pub fn start(place: &Path) -> Self {
        std::fs::create_dir_all(place).expect("a folder");
        let made = demo_certificate(&place.join("lying"), OffsetDateTime::now_utc()).expect("a certificate");
        let mut config: ServerConfig = (*server_config(&made.identity)).clone();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let config = Arc::new(config);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let base = format!("https://localhost:{}", listener.local_addr().expect("an address").port());
        let shared = Arc::new(Shared {
            place: place.to_owned(),
            base: base.clone(),
            lies: Mutex::default(),
            asked: Mutex::default(),
            request: Mutex::default(),
        });
        let answering = Arc::clone(&shared);
        std::thread::spawn(move || {
            for socket in listener.incoming().map_while(Result::ok) {
                let (config, shared) = (Arc::clone(&config), Arc::clone(&answering));
                std::thread::spawn(move || shared.serve(socket, config));
            }
        });
        Self { directory: format!("{base}/directory"), trusted: made.certificate_path, shared }
    }

    /// How it behaves from now on.
    pub fn lies(&self, lies: Lies) {
        *locked(&self.shared.lies) = lies;
    }

    pub fn asked(&self) -> Asked {
        *locked(&self.shared.asked)
    }
}

impl Shared {
    /// One request and its answer.
    fn serve(&self, socket: TcpStream, config: Arc<ServerConfig>) -> Option<()> {
        socket.set_read_timeout(Some(PATIENCE)).ok()?;
        let mut stream = StreamOwned::new(ServerConnection::new(config).ok()?, socket);
        let request = message(&mut stream)?;
        let begins = request.windows(4).position(|end| end == b"\r\n\r\n")? + 4;
        let head = String::from_utf8_lossy(&request[..begins]).into_owned();
        let step = step(head.split(' ').nth(1)?)?;
        let lies = locked(&self.lies).clone();
        if lies.stalls_at == Some(step) {
            locked(&self.asked).stalled += 1;
            // Until the other side has had enough.
            let _gone = stream.read(&mut [0]);
            return None;
        }
        if lies.breaks_at == Some(step) {
            return None;
        }
        let payload = payload(&request[begins..]).unwrap_or_default();
        let mut answer = self.answer(step, &payload, &lies);
        if let Some(wait) = lies.retry_after {
            answer.fields.push(("retry-after", wait.to_owned()));
        }
        let mut told = format!("HTTP/1.1 {} X\r\nconnection: close\r\nreplay-nonce: n\r\n", answer.status);
        for (name, value) in answer.fields {
            told.push_str(&format!("{name}: {value}\r\n"));
        }
        told.push_str(&format!("content-length: {}\r\n\r\n", answer.body.len()));
        if !head.starts_with("HEAD") {
            told.push_str(&answer.body);
        }
        stream.write_all(told.as_bytes()).ok()?;
        stream.conn.send_close_notify();
        stream.flush().ok()
    }

    fn answer(&self, step: Step, payload: &Value, lies: &Lies) -> Answer {
        let at = |path: &str| format!("{}{path}", self.base);
        let order = |status: &str| {
            json!({
                "status": status, "authorizations": [at("/proofs/1")], "finalize": at("/finalize/1"),
                "certificate": at("/certificate/1"), "identifiers": [{"type": "dns", "value": lies.wants}],
            })
        };
        let challenge =
            || json!({"type": "tls-alpn-01", "url": at("/challenge/1"), "token": "t", "status": "pending"});
        let mut asked = locked(&self.asked);
        match step {
            Step::Directory => Answer::json(
                200,
                &json!({
                    "newNonce": lies.nonces.map_or_else(|| at("/nonce"), str::to_owned),
                    "newAccount": at("/account"), "newOrder": at("/order"), "revokeCert": at("/none"),
                }),
            ),
            Step::Nonce => Answer::json(200, &Value::Null),
            Step::Account => {
                asked.accounts += 1;
                Answer::json(201, &json!({"status": "valid"})).with("location", at("/account/1"))
            }
            Step::Order => {
                asked.orders += 1;
                locked(&self.request).clear();
                if let Some(detail) = lies.refuses {
                    let problem = json!({"type": "urn:ietf:params:acme:error:malformed", "detail": detail, "status": 400});
                    return Answer { kind: "application/problem+json", ..Answer::json(400, &problem) }
                        .typed();
                }
                Answer::json(201, &order("pending")).with("location", at("/poll/1"))
            }
            Step::Proofs => Answer::json(
                200,
                &json!({
                    "status": "pending", "identifier": {"type": "dns", "value": lies.wants},
                    "challenges": [challenge()],
                }),
            ),
            Step::Challenge => Answer::json(200, &challenge()),
            Step::Poll => {
                Answer::json(200, &order(if locked(&self.request).is_empty() { "ready" } else { "valid" }))
            }
            Step::Finalize => {
                asked.finalized += 1;
                let request = payload["csr"].as_str().and_then(|csr| URL_SAFE_NO_PAD.decode(csr).ok());
                *locked(&self.request) = request.unwrap_or_default();
                Answer::json(200, &order("processing"))
            }
            Step::Certificate => {
                let request = std::mem::take(&mut *locked(&self.request));
                Answer::text(self.issue(lies.issues, &request))
            }
        }
    }

    fn issue(&self, issues: Issues, request: &[u8]) -> String {
        let authority = |name: &str| {
            let mut params = CertificateParams::new(Vec::new()).expect("no names");
            params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
            params.distinguished_name.push(DnType::CommonName, name);
            (params, KeyPair::generate().expect("a key"))
        };
        if issues == Issues::Uncheckable {
            return by_openssl(&self.place, request);
        }
        let (params, key) = authority("A lying authority");
        let own = params.self_signed(&key).expect("a certificate").pem();
        let signer = Issuer::new(params, key);
        let now = OffsetDateTime::now_utc();
        let mut leaf = CertificateParams::new(vec![NAME.to_owned()]).expect("names");
        leaf.distinguished_name.push(DnType::CommonName, "A server");
        (leaf.not_before, leaf.not_after) = (now - Duration::hours(1), now + Duration::days(90));
        match issues {
            Issues::Old => {
                (leaf.not_before, leaf.not_after) = (now - Duration::days(80), now + Duration::days(10));
            }
            Issues::NotYetValid => leaf.not_before = now + Duration::days(3),
            Issues::Authority => leaf.is_ca = IsCa::Ca(BasicConstraints::Unconstrained),
            Issues::Signing => {
                leaf.key_usages = vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyCertSign]
            }
            Issues::Good | Issues::Unlinked | Issues::Nonsense | Issues::Uncheckable => {}
        }
        let leaf = leaf.signed_by(&Wanted::of(request), &signer).expect("a certificate").pem();
        match issues {
            Issues::Unlinked => {
                let (other, key) = authority("A lying authority");
                leaf + &other.self_signed(&key).expect("a certificate").pem()
            }
            Issues::Nonsense => "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".repeat(3),
            _ => leaf + &own,
        }
    }
}

/// An authority with a key on P-521, which openssl has and this program has not.
fn by_openssl(place: &Path, request: &[u8]) -> String {
    std::fs::write(place.join("csr.der"), request).expect("a file");
    let script = format!(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-521 -nodes -days 90 -keyout /dev/fd/3 -out ca.pem \
         -subj /CN=Uncheckable 3>ca.key && echo subjectAltName=DNS:{NAME} > ext && openssl x509 -req -inform DER -in csr.der \
         -CA ca.pem -CAkey ca.key -CAcreateserial -days 90 -extfile ext -out leaf.pem && cat leaf.pem ca.pem"
    );
    let made = Command::new("sh").args(["-c", &script]).current_dir(place).output().expect("a shell");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    String::from_utf8(made.stdout).expect("text")
}

/// The key of a certificate request, which is one on P-256.
struct Wanted(Vec<u8>);

impl Wanted {
    fn of(request: &[u8]) -> Self {
        // The object identifier of the curve, and the head of the bits of a point.
        let before = [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00];
        let at = request.windows(before.len()).position(|window| window == before).expect("a key on P-256");
        Self(request[at + before.len()..][..65].to_vec())
    }
}

impl PublicKeyData for Wanted {
    fn der_bytes(&self) -> &[u8] {
        &self.0
    }

    fn algorithm(&self) -> &'static SignatureAlgorithm {
        &PKCS_ECDSA_P256_SHA256
    }
}

struct Answer {
    status: u16,
    kind: &'static str,
    fields: Vec<(&'static str, String)>,
    body: String,
}

impl Answer {
    fn json(status: u16, body: &Value) -> Self {
        Self { status, kind: "application/json", fields: Vec::new(), body: body.to_string() }.typed()
    }

    fn text(body: String) -> Self {
        Self { status: 200, kind: "application/pem-certificate-chain", fields: Vec::new(), body }.typed()
    }

    fn typed(mut self) -> Self {
        self.fields = vec![("content-type", self.kind.to_owned())];
        self
    }

    fn with(mut self, name: &'static str, value: String) -> Self {
        self.fields.push((name, value));
        self
    }
}

/// What a path is asked for.
fn step(path: &str) -> Option<Step> {
    let first = path.trim_start_matches('/').split('/').next()?;
    Step::ALL.into_iter().find(|step| format!("{step:?}").eq_ignore_ascii_case(first))
}

/// What a signed message says; its signature is not looked at.
fn payload(body: &[u8]) -> Option<Value> {
    let message: Value = serde_json::from_slice(body).ok()?;
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(message["payload"].as_str()?).ok()?).ok()
}
