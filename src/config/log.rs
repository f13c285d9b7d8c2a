//! `[log]`: what is written to stderr, and in which form.

use super::keys::Keys;
use super::table::Key;

/// The keys of `[log]`.
pub(super) const KEYS: &[Key] = &[
    Key::new(
        "format",
        "\"text\"",
        "The form of a line on stderr: \"text\" for people, \"json\" for collectors.",
    ),
    Key::new(
        "level",
        "\"info\"",
        "The least important line that is written: \"error\", \"warn\", \"info\", \"debug\" or \"trace\".",
    )
    .reloads(),
];

/// What is written to stderr.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// The form of a line.
    pub format: LogFormat,
    /// The least important line that is still written.
    pub level: LogLevel,
}

/// The form of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line, for collectors.
    Json,
}

impl LogFormat {
    /// Every form.
    pub const ALL: &[Self] = &[Self::Text, Self::Json];

    /// Its name in the configuration.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
        }
    }
}

/// How important a log line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// Something is broken and needs the operator.
    Error,
    /// Something is odd and was coped with.
    Warn,
    /// One line a call, and each change of state.
    Info,
    /// What a developer wants to see.
    Debug,
    /// Everything.
    Trace,
}

impl LogLevel {
    /// Every level, the quietest first.
    pub const ALL: &[Self] = &[Self::Error, Self::Warn, Self::Info, Self::Debug, Self::Trace];

    /// Its name in the configuration.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
            Self::Trace => "trace",
        }
    }
}

impl Default for Log {
    fn default() -> Self {
        Self { format: LogFormat::Text, level: LogLevel::Info }
    }
}

impl Log {
    pub(super) fn read(keys: &mut Keys<'_, '_>) -> Self {
        let default = Self::default();
        Self {
            format: keys.choice("format", default.format, LogFormat::ALL, LogFormat::as_str),
            level: keys.choice("level", default.level, LogLevel::ALL, LogLevel::as_str),
        }
    }
}
