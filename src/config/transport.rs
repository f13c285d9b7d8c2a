//! `[transport]`: how long and how large a connection may be before it is cut off.

use std::time::Duration;

use super::keys::Keys;

/// Time and size limits at the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transport {
    /// From accept to the end of the TLS handshake.
    pub handshake_timeout: Duration,
    /// From the first byte of a request to the end of its header.
    pub header_timeout: Duration,
    /// The largest request header, in bytes.
    pub header_limit_bytes: usize,
    /// From the end of the header to the end of the body.
    pub body_timeout: Duration,
    /// The largest request body, in bytes.
    pub body_limit_bytes: usize,
    /// How long a connection may stay open with nothing on it.
    pub idle_timeout: Duration,
    /// Requests at once on one HTTP/2 connection.
    pub http2_streams: u32,
    /// Connections at once, over all clients.
    pub connections: usize,
    /// How long running requests may go on after the order to stop.
    pub drain_grace: Duration,
    /// The time between two comment lines on a waiting event stream.
    pub sse_comment: Duration,
}

impl Default for Transport {
    fn default() -> Self {
        Self {
            handshake_timeout: Duration::from_secs(10),
            header_timeout: Duration::from_secs(15),
            header_limit_bytes: 32 * 1024,
            body_timeout: Duration::from_secs(30),
            body_limit_bytes: 1024 * 1024,
            idle_timeout: Duration::from_secs(120),
            http2_streams: 100,
            connections: 8192,
            drain_grace: Duration::from_secs(10),
            sse_comment: Duration::from_secs(5),
        }
    }
}

impl Transport {
    pub(super) fn read(keys: &mut Keys<'_, '_>) -> Self {
        let default = Self::default();
        Self {
            handshake_timeout: keys.seconds("handshake_timeout_s", default.handshake_timeout, 1..=120),
            header_timeout: keys.seconds("header_timeout_s", default.header_timeout, 1..=300),
            header_limit_bytes: kib(keys, "header_limit_kib", default.header_limit_bytes, 4..=256),
            body_timeout: keys.seconds("body_timeout_s", default.body_timeout, 1..=600),
            body_limit_bytes: kib(keys, "body_limit_kib", default.body_limit_bytes, 16..=16_384),
            idle_timeout: keys.seconds("idle_timeout_s", default.idle_timeout, 5..=3_600),
            http2_streams: keys
                .whole("http2_streams", default.http2_streams.into(), 1..=1_000, "streams")
                .try_into()
                .unwrap_or(default.http2_streams),
            connections: to_usize(keys.whole(
                "connections",
                default.connections as u64,
                1..=100_000,
                "connections",
            )),
            drain_grace: keys.seconds("drain_grace_s", default.drain_grace, 0..=300),
            sse_comment: keys.seconds("sse_comment_s", default.sse_comment, 1..=60),
        }
    }
}

fn kib(
    keys: &mut Keys<'_, '_>,
    key: &'static str,
    default_bytes: usize,
    range: std::ops::RangeInclusive<u64>,
) -> usize {
    to_usize(keys.whole(key, default_bytes as u64 / 1024, range, "KiB").saturating_mul(1024))
}

fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
