//! Looks at everything that a server needs, before it starts or while it runs, and says what is wrong and what to do.
//!
//! Decides what counts as good, as worth a word, and as broken, each part by itself, so that no fault hides another.
//! Leaves everything as it was: the files that try out the folders, and the copy of the database in the folder for
//! temporary files, are removed again; while the copy is made, a server that starts waits for the database's lock. Other
//! machines are asked a few questions: the data service one without and one with the key, the issuer and the authority of
//! an automatic certificate for their documents, the account service about nobody. No secret stands in what it says.

mod accounts;
mod automatic;
mod backup;
mod certificate;
mod data_service;
mod folder;
mod issuer;
mod open_files;
mod operator;
mod port;
mod readable;
mod state;
mod wall_clock;

use std::path::Path;

use time::OffsetDateTime;

use super::check::careless;
use crate::clock::Clock;
use crate::config::Config;
use crate::fetch::Unanswered;

/// How good a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// As it should be.
    Good,
    /// It serves, but somebody should know.
    Warn,
    /// It does not serve.
    Fail(Fault),
}

/// Where the fault lies that keeps a part from serving. The first of them counts most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// On this machine: a file, the database, the clock.
    Here,
    /// Another machine answers, but not as it should.
    Remote,
    /// Another machine cannot be reached.
    Unreachable,
}

/// What was found out about a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The part.
    pub part: &'static str,
    /// How good it is.
    pub mark: Mark,
    /// What there is, and what to do where it is not good. One line.
    pub text: String,
}

/// What was found out, and what time it is elsewhere.
#[derive(Debug, Default)]
struct Findings {
    of: Vec<Finding>,
    times: Vec<Time>,
}

/// What to do about a machine that could not be reached: `correct` the setting that names it, unless it is its
/// certificate that is not trusted.
fn way_there(why: &Unanswered, correct: &str, section: &str) -> String {
    if why.is_untrusted {
        format!("if the certificate is right, name the file of its issuer as ca_file under [{section}]")
    } else {
        format!("correct {correct}, or look at the way there")
    }
}

/// What time another machine said it is.
#[derive(Clone, Debug)]
struct Time {
    whose: &'static str,
    there: OffsetDateTime,
    here: OffsetDateTime,
}

impl Findings {
    fn add(&mut self, part: &'static str, mark: Mark, text: impl Into<String>) {
        self.of.push(Finding { part, mark, text: text.into().replace(['\n', '\r'], " ") });
    }

    fn good(&mut self, part: &'static str, text: impl Into<String>) {
        self.add(part, Mark::Good, text);
    }

    fn warn(&mut self, part: &'static str, text: impl Into<String>) {
        self.add(part, Mark::Warn, text);
    }

    fn fail(&mut self, part: &'static str, fault: Fault, text: impl Into<String>) {
        self.add(part, Mark::Fail(fault), text);
    }

    fn time(&mut self, whose: &'static str, there: Option<OffsetDateTime>, clock: &Clock) {
        if let Some(there) = there {
            self.times.push(Time { whose, there, here: clock.utc() });
        }
    }
}

/// Examines everything that the configuration names; `file` is where it was read.
pub async fn examine(config: &Config, file: &Path) -> Vec<Finding> {
    let clock = Clock::system();
    let mut found = Findings::default();
    certificate::examine(config, &clock, &mut found);
    for careless in careless(config).into_iter().filter(|careless| !careless.place.starts_with("tls")) {
        found.warn("configuration", careless.to_string());
    }
    readable::examine(config, file, &mut found);
    let as_the_service = readable::as_the_service(config, file);
    let server = state::examine(config, &clock, &as_the_service, &mut found).await;
    backup::examine(config, &mut found);
    port::examine(config, server.is_some(), &mut found);
    operator::examine(config, server.is_some(), &mut found);
    open_files::examine(config, server.and_then(|server| server.open_files), &mut found);
    // All other machines at once, so that one that does not answer holds up nobody else.
    let (mut authority, mut service, mut issuer, mut accounts) =
        (Findings::default(), Findings::default(), Findings::default(), Findings::default());
    tokio::join!(
        automatic::ask(config, &clock, &mut authority),
        data_service::examine(config, &clock, &mut service),
        issuer::examine(config, &clock, &mut issuer),
        accounts::examine(config, &clock, &mut accounts),
    );
    for part in [authority, service, issuer, accounts] {
        found.of.extend(part.of);
        found.times.extend(part.times);
    }
    wall_clock::examine(&mut found);
    found.of
}
