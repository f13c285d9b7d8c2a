//! Broken machines, and a day under load: the real program serves programs that others wrote and clients with accounts
//! while something breaks, and an auditor holds every answer and every unit against what must be so.
//!
//! `ONO_FAULTS` chooses how long the two that take time are: `short` is what `tests/run` does with the release build, and
//! `long` is what docs/reliability.md tells of. `ONO_BINARY` names the build; without it, it is that of the tests.

mod auditor;
mod clients;
mod clock;
mod day;
mod disk;
mod files;
mod foreign;
mod issuer;
mod kills;
mod plateau;

use std::path::{Path, PathBuf};

use crate::harness::Demo;
use crate::metering::operator::admin;

/// How long the parts that take time are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Short,
    Long,
}

/// The form that was asked for, or a loud line that nobody asked.
#[expect(clippy::print_stderr, reason = "a test says what it did not do")]
fn form(what: &str) -> Option<Form> {
    match std::env::var("ONO_FAULTS").as_deref() {
        Ok("long") => Some(Form::Long),
        Ok("short") => Some(Form::Short),
        Ok(other) => panic!("ONO_FAULTS is {other}; it is short or long"),
        Err(_) => {
            eprintln!("SKIPPED: {what} (ONO_FAULTS=short)");
            None
        }
    }
}

/// The build that is looked at.
fn binary() -> PathBuf {
    std::env::var_os("ONO_BINARY")
        .map_or_else(|| Path::new(env!("CARGO_BIN_EXE_ono-sendai")).to_owned(), PathBuf::from)
}

/// A configuration in which nobody is slowed down; only units are counted out.
const RULES: &str = "[guard]\ntrusted_proxies = [\"127.0.0.1\"]\n\
    [issuer]\nenabled = true\ntoken_lifetime_s = 86400\n\
    [accounts]\nunits_per_month = 1000\ncalls_per_minute = 1000000\ncalls_at_once = 1000\n\
    [anonymous]\nunits_per_day = 1000000000\ncalls_per_minute = 1000000\nrequests_per_second = 1000000\n\
    requests_burst = 1000000\n";

/// An account of its own number of units: an answer that was meant for another shows.
#[derive(Clone, Debug)]
struct Member {
    name: String,
    token: String,
    allowance: u64,
}

impl Member {
    fn of(server: &Demo, name: &str, allowance: u64) -> Self {
        let token = server.token_of(name);
        // It appears with its first call.
        assert!(!server.call_as(&token, "get_usage", serde_json::json!({})).is_error);
        let subject = format!("subject={name}");
        admin(server, &["accounts", "allowance", &subject, &allowance.to_string()]).unwrap();
        Self { name: name.to_owned(), token, allowance }
    }
}
