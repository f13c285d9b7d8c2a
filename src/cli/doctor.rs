//! `doctor`: what is wrong with a server, line by line.

use std::fmt::Write as _;
use std::path::Path;

use super::exit::Exit;
use super::output::{Style, complain, harmless_line, print};
use crate::app::{self, Fault, Finding, Mark};
use crate::config::Config;

/// Examines everything that a configuration file names.
pub(super) fn run(file: &Path) -> Exit {
    let config = match Config::load(file) {
        Ok(config) => config,
        Err(errors) => {
            complain(&errors.to_string());
            return Exit::Configuration;
        }
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            complain(&format!("ono-sendai: cannot start the runtime: {error}"));
            return Exit::NotStarted;
        }
    };
    let mut findings = vec![Finding {
        part: "configuration",
        mark: Mark::Good,
        text: format!("{} has no mistakes", file.display()),
    }];
    findings.extend(runtime.block_on(app::examine(&config, file)));
    match print(&rendered(&findings, Style::for_stdout())) {
        Exit::Ok => verdict(&findings),
        unwritten => unwritten,
    }
}

fn rendered(findings: &[Finding], style: Style) -> String {
    let width = findings.iter().map(|finding| finding.part.len()).max().unwrap_or(0);
    let mut text = String::new();
    for Finding { part, mark, text: said } in findings {
        let mark = match mark {
            Mark::Good => "ok  ".to_owned(),
            Mark::Warn => style.bold("warn"),
            Mark::Fail(_) => style.bold("fail"),
        };
        // Writing to a string never fails.
        let _ = writeln!(text, "{mark}  {part:width$}  {}", harmless_line(said));
    }
    text
}

/// What is wrong on this machine goes before what another one says, and that before one that is not there.
fn verdict(findings: &[Finding]) -> Exit {
    let faults = findings.iter().filter_map(|finding| match finding.mark {
        Mark::Fail(fault) => Some(fault),
        Mark::Good | Mark::Warn => None,
    });
    match faults.min() {
        None => Exit::Ok,
        Some(Fault::Here) => Exit::NotStarted,
        Some(Fault::Remote) => Exit::RemoteError,
        Some(Fault::Unreachable) => Exit::NotReachable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_code_is_that_of_what_has_to_be_mended_first() {
        let of = |marks: &[Mark]| {
            let findings: Vec<Finding> = marks
                .iter()
                .map(|mark| Finding { part: "a part", mark: *mark, text: String::new() })
                .collect();
            verdict(&findings)
        };
        let fail = Mark::Fail;
        assert_eq!(of(&[Mark::Good, Mark::Warn]), Exit::Ok);
        assert_eq!(of(&[fail(Fault::Unreachable), Mark::Good]), Exit::NotReachable);
        assert_eq!(of(&[fail(Fault::Unreachable), fail(Fault::Remote)]), Exit::RemoteError);
        assert_eq!(of(&[fail(Fault::Remote), fail(Fault::Here)]), Exit::NotStarted);
    }
}
