//! `admin`: asks and sets, in a server that runs on this machine.

use std::path::{Path, PathBuf};

use clap::Subcommand;

use super::accounts::{AccountsCommand, WHO, who};
use super::exit::Exit;
use super::output::{complain, print};
use crate::admin::{self, AccountVerb, Report, Verb, Who};
use crate::clock::Clock;
use crate::store::backup;
use crate::store::opening::{self, Salvaged};

/// What an operator may ask for.
#[derive(Clone, Debug, Subcommand)]
pub(super) enum AdminCommand {
    /// Say how things stand: the store, the protection ladder, what is switched off
    Status,
    /// Set the protection ladder by hand: 0 to 3, or auto to follow consumption
    Ladder {
        /// 0 gives nothing up, 1 switches discovery tools off, 2 also pauses use without an account, 3 also halves
        /// everybody's pace; auto follows how much of the data service's month is used
        #[arg(value_parser = rung)]
        rung: RungArgument,
    },
    /// Switch a tool on or off
    Tool {
        /// The tool
        name: String,
        /// on or off
        #[arg(value_parser = ["on", "off"])]
        to: String,
    },
    /// Pause or resume use without an account
    Anonymous {
        /// pause or resume
        #[arg(value_parser = ["pause", "resume"])]
        to: String,
    },
    /// Write a backup of everything that the server keeps
    Backup {
        /// The file
        file: PathBuf,
    },
    /// Let metered calls be served again after a restore
    RestoreConfirm,
    /// List the degraded windows that are open
    Windows {
        /// Close this one first, so that the data service is asked again at once
        #[arg(long, value_name = "NAME")]
        close: Option<String>,
    },
    /// List the accounts that used most this month, show one, shut one out, or set its allowance
    Accounts {
        #[command(subcommand)]
        what: Option<AccountsCommand>,
    },
    /// Say what an account has used this month
    Usage {
        #[arg(value_parser = who, help = WHO)]
        account: Who,
        /// Set it to so many units first
        #[arg(long, value_name = "UNITS")]
        set: Option<u64>,
    },
}

/// A rung, or none of one's own.
#[derive(Clone, Copy, Debug)]
pub(super) struct RungArgument(Option<u8>);

fn rung(text: &str) -> Result<RungArgument, String> {
    match text {
        "auto" => Ok(RungArgument(None)),
        "0" | "1" | "2" | "3" => Ok(RungArgument(text.parse().ok())),
        _ => Err("write 0, 1, 2, 3 or auto".to_owned()),
    }
}

impl From<AdminCommand> for Verb {
    fn from(command: AdminCommand) -> Self {
        match command {
            AdminCommand::Status => Self::Status,
            AdminCommand::Ladder { rung: RungArgument(rung) } => Self::Ladder { rung },
            AdminCommand::Tool { name, to } => Self::Tool { name, on: to == "on" },
            AdminCommand::Anonymous { to } => Self::Anonymous { paused: to == "pause" },
            AdminCommand::Backup { file } => {
                Self::Backup { file: std::path::absolute(&file).unwrap_or(file) }
            }
            AdminCommand::RestoreConfirm => Self::RestoreConfirm,
            AdminCommand::Windows { close } => Self::Windows { close },
            AdminCommand::Accounts { what } => {
                Self::Account(what.map_or(AccountVerb::List, AccountVerb::from))
            }
            AdminCommand::Usage { account, set } => Self::Usage { who: account, set },
        }
    }
}

/// Asks the server on the data folder.
pub(super) fn run(command: AdminCommand, data: &Path) -> Exit {
    match admin::ask(data, &command.into()) {
        Ok(Report::Refused(reason)) => {
            complain(&format!("ono-sendai: {reason}"));
            Exit::RemoteError
        }
        Ok(report) => {
            if let Report::Status { restore_confirmed: Some(was_waiting), .. } = &report {
                complain(match was_waiting {
                    true => "confirmed: metered calls are served again",
                    false => "there was nothing to confirm, and nothing has changed",
                });
            }
            let text = serde_json::to_string_pretty(&report).unwrap_or_default();
            print(&format!("{text}\n"))
        }
        Err(error) => {
            complain(&format!("ono-sendai: {error}"));
            Exit::NotReachable
        }
    }
}

/// Whether a server has kept anything in the folder; says what to do when none has. Without this a command that names no
/// folder would make one where it happens to be called, and leave the real server as it is.
fn is_kept_in(data: &Path, advice: &str) -> bool {
    // Whatever it is: what is no folder is refused in words of its own.
    let there = data.join("store").symlink_metadata().is_ok();
    if !there {
        complain(&format!("ono-sendai: no server has kept anything in {}; {advice}", data.display()));
    }
    there
}

/// Puts a backup in the place of the database, while no server runs. It begins a folder only where `may_begin` says
/// that it was named.
pub(super) fn restore(file: &Path, data: &Path, may_begin: bool) -> Exit {
    let data = &std::path::absolute(data).unwrap_or_else(|_| data.to_owned());
    if !may_begin && !is_kept_in(data, "name the server's folder with --data, also for one that is to begin")
    {
        return Exit::NotStarted;
    }
    match backup::restore(data, file, &Clock::system()) {
        Ok(kept) => {
            if let Some(kept) = kept {
                complain(&format!("the database that was there is kept: {}", kept.display()));
            }
            complain(&format!("restored in {}; {}", data.display(), confirm(data)));
            Exit::Ok
        }
        Err(error) => {
            complain(&format!("ono-sendai: {error}"));
            Exit::NotStarted
        }
    }
}

/// What is still to be done, for the same folder.
fn confirm(data: &Path) -> String {
    format!(
        "metered calls are refused until `ono-sendai admin restore-confirm --data {}`, once the server runs",
        data.display()
    )
}

/// Puts what can still be read of a damaged database in its place, while no server runs.
pub(super) fn salvage(data: &Path) -> Exit {
    let data = &std::path::absolute(data).unwrap_or_else(|_| data.to_owned());
    if !is_kept_in(data, "name the server's folder with --data") {
        return Exit::NotStarted;
    }
    match opening::salvage(data, &Clock::system()) {
        Ok(Salvaged { records, kept }) => {
            complain(&format!(
                "{records} records could be read; the damaged database is kept: {}",
                kept.display()
            ));
            complain(&format!("salvaged in {}; {}", data.display(), confirm(data)));
            Exit::Ok
        }
        Err(error) => {
            complain(&format!("ono-sendai: {error}"));
            Exit::NotStarted
        }
    }
}
