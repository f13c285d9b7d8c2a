//! Sends log lines to stderr, in the form that the configuration asks for.

use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt;

use crate::config::{Log, LogFormat, LogLevel};

/// Starts logging. When the process logs already, that stays as it is.
pub(super) fn start(log: &Log) {
    let level = match log.level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    let lines = fmt().with_max_level(level).with_writer(std::io::stderr).with_ansi(false);
    let _already_started = match log.format {
        LogFormat::Text => lines.try_init(),
        LogFormat::Json => lines.json().try_init(),
    };
}
