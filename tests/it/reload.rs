//! A running server takes new certificates and new settings, and never anything worse than what it has.

mod certificates;
mod configuration;
mod handshake;
mod made;
pub mod served;
