//! Event streams on the wire, and clients that go away.

use std::time::Duration;

use ono_sendai::transport::Limits;

use super::support::{Event, POST, Protocol, Server, soon};

#[tokio::test]
async fn a_waiting_stream_speaks_at_once_and_again_and_ends_with_one_event() {
    let server = Server::with(Limits { sse_comment: Duration::from_millis(100), ..Limits::default() });
    for protocol in Protocol::ALL {
        let request = server.client(protocol).post(server.url("/mcp")).header("accept", "text/event-stream");
        let request = request.header("accept-encoding", "gzip, br").body("later:1000");
        let mut response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert_eq!(response.headers()["cache-control"], "no-cache, no-transform");
        assert_eq!(response.headers()["x-accel-buffering"], "no");
        assert_eq!(response.headers()["x-early"], "e-1");
        assert!(!response.headers().contains_key("content-encoding"));
        assert!(!response.headers().contains_key("content-length"));
        let first = response.chunk().await.unwrap().unwrap();
        assert!(first.starts_with(b":") && !first.windows(5).any(|window| window == b"data:"), "{first:?}");
        let mut text = String::from_utf8(first.to_vec()).unwrap();
        while let Some(chunk) = response.chunk().await.unwrap() {
            text.push_str(std::str::from_utf8(&chunk).unwrap());
        }
        let blocks: Vec<&str> = text.split_terminator("\n\n").collect();
        let (event, comments) = blocks.split_last().unwrap();
        assert!(comments.len() >= 4 && comments.iter().all(|comment| comment.starts_with(':')), "{text}");
        assert_eq!(*event, "event: message\ndata: {\"profile\":\"Core\",\"bytes\":10}");
    }
}

#[tokio::test]
async fn an_answer_known_at_once_is_one_event() {
    let server = Server::start();
    let request =
        server.client(Protocol::Http2).post(server.url("/mcp/full")).header("accept", "text/event-stream");
    let text = request.body("x").send().await.unwrap().text().await.unwrap();
    assert_eq!(text, "event: message\ndata: {\"profile\":\"Full\",\"bytes\":1}\n\n");
}

#[tokio::test]
async fn work_is_dropped_when_an_http_1_client_closes() {
    let mut server = Server::start();
    for accept in ["application/json", "text/event-stream"] {
        let mut raw = server.raw().await;
        raw.send(format!("{POST}\r\nAccept: {accept}\r\nContent-Length: 11\r\n\r\nlater:60000")).await;
        assert_eq!(server.event().await, Event::Called(11));
        if accept != "application/json" {
            raw.until(": ").await;
        }
        drop(raw);
        dropped_soon(&mut server, accept).await;
    }
    still_serves(&mut server).await;
}

#[tokio::test]
async fn work_is_dropped_when_an_http_2_client_resets_its_stream() {
    let mut server = Server::start();
    let client = server.client(Protocol::Http2);
    for accept in ["application/json", "text/event-stream"] {
        let request = client.post(server.url("/mcp")).header("accept", accept).body("later:60000").send();
        if accept == "application/json" {
            let mut request = Box::pin(request);
            tokio::select! {
                answer = &mut request => panic!("answered: {answer:?}"),
                event = server.event() => assert_eq!(event, Event::Called(11)),
            }
            drop(request);
        } else {
            let mut response = soon(request).await.unwrap();
            assert_eq!(server.event().await, Event::Called(11));
            response.chunk().await.unwrap();
            drop(response);
        }
        dropped_soon(&mut server, accept).await;
        // The connection itself goes on.
        assert_eq!(client.post(server.url("/mcp")).body("x").send().await.unwrap().status(), 200);
        assert_eq!(server.event().await, Event::Called(1));
    }
}

async fn dropped_soon(server: &mut Server, what: &str) {
    let event = tokio::time::timeout(Duration::from_secs(2), server.events.recv()).await;
    assert_eq!(
        event.unwrap_or_else(|_| panic!("{what}: not dropped within 2 s")),
        Some(Event::Dropped),
        "{what}"
    );
}

async fn still_serves(server: &mut Server) {
    let answer = server.client(Protocol::Http1).post(server.url("/mcp")).body("x").send().await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(server.event().await, Event::Called(1));
}
