//! The transport over real sockets and real TLS, with a small service behind it.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "the helpers of a test fail as the test does"
)]

mod answers;
mod crowd;
mod drain;
mod guard;
mod handshake;
mod raw_http2;
mod side_door;
mod sizes;
mod streams;
mod stuck;
mod support;
