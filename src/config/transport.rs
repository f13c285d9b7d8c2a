//! `[transport]`: how long and how large a connection may be before it is cut off.

use super::keys::Keys;
use super::table::Key;
use crate::transport::Limits;

/// The keys of `[transport]`.
pub(super) const KEYS: &[Key] = &[
    Key::new("handshake_timeout_s", "10", "From accept to the end of the TLS handshake: 1 to 120 seconds."),
    Key::new(
        "header_timeout_s",
        "15",
        "From the first byte of a request to the end of its header: 1 to 300 seconds.",
    ),
    Key::new("header_limit_kib", "32", "The largest request header: 4 to 256 KiB."),
    Key::new("body_timeout_s", "30", "From the end of the header to the end of the body: 1 to 600 seconds."),
    Key::new("body_limit_kib", "1024", "The largest request body: 16 to 16384 KiB."),
    Key::new(
        "idle_timeout_s",
        "120",
        "How long a connection may stay open with nothing on it: 5 to 3600 seconds.",
    ),
    Key::new(
        "stalled_timeout_s",
        "30",
        "How long a client may leave an answer that is ready untaken, or take less than 16 KiB of it: 1 to 300 seconds.",
    ),
    Key::new("http2_streams", "100", "Requests at once on one HTTP/2 connection: 1 to 1000."),
    Key::new("connections", "8192", "Connections at once, over all clients: 1 to 100000."),
    Key::new(
        "drain_grace_s",
        "10",
        "How long running requests may go on after the order to stop: 0 to 300 seconds.",
    ),
    Key::new(
        "sse_comment_s",
        "5",
        "The time between two comment lines on an event stream that waits for its answer: 1 to 60 seconds, \
         less than idle_timeout_s.",
    ),
];

/// The limits of the wire; what has no key keeps its default.
pub(super) fn read(keys: &mut Keys<'_, '_>) -> Limits {
    let default = Limits::default();
    Limits {
        handshake: keys.seconds("handshake_timeout_s", default.handshake, 1..=120),
        headers: keys.seconds("header_timeout_s", default.headers, 1..=300),
        headers_bytes: kib(keys, "header_limit_kib", default.headers_bytes, 4..=256),
        body: keys.seconds("body_timeout_s", default.body, 1..=600),
        body_bytes: kib(keys, "body_limit_kib", default.body_bytes, 16..=16_384),
        idle: keys.seconds("idle_timeout_s", default.idle, 5..=3_600),
        stalled_write: keys.seconds("stalled_timeout_s", default.stalled_write, 1..=300),
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
        grace: keys.seconds("drain_grace_s", default.grace, 0..=300),
        sse_comment: keys.seconds("sse_comment_s", default.sse_comment, 1..=60),
        ..default
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
