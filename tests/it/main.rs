//! Everything here drives the program from outside, the way a stranger would.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod cli;
mod fixtures;
mod harness;
mod honesty;
mod measured;
mod protocol;
mod tools;
mod transport;
