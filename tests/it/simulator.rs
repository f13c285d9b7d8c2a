//! `ono-sendai crate-sim`, asked over real sockets: what it serves, whom it lets in, and every fault it can be told.

mod command_line;
mod faults;
mod plan;
mod process;
mod serves;

pub use process::{KEY, Said, Sim};
