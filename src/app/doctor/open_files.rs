//! How many files and connections the server may have open at once.

use super::Findings;
use crate::app::open_files::{most_open, wanted};
use crate::config::Config;

const PART: &str = "open files";

/// `of_server`: what the server that runs says of itself; without one, it will be as here.
pub(super) fn examine(config: &Config, of_server: Option<u64>, found: &mut Findings) {
    let whose = if of_server.is_some() { "the server" } else { "a program that is started from here" };
    let Some(most) = of_server.or_else(most_open) else { return found.good(PART, "not limited") };
    let (connections, wanted) = (config.transport.connections, wanted(&config.transport));
    if most >= wanted {
        return found.good(PART, format!("{whose} may have {most} open, and {wanted} are enough"));
    }
    found.warn(
        PART,
        format!(
            "{whose} may have {most} open, and [transport] connections = {connections} wants {wanted}: those who come then \
             are not answered; raise LimitNOFILE= in the unit (`ulimit -Hn` elsewhere), or lower connections"
        ),
    );
}
