//! Sends log lines to stderr, in the form that the configuration asks for.

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{fmt, registry, reload};

use super::log_line::{Fields, Moment};
use crate::clock::Clock;
use crate::config::{Log, LogFormat, LogLevel};

/// Starts logging, of faults of this program too, and gives what sets the level anew. When the process logs already,
/// that stays as it is.
pub(super) fn start(log: &Log) -> Box<dyn Fn(LogLevel) + Send> {
    // Only the place: the words of a panic may repeat what a caller sent.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        tracing::error!(place, "a fault in this program");
    }));
    let lines = fmt::layer().with_writer(std::io::stderr).with_ansi(false);
    let (filtered, handle) = reload::Layer::new(filter(log.level));
    let registry = registry().with(filtered);
    let _already_started = match log.format {
        LogFormat::Text => {
            registry.with(lines.with_timer(Moment(Clock::system())).fmt_fields(Fields)).try_init()
        }
        LogFormat::Json => registry.with(lines.json()).try_init(),
    };
    Box::new(move |level| {
        // Where the process logged already, there is nothing to set.
        let _not_ours = handle.reload(filter(level));
    })
}

/// Our own lines as asked; those of the libraries below only when something is wrong, because their
/// finer levels print headers and with them tokens.
fn filter(level: LogLevel) -> Targets {
    let level = match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    Targets::new().with_default(level.min(LevelFilter::WARN)).with_target("ono_sendai", level)
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    #[test]
    fn libraries_stay_quiet_at_every_level() {
        for level in LogLevel::ALL {
            let filter = filter(*level);
            assert!(!filter.would_enable("h2::codec", &Level::INFO), "{level:?}");
            assert!(filter.would_enable("h2::codec", &Level::ERROR), "{level:?}");
        }
        assert!(filter(LogLevel::Trace).would_enable("ono_sendai::transport", &Level::TRACE));
        assert!(!filter(LogLevel::Info).would_enable("ono_sendai::transport", &Level::DEBUG));
        assert!(!filter(LogLevel::Error).would_enable("h2::codec", &Level::WARN));
    }
}
