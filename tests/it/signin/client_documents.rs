//! Clients whose id is the address of a document: fetched over TLS from where it may be, within its limits.

use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use ono_sendai::transport::{demo_certificate, server_config};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};

use super::builtin::{CALLBACK, authorize, called_back, decide, exchange, field, sealed};
use crate::harness::{Answer, Demo};

/// What a document may have at most, as docs/sign-in.md says.
const MAX_BYTES: usize = 5 * 1024;

/// What the host answers at a path.
#[derive(Clone)]
enum Says {
    /// 200 with these bytes.
    Document(Vec<u8>),
    /// Any head and body.
    Raw(String),
    /// The head of a document, and then nothing.
    Silence,
    /// One byte of the document every fifth of a second.
    Drops(Vec<u8>),
}

/// A host with a certificate of its own that keeps documents.
struct Host {
    port: u16,
    says: Arc<Mutex<HashMap<String, Says>>>,
    asked: Arc<Mutex<Vec<String>>>,
    connections: Arc<AtomicUsize>,
}

fn certificate() -> &'static (PathBuf, Arc<ServerConfig>) {
    static MADE: OnceLock<(PathBuf, Arc<ServerConfig>)> = OnceLock::new();
    MADE.get_or_init(|| {
        let _installed = rustls::crypto::ring::default_provider().install_default();
        let folder =
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("documents-{}", std::process::id()));
        let made = demo_certificate(&folder, time::OffsetDateTime::now_utc()).expect("a certificate");
        let mut config = (*server_config(&made.identity)).clone();
        // This host speaks HTTP/1.1 only.
        config.alpn_protocols.clear();
        (made.certificate_path, Arc::new(config))
    })
}

impl Host {
    fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let host = Self { port, says: Arc::default(), asked: Arc::default(), connections: Arc::default() };
        let (says, asked, connections) = (host.says.clone(), host.asked.clone(), host.connections.clone());
        std::thread::spawn(move || {
            for socket in listener.incoming().map_while(Result::ok) {
                connections.fetch_add(1, Ordering::SeqCst);
                let (says, asked) = (says.clone(), asked.clone());
                std::thread::spawn(move || serve(socket, &says, &asked));
            }
        });
        host
    }

    /// The id of the client whose document lies there.
    fn id(&self, name: &str) -> String {
        format!("https://127.0.0.1:{}/{name}", self.port)
    }

    /// Keeps a document of this client, filled with spaces to `bytes`.
    fn keeps(&self, name: &str, changes: &Value, bytes: usize) -> String {
        let id = self.id(name);
        let mut document =
            json!({"client_id": id, "client_name": "A documented client", "redirect_uris": [CALLBACK]});
        for (key, value) in changes.as_object().expect("an object") {
            document[key] = value.clone();
        }
        let mut text = document.to_string();
        text.extend(std::iter::repeat_n(' ', bytes.saturating_sub(text.len())));
        self.says(name, Says::Document(text.into_bytes()));
        id
    }

    fn says(&self, name: &str, says: Says) -> String {
        self.says.lock().expect("unbroken").insert(format!("/{name}"), says);
        self.id(name)
    }

    fn asked(&self, name: &str) -> usize {
        self.asked.lock().expect("unbroken").iter().filter(|path| **path == format!("/{name}")).count()
    }
}

fn serve(socket: std::net::TcpStream, says: &Mutex<HashMap<String, Says>>, asked: &Mutex<Vec<String>>) {
    let Ok(connection) = ServerConnection::new(certificate().1.clone()) else { return };
    let mut stream = StreamOwned::new(connection, socket);
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte) {
            Ok(1) => head.push(byte[0]),
            _ => return,
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    asked.lock().expect("unbroken").push(path.clone());
    let says = says.lock().expect("unbroken").get(&path).cloned();
    let whole = |length: usize| {
        format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
        )
    };
    // Whoever has had enough is gone.
    let _gone = match says {
        None => stream.write_all(b"HTTP/1.1 404 X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"),
        Some(Says::Raw(text)) => stream.write_all(text.as_bytes()),
        Some(Says::Document(body)) => {
            stream.write_all(whole(body.len()).as_bytes()).and_then(|()| stream.write_all(&body))
        }
        Some(Says::Silence) => {
            let _written = stream.write_all(whole(100).as_bytes()).and_then(|()| stream.flush());
            stream.read(&mut byte).map(drop)
        }
        Some(Says::Drops(body)) => {
            let mut sent = stream.write_all(whole(body.len()).as_bytes());
            for byte in body {
                sent = sent.and_then(|()| stream.write_all(&[byte])).and_then(|()| stream.flush());
                if sent.is_err() {
                    break;
                }
                std::thread::sleep(Duration::from_millis(200));
            }
            sent
        }
    };
    stream.conn.send_close_notify();
    let _gone = stream.flush();
}

/// A server with the built-in issuer that may ask this machine, and trusts the host's certificate. Every test has its own,
/// since only a few documents are fetched at once.
fn server() -> Demo {
    serving("client_networks = [\"127.0.0.0/8\", \"::1\"]", true)
}

fn serving(issuer: &str, trusts: bool) -> Demo {
    let ca =
        if trusts { format!("[auth]\nca_file = \"{}\"\n", certificate().0.display()) } else { String::new() };
    Demo::serving(
        "",
        &format!(
            "[issuer]\nenabled = true\n{issuer}\n{ca}[anonymous]\nrequests_per_second = 1000\nrequests_burst = 1000\n"
        ),
    )
}

fn refused(answer: &Answer) {
    assert_eq!((answer.status, answer.header("location")), (400, ""), "{answer:?}");
    assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
    let page = String::from_utf8_lossy(&answer.body);
    assert!(page.contains("cannot go on") && !page.contains("127.0.0.1"), "{page}");
}

#[test]
fn a_client_signs_in_with_the_address_of_its_document_as_its_id() {
    let (host, server) = (Host::start(), &server());
    let id = host.keeps("client.json", &json!({}), 0);
    let page = authorize(server, &[], &id);
    assert_eq!(page.status, 200, "{page:?}");
    assert!(String::from_utf8_lossy(&page.body).contains("A documented client"));
    let back = called_back(&decide(server, &sealed(&page), "somebody", "allow"));
    let tokens = exchange(server, &id, field(&back, "code"), &[]).json();
    let access = tokens["access_token"].as_str().unwrap_or_else(|| panic!("{tokens}"));
    assert!(!server.call_as(access, "get_profile", json!({})).is_error);
    // It is kept for a while.
    assert_eq!(authorize(server, &[], &id).status, 200);
    assert_eq!(host.asked("client.json"), 1);
}

#[test]
fn a_document_has_5_kib_at_most() {
    let (host, server) = (Host::start(), &server());
    let fits = host.keeps("fits.json", &json!({}), MAX_BYTES);
    assert_eq!(authorize(server, &[], &fits).status, 200);
    let larger = host.keeps("larger.json", &json!({}), MAX_BYTES + 1);
    refused(&authorize(server, &[], &larger));
    // Without a length, for as long as anybody reads.
    let endless = format!("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{}", " ".repeat(1_000_000));
    refused(&authorize(server, &[], &host.says("endless.json", Says::Raw(endless))));
    assert_eq!(host.asked("larger.json") + host.asked("endless.json"), 2, "they were asked for");
}

#[test]
fn a_document_has_3_seconds_from_the_first_step_to_the_last_byte() {
    let (host, server) = (Host::start(), &server());
    let silent = host.says("silent.json", Says::Silence);
    let slow = host.says("slow.json", Says::Drops(vec![b' '; 100]));
    std::thread::scope(|scope| {
        for id in [&silent, &slow] {
            scope.spawn(move || {
                let begun = Instant::now();
                refused(&authorize(server, &[], id));
                let took = begun.elapsed();
                assert!((Duration::from_millis(2_900)..Duration::from_secs(8)).contains(&took), "{took:?}");
            });
        }
        // Nobody else waits meanwhile.
        let fast = host.keeps("fast.json", &json!({}), 0);
        let begun = Instant::now();
        assert_eq!(authorize(server, &[], &fast).status, 200);
        assert!(begun.elapsed() < Duration::from_millis(2_500), "{:?}", begun.elapsed());
    });
}

#[test]
fn a_redirect_is_not_followed() {
    let (host, server) = (Host::start(), &server());
    let good = host.keeps("good.json", &json!({}), 0);
    for status in [301, 302, 303, 307, 308] {
        let name = format!("moved-{status}.json");
        let head = format!(
            "HTTP/1.1 {status} X\r\nlocation: {good}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        );
        refused(&authorize(server, &[], &host.says(&name, Says::Raw(head))));
        assert_eq!((host.asked(&name), host.asked("good.json")), (1, 0), "{status}");
    }
}

#[test]
fn only_a_document_that_names_its_own_address_and_safe_redirects_is_taken() {
    let (host, server) = (Host::start(), &server());
    for (number, changes) in [
        json!({"client_id": "https://other.example/client.json"}),
        json!({"client_id": null}),
        json!({"client_id": format!("{}/", host.id("1.json"))}),
        json!({"redirect_uris": []}),
        json!({"redirect_uris": ["javascript:alert(1)", CALLBACK]}),
        json!({"redirect_uris": ["https://evil.example/callback"]}),
        json!({"token_endpoint_auth_method": "client_secret_post"}),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("unfit-{number}.json");
        let id = host.keeps(&name, &changes, 0);
        refused(&authorize(server, &[], &id));
        assert_eq!(host.asked(&name), 1, "{changes}");
    }
    for (name, says) in [
        ("missing.json", None),
        ("broken.json", Some(Says::Document(b"{".to_vec()))),
        ("list.json", Some(Says::Document(b"[]".to_vec()))),
        ("page.json", Some(Says::Document(b"<!doctype html>".to_vec()))),
        ("failing.json", Some(Says::Raw("HTTP/1.1 500 X\r\ncontent-length: 0\r\n\r\n".to_owned()))),
    ] {
        let id = says.map_or_else(|| host.id(name), |says| host.says(name, says));
        refused(&authorize(server, &[], &id));
        assert_eq!(host.asked(name), 1, "{name}");
    }
}

#[test]
fn an_address_without_tls_or_in_another_spelling_is_never_asked() {
    let (host, server) = (Host::start(), &server());
    host.keeps("client.json", &json!({}), 0);
    let port = host.port;
    for id in [
        format!("http://127.0.0.1:{port}/client.json"),
        format!("https://127.1:{port}/client.json"),
        format!("https://0x7f000001:{port}/client.json"),
        format!("https://2130706433:{port}/client.json"),
        format!("https://user@127.0.0.1:{port}/client.json"),
        format!("https://127.0.0.1:{port}/client.json#x"),
        format!("https://127.0.0.1:{port}/a/../client.json"),
        format!("https://127.0.0.1:{port}/"),
        format!("https://127.0.0.1:{port}"),
        format!("HTTPS://127.0.0.1:{port}/client.json"),
        format!("ftp://127.0.0.1:{port}/client.json"),
    ] {
        refused(&authorize(server, &[], &id));
    }
    assert_eq!(host.connections.load(Ordering::SeqCst), 0);
}

#[test]
fn without_the_operators_word_no_address_of_this_machine_or_network_is_asked_nor_a_name_that_leads_there() {
    let host = Host::start();
    host.keeps("client.json", &json!({}), 0);
    let server = serving("", true);
    let port = host.port;
    for id in [
        format!("https://127.0.0.1:{port}/client.json"),
        format!("https://127.0.0.2:{port}/client.json"),
        format!("https://[::1]:{port}/client.json"),
        format!("https://[::ffff:7f00:1]:{port}/client.json"),
        format!("https://0.0.0.0:{port}/client.json"),
        // Names: what they lead to is what counts, and what is then connected to.
        format!("https://localhost:{port}/client.json"),
        format!("https://localhost.:{port}/client.json"),
        "https://localhost/client.json".to_owned(),
        "https://127.0.0.1/client.json".to_owned(),
        "https://10.0.0.1/client.json".to_owned(),
        "https://192.168.1.1/client.json".to_owned(),
        "https://169.254.169.254/latest/meta-data".to_owned(),
        "https://[fd00::1]/client.json".to_owned(),
        "https://[fe80::1]/client.json".to_owned(),
        "https://100.64.0.1/client.json".to_owned(),
    ] {
        let begun = Instant::now();
        refused(&authorize(&server, &[], &id));
        // An address that nobody connects to is not waited for; a name may be.
        let waited = begun.elapsed() > Duration::from_millis(2_500);
        assert!(!waited || id.contains("localhost"), "{id} was waited for");
    }
    assert_eq!(host.connections.load(Ordering::SeqCst), 0, "somebody connected");
    // The same document is good where the operator says so: for the name as for the address.
    let name = format!("https://localhost:{port}/client.json");
    host.keeps("client.json", &json!({"client_id": name}), 0);
    assert_eq!(authorize(&self::server(), &[], &name).status, 200);
}

#[test]
fn a_host_whose_certificate_is_not_trusted_is_not_believed() {
    let host = Host::start();
    let id = host.keeps("client.json", &json!({}), 0);
    let server = serving("client_networks = [\"127.0.0.1\"]", false);
    refused(&authorize(&server, &[], &id));
    assert_eq!(host.asked("client.json"), 0, "the request was sent all the same");
    assert_ne!(host.connections.load(Ordering::SeqCst), 0, "it was connected to");
}
