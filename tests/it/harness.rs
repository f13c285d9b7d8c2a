//! The real program as a server in fixture mode, and a small client of our own for it.
//!
//! Tests stay free of `async`: one runtime behind [`Demo`] carries all their requests.

mod answer;
mod artists;
mod client;
mod direct;
pub mod evidence;
mod golden;
mod log;
mod raw;
mod server;
mod tls;

pub use answer::{Answer, Envelope};
pub use artists::artists;
pub use client::{JSON, MODERN, meta};
pub use direct::{Direct, Scripted, sent, told};
pub use evidence::Kept;
pub use golden::hold_golden;
pub use log::{Log, fields};
pub use raw::Raw;
pub use server::{Demo, PATIENCE, talkative};
pub use tls::{Tls, tls};
