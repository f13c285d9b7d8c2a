//! ono-sendai: verified music facts for AI assistants, over MCP, from one binary.

pub mod admission;
pub mod answer;
pub mod app;
pub mod auth;
pub mod catalogue;
pub mod cli;
pub mod clock;
pub mod config;
pub mod crate_client;
pub mod envelope;
pub mod host;
pub mod identity;
pub mod model;
pub mod nearest;
pub mod network;
pub mod pipeline;
pub mod profile;
pub mod prompts;
pub mod protocol;
pub mod render;
pub mod resources;
pub mod shape;
pub mod small_file;
pub mod telemetry;
pub mod tools;
pub mod transport;
