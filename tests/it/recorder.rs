//! A proxy that keeps every request with its answer, so that what went over the wire can be looked at afterwards and
//! a failing case can be played again.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use crate::harness::PATIENCE;

/// One request with its answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Exchange {
    /// The method, in lower case.
    pub method: String,
    /// Path and query, as they were sent.
    pub target: String,
    /// The status.
    pub status: u16,
    /// The body.
    pub body: Value,
}

impl Exchange {
    /// The path, decoded.
    pub fn path(&self) -> String {
        let path = self.target.split('?').next().unwrap_or_default();
        let pair = format!("={}", path.replace('+', "%2B"));
        url::form_urlencoded::parse(pair.as_bytes())
            .next()
            .map_or_else(String::new, |(_, path)| path.into_owned())
    }

    /// The query, decoded.
    pub fn query(&self) -> Vec<(String, String)> {
        let url = Url::parse(&format!("http://x{}", self.target)).expect("a target");
        url.query_pairs().into_owned().collect()
    }
}

/// The proxy.
pub struct Recorder {
    /// Its port on 127.0.0.1.
    pub port: u16,
    kept: Arc<Mutex<Vec<Exchange>>>,
}

/// What the server asks for by itself, whoever calls.
const OF_THE_SERVER: [&str; 3] = ["/openapi.json", "/dossier/manifest", "/semantics/dictionary.json"];

/// Whether an answer to this path and query is liked.
pub type Taste = fn(&str, &Value) -> bool;

/// How often a service that answers at random is asked for an answer that is liked.
const TRIES: usize = 24;

/// Where answers come from.
#[derive(Clone, Debug)]
enum Source {
    /// A service on this port of 127.0.0.1, and what answers of it are liked.
    Port(u16, Taste),
    /// What was kept before, each answer once, for the same target.
    Kept(Arc<Mutex<Vec<Exchange>>>),
}

impl Recorder {
    /// A proxy to a port of 127.0.0.1.
    pub fn to(port: u16) -> Self {
        Self::of(Source::Port(port, |_, _| true))
    }

    /// A proxy to a service that answers at random: seven requests of eight are sent on until the answer is liked, a
    /// few times at most. What is handed on is what the service said, word for word.
    pub fn liking(port: u16, taste: Taste) -> Self {
        Self::of(Source::Port(port, taste))
    }

    /// A proxy that has nothing behind it but what another one kept.
    pub fn again(kept: Vec<Exchange>) -> Self {
        Self::of(Source::Kept(Arc::new(Mutex::new(kept))))
    }

    fn of(source: Source) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let kept = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&kept);
        std::thread::spawn(move || {
            for (number, socket) in listener.incoming().map_while(Result::ok).enumerate() {
                let (kept, source) = (Arc::clone(&shared), source.clone());
                // A client that leaves ends its own thread only.
                std::thread::spawn(move || pass(socket, number, &source, &kept));
            }
        });
        Self { port, kept }
    }

    /// Everything since the last time, aside from what the server asks for itself: the service's own documents.
    pub fn take(&self) -> Vec<Exchange> {
        let mut kept = self.take_all();
        kept.retain(|exchange| !OF_THE_SERVER.iter().any(|path| exchange.target.ends_with(path)));
        kept
    }

    /// Everything since the last time.
    pub fn take_all(&self) -> Vec<Exchange> {
        std::mem::take(&mut *self.kept.lock().expect("no panic"))
    }
}

/// Head and body of a message.
fn message(stream: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    let mut bytes = Vec::new();
    let mut piece = [0; 16 * 1024];
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
        match stream.read(&mut piece).ok()? {
            0 => return None,
            read => bytes.extend_from_slice(&piece[..read]),
        }
    };
    let body = bytes.split_off(end);
    Some((String::from_utf8(bytes).ok()?, body))
}

fn field<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

fn pass(mut client: TcpStream, number: usize, source: &Source, kept: &Mutex<Vec<Exchange>>) -> Option<()> {
    let (head, mut sent) = message(&mut client)?;
    let length: usize = field(&head, "content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    while sent.len() < length {
        let mut piece = [0; 16 * 1024];
        let read = client.read(&mut piece).ok()?;
        sent.extend_from_slice(&piece[..read]);
    }
    let mut words = head.split(' ');
    let (method, target) = (words.next()?.to_lowercase(), words.next()?.to_owned());
    let (status, body) = match source {
        Source::Port(port, taste) => {
            let tries = if number % 8 == 7 { 1 } else { TRIES };
            let mut answer = forward(*port, &head, &sent)?;
            for _ in 1..tries {
                if serde_json::from_slice(&answer.1).is_ok_and(|body| taste(&target, &body)) {
                    break;
                }
                answer = forward(*port, &head, &sent)?;
            }
            answer
        }
        Source::Kept(kept) => {
            let mut kept = kept.lock().expect("no panic");
            match kept.iter().position(|exchange| exchange.target == target) {
                Some(at) => {
                    let exchange = kept.remove(at);
                    (exchange.status, exchange.body.to_string().into_bytes())
                }
                None => (404, br#"{"error":"not_found"}"#.to_vec()),
            }
        }
    };
    let parsed = serde_json::from_slice(&body).unwrap_or(Value::Null);
    kept.lock().expect("no panic").push(Exchange { method, target, status, body: parsed });
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    client.write_all(head.as_bytes()).ok()?;
    client.write_all(&body).ok()
}

/// Sends a request on, and reads the whole answer.
fn forward(port: u16, head: &str, body: &[u8]) -> Option<(u16, Vec<u8>)> {
    let mut service = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).ok()?;
    let kept =
        head.lines().filter(|line| !line.is_empty() && !line.to_lowercase().starts_with("connection:"));
    let head = kept.collect::<Vec<_>>().join("\r\n");
    service.write_all(format!("{head}\r\nconnection: close\r\n\r\n").as_bytes()).ok()?;
    service.write_all(body).ok()?;
    let (head, mut answer) = message(&mut service)?;
    service.read_to_end(&mut answer).ok()?;
    let status = head.split_whitespace().nth(1)?.parse().ok()?;
    let chunked =
        field(&head, "transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked"));
    Some((status, if chunked { joined(&answer)? } else { answer }))
}

/// The data of a chunked body.
fn joined(mut chunks: &[u8]) -> Option<Vec<u8>> {
    let mut data = Vec::new();
    loop {
        let end = chunks.windows(2).position(|two| two == b"\r\n")?;
        let size = std::str::from_utf8(&chunks[..end]).ok()?.split(';').next()?.trim().to_owned();
        let size = usize::from_str_radix(&size, 16).ok()?;
        if size == 0 {
            return Some(data);
        }
        data.extend_from_slice(chunks.get(end + 2..end + 2 + size)?);
        chunks = chunks.get(end + 2 + size + 2..)?;
    }
}

#[test]
fn chunks_are_joined() {
    assert_eq!(joined(b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n"), Some(b"abcde".to_vec()));
    assert_eq!(joined(b"9\r\nabc"), None);
}
