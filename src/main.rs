//! Parses the command line and hands over; everything else is in the library.

use std::process::ExitCode;

use ono_sendai::cli::{self, Announce, Program, StartError, ToolRow};
use ono_sendai::config::Config;

/// Stands in until the parts of the server are put together.
struct Unwired;

impl Program for Unwired {
    async fn run(&self, _: Config, _: Announce) -> Result<(), StartError> {
        Err(StartError::Catalogue {
            reason: "not part of this build".to_owned(),
        })
    }

    fn tools(&self) -> Vec<ToolRow> {
        Vec::new()
    }

    fn estimate_tokens(&self, _: &str) -> u64 {
        0
    }
}

fn main() -> ExitCode {
    cli::run(&Unwired, std::env::args_os()).into()
}
