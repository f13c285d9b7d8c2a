//! The end of a server that clients hold on to: with calls that run, an event stream, and requests that are half sent.

use std::net::{Ipv4Addr, TcpStream};
use std::time::{Duration, Instant};

use super::stop::{PATIENCE, Served, half_a_call};
use crate::harness::Raw;
use crate::upstream::peer::{Act, Peer};

const GRACE: Duration = Duration::from_secs(2);

/// A server whose data service takes every question and answers none, and that service.
fn hanging(name: &str) -> (Served, Peer) {
    let peer = Peer::start();
    peer.set("/", Act::SaysAndWaits(Vec::new()));
    let rest = format!(
        "[crate]\nbase_url = \"http://127.0.0.1:{}\"\nkey = \"ck_test_{}\"\n\
         [deadlines]\ncall_ms = 60000\ntool_ms = 120000\n\
         [transport]\ndrain_grace_s = {}\nbody_timeout_s = 600\n",
        peer.port,
        "0".repeat(32),
        GRACE.as_secs()
    );
    (Served::with(name, "fixture_mode = false", &rest), peer)
}

/// A call that has reached the data service.
fn running_call(port: u16, served: &Served, id: &str, accept: &str) -> Raw {
    let body = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":\"{id}\",\"method\":\"tools/call\",\"params\":\
         {{\"name\":\"resolve_artist\",\"arguments\":{{\"q\":\"{id}\"}}}}}}"
    );
    let mut raw = Raw::to(port, &served.certificate);
    raw.send(&format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: {accept}\r\n\
         MCP-Protocol-Version: 2025-11-25\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    ));
    raw
}

fn until_asked(peer: &Peer, times: usize) {
    let start = Instant::now();
    while peer.seen("/api/").len() < times {
        assert!(start.elapsed() < PATIENCE, "the data service was not asked");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn until_nothing_listens(port: u16) -> Duration {
    let start = Instant::now();
    while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
        assert!(start.elapsed() < PATIENCE, "it still listens");
        std::thread::sleep(Duration::from_millis(2));
    }
    start.elapsed()
}

#[test]
fn whatever_clients_leave_open_a_server_ends_within_a_second_of_its_grace_time() {
    let (mut served, peer) = hanging("held");
    let port = served.port();
    let mut stream = running_call(port, &served, "c-stream", "text/event-stream");
    stream.until("\r\n\r\n");
    let mut json = running_call(port, &served, "c-json", "application/json");
    until_asked(&peer, 2);
    let _half_a_body = half_a_call(port, &served.certificate);
    let mut half_a_head = Raw::to(port, &served.certificate);
    half_a_head.send("POST /mcp HTTP/1.1\r\nHost: loc");
    let mut idle = Raw::to(port, &served.certificate);
    idle.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    idle.until("HTTP/1.1 200");
    let _silent = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("a connection");

    let start = Instant::now();
    served.signal("TERM");
    let closed = until_nothing_listens(port);
    assert!(closed < Duration::from_secs(1), "it listened for {closed:?}");
    assert_eq!(served.child.try_wait().expect("a child"), None, "the calls were not given their grace time");
    let status = served.ended();
    let took = start.elapsed();
    assert_eq!(status.code(), Some(0));
    assert!(took >= GRACE, "{took:?}");
    assert!(took < GRACE + Duration::from_secs(1), "{took:?}");

    let last = stream.rest();
    let event = last.split_once("event: message\ndata: ").map(|(_, event)| event).expect("a last event");
    assert!(event.contains("\"id\":\"c-stream\"") && event.contains("\"error\""), "{last}");
    let last = json.rest();
    assert!(last.starts_with("HTTP/1.1 503") && last.contains("\"id\":\"c-json\""), "{last}");
    assert_eq!(half_a_head.rest(), "");
}

#[test]
fn a_second_signal_cuts_a_stream_whose_call_is_running() {
    let (mut served, peer) = hanging("cut");
    let port = served.port();
    let mut stream = running_call(port, &served, "c-cut", "text/event-stream");
    stream.until("\r\n\r\n");
    until_asked(&peer, 1);
    served.signal("TERM");
    until_nothing_listens(port);
    let start = Instant::now();
    served.signal("TERM");
    assert_eq!(served.ended().code(), Some(0));
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    assert!(!stream.rest().contains("event: message"));
}
