//! Stopping: what is running may finish, nothing may hold the stop up.

use std::time::{Duration, Instant};

use ono_sendai::transport::Limits;
use tokio::net::TcpStream;

use super::support::{Event, POST, Protocol, Server};

const GRACE: Duration = Duration::from_secs(1);

fn limits() -> Limits {
    Limits { grace: GRACE, ..Limits::default() }
}

#[tokio::test]
async fn nothing_that_is_open_holds_a_stop_up_beyond_the_grace_time() {
    let mut server = Server::with(limits());
    let mut stream = server.raw().await;
    stream
        .send(format!("{POST}\r\nAccept: text/event-stream\r\nContent-Length: 11\r\n\r\nlater:60000"))
        .await;
    stream.until(": ").await;
    let mut json = server.raw().await;
    json.send(format!("{POST}\r\nContent-Length: 11\r\n\r\nlater:60000")).await;
    for _ in 0..2 {
        assert_eq!(server.event().await, Event::Called(11));
    }
    let mut idle = server.raw().await;
    idle.send(format!("{POST}\r\nContent-Length: 1\r\n\r\nx")).await;
    idle.until("}").await;
    let http2 = server.client(Protocol::Http2);
    assert_eq!(http2.post(server.url("/mcp")).body("x").send().await.unwrap().status(), 200);
    let mut half = server.raw().await;
    half.send("POST /mcp HT").await;
    let silent = TcpStream::connect(server.address).await.unwrap();

    let address = server.address;
    let start = Instant::now();
    let report = server.stop().await;
    let took = start.elapsed();
    assert!(took >= GRACE && took < GRACE + Duration::from_secs(1), "{took:?}");
    assert!(report.open >= 5, "{report:?}");
    assert!(TcpStream::connect(address).await.is_err(), "the listener is still open");

    let last = stream.rest().await;
    // Each client learns by its own id that its request has ended.
    let wanted = "{\"jsonrpc\":\"2.0\",\"id\":\"c-1\",\"error\":{\"code\":-32603,\"message\":\"Stopping\"}}";
    assert!(last.contains(&format!("event: message\ndata: {wanted}\n\n")), "{last}");
    let last = json.rest().await;
    assert!(last.starts_with("HTTP/1.1 503") && last.ends_with(wanted), "{last}");
    assert_eq!(idle.rest().await, "");
    assert_eq!(half.rest().await, "");
    drop(silent);
}

#[tokio::test]
async fn a_running_call_finishes_and_the_stop_does_not_wait_longer_than_that() {
    for protocol in Protocol::ALL {
        let mut server = Server::with(Limits { grace: Duration::from_secs(15), ..Limits::default() });
        let client = server.client(protocol);
        let call = tokio::spawn(client.post(server.url("/mcp")).body("later:700").send());
        assert_eq!(server.event().await, Event::Called(9));
        let start = Instant::now();
        let report = server.stop().await;
        assert!(start.elapsed() < Duration::from_secs(5), "{protocol:?}: {:?}", start.elapsed());
        assert_eq!((report.open, report.cut), (1, 0), "{protocol:?}");
        assert_eq!(call.await.unwrap().unwrap().status(), 200, "{protocol:?}");
    }
}

#[tokio::test]
async fn a_stop_with_only_idle_connections_is_immediate() {
    let mut server = Server::start();
    for protocol in Protocol::ALL {
        // The client keeps its connection open for further use.
        let client = server.client(protocol);
        assert_eq!(client.post(server.url("/mcp")).body("x").send().await.unwrap().status(), 200);
        std::mem::forget(client);
    }
    let start = Instant::now();
    let report = server.stop().await;
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    assert_eq!(report.cut, 0);
}

#[tokio::test]
async fn a_client_that_connected_just_before_the_stop_is_answered_and_a_silent_one_is_not_waited_for() {
    let mut server = Server::with(Limits { grace: Duration::from_secs(15), ..Limits::default() });
    let (mut fresh, mut silent) = (server.raw().await, server.raw().await);
    let address = server.address;
    let start = Instant::now();
    let stopping = server.stop();
    while TcpStream::connect(address).await.is_ok() {
        assert!(start.elapsed() < Duration::from_secs(5), "the listener is still open");
    }
    fresh.send(format!("{POST}\r\nContent-Length: 1\r\n\r\nx")).await;
    let answer = fresh.rest().await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with('}'), "{answer}");
    let report = stopping.await;
    assert!(report.open >= 2 && report.cut == 0, "{report:?}");
    assert_eq!(silent.rest().await, "");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_server_that_is_let_go_cuts_everything_at_once() {
    let mut server = Server::start();
    let mut raw = server.raw().await;
    raw.send(format!("{POST}\r\nContent-Length: 11\r\n\r\nlater:60000")).await;
    assert_eq!(server.event().await, Event::Called(11));
    let call =
        tokio::spawn(server.client(Protocol::Http2).post(server.url("/mcp")).body("later:60000").send());
    assert_eq!(server.event().await, Event::Called(11));
    let start = Instant::now();
    server.abandon();
    assert_eq!(raw.rest().await, "");
    assert!(call.await.unwrap().is_err());
    for _ in 0..2 {
        assert_eq!(server.event().await, Event::Dropped);
    }
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}
