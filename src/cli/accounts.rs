//! `admin accounts`: what an operator may ask and set about accounts, as it is typed.

use clap::Subcommand;

use crate::admin::{AccountVerb, Who};

/// What is asked about accounts.
#[derive(Clone, Debug, Subcommand)]
pub(super) enum AccountsCommand {
    /// List those that used most this month
    List,
    /// Show one account
    Show {
        #[arg(value_parser = who, help = WHO)]
        account: Who,
    },
    /// Shut an account out: every tool answers unauthorized
    Block {
        #[arg(value_parser = who, help = WHO)]
        account: Who,
    },
    /// Let an account in again
    Unblock {
        #[arg(value_parser = who, help = WHO)]
        account: Who,
    },
    /// Set the units that an account may use in a month
    Allowance {
        #[arg(value_parser = who, help = WHO)]
        account: Who,
        /// Units, or usual for what its kind of account has
        #[arg(value_parser = units)]
        units: Units,
    },
}

pub(super) const WHO: &str =
    "The account's id, as `admin accounts` lists it, or subject=NAME as its issuer calls it";

/// Units, or none of one's own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Units(Option<u64>);

fn units(text: &str) -> Result<Units, String> {
    match text {
        "usual" => Ok(Units(None)),
        _ => text
            .parse()
            .map(|units| Units(Some(units)))
            .map_err(|_| "write a whole number, or usual".to_owned()),
    }
}

pub(super) fn who(text: &str) -> Result<Who, String> {
    match text.strip_prefix("subject=") {
        Some("") => Err("write the subject after subject=".to_owned()),
        Some(subject) => Ok(Who::Subject(subject.to_owned())),
        None => Ok(Who::Id(text.to_owned())),
    }
}

impl From<AccountsCommand> for AccountVerb {
    fn from(command: AccountsCommand) -> Self {
        match command {
            AccountsCommand::List => Self::List,
            AccountsCommand::Show { account } => Self::Show { who: account },
            AccountsCommand::Block { account } => Self::Block { who: account, blocked: true },
            AccountsCommand::Unblock { account } => Self::Block { who: account, blocked: false },
            AccountsCommand::Allowance { account, units: Units(units) } => {
                Self::Allowance { who: account, units }
            }
        }
    }
}
