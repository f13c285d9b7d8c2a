//! Every number the wire is held to, in one place.
//!
//! It decides nothing else; where a number bites is said at its field.

use std::time::Duration;

/// Times, sizes and counts of the transport. The default is what the program runs with unless its
/// configuration says otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Open connections at once. For a further one, one that stands still gives way; while none does, it waits. 8,192.
    pub connections: usize,
    /// From accept to the end of the TLS handshake. 10 s.
    pub handshake: Duration,
    /// From the end of the handshake, or from the first byte of a later request, to the end of its
    /// header. 15 s.
    pub headers: Duration,
    /// Bytes of one request header, request line included; twice as many are read, so that the refusal can be read too.
    /// 32 KiB.
    pub headers_bytes: usize,
    /// Fields of one request header. 100.
    pub header_fields: usize,
    /// From the start of reading a body to its last byte. 30 s.
    pub body: Duration,
    /// Bytes of one request body. 1 MiB.
    pub body_bytes: usize,
    /// Bytes of large bodies that may be held at once while they arrive, over all connections. What a
    /// body has up to 4 KiB does not count, so that ordinary calls never meet this limit. 64 MiB.
    pub large_bodies_bytes: usize,
    /// How long a connection may be open with nothing asked and nothing being answered. 120 s.
    pub idle: Duration,
    /// How long a peer may leave written bytes untaken, of any answer; within this time it takes at least 16 KiB or all
    /// that there is. 30 s.
    pub stalled_write: Duration,
    /// HTTP/2 requests open at once on one connection. 100.
    pub http2_streams: u32,
    /// Between two HTTP/2 pings that ask whether the peer is still there. 30 s.
    pub http2_ping: Duration,
    /// How long the answer to such a ping may take. 10 s.
    pub http2_ping_answer: Duration,
    /// Between two comment lines of an event stream that waits. 5 s.
    pub sse_comment: Duration,
    /// After an early final answer: how long what the client still sends is read and thrown away, so
    /// that the answer is not lost to a connection reset. 2 s.
    pub linger: Duration,
    /// On shutdown: how long running calls may take to finish. 10 s.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 8_192,
            handshake: Duration::from_secs(10),
            headers: Duration::from_secs(15),
            headers_bytes: 32 * 1024,
            header_fields: 100,
            body: Duration::from_secs(30),
            body_bytes: 1024 * 1024,
            large_bodies_bytes: 64 * 1024 * 1024,
            idle: Duration::from_secs(120),
            stalled_write: Duration::from_secs(30),
            http2_streams: 100,
            http2_ping: Duration::from_secs(30),
            http2_ping_answer: Duration::from_secs(10),
            sse_comment: Duration::from_secs(5),
            linger: Duration::from_secs(2),
            grace: Duration::from_secs(10),
        }
    }
}
