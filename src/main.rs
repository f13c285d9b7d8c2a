//! Parses the command line and hands over; everything else is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    ono_sendai::cli::run(std::env::args_os()).into()
}
