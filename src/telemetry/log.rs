//! Where log lines go and how they look.

use std::io;

use tracing_subscriber::EnvFilter;

/// How a log line is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// For machines: one JSON object a line.
    Json,
}

/// Starts logging to standard error. A second start changes nothing.
pub fn start(format: Format, level: &str) {
    let filter = EnvFilter::try_new(level).unwrap_or_else(|_| EnvFilter::new("info"));
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).with_target(false).with_ansi(false);
    let started = match format {
        Format::Text => lines.try_init(),
        Format::Json => lines.json().flatten_event(true).try_init(),
    };
    drop(started);
}
