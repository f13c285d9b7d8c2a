//! A server with a service that does what the body tells it to, and clients for it.

use std::future::Future;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use ono_sendai::host::Authority;
use ono_sendai::transport::{
    DemoCertificate, DrainReport, GuardPolicy, HttpAnswer, Identity, LastAnswer, LastWord, Later, LegalPage,
    Limits, Listener, McpAnswer, McpRequest, NotReady, Question, SecurityHeaders, Service, SideDoor,
    demo_certificate, serve, server_config,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_rustls::client::TlsStream;

/// Long enough for a loaded machine; only reached when something is wrong.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Does what the body says: see [`Service::mcp`] below.
pub struct Scripted {
    events: mpsc::UnboundedSender<Event>,
    pub not_ready: Mutex<Vec<NotReady>>,
}

/// What the service saw.
#[derive(Debug, PartialEq, Eq)]
pub enum Event {
    /// A call reached it, with this many bytes.
    Called(usize),
    /// The work of a call was dropped unfinished.
    Dropped,
}

struct TellsDrop(mpsc::UnboundedSender<Event>);

impl Drop for TellsDrop {
    fn drop(&mut self) {
        let _ = self.0.send(Event::Dropped);
    }
}

impl Service for Scripted {
    fn mcp(&self, request: McpRequest) -> McpAnswer {
        let _ = self.events.send(Event::Called(request.body.len()));
        let told = String::from_utf8_lossy(&request.body).into_owned();
        let profile = request.endpoint.profile;
        let echo = format!(r#"{{"profile":"{profile:?}","bytes":{}}}"#, request.body.len());
        match told.split_once(':').unwrap_or((&told, "")) {
            ("later", ms) => {
                let pause = Duration::from_millis(ms.parse().unwrap());
                let tells = TellsDrop(self.events.clone());
                McpAnswer::Later(promise(async move {
                    tokio::time::sleep(pause).await;
                    std::mem::forget(tells);
                    HttpAnswer::ok(echo)
                }))
            }
            ("refuse", _) => {
                let mut answer = HttpAnswer::with_body(StatusCode::UNAUTHORIZED, r#"{"refused":true}"#);
                let name = HeaderName::from_static("www-authenticate");
                answer.headers.insert(name, HeaderValue::from_static("Bearer x=\"y\""));
                McpAnswer::Ready(answer)
            }
            ("accepted", _) => McpAnswer::Ready(HttpAnswer::empty(StatusCode::ACCEPTED)),
            ("large", bytes) => {
                let text = "x".repeat(bytes.parse().unwrap());
                McpAnswer::Ready(HttpAnswer::ok(format!("\"{text}\"")))
            }
            ("panic", _) => panic!("the test asked for it"),
            ("panic later", _) => McpAnswer::Later(promise(async { panic!("the test asked for it") })),
            _ => McpAnswer::Ready(HttpAnswer::ok(echo)),
        }
    }

    fn not_ready(&self) -> Vec<NotReady> {
        self.not_ready.lock().unwrap().clone()
    }

    fn legal(&self, page: LegalPage) -> String {
        format!("<!doctype html><title>{page:?}</title>")
    }
}

/// A promise with an early header field, and with a last answer that says why it is one.
fn promise(work: impl Future<Output = HttpAnswer> + Send + 'static) -> Later {
    let early = (HeaderName::from_static("x-early"), HeaderValue::from_static("e-1"));
    let last: LastAnswer = Box::new(|word| {
        let body =
            format!(r#"{{"jsonrpc":"2.0","id":"c-1","error":{{"code":-32603,"message":"{word:?}"}}}}"#);
        HttpAnswer::with_body(
            match word {
                LastWord::Stopping => StatusCode::SERVICE_UNAVAILABLE,
                LastWord::Failed => StatusCode::INTERNAL_SERVER_ERROR,
            },
            body,
        )
    });
    Later { headers: std::iter::once(early).collect(), work: Box::pin(work), last }
}

/// A running server.
pub struct Server {
    pub address: SocketAddr,
    pub events: mpsc::UnboundedReceiver<Event>,
    pub service: Arc<Scripted>,
    pub side_door: SideDoor,
    stop: Option<oneshot::Sender<()>>,
    running: JoinHandle<DrainReport>,
}

impl Server {
    pub fn start() -> Self {
        Self::with(Limits::default())
    }

    pub fn with(limits: Limits) -> Self {
        Self::with_identity(limits, &certificate().identity)
    }

    pub fn with_identity(limits: Limits, identity: &Identity) -> Self {
        Self::of(limits, identity, SecurityHeaders::new(true))
    }

    pub fn of(limits: Limits, identity: &Identity, security: SecurityHeaders) -> Self {
        Self::asking(limits, identity, security, &[])
    }

    /// The same, which asks itself this too.
    pub fn asking(
        limits: Limits,
        identity: &Identity,
        security: SecurityHeaders,
        further: &[Question],
    ) -> Self {
        let [own, other] = ["localhost", "mcp.example.org"].map(|host| Authority::parse(host).unwrap());
        let guard = GuardPolicy::new(own, [other], []);
        let (told, events) = mpsc::unbounded_channel();
        let service = Arc::new(Scripted { events: told, not_ready: Mutex::default() });
        let (stop, stopped) = oneshot::channel::<()>();
        let mut listener = Listener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let side_door = listener.side_door(&Authority::parse("localhost").unwrap(), further);
        let address = listener.address();
        let shutdown = async {
            let _ = stopped.await;
        };
        let tls = server_config(identity);
        let running = tokio::spawn(serve(listener, tls, limits, guard, security, service.clone(), shutdown));
        Self { address, events, service, side_door, stop: Some(stop), running }
    }

    pub fn url(&self, path: &str) -> String {
        format!("https://localhost:{}{path}", self.address.port())
    }

    /// Tells the server to stop; the end can be awaited.
    pub fn stop(&mut self) -> impl Future<Output = DrainReport> + use<'_> {
        let _ = self.stop.take().unwrap().send(());
        async { soon(&mut self.running).await.unwrap() }
    }

    /// Lets the server go at once, as a second signal would.
    pub fn abandon(&self) {
        self.running.abort();
    }

    pub async fn event(&mut self) -> Event {
        soon(self.events.recv()).await.unwrap()
    }

    pub fn client(&self, protocol: Protocol) -> reqwest::Client {
        self.client_builder(protocol).build().unwrap()
    }

    /// A client that takes every name for this server's.
    pub fn client_builder(&self, protocol: Protocol) -> reqwest::ClientBuilder {
        install_provider();
        let root =
            reqwest::Certificate::from_pem(&std::fs::read(&certificate().certificate_path).unwrap()).unwrap();
        let builder = reqwest::Client::builder()
            .tls_certs_only([root])
            .no_proxy()
            .resolve("localhost", self.address)
            .resolve("attacker.com", self.address)
            .timeout(PATIENCE);
        match protocol {
            Protocol::Http1 => builder.http1_only(),
            Protocol::Http2 => builder,
        }
    }

    /// A TLS connection that offers no protocol, so that raw HTTP/1.1 can be written.
    pub async fn raw(&self) -> Raw {
        self.raw_with(&[]).await
    }

    pub async fn raw_with(&self, alpn: &[&[u8]]) -> Raw {
        let tcp = TcpStream::connect(self.address).await.unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        Raw(soon(tokio_rustls::TlsConnector::from(client_config(alpn)).connect(name, tcp)).await.unwrap())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    Http1,
    Http2,
}

impl Protocol {
    pub const ALL: [Self; 2] = [Self::Http1, Self::Http2];
}

/// A connection on which anything can be written.
pub struct Raw(pub TlsStream<TcpStream>);

impl Raw {
    pub async fn send(&mut self, text: impl AsRef<[u8]>) {
        self.0.write_all(text.as_ref()).await.unwrap();
        self.0.flush().await.unwrap();
    }

    /// Everything until the server closes.
    pub async fn rest(&mut self) -> String {
        let mut bytes = Vec::new();
        // A connection that was cut ends in an error; what came before it counts.
        let _ = soon(self.0.read_to_end(&mut bytes)).await;
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// What has come until it holds the text.
    pub async fn until(&mut self, text: &str) -> String {
        let mut seen = String::new();
        let mut buffer = [0; 4096];
        while !seen.contains(text) {
            let count = soon(self.0.read(&mut buffer)).await.unwrap();
            assert_ne!(count, 0, "the server closed after {seen:?}");
            seen.push_str(&String::from_utf8_lossy(&buffer[..count]));
        }
        seen
    }

    /// One whole request with `Connection: close`.
    pub async fn request(mut self, head: &str, body: &str) -> String {
        self.send(format!("{head}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}", body.len()))
            .await;
        self.rest().await
    }
}

/// The header of an ordinary POST, without its end.
pub const POST: &str = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json";

pub async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.expect("this should have come long ago")
}

/// Made once for all tests.
pub fn certificate() -> &'static DemoCertificate {
    static MADE: OnceLock<DemoCertificate> = OnceLock::new();
    MADE.get_or_init(|| demo_certificate(&scratch("shared"), time::OffsetDateTime::now_utc()).unwrap())
}

/// An empty folder of this test run.
pub fn scratch(name: &str) -> std::path::PathBuf {
    let folder =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("transport-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn install_provider() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}

pub fn client_config(alpn: &[&[u8]]) -> Arc<rustls::ClientConfig> {
    let mut roots = rustls::RootCertStore::empty();
    let pem = std::fs::read(&certificate().certificate_path).unwrap();
    roots.add(CertificateDer::from_pem_slice(&pem).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = alpn.iter().map(|name| name.to_vec()).collect();
    Arc::new(config)
}

/// The members of a comma-separated header field, in lower case.
pub fn members(headers: &HeaderMap, name: &str) -> Vec<String> {
    let text = headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default();
    text.split(',').map(|member| member.trim().to_ascii_lowercase()).collect()
}

/// Asserts a refusal: status, JSON-RPC error without id, CORS and security fields.
pub async fn assert_refused(response: reqwest::Response, status: u16, what: &str) {
    assert_eq!(response.status().as_u16(), status, "{what}");
    assert_dressed(response.headers(), what);
    assert_eq!(response.headers()["content-type"], "application/json", "{what}");
    assert_error_json(&response.bytes().await.unwrap(), what);
}

pub fn assert_dressed(headers: &HeaderMap, what: &str) {
    assert_eq!(headers["access-control-allow-origin"], "*", "{what}");
    assert!(
        members(headers, "access-control-expose-headers").contains(&"www-authenticate".to_owned()),
        "{what}"
    );
    assert!(!headers.contains_key("access-control-allow-credentials"), "{what}");
    assert_eq!(headers["x-content-type-options"], "nosniff", "{what}");
    assert!(headers["strict-transport-security"].to_str().unwrap().starts_with("max-age="), "{what}");
    assert!(!headers.contains_key("mcp-session-id"), "{what}");
    assert!(!headers.contains_key("location"), "{what}");
}

pub fn assert_error_json(body: &Bytes, what: &str) {
    let json: serde_json::Value = serde_json::from_slice(body).unwrap_or_else(|_| panic!("{what}: {body:?}"));
    assert!(json["error"]["message"].is_string(), "{what}: {json}");
    assert_eq!((&json["jsonrpc"], json.get("id")), (&serde_json::json!("2.0"), None), "{what}");
}
