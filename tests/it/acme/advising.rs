//! Before the test authority, which gives no advice on renewals: one that does, and passes everything else on.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ono_sendai::transport::{demo_certificate, server_config};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::harness::{PATIENCE, tls};

/// It answers for as long as the test runs.
pub struct Advising {
    pub directory: String,
    /// What its certificate is trusted by.
    pub trusted: PathBuf,
    shared: Arc<Shared>,
}

struct Shared {
    /// The port of the authority, and what that is trusted by.
    behind: (u16, String),
    port: u16,
    window: Mutex<Option<(OffsetDateTime, OffsetDateTime)>>,
    asked: Mutex<Vec<String>>,
}

impl Advising {
    pub fn before(port: u16, trusted: &str, place: &Path) -> Self {
        let made =
            demo_certificate(&place.join("advising"), OffsetDateTime::now_utc()).expect("a certificate");
        let mut config: ServerConfig = (*server_config(&made.identity)).clone();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let config = Arc::new(config);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let own = listener.local_addr().expect("an address").port();
        let shared = Arc::new(Shared {
            behind: (port, trusted.to_owned()),
            port: own,
            window: Mutex::default(),
            asked: Mutex::default(),
        });
        let passing = Arc::clone(&shared);
        std::thread::spawn(move || {
            for socket in listener.incoming().map_while(Result::ok) {
                let (config, shared) = (Arc::clone(&config), Arc::clone(&passing));
                std::thread::spawn(move || pass(socket, config, &shared));
            }
        });
        Self { directory: format!("https://localhost:{own}/dir"), trusted: made.certificate_path, shared }
    }

    /// When it would like certificates renewed from now on.
    pub fn advises(&self, start: OffsetDateTime, end: OffsetDateTime) {
        *self.shared.window.lock().unwrap_or_else(PoisonError::into_inner) = Some((start, end));
    }

    /// The certificates that it was asked about.
    pub fn asked(&self) -> Vec<String> {
        self.shared.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// One request and its answer.
fn pass(socket: TcpStream, config: Arc<ServerConfig>, shared: &Shared) -> Option<()> {
    socket.set_read_timeout(Some(PATIENCE)).ok()?;
    let mut outside = StreamOwned::new(ServerConnection::new(config).ok()?, socket);
    let request = message(&mut outside)?;
    let text = String::from_utf8_lossy(&request).into_owned();
    let path = text.split(' ').nth(1)?.to_owned();
    let answer = if let Some(certificate) = path.strip_prefix("/advice/") {
        shared.asked.lock().unwrap_or_else(PoisonError::into_inner).push(certificate.to_owned());
        let (start, end) = (*shared.window.lock().unwrap_or_else(PoisonError::into_inner))?;
        let moment = |moment: OffsetDateTime| moment.format(&Rfc3339).expect("a moment");
        document(&json!({ "suggestedWindow": { "start": moment(start), "end": moment(end) } }))
    } else {
        let behind = behind(shared, &request)?;
        if path == "/dir" {
            let begins = behind.windows(4).position(|end| end == b"\r\n\r\n")? + 4;
            let mut directory: Value = serde_json::from_slice(&behind[begins..]).ok()?;
            directory["renewalInfo"] = Value::from(format!("https://localhost:{}/advice", shared.port));
            document(&directory)
        } else {
            behind
        }
    };
    outside.write_all(&answer).ok()?;
    outside.conn.send_close_notify();
    outside.flush().ok()
}

fn document(document: &Value) -> Vec<u8> {
    let body = document.to_string();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nretry-after: 21600\r\nconnection: close";
    format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// What the authority answers, which is told to close.
fn behind(shared: &Shared, request: &[u8]) -> Option<Vec<u8>> {
    let line_end = request.windows(2).position(|end| end == b"\r\n")? + 2;
    let mut inside = tls(shared.behind.0, shared.behind.1.as_bytes());
    inside.write_all(&request[..line_end]).ok()?;
    inside.write_all(b"connection: close\r\n").ok()?;
    inside.write_all(&request[line_end..]).ok()?;
    let mut answer = Vec::new();
    // Whether it says goodbye does not matter.
    let _ = inside.read_to_end(&mut answer);
    Some(answer)
}

/// A whole request.
pub fn message(stream: &mut impl std::io::Read) -> Option<Vec<u8>> {
    let mut read = Vec::new();
    let mut chunk = [0; 4_096];
    loop {
        if let Some(end) = read.windows(4).position(|end| end == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&read[..end]).to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.and_then(|length| length.trim().parse().ok()).unwrap_or(0);
            if read.len() >= end + 4 + length {
                return Some(read);
            }
        }
        match stream.read(&mut chunk).ok()? {
            0 => return None,
            length => read.extend_from_slice(&chunk[..length]),
        }
    }
}
