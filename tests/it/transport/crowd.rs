//! More connections than there are places, and HTTP/2 peers that take nothing or break everything off.

use std::time::{Duration, Instant};

use ono_sendai::transport::Limits;

use super::raw_http2::{GOAWAY, HEADERS, RESET, RawHttp2, frame, post};
use super::support::{Event, PATIENCE, POST, Protocol, Server, soon};

const SHORT: Duration = Duration::from_millis(600);

#[tokio::test]
async fn a_connection_above_the_cap_takes_the_place_of_one_that_stands_still() {
    let mut server = Server::with(Limits { connections: 1, ..Limits::default() });
    for protocol in Protocol::ALL {
        let mut idle = server.raw_with(&[b"http/1.1"]).await;
        idle.send(format!("{POST}\r\nContent-Length: 1\r\n\r\nx")).await;
        idle.until("}").await;
        server.event().await;
        let start = Instant::now();
        let answer = server.client(protocol).post(server.url("/mcp")).body("x").send().await.unwrap();
        assert_eq!(answer.status(), 200);
        assert!(start.elapsed() < Duration::from_secs(1), "{protocol:?}: {:?}", start.elapsed());
        server.event().await;
        assert_eq!(idle.rest().await, "", "{protocol:?}: the idle one was not ended");
    }
}

#[tokio::test]
async fn a_connection_above_the_cap_waits_while_all_others_are_worked_for() {
    let mut server = Server::with(Limits { connections: 1, ..Limits::default() });
    for accept in ["application/json", "text/event-stream"] {
        let mut first = server.raw().await;
        first
            .send(format!(
                "{POST}\r\nAccept: {accept}\r\nConnection: close\r\nContent-Length: 10\r\n\r\nlater:1000"
            ))
            .await;
        assert_eq!(server.event().await, Event::Called(10));
        let second = server.raw().await.request(POST, "x").await;
        assert!(second.starts_with("HTTP/1.1 200"), "{second}");
        let first = first.rest().await;
        assert!(first.contains("\"bytes\":10"), "{accept}: it was cut: {first}");
        assert_eq!(server.event().await, Event::Called(1));
    }
}

#[tokio::test]
async fn an_http_2_answer_that_nobody_takes_ends_its_connection_whatever_else_moves_there() {
    for window in [0, 1] {
        let server = Server::with(Limits { stalled_write: SHORT, ..Limits::default() });
        let mut raw = RawHttp2::greet(&server, window).await;
        raw.send(post(1, b"large:20000")).await;
        let start = Instant::now();
        for number in 1.. {
            // Its answer has no body, so that a window of 0 does not hold it.
            if !raw.try_send(post(2 * number + 1, b"accepted:")).await {
                break;
            }
            assert!(start.elapsed() < SHORT + Duration::from_secs(5), "window {window}: it lives");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert!(start.elapsed() >= SHORT - Duration::from_millis(50), "cut too early");
    }
}

#[tokio::test]
async fn an_http_2_peer_that_takes_its_answers_slowly_gets_them_whole() {
    let server = Server::with(Limits { stalled_write: SHORT, ..Limits::default() });
    let mut raw = RawHttp2::greet(&server, 16 * 1024).await;
    raw.send(post(1, b"large:60000")).await;
    let mut bytes = 0;
    while bytes < 60_002 {
        let (kind, flags, payload) = raw.next().await.expect("it was cut");
        if kind == 0 && !payload.is_empty() {
            bytes += payload.len();
            tokio::time::sleep(SHORT / 4).await;
            let more = u32::try_from(payload.len()).unwrap().to_be_bytes();
            raw.send(frame(8, 0, 0, &more)).await;
            if flags & 1 == 0 {
                raw.send(frame(8, 0, 1, &more)).await;
            }
        }
        assert!(![RESET, GOAWAY].contains(&kind), "after {bytes} bytes");
    }
}

#[tokio::test]
async fn a_peer_that_breaks_off_what_it_asks_is_told_to_leave_and_one_that_does_not_is_not() {
    let mut server = Server::start();
    let mut raw = RawHttp2::greet(&server, 65_535).await;
    for number in 0..1_000 {
        raw.send(post(2 * number + 1, b"accepted:")).await;
        assert_eq!(server.event().await, Event::Called(9));
        while !matches!(raw.next().await, Some((HEADERS, _, _))) {}
    }
    // It has the time of a goodbye after the last that is borne with.
    let (begun, mut number, mut ended) = (Instant::now(), 1_000, false);
    while !ended && begun.elapsed() < PATIENCE {
        let asked = raw.try_send(post(2 * number + 1, b"later:60000")).await;
        if !asked || !matches!(tokio::time::timeout(SHORT, server.event()).await, Ok(Event::Called(_))) {
            ended = true;
        } else if raw.try_send(frame(RESET, 0, 2 * number + 1, &8_u32.to_be_bytes())).await {
            assert_eq!(soon(server.event()).await, Event::Dropped);
            number += 1;
        } else {
            ended = true;
        }
    }
    assert!(ended, "{} requests were broken off", number - 1_000);
}
