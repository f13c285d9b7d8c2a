//! The command line: what a person types, what they read, and the code the process ends with.
//!
//! Decides how commands are spelled, where their output goes and which exit code follows. Must never
//! know how the server works: it starts [`crate::app`] and waits for its end.
//! Data goes to stdout, everything else to stderr.

mod accounts;
mod admin;
mod args;
mod call;
mod crate_sim;
mod doctor;
mod exit;
mod guide;
mod log_line;
mod logging;
mod output;
mod token;
mod tools;
mod version;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Parser as _;
use clap::error::ErrorKind;

pub use exit::Exit;

use crate::app::{self, Announce, ConfigOrigin, StartError, Started};
use crate::clock::Clock;
use crate::config::{Config, DATA_FOLDER, LogFormat};
use args::{Arguments, Command};
use guide::Guide;
use output::{complain, print};

/// Names the data folder for `demo` and `call` when their options do not.
const DATA_VARIABLE: &str = "ONO_SENDAI_DATA";

/// How long the end of the program waits for what no longer matters to anyone.
const LEFTOVERS: Duration = Duration::from_millis(100);

/// Runs one command; `arguments` begin with the name of the program.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return explain(&error),
    };
    match arguments.command {
        Command::Demo { listen, data, log_level } => {
            let data = data_folder(data, std::env::var_os(DATA_VARIABLE).as_deref());
            let mut config = Config::demo(listen, data);
            config.log.level = log_level;
            demo(config)
        }
        Command::Serve { config } => match Config::load(&config) {
            Ok(settings) => serve(settings, config),
            Err(errors) => {
                complain(&errors.to_string());
                Exit::Configuration
            }
        },
        Command::CheckConfig { file } => check_config(&file),
        Command::Doctor { config } => doctor::run(&config),
        Command::Call(request) => {
            call::run(request, &data_folder(None, std::env::var_os(DATA_VARIABLE).as_deref()))
        }
        Command::CrateSim(request) => crate_sim::run(request),
        Command::Tools { json, tokens } => {
            print(&tools::render(&app::tools(), json, tokens, output::Style::for_stdout()))
        }
        Command::Token { subject, config, listen, data } => {
            let config = match config {
                Some(file) => Config::load(&file),
                None => {
                    let data = data_folder(data, std::env::var_os(DATA_VARIABLE).as_deref());
                    Ok(Config::demo(listen, data))
                }
            };
            config.map_or_else(
                |errors| {
                    complain(&errors.to_string());
                    Exit::Configuration
                },
                |config| token(&config, &subject),
            )
        }
        Command::Salvage { data } => {
            admin::salvage(&data_folder(data, std::env::var_os(DATA_VARIABLE).as_deref()))
        }
        Command::Restore { file, data } => {
            let may_begin = data.is_some();
            let data = data_folder(data, std::env::var_os(DATA_VARIABLE).as_deref());
            admin::restore(&file, &data, may_begin)
        }
        Command::Admin { data, command } => {
            admin::run(command, &data_folder(data, std::env::var_os(DATA_VARIABLE).as_deref()))
        }
        Command::Version => print(&format!("ono-sendai {}\n", version::own())),
    }
}

/// The folder that was named, or the one that the environment names, or the usual one.
fn data_folder(named: Option<PathBuf>, variable: Option<&OsStr>) -> PathBuf {
    let variable = variable.filter(|folder| !folder.is_empty());
    named.or_else(|| variable.map(PathBuf::from)).unwrap_or_else(|| PathBuf::from(DATA_FOLDER))
}

/// Help and version are data; everything else clap says is a complaint about the command line.
fn explain(error: &clap::Error) -> Exit {
    let text = error.to_string();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => print(&text),
        _ => {
            complain(text.trim_end());
            Exit::Usage
        }
    }
}

fn check_config(file: &Path) -> Exit {
    let errors = match Config::load_located(file) {
        Ok((config, places)) => {
            let located = |all: &[app::Wrong]| {
                places.errors(all.iter().map(|wrong| (&*wrong.place, &*wrong.found, &*wrong.accepted)))
            };
            let wrong = app::check(&config);
            if wrong.is_empty() {
                for line in located(&app::careless(&config)).to_string().lines() {
                    complain(&format!("warning: {line}"));
                }
                return print(&format!("{}: ok\n", file.display()));
            }
            located(&wrong)
        }
        Err(errors) => errors,
    };
    complain(&errors.to_string());
    Exit::Configuration
}

fn token(config: &Config, subject: &str) -> Exit {
    if !config.issuer.enabled {
        complain("the built-in issuer is off in this configuration; its own issuer gives out the tokens");
        return Exit::Configuration;
    }
    match app::token(config, &config.server.public_base, subject, &Clock::system()) {
        Ok(token) => print(&format!("{}\n", token.reveal())),
        Err(error) => {
            complain(&format!("ono-sendai: {error}"));
            Exit::NotStarted
        }
    }
}

fn serve(config: Config, file: PathBuf) -> Exit {
    let format = config.log.format;
    start(
        config,
        Some(file),
        Box::new(move |started| {
            let Started { address, public_base, certificate, demo_token: _ } = started;
            let url = public_base.join("/mcp");
            match format {
                LogFormat::Text => complain(&format!("ready: {url} on {address}")),
                LogFormat::Json => tracing::info!(url, %address, "ready"),
            }
            if let Some(certificate) = certificate.as_ref().filter(|certificate| certificate.is_new) {
                let path = certificate.path.display();
                tracing::info!(%path, "made a new certificate; clients have to be told to trust it");
            }
        }),
    )
}

fn demo(config: Config) -> Exit {
    let data = config.server.data_dir.clone();
    start(
        config,
        None,
        Box::new(move |started| {
            // The server answers all the same when nobody reads its guide.
            let _unread = print(&Guide::new(started, &data).to_string());
        }),
    )
}

fn start(config: Config, file: Option<PathBuf>, announce: Announce) -> Exit {
    let format = config.log.format;
    let origin = ConfigOrigin { file, set_level: logging::start(&config.log) };
    let outcome = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => {
            let outcome = runtime.block_on(app::run(config, origin, announce, Box::new(end_for_the_store)));
            runtime.shutdown_timeout(LEFTOVERS);
            outcome
        }
        Err(source) => Err(StartError::Runtime { source }),
    };
    match outcome {
        Ok(()) => Exit::Ok,
        Err(error) => {
            match format {
                LogFormat::Text => complain(&format!("ono-sendai: {error}")),
                LogFormat::Json => tracing::error!(%error, "not started"),
            }
            Exit::NotStarted
        }
    }
}

/// Nothing inside can wake a store that hangs; a supervisor can start the program again.
fn end_for_the_store() {
    tracing::error!(
        "the store has not answered for a minute; the program ends so that it can be started again"
    );
    std::process::exit(Exit::StoreStopped.code().into());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_folder_is_the_one_named_nearest() {
        let variable = Some(OsStr::new("/from-the-environment"));
        assert_eq!(data_folder(Some("/named".into()), variable), Path::new("/named"));
        assert_eq!(data_folder(None, variable), Path::new("/from-the-environment"));
        for unset in [None, Some(OsStr::new(""))] {
            assert_eq!(data_folder(None, unset), Path::new(DATA_FOLDER));
        }
    }

    #[test]
    fn a_faulty_configuration_starts_nothing() {
        let arguments = ["ono-sendai", "serve", "--config", "/proc/none"].map(OsString::from);
        assert_eq!(run(arguments), Exit::Configuration);
    }
}
