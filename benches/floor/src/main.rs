//! The least that an answer over TLS can cost: hyper and rustls alone, a body that is read as JSON, and JSON of a given
//! size in answer. `benches/wire.rs` compares the server with it.
//!
//! `floor CERTIFICATE KEY BYTES` prints the port that it listens on, and serves until it is killed.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a bench may fail, and says where it listens")]

use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue};
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::NoServerSessionStorage;
use serde::Serialize;
use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let certificate = arguments.next().expect("the file of the certificate");
    let key = arguments.next().expect("the file of the key");
    let bytes = arguments.next().and_then(|bytes| bytes.parse().ok()).expect("the size of an answer");
    let tls = tls(Path::new(&certificate), Path::new(&key));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(serve(TlsAcceptor::from(tls), bytes));
}

/// The same versions, suites and resumption as the server's.
fn tls(certificate: &Path, key: &Path) -> Arc<ServerConfig> {
    let chain: Result<Vec<_>, _> =
        CertificateDer::pem_file_iter(certificate).expect("a certificate").collect();
    let key = PrivateKeyDer::from_pem_file(key).expect("a key");
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[&rustls::version::TLS13, &rustls::version::TLS12])
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(chain.expect("a certificate"), key)
        .expect("a pair");
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    config.ticketer = ring::Ticketer::new().expect("tickets");
    config.session_storage = Arc::new(NoServerSessionStorage {});
    Arc::new(config)
}

async fn serve(tls: TlsAcceptor, bytes: usize) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
    println!("{}", listener.local_addr().expect("an address").port());
    let padding: Arc<str> = "x".repeat(bytes.saturating_sub(Reply::AROUND)).into();
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let (tls, padding) = (tls.clone(), Arc::clone(&padding));
        tokio::spawn(async move { connection(stream, tls, padding).await });
    }
}

async fn connection(stream: TcpStream, tls: TlsAcceptor, padding: Arc<str>) {
    let _without_delay = stream.set_nodelay(true);
    let Ok(stream) = tls.accept(stream).await else { return };
    let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
    let answer = service_fn(move |request| answer(request, Arc::clone(&padding)));
    let _gone = if is_http2 {
        let mut http = http2::Builder::new(TokioExecutor::new());
        http.timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), answer).await
    } else {
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), answer).await
    };
}

#[derive(Serialize)]
struct Reply<'a> {
    jsonrpc: &'static str,
    id: &'a Value,
    result: &'a str,
}

impl Reply<'_> {
    /// What stands around the result when the id has one digit.
    const AROUND: usize = r#"{"jsonrpc":"2.0","id":1,"result":""}"#.len();
}

async fn answer(request: Request<Incoming>, padding: Arc<str>) -> Result<Response<Full<Bytes>>, Infallible> {
    let body =
        request.into_body().collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let mut response = Response::new(Full::default());
    match serde_json::from_slice::<Value>(&body) {
        Ok(message) => {
            let id = message.get("id").unwrap_or(&Value::Null);
            let reply = Reply { jsonrpc: "2.0", id, result: &padding };
            let json = serde_json::to_vec(&reply).unwrap_or_default();
            *response.body_mut() = Full::new(json.into());
        }
        Err(_) => *response.status_mut() = StatusCode::BAD_REQUEST,
    }
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(response)
}
