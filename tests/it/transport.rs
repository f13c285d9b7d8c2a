//! The transport over real sockets and real TLS, with a small service behind it.

mod answers;
mod drain;
mod guard;
mod handshake;
mod sizes;
mod streams;
mod stuck;
mod support;
