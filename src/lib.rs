//! ono-sendai: verified music facts for AI assistants, over MCP, from one binary.

pub mod catalogue;
pub mod cli;
pub mod clock;
pub mod config;
pub mod identity;
pub mod transport;
