//! What operators read on their own socket, over real sockets.

mod backups;
mod causes;
mod cost;
mod foreign;
mod logged;
mod moved;
mod refused_key;
mod series;
mod socket;

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::harness::{Demo, PATIENCE, evidence};

/// The section that opens the operator's socket on any port.
const ANY_PORT: &str = "[operator]\nlisten = \"127.0.0.1:0\"\n";

/// Metrics by their names and labels.
pub type Values = BTreeMap<String, f64>;

/// An answer in plain HTTP.
#[derive(Debug)]
struct Told {
    status: u16,
    head: String,
    body: String,
}

/// What comes back for these bytes, to the end of the connection.
fn exchange(mut stream: impl Read + Write, request: &str) -> Told {
    stream.write_all(request.as_bytes()).expect("sent");
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).expect("an answer");
    evidence::keep("operators", &bytes);
    let text = String::from_utf8(bytes).expect("text");
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    Told { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
}

fn connect(port: u16) -> TcpStream {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    stream
}

/// A request with the name that the socket answers to.
fn get(port: u16, target: &str) -> Told {
    let request = format!("GET {target} HTTP/1.1\r\nhost: localhost:{port}\r\nconnection: close\r\n\r\n");
    exchange(connect(port), &request)
}

/// The operator's port, as the log tells it.
pub fn port_of(server: &Demo) -> u16 {
    let log = server.log();
    let line =
        log.lines().find(|line| line.contains("operators read metrics")).expect("a line about the socket");
    let (_, rest) = line.split_once("http://127.0.0.1:").expect("its place");
    rest.split('/').next().and_then(|port| port.parse().ok()).expect("a port")
}

/// Every value of `/metrics` by its name and labels.
fn metrics(port: u16) -> Values {
    values(&get(port, "/metrics"))
}

/// The same of a socket at a path.
pub fn metrics_at(path: &Path) -> Values {
    values(&get_at(path, "/metrics"))
}

/// What the operator's socket at a path tells as JSON.
pub fn series_at(path: &Path) -> serde_json::Value {
    serde_json::from_str(&get_at(path, "/series").body).expect("JSON")
}

fn get_at(path: &Path, what: &str) -> Told {
    let stream = UnixStream::connect(path).expect("a connection");
    exchange(stream, &format!("GET {what} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"))
}

fn values(told: &Told) -> Values {
    assert_eq!(told.status, 200, "{}", told.head);
    let lines = told.body.lines().filter(|line| !line.starts_with('#'));
    let value = |line: &str| {
        let (name, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("{line} has no value"));
        (name.to_owned(), value.parse().unwrap_or_else(|_| panic!("{line} has no number")))
    };
    lines.map(value).collect()
}

/// Waits until the metrics are as they should be.
fn until<T: std::fmt::Debug>(read: impl Fn() -> T, what: &str, is_so: impl Fn(&T) -> bool) -> T {
    let begun = Instant::now();
    loop {
        let values = read();
        if is_so(&values) {
            return values;
        }
        assert!(begun.elapsed() < PATIENCE, "never {what}: {values:#?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
