//! How large a body may be, and what an early refusal leaves behind.

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::stream;
use http_body::Frame;
use http_body_util::StreamBody;
use ono_sendai::transport::Limits;
use tokio::io::AsyncReadExt;

use super::support::{Event, PATIENCE, POST, Protocol, Raw, Server, assert_error_json, assert_refused, soon};

const MIB: usize = 1024 * 1024;

/// A body in many pieces that tells nobody its length.
fn pieces(bytes: usize) -> reqwest::Body {
    const PIECE: usize = 16 * 1024;
    let sizes = (0..bytes).step_by(PIECE).map(move |start| PIECE.min(bytes - start));
    let frames = sizes.map(|size| Ok::<_, Infallible>(Frame::data(Bytes::from(vec![b'x'; size]))));
    reqwest::Body::wrap(StreamBody::new(stream::iter(frames)))
}

#[tokio::test]
async fn a_body_of_the_limit_is_served_and_one_byte_more_is_not() {
    let mut server = Server::start();
    for protocol in Protocol::ALL {
        let client = server.client(protocol);
        for (bytes, status) in [(MIB, 200), (MIB + 1, 413)] {
            for (how, body) in [("declared", vec![b'x'; bytes].into()), ("undeclared", pieces(bytes))] {
                let what = format!("{protocol:?} {how} {bytes}");
                let request = client.post(server.url("/mcp")).body(body);
                let response = request.send().await.unwrap_or_else(|error| panic!("{what}: {error:?}"));
                if status == 200 {
                    assert_eq!(response.status(), 200, "{what}");
                    assert_eq!(server.event().await, Event::Called(MIB));
                } else {
                    assert_refused(response, status, &what).await;
                }
            }
        }
    }
    assert!(server.events.try_recv().is_err(), "the service saw a refused body");
}

#[tokio::test]
async fn an_endless_body_is_refused_soon_after_the_limit() {
    let server = Server::start();
    for protocol in Protocol::ALL {
        let request = server.client(protocol).post(server.url("/mcp")).body(pieces(4 * MIB));
        assert_refused(request.send().await.unwrap(), 413, &format!("{protocol:?}")).await;
    }
}

#[tokio::test]
async fn an_absurd_length_is_refused_before_any_of_it_is_sent() {
    let server = Server::start();
    let mut raw = server.raw().await;
    raw.send(format!("{POST}\r\nContent-Length: 99999999999\r\n\r\n")).await;
    let answer = raw.until(r#""jsonrpc":"2.0"}"#).await;
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    assert!(answer.to_ascii_lowercase().contains("connection: close"), "{answer}");
    let body = answer.split_once("\r\n\r\n").unwrap().1.to_owned();
    assert_error_json(&body.into(), "absurd");
}

#[tokio::test]
async fn a_client_that_waits_for_100_gets_the_final_answer_when_its_body_is_too_large() {
    let server = Server::start();
    let mut raw = server.raw().await;
    raw.send(format!("{POST}\r\nExpect: 100-continue\r\nContent-Length: {}\r\n\r\n", MIB + 1)).await;
    let answer = raw.until(r#""jsonrpc":"2.0"}"#).await;
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    assert!(!answer.contains(" 100 "), "{answer}");
}

#[tokio::test]
async fn a_client_that_waits_for_100_gets_it_when_its_body_is_welcome() {
    let server = Server::start();
    let mut raw = server.raw().await;
    raw.send(format!("{POST}\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")).await;
    assert_eq!(raw.until("\r\n\r\n").await, "HTTP/1.1 100 Continue\r\n\r\n");
    raw.send("hello").await;
    assert!(raw.until("}").await.starts_with("HTTP/1.1 200"));
    raw.send(format!("{POST}\r\nExpect: foo\r\nContent-Length: 5\r\n\r\nhello")).await;
    assert!(raw.until("}").await.starts_with("HTTP/1.1 200"), "another expectation is ignored");
}

#[tokio::test]
async fn what_follows_an_early_refusal_is_never_taken_for_a_request() {
    let mut server = Server::start();
    let mut raw = server.raw().await;
    let smuggled = format!("{POST}\r\nContent-Length: 5\r\n\r\nhello");
    raw.send(format!("{POST}\r\nContent-Length: {}\r\n\r\n{smuggled}", 2 * MIB)).await;
    let answers = raw.rest().await;
    assert!(answers.starts_with("HTTP/1.1 413"), "{answers}");
    assert_eq!(answers.matches("HTTP/1.1").count(), 1, "{answers}");
    assert!(server.events.try_recv().is_err(), "the service was asked");
}

#[tokio::test]
async fn too_many_header_bytes_are_refused_and_so_are_too_many_fields() {
    let server = Server::with(Limits { headers_bytes: 16 * 1024, ..Limits::default() });
    let long = format!("POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: {}", "x".repeat(33 * 1024));
    let many: String = (0..200).map(|n| format!("\r\nX-{n}: y")).collect();
    for head in [long, format!("{POST}{many}")] {
        let answer = server.raw().await.request(&head, "x").await;
        assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
    }
    let many = (0..200).fold(server.client(Protocol::Http2).post(server.url("/mcp")), |request, n| {
        request.header(format!("x-{n}"), "y")
    });
    assert_refused(many.body("x").send().await.unwrap(), 431, "200 fields over HTTP/2").await;
    let long = "x".repeat(33 * 1024);
    let request = server.client(Protocol::Http2).post(server.url("/mcp")).header("x", long).body("x");
    match request.send().await {
        Ok(response) => assert_eq!(response.status(), 431),
        Err(error) => assert!(!error.is_timeout(), "{error:?}"),
    }
}

#[tokio::test]
async fn a_page_can_read_that_its_header_is_too_large() {
    let server = Server::with(Limits { headers_bytes: 16 * 1024, ..Limits::default() });
    for protocol in Protocol::ALL {
        for (long, status) in [(15 * 1024, 200), (16 * 1024, 431), (30 * 1024, 431)] {
            let what = format!("{protocol:?} {long}");
            let client = server.client(protocol);
            let field = client.post(server.url("/mcp")).header("authorization", "x".repeat(long)).body("x");
            let target = client.post(server.url(&format!("/mcp?{}", "x".repeat(long)))).body("x");
            for request in [field, target] {
                let response = request.send().await.unwrap_or_else(|error| panic!("{what}: {error:?}"));
                if status == 200 {
                    assert_eq!(response.status(), 200, "{what}");
                } else {
                    assert_refused(response, status, &what).await;
                }
            }
        }
    }
}

/// Some HTTP/2 clients lose an answer when their stream is reset while they still send.
#[tokio::test]
async fn an_early_answer_on_http_2_does_not_reset_a_stream_that_is_still_sending() {
    const HEADERS: u8 = 1;
    const DATA: u8 = 0;
    const RESET: u8 = 3;
    const END_STREAM: u8 = 1;
    let server = Server::with(Limits { body_bytes: 1_000, linger: PATIENCE, ..Limits::default() });
    let mut raw = server.raw_with(&[b"h2"]).await;
    raw.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00").await;
    // :method POST, :scheme https, :path, :authority, content-length; then the first part of a body.
    raw.send(frame(HEADERS, 4, b"\x83\x87\x04\x04/mcp\x01\x09localhost\x0f\x0d\x042000")).await;
    raw.send(frame(DATA, 0, &[b'x'; 500])).await;
    let mut seen = Vec::new();
    loop {
        let (kind, flags, _) = next_frame(&mut raw).await;
        seen.push((kind, flags & END_STREAM));
        if kind == DATA {
            break;
        }
    }
    assert!(seen.contains(&(HEADERS, 0)) && seen.contains(&(DATA, 0)), "{seen:?}");
    raw.send(frame(DATA, 0, &[b'x'; 500])).await;
    raw.send(frame(DATA, END_STREAM, &[b'x'; 1_000])).await;
    while seen.last() != Some(&(DATA, END_STREAM)) {
        let (kind, flags, _) = next_frame(&mut raw).await;
        assert_ne!(kind, RESET, "{seen:?}");
        seen.push((kind, if kind == DATA { flags & END_STREAM } else { 0 }));
    }
}

/// A frame on the first stream.
fn frame(kind: u8, flags: u8, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags, 0, 0, 0, 1], payload].concat()
}

async fn next_frame(raw: &mut Raw) -> (u8, u8, Vec<u8>) {
    let mut head = [0; 9];
    soon(raw.0.read_exact(&mut head)).await.unwrap();
    let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
    let mut payload = vec![0; usize::try_from(length).unwrap()];
    soon(raw.0.read_exact(&mut payload)).await.unwrap();
    (head[3], head[4], payload)
}
