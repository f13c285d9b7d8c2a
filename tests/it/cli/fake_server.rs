//! A server of one answer: TLS with a certificate of its own, HTTP/1.1, no MCP of its own.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;

use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::folder;

/// Answers one request with `status` and `body`, and hands back what it was sent.
pub struct FakeServer {
    /// Its address, by the name in its certificate.
    pub url: String,
    /// Its certificate.
    pub certificate: PathBuf,
    address: SocketAddr,
    thread: JoinHandle<Option<Request>>,
}

/// What the client sent.
pub struct Request {
    /// Request line and headers, in lower case.
    pub head: String,
    /// The body.
    pub body: serde_json::Value,
}

impl FakeServer {
    /// Starts it, with a certificate for `name`.
    pub fn start(name: &str, status: &str, headers: &str, body: &str) -> Self {
        let pair = rcgen::generate_simple_self_signed([name.to_owned()]).expect("a certificate");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        let port = address.port();
        let certificate = folder("certificates").join(format!("{port}.pem"));
        std::fs::write(&certificate, pair.cert.pem()).expect("a file");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(
                vec![pair.cert.der().clone()],
                PrivateKeyDer::try_from(pair.signing_key.serialize_der()).expect("a key"),
            )
            .expect("a pair");
        let answer = format!(
            "HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        let thread = std::thread::spawn(move || serve(&listener, Arc::new(config), &answer));
        Self { url: format!("https://localhost:{port}/mcp"), certificate, address, thread }
    }

    /// What it was sent, or `None` when the client left before a request.
    ///
    /// To be asked when the client has ended: one that never came must not be waited for.
    pub fn request(self) -> Option<Request> {
        drop(TcpStream::connect(self.address));
        self.thread.join().expect("the server ended well")
    }
}

fn serve(listener: &TcpListener, config: Arc<ServerConfig>, answer: &str) -> Option<Request> {
    let (socket, _) = listener.accept().ok()?;
    let mut stream = StreamOwned::new(ServerConnection::new(config).expect("a connection"), socket);
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    let (head, body) = loop {
        let length = stream.read(&mut chunk).ok().filter(|length| *length > 0)?;
        bytes.extend_from_slice(&chunk[..length]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let head = head.to_lowercase();
        let wanted =
            head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
        if body.len() >= wanted.unwrap_or(0) {
            break (head, body.to_owned());
        }
    };
    stream.write_all(answer.as_bytes()).ok()?;
    stream.conn.send_close_notify();
    stream.flush().ok()?;
    Some(Request { head, body: serde_json::from_str(&body).ok()? })
}
