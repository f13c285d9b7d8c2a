//! `admin`: asks and sets, in a server that runs on this machine.

use std::path::{Path, PathBuf};

use clap::Subcommand;

use super::accounts::AccountsCommand;
use super::exit::Exit;
use super::output::{complain, print};
use crate::admin::{self, AccountVerb, Report, Verb};
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
        /// The account's id, as `admin accounts` lists it
        account: String,
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
            AdminCommand::Usage { account, set } => Self::Usage { account, set },
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
            let text = serde_json::to_string_pretty(&report).unwrap_or_default();
            print(&format!("{text}\n"))
        }
        Err(error) => {
            complain(&format!("ono-sendai: {error}"));
            Exit::NotReachable
        }
    }
}

/// Puts a backup in the place of the database, while no server runs.
pub(super) fn restore(file: &Path, data: &Path) -> Exit {
    match backup::restore(data, file, &Clock::system()) {
        Ok(kept) => {
            if let Some(kept) = kept {
                complain(&format!("the database that was there is kept: {}", kept.display()));
            }
            complain("restored; metered calls are refused until `ono-sendai admin restore-confirm`");
            Exit::Ok
        }
        Err(error) => {
            complain(&format!("ono-sendai: {error}"));
            Exit::NotStarted
        }
    }
}

/// Puts what can still be read of a damaged database in its place, while no server runs.
pub(super) fn salvage(data: &Path) -> Exit {
    match opening::salvage(data, &Clock::system()) {
        Ok(Salvaged { records, kept }) => {
            complain(&format!(
                "{records} records could be read; the damaged database is kept: {}",
                kept.display()
            ));
            complain("metered calls are refused until `ono-sendai admin restore-confirm`");
            Exit::Ok
        }
        Err(error) => {
            complain(&format!("ono-sendai: {error}"));
            Exit::NotStarted
        }
    }
}
