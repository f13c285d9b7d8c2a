//! Clients that stand still, each at another stage: all are cut off, each after its own time.

use std::time::{Duration, Instant};

use ono_sendai::transport::Limits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::raw_http2::{RawHttp2, post};
use super::support::{Event, PATIENCE, POST, Protocol, Raw, Server, soon};

const SHORT: Duration = Duration::from_millis(600);
/// What a loaded machine and a goodbye may add.
const SLACK: Duration = Duration::from_secs(4);

/// Every time long but the one under test, so that no other can do its work.
fn long() -> Limits {
    Limits {
        handshake: PATIENCE,
        headers: PATIENCE,
        body: PATIENCE,
        idle: PATIENCE,
        stalled_write: PATIENCE,
        http2_ping: PATIENCE,
        ..Limits::default()
    }
}

fn assert_cut_in_time(start: Instant) {
    let took = start.elapsed();
    assert!(took >= SHORT - Duration::from_millis(50), "cut too early: {took:?}");
    assert!(took <= SHORT + SLACK, "cut too late: {took:?}");
}

async fn ends(mut tcp: TcpStream) {
    let mut rest = Vec::new();
    // Either a clean end or a reset.
    let _ = soon(tcp.read_to_end(&mut rest)).await;
}

/// Sends a byte now and then until the server closes.
async fn drip(mut raw: Raw, bytes: &[u8]) -> String {
    let (mut reader, mut writer) = tokio::io::split(&mut raw.0);
    let write = async {
        for byte in bytes.iter().cycle() {
            if writer.write_all(&[*byte]).await.is_err() || writer.flush().await.is_err() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        std::future::pending::<()>().await;
    };
    let mut seen = Vec::new();
    tokio::select! {
        () = write => {}
        _ = soon(reader.read_to_end(&mut seen)) => {}
    }
    String::from_utf8_lossy(&seen).into_owned()
}

#[tokio::test]
async fn a_connection_that_says_nothing_is_cut_off_after_the_handshake_time() {
    let server = Server::with(Limits { handshake: SHORT, ..long() });
    let start = Instant::now();
    ends(TcpStream::connect(server.address).await.unwrap()).await;
    assert_cut_in_time(start);
}

#[tokio::test]
async fn half_a_handshake_is_cut_off_after_the_handshake_time() {
    let server = Server::with(Limits { handshake: SHORT, ..long() });
    let start = Instant::now();
    let mut tcp = TcpStream::connect(server.address).await.unwrap();
    tcp.write_all(&[0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]).await.unwrap();
    ends(tcp).await;
    assert_cut_in_time(start);
}

#[tokio::test]
async fn a_first_request_that_does_not_come_is_cut_off_after_the_header_time() {
    let server = Server::with(Limits { headers: SHORT, ..long() });
    for alpn in [&b"http/1.1"[..], b"h2"] {
        let start = Instant::now();
        server.raw_with(&[alpn]).await.rest().await;
        assert_cut_in_time(start);
    }
}

#[tokio::test]
async fn a_half_sent_header_is_cut_off_after_its_time() {
    let server = Server::with(Limits { headers: SHORT, ..long() });
    let start = Instant::now();
    let mut raw = server.raw().await;
    raw.send("POST /mcp HT").await;
    raw.rest().await;
    assert_cut_in_time(start);
}

#[tokio::test]
async fn a_dripping_header_is_cut_off_after_its_time() {
    let server = Server::with(Limits { headers: SHORT, ..long() });
    let start = Instant::now();
    drip(
        server.raw().await,
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy",
    )
    .await;
    assert_cut_in_time(start);
}

#[tokio::test]
async fn half_a_later_header_is_cut_off_after_the_header_time_not_the_idle_time() {
    let server = Server::with(Limits { headers: SHORT, ..long() });
    let mut raw = server.raw().await;
    raw.send(format!("{POST}\r\nContent-Length: 1\r\n\r\nx")).await;
    raw.until("}").await;
    tokio::time::sleep(SHORT * 2).await;
    let start = Instant::now();
    raw.send("POST /mcp HT").await;
    raw.rest().await;
    assert_cut_in_time(start);
}

#[tokio::test]
async fn an_idle_connection_lives_for_the_idle_time_not_the_header_time() {
    let server = Server::with(Limits { headers: SHORT / 3, idle: SHORT, ..long() });
    for protocol in Protocol::ALL {
        if protocol == Protocol::Http1 {
            let mut raw = server.raw().await;
            raw.send(format!("{POST}\r\nContent-Length: 1\r\n\r\nx")).await;
            raw.until("}").await;
            let start = Instant::now();
            assert_eq!(raw.rest().await, "");
            assert_cut_in_time(start);
        } else {
            let mut raw = server.raw_with(&[b"h2"]).await;
            raw.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00").await;
            let start = Instant::now();
            raw.rest().await;
            assert_cut_in_time(start);
        }
    }
}

#[tokio::test]
async fn a_dripping_body_is_refused_after_its_time() {
    let mut server = Server::with(Limits { body: SHORT, ..long() });
    let start = Instant::now();
    let mut raw = server.raw().await;
    raw.send(format!("{POST}\r\nContent-Length: 1000\r\n\r\n")).await;
    let answer = drip(raw, b"x").await;
    assert_cut_in_time(start);
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert!(server.events.try_recv().is_err(), "the service was asked");
}

/// A frame of a kind that nobody knows, which is to be ignored.
const UNKNOWN_FRAME: &[u8] = b"\x00\x00\x01\x42\x00\x00\x00\x00\x00?";

/// Writes as fast as it goes until the server closes, and reads what comes.
async fn pour(raw: Raw, bytes: &[u8]) -> String {
    let (mut reader, mut writer) = tokio::io::split(raw.0);
    let flood = async {
        while writer.write_all(bytes).await.is_ok() {}
        std::future::pending::<()>().await;
    };
    let mut seen = Vec::new();
    tokio::select! {
        () = flood => {}
        // The first piece is what counts; a flood is reset sooner or later.
        _ = soon(async {
            let mut piece = vec![0; 1024 * 1024];
            while let Ok(count @ 1..) = reader.read(&mut piece).await {
                seen.extend_from_slice(&piece[..count.min(1024)]);
            }
        }) => {}
    }
    String::from_utf8_lossy(&seen).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_always_has_more_to_say_has_no_more_time_than_others() {
    let server = Server::with(Limits { body: SHORT, ..long() });
    let start = Instant::now();
    let mut raw = server.raw().await;
    // The length of a chunk, which begins with as many zeros as anybody likes.
    raw.send(format!("{POST}\r\nTransfer-Encoding: chunked\r\n\r\n")).await;
    let answer = pour(raw, &[b'0'; 256 * 1024]).await;
    assert_cut_in_time(start);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{answer}");

    // An answer that nobody takes, and frames that need none meanwhile.
    let server = Server::with(Limits { stalled_write: SHORT, ..long() });
    let mut raw = RawHttp2::greet(&server, 0).await;
    raw.send(post(1, b"large:1000")).await;
    let start = Instant::now();
    pour(raw.into_raw(), &UNKNOWN_FRAME.repeat(10_000)).await;
    assert_cut_in_time(start);
}

#[tokio::test]
async fn a_flood_of_frames_that_ask_for_nothing_is_ended() {
    let server = Server::with(long());
    let start = Instant::now();
    let raw = RawHttp2::greet(&server, 65_535).await;
    pour(raw.into_raw(), &UNKNOWN_FRAME.repeat(10_000)).await;
    assert!(start.elapsed() < SLACK, "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_client_that_takes_no_answer_is_cut_off_after_the_stall_time() {
    let mut server = Server::with(Limits { stalled_write: SHORT, ..long() });
    let mut raw = server.raw().await;
    let body = "large:33554432";
    raw.send(format!("{POST}\r\nContent-Length: {}\r\n\r\n{body}", body.len())).await;
    server.event().await;
    let start = Instant::now();
    // The server ends the connection although not a byte was read: seen without reading, by the end of
    // the connections.
    let report = server.stop().await;
    assert_cut_in_time(start);
    assert_eq!((report.open, report.cut), (1, 0));
}

#[tokio::test]
async fn a_dead_http_2_peer_is_cut_off_when_it_does_not_answer_a_ping() {
    let ping = SHORT / 2;
    let server = Server::with(Limits { http2_ping: ping, http2_ping_answer: ping, ..long() });
    let mut raw = server.raw_with(&[b"h2"]).await;
    let start = Instant::now();
    raw.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00").await;
    raw.rest().await;
    assert_cut_in_time(start);
}

#[tokio::test]
async fn stuck_connections_do_not_keep_others_waiting() {
    let mut server = Server::start();
    let mut stuck = Vec::new();
    for _ in 0..100 {
        stuck.push(TcpStream::connect(server.address).await.unwrap());
    }
    let mut half = Vec::new();
    for _ in 0..50 {
        let mut raw = server.raw().await;
        raw.send("POST /mcp HT").await;
        half.push(raw);
    }
    let start = Instant::now();
    let answer = server.client(Protocol::Http2).post(server.url("/mcp")).body("x").send().await.unwrap();
    assert_eq!(answer.status(), 200);
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    assert_eq!(server.event().await, Event::Called(1));
}
