//! Who reaches the socket, and what stays off the public port.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::time::Instant;

use http::Method;

use super::{ANY_PORT, connect, exchange, get, port_of};
use crate::harness::{Demo, PATIENCE};

#[test]
fn nothing_of_the_operators_is_on_the_public_port() {
    let server = Demo::serving("", ANY_PORT);
    let port = port_of(&server);
    for path in ["/metrics", "/series", "/page.js", "/page.css"] {
        assert_eq!(get(port, path).status, 200, "{path}");
        assert_eq!(server.send(Method::GET, path, &[], "").status, 404, "{path}");
    }
    assert_eq!(get(port, "/mcp").status, 404);
    let own = get(port, "/").body;
    let public = server.send(Method::GET, "/", &[], "");
    assert!(own.contains("<html") && public.body.as_ref() != own.as_bytes());
}

#[test]
fn a_server_that_was_not_asked_to_shows_operators_nothing() {
    let server = Demo::serving("", "");
    assert!(!server.log().contains("operators read metrics"));
}

#[test]
fn another_name_another_origin_and_writing_are_refused() {
    let server = Demo::serving("", ANY_PORT);
    let port = port_of(&server);
    let ask = |line: &str, fields: &str| {
        exchange(connect(port), &format!("{line} HTTP/1.1\r\n{fields}connection: close\r\n\r\n"))
    };
    let own = format!("host: 127.0.0.1:{port}\r\n");
    for (line, fields, status) in [
        ("GET /metrics", own.clone(), 200),
        ("HEAD /metrics", own.clone(), 200),
        ("GET /metrics", format!("{own}origin: http://127.0.0.1:{port}\r\n"), 200),
        ("GET /metrics", "host: rebound.example.org\r\n".to_owned(), 421),
        ("GET /metrics", format!("host: rebound.example.org:{port}\r\n"), 421),
        ("GET /metrics", "host: localhost\r\n".to_owned(), 421),
        ("GET /metrics", format!("{own}{own}"), 400),
        ("GET /metrics", format!("{own}origin: https://rebound.example.org\r\n"), 403),
        ("POST /metrics", format!("{own}content-length: 0\r\n"), 405),
        ("PUT /series", format!("{own}content-length: 5\r\n"), 405),
        ("GET /metrics", format!("{own}cookie: {}\r\n", "c".repeat(9_000)), 431),
    ] {
        let told = ask(line, &fields);
        assert_eq!(told.status, status, "{line} {fields}");
        assert!(!told.head.contains("access-control-"), "{}", told.head);
        assert!(status == 200 || !told.body.contains("ono_"), "{line} {fields}");
        if status != 431 {
            assert!(told.head.contains("content-security-policy: default-src 'none'; script-src 'self'"));
        }
    }
}

#[test]
fn a_client_that_sends_half_a_request_is_cut_off_and_keeps_nobody_out() {
    let server = Demo::serving("", ANY_PORT);
    let port = port_of(&server);
    let begun = Instant::now();
    let mut slow: Vec<_> = (0..8).map(|_| connect(port)).collect();
    for stream in &mut slow {
        stream.write_all(b"GET /metrics HTTP/1.1\r\nhost: loc").expect("sent");
    }
    assert_eq!(get(port, "/healthz").status, 200);
    assert!(begun.elapsed().as_secs() < 5, "{:?}", begun.elapsed());
    for mut stream in slow {
        let mut rest = Vec::new();
        // However it ends, it ends.
        let _cut = std::io::Read::read_to_end(&mut stream, &mut rest);
    }
    assert!(begun.elapsed() < PATIENCE / 2, "{:?}", begun.elapsed());
}

/// How long a scrape may take beside whatever others do.
const SCRAPE_MAX: std::time::Duration = std::time::Duration::from_secs(1);

#[test]
fn two_hundred_half_sent_requests_do_not_hold_up_a_scrape() {
    let folder =
        std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("half-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("o.sock");
    let _at_a_path = Demo::serving("", &format!("[operator]\nlisten = \"unix:{}\"\n", path.display()));
    let at_a_port = Demo::serving("", ANY_PORT);
    let port = port_of(&at_a_port);
    const HALF: &[u8] = b"GET /metrics HTTP/1.1\r\nhost: loc";
    // One that was there before, and is idle, and one that has just been answered.
    let _idle = connect(port);
    let mut half_there = Vec::new();
    let mut half_at_port = Vec::new();
    for _ in 0..200 {
        // One that was ended takes nothing more.
        let mut stream = UnixStream::connect(&path).expect("a connection");
        let _ended = stream.write_all(HALF);
        half_there.push(stream);
        let mut stream = connect(port);
        let _ended = stream.write_all(HALF);
        half_at_port.push(stream);
    }
    for _ in 0..3 {
        let begun = Instant::now();
        assert!(get(port, "/metrics").body.contains("ono_build_info"));
        let stream = UnixStream::connect(&path).expect("a connection");
        let told = exchange(stream, "GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        assert!(told.body.contains("ono_build_info"));
        assert!(begun.elapsed() < 2 * SCRAPE_MAX, "two scrapes took {:?}", begun.elapsed());
    }
    // And each half of a request ends, most at once and the last ones after their time.
    let begun = Instant::now();
    for mut stream in half_at_port {
        let _cut = std::io::Read::read_to_end(&mut stream, &mut Vec::new());
    }
    assert!(begun.elapsed().as_secs() < 6, "{:?}", begun.elapsed());
    std::fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn a_socket_in_a_folder_is_for_its_owner_and_gone_after_the_stop() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("op-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("o.sock");
    let server = Demo::serving("", &format!("[operator]\nlisten = \"unix:{}\"\n", path.display()));
    let mode = path.metadata().expect("a socket").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let ask = |host: &str| {
        let stream = UnixStream::connect(&path).expect("a connection");
        exchange(stream, &format!("GET /metrics HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n"))
    };
    assert!(ask("localhost").body.contains("ono_build_info"));
    assert_eq!(ask("rebound.example.org").status, 421);
    server.stop();
    server.log_to_its_end();
    assert!(!path.exists());
    std::fs::remove_dir_all(folder).expect("removed");
}
