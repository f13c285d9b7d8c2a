//! Everything here drives the program from outside, the way a stranger would.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod acme;
mod answers;
mod calls;
mod cli;
mod contract;
mod docs;
mod facts;
mod faults;
mod figures;
mod fixtures;
mod goldens;
mod harness;
mod honesty;
mod identity;
mod layers;
mod measured;
mod metering;
mod namesakes;
mod operator;
mod pki;
mod plenty;
mod prism;
mod protocol;
mod recorder;
mod refusals;
mod reload;
mod signin;
mod simulator;
mod site;
mod store;
mod supervised;
mod sweep;
mod tables;
mod tools;
mod transport;
mod upstream;
