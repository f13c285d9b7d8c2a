//! The command line: what a person types, what they read, and the code the process ends with.
//!
//! Decides how commands are spelled, where their output goes and which exit code follows. Must never
//! know how the server works: everything behind the commands enters through [`Program`].
//! Data goes to stdout, everything else to stderr.

mod args;
mod call;
mod exit;
mod guide;
mod logging;
mod output;
mod start;
mod tools;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::Parser as _;
use clap::error::ErrorKind;

pub use exit::Exit;
pub use start::{Announce, Program, StartError, Started};
pub use tools::ToolRow;

use crate::config::Config;
use args::{Arguments, Command};
use guide::Guide;
use output::{complain, print};

/// Runs one command; `arguments` begin with the name of the program.
pub fn run<P: Program>(program: &P, arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return explain(&error),
    };
    match arguments.command {
        Command::Demo { listen, data } => demo(program, listen, data),
        Command::Serve { config } => serve(program, &config),
        Command::CheckConfig { file } => check_config(&file),
        Command::Call(request) => call::run(request),
        Command::Tools { json, tokens } => {
            let estimate = |text: &str| program.estimate_tokens(text);
            print(&tools::render(
                &program.tools(),
                json,
                tokens.then_some(&estimate),
                output::Style::for_stdout(),
            ))
        }
        Command::Version => print(concat!("ono-sendai ", env!("CARGO_PKG_VERSION"), "\n")),
    }
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
    match Config::load(file) {
        Ok(_) => print(&format!("{}: ok\n", file.display())),
        Err(errors) => {
            complain(&errors.to_string());
            Exit::Configuration
        }
    }
}

fn serve<P: Program>(program: &P, file: &Path) -> Exit {
    let config = match Config::load(file) {
        Ok(config) => config,
        Err(errors) => {
            complain(&errors.to_string());
            return Exit::Configuration;
        }
    };
    let public_base = config.server.public_base.clone();
    start(
        program,
        config,
        Box::new(move |started| {
            complain(&format!("ready: {} on {}", public_base.join("/mcp"), started.address));
        }),
    )
}

fn demo<P: Program>(program: &P, listen: SocketAddr, data: PathBuf) -> Exit {
    let config = Config::demo(listen, data.clone());
    start(
        program,
        config,
        Box::new(move |started| {
            // The server answers all the same when nobody reads its guide.
            let _unread = print(&Guide::new(started, &data).to_string());
        }),
    )
}

fn start<P: Program>(program: &P, config: Config, announce: Announce) -> Exit {
    logging::start(&config.log);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let outcome = match runtime {
        Ok(runtime) => runtime.block_on(program.run(config, announce)),
        Err(source) => Err(StartError::Runtime { source }),
    };
    match outcome {
        Ok(()) => Exit::Ok,
        Err(error) => {
            complain(&format!("ono-sendai: {error}"));
            error.exit()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// A server that starts or not, and never does more.
    struct Fake {
        outcome: fn() -> Result<(), StartError>,
        config: RefCell<Option<Config>>,
    }

    impl Program for Fake {
        async fn run(&self, config: Config, announce: Announce) -> Result<(), StartError> {
            self.config.replace(Some(config));
            (self.outcome)()?;
            announce(&Started { address: SocketAddr::from(([127, 0, 0, 1], 9)), certificate: None });
            Ok(())
        }

        fn tools(&self) -> Vec<ToolRow> {
            Vec::new()
        }

        fn estimate_tokens(&self, _: &str) -> u64 {
            0
        }
    }

    fn ended(outcome: fn() -> Result<(), StartError>, arguments: &[&str]) -> (Exit, Option<Config>) {
        let fake = Fake { outcome, config: RefCell::new(None) };
        let arguments = std::iter::once("ono-sendai").chain(arguments.iter().copied());
        let exit = run(&fake, arguments.map(OsString::from));
        (exit, fake.config.into_inner())
    }

    #[test]
    fn demo_runs_the_demo_configuration_and_ends_with_0_when_told_to_stop() {
        let (exit, config) = ended(|| Ok(()), &["demo", "--listen", "[::1]:9000", "--data", "/x"]);
        assert_eq!(exit, Exit::Ok);
        assert_eq!(config, Some(Config::demo("[::1]:9000".parse().unwrap(), "/x".into())));
    }

    #[test]
    fn a_server_that_cannot_start_ends_with_3() {
        let taken = || Err(StartError::PortTaken { address: SocketAddr::from(([127, 0, 0, 1], 9)) });
        assert_eq!(ended(taken, &["demo"]).0, Exit::NotStarted);
        let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/config/ono-sendai.toml");
        let (exit, config) = ended(taken, &["serve", "--config", shipped]);
        assert_eq!((exit, config), (Exit::NotStarted, Some(Config::default())));
    }

    #[test]
    fn a_faulty_configuration_starts_nothing() {
        let (exit, config) = ended(|| Ok(()), &["serve", "--config", "/proc/none"]);
        assert_eq!((exit, config), (Exit::Configuration, None));
    }
}
