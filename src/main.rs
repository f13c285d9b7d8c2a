//! Parses the command line and hands over; everything else is in the library.

use std::process::ExitCode;

use ono_sendai::app::Server;
use ono_sendai::cli;

fn main() -> ExitCode {
    cli::run(&Server, std::env::args_os()).into()
}
