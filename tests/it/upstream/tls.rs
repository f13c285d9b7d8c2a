//! The service behind TLS, as it is in earnest: whose certificate is trusted, which HTTP is spoken, and where a
//! redirect may lead.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use ono_sendai::transport::{demo_certificate, server_config};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::json;
use time::OffsetDateTime;

use super::peer::{Peer, json as json_answer, with};
use super::{CALL_MS, KEY, caller};
use crate::harness::{Demo, Kept as _, PATIENCE};
use crate::simulator::Sim;

const CARD: &str = r#"{"slug":"x","identity":{"name":"X","resolvedVia":"discogs","discogsArtistId":5}}"#;

/// A server that asks a service at this address, and trusts this certificate beside the machine's own.
fn server(base_url: &str, ca_file: Option<&Path>) -> Demo {
    let ca_file = ca_file.map(|file| format!("ca_file = \"{}\"\n", file.display())).unwrap_or_default();
    Demo::serving(
        "fixture_mode = false",
        &format!(
            "[crate]\nbase_url = \"{base_url}\"\nkey = \"{KEY}\"\n{ca_file}\
             [guard]\ntrusted_proxies = [\"127.0.0.1\"]\n[deadlines]\ncall_ms = {}\ntool_ms = 12000\n",
            CALL_MS * 10
        ),
    )
}

/// TLS in front of a plain service, without HTTP/2.
struct Front {
    url: String,
    certificate: PathBuf,
    folder: PathBuf,
}

impl Front {
    fn of(peer: &Peer, name: &str) -> Self {
        let folder =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("tls-{name}-{}", std::process::id()));
        let made = demo_certificate(&folder, OffsetDateTime::now_utc()).expect("a certificate");
        let mut config: ServerConfig = (*server_config(&made.identity)).clone();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let (config, port) = (Arc::new(config), peer.port);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let url = format!("https://localhost:{}", listener.local_addr().expect("an address").port());
        std::thread::spawn(move || {
            for socket in listener.incoming().map_while(Result::ok) {
                let config = Arc::clone(&config);
                // A client that does not trust the certificate ends its own thread only.
                std::thread::spawn(move || pass(socket, config, port));
            }
        });
        Self { url, certificate: made.certificate_path, folder }
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// One request to the plain service, and its answer back.
fn pass(socket: TcpStream, config: Arc<ServerConfig>, port: u16) -> Option<()> {
    socket.set_read_timeout(Some(PATIENCE)).ok()?;
    let mut outside = StreamOwned::new(ServerConnection::new(config).ok()?, socket);
    let mut head = Vec::new();
    let mut chunk = [0; 4_096];
    while !head.ends_with(b"\r\n\r\n") {
        match outside.read(&mut chunk).ok()? {
            0 => return None,
            length => head.extend_from_slice(chunk.get(..length)?),
        }
    }
    let mut inside = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).ok()?;
    inside.write_all(&head).ok()?;
    let mut answer = Vec::new();
    inside.read_to_end(&mut answer).ok()?;
    outside.write_all(&answer).ok()?;
    outside.conn.send_close_notify();
    outside.flush().ok()
}

#[test]
fn with_its_certificate_in_ca_file_the_service_is_asked_over_http_2() {
    let sim = Sim::start(
        "",
        &["--tls", "--in-flight", "0", "--per-minute", "0", "--api-key", KEY, "--report", "report.json"],
    );
    let server = server(&sim.url, Some(&sim.folder.join("data/demo-cert.pem")));
    let answer = server.call_from(caller(1), "get_artist", json!({"key": "four-tet"}));
    assert_eq!((&answer.data()["name"], answer.is_error), (&json!("Four Tet"), false), "{}", answer.json);
    let named = server.call_from(caller(1), "resolve_artist", json!({"q": "Autechre"}));
    assert_eq!(named.data()["resolved_via"], "discogs", "{}", named.json);
    server.kill();
    let report = stopped(&sim);
    let versions = report["versions"].as_object().expect("versions");
    assert!(versions.len() == 1 && versions["HTTP/2.0"].as_u64().is_some_and(|n| n >= 3), "{report}");
    assert!(report["answers"]["401"].is_null(), "{report}");
}

/// The report that a simulator writes when it is told to end: over TLS it cannot be asked for in plain.
fn stopped(sim: &Sim) -> serde_json::Value {
    let ended =
        Command::new("sh").args(["-c", &format!("kill -TERM {}", sim.pid)]).status().expect("a shell");
    assert!(ended.success());
    let begun = std::time::Instant::now();
    loop {
        let file = std::fs::read(sim.folder.join("report.json")).ok();
        if let Some(report) = file.and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
            return report;
        }
        assert!(begun.elapsed() < PATIENCE, "no report: {}", sim.log());
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn a_service_without_http_2_is_asked_over_http_1_1() {
    let peer = Peer::start();
    peer.set("/api/v2/artist/x", json_answer(200, CARD));
    let front = Front::of(&peer, "fallback");
    let server = server(&front.url, Some(&front.certificate));
    let answer = server.call_from(caller(1), "get_artist", json!({"key": "x"}));
    assert_eq!(answer.data()["name"], "X", "{}", answer.json);
    let seen = peer.seen("/api/v2/artist/x");
    assert!(
        seen[0].head.starts_with("GET /api/v2/artist/x?fields=") && seen[0].head.contains(" HTTP/1.1\r\n")
    );
    assert!(seen[0].head.contains(&format!("\r\nx-api-key: {KEY}\r\n")), "{}", seen[0].head);
}

#[test]
fn a_certificate_that_nobody_vouches_for_is_refused_and_the_log_says_what_to_do() {
    let peer = Peer::start();
    peer.set("/api/v2/artist/x", json_answer(200, CARD));
    let (front, other) = (Front::of(&peer, "unknown"), Front::of(&peer, "other"));
    for ca_file in [None, Some(&*other.certificate)] {
        let server = server(&front.url, ca_file);
        let answer = server.call_from(caller(1), "get_artist", json!({"key": "x"}));
        let data = &answer.json["error"]["data"];
        assert_eq!((answer.error_type(), &data["reason"]), ("upstream_error", &json!("unreachable")));
        assert_eq!(answer.json["meta"]["units"], 0);
        let log = server.log();
        let line = log.lines().find(|line| line.contains("cannot be reached")).expect("a line of the log");
        assert!(line.contains("certificate") && line.contains("ca_file"), "{line}");
        assert!(!log.contains(KEY), "{log}");
    }
    assert!(peer.seen("/").is_empty(), "nothing was sent to somebody unknown, the key least of all");
}

#[test]
fn a_ca_file_that_holds_no_certificate_keeps_the_server_from_starting() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("tls-none-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, text) in [("text.pem", Some("no certificate\n")), ("missing.pem", None)] {
        let file = folder.join(name);
        if let Some(text) = text {
            std::fs::write(&file, text).expect("a file");
        }
        let config = folder.join("config.toml");
        let text = format!(
            "[server]\nlisten = \"127.0.0.1:0\"\ndata_dir = \"{}\"\nfixture_mode = false\n\
             [crate]\nbase_url = \"https://localhost:9\"\nkey = \"{KEY}\"\nca_file = \"{}\"\n",
            folder.join("data").display(),
            file.display()
        );
        std::fs::write(&config, text).expect("a configuration");
        let output = Command::new(env!("CARGO_BIN_EXE_ono-sendai"))
            .args(["serve", "--config"])
            .arg(&config)
            .env_clear()
            .stdin(Stdio::null())
            .kept_output()
            .expect("the program runs");
        let said = String::from_utf8(output.stderr).expect("text");
        assert_eq!((output.status.code(), said.lines().count()), (Some(3), 1), "{said}");
        assert!(said.contains(name) && said.contains("[crate]") && !said.contains(KEY), "{said}");
    }
    std::fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn a_redirect_is_followed_to_the_same_host_over_tls_and_nowhere_else() {
    let (peer, plain) = (Peer::start(), Peer::start());
    let front = Front::of(&peer, "redirect");
    plain.set("/", json_answer(200, CARD));
    let port = front.url.rsplit(':').next().expect("a port");
    let location = |to: &str| with(308, &format!("location: {to}\r\n"), b"");
    for key in ["path", "whole"] {
        let card = CARD.replace(r#""slug":"x""#, &format!(r#""slug":"{key}""#));
        peer.set(&format!("/elsewhere/{key}"), json_answer(200, &card));
    }
    peer.set("/api/v2/artist/path", location("/elsewhere/path"));
    peer.set("/api/v2/artist/whole", location(&format!("{}/elsewhere/whole", front.url)));
    peer.set("/api/v2/artist/plain", location(&format!("http://localhost:{}/x", plain.port)));
    peer.set("/api/v2/artist/name", location(&format!("https://127.0.0.1:{port}/elsewhere/x")));
    peer.set("/api/v2/artist/round", location("/api/v2/artist/round"));
    let server = server(&front.url, Some(&front.certificate));
    for (key, is_followed) in
        [("path", true), ("whole", true), ("plain", false), ("name", false), ("round", false)]
    {
        let answer = server.call_from(caller(1), "get_artist", json!({"key": key}));
        if is_followed {
            assert_eq!(answer.data()["name"], "X", "{key}: {}", answer.json);
        } else {
            let data = &answer.json["error"]["data"];
            assert_eq!(
                (&data["status_class"], &answer.json["meta"]["units"]),
                (&json!("3xx"), &json!(0)),
                "{key}"
            );
        }
    }
    assert_eq!((peer.seen("/elsewhere").len(), plain.seen("/").len()), (2, 0));
    assert!(peer.seen("/api/v2/artist/round").len() <= 5, "a circle of redirects ends");
}
