//! The questions and their answers.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::account::{self, AccountReport, AccountVerb, Who};
use super::backups::BackupReport;
use super::standing::{ReloadReport, Standing};
use crate::accounts::Accounts;
use crate::admission::Admission;
use crate::admission::ladder::Rung;
use crate::crate_client::CrateClient;
use crate::crate_client::window::Scope;
use crate::store::Health;
use crate::store::backup::{self, BackupError};

/// The most units that an operator may name, as in the configuration.
pub(super) const UNITS_MAX: u64 = 1_000_000_000;
/// Why more are refused.
pub(super) const TOO_MANY_UNITS: &str = "units are a number from 0 to 1000000000";

/// What an operator asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "snake_case", deny_unknown_fields)]
pub enum Verb {
    /// How things stand.
    Status,
    /// Sets the rung of the protection ladder; `None` follows consumption again.
    Ladder {
        /// 0 to 3.
        rung: Option<u8>,
    },
    /// Switches a tool off or on.
    Tool {
        /// Its name.
        name: String,
        /// Whether it may be called.
        on: bool,
    },
    /// Pauses or resumes use without an account.
    Anonymous {
        /// Whether it is paused.
        paused: bool,
    },
    /// Writes a backup.
    Backup {
        /// The file, as the server sees it.
        file: PathBuf,
    },
    /// Lets metered calls be served again after a backup was restored.
    RestoreConfirm,
    /// The degraded windows that are open, after closing one when `close` names it.
    Windows {
        /// `service`, or the name of a family.
        close: Option<String>,
    },
    /// Something about accounts.
    Account(AccountVerb),
    /// What an account has used this month, after setting it when `set` says so.
    Usage {
        /// Which one.
        who: Who,
        /// Units.
        set: Option<u64>,
    },
}

/// What an operator is answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Report {
    /// How things stand.
    Status {
        /// `good`, `tight` or `refusing`.
        store: String,
        /// Why it refuses.
        store_refuses: Option<String>,
        /// The rung that holds.
        rung: u8,
        /// The rung set by hand.
        rung_by_hand: Option<u8>,
        /// Whether use without an account is paused by hand.
        anonymous_paused: bool,
        /// Tools that are switched off by hand.
        tools_off: Vec<String>,
        /// Units of today's budget that are used or held by callers without an account.
        anonymous_units_today: u64,
        /// Whether a restored backup waits for `admin restore-confirm`.
        restore_unconfirmed: bool,
        /// After `admin restore-confirm`: whether there was anything to confirm.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        restore_confirmed: Option<bool>,
        /// What became of the last reading of configuration and certificates.
        reload: Box<ReloadReport>,
        /// How many files and connections the server may have open at once; `None` for as many as it likes.
        #[serde(default)]
        open_files: Option<u64>,
        /// What became of the backups that the server writes by itself.
        #[serde(default)]
        backups: Box<BackupReport>,
    },
    /// Degraded windows that are open, with the seconds until the next try.
    Windows(Vec<(String, u64)>),
    /// Accounts, those that used most this month first.
    Accounts {
        /// As many as are told.
        accounts: Vec<AccountReport>,
        /// How many there are.
        of: usize,
    },
    /// Units that an account used this month.
    Usage(u64),
    /// The backup lies there.
    BackedUp(PathBuf),
    /// It was not done, for this reason.
    Refused(String),
}

/// Does what is asked and says how things stand then. `data` is the server's own folder, and `tools` are the names that
/// a tool may have.
pub async fn answer(
    data: &Path,
    admission: &Admission,
    accounts: &Accounts,
    client: &CrateClient,
    standing: &Standing,
    tools: &[&str],
    verb: Verb,
) -> Report {
    let mut confirmed = None;
    let done = match verb {
        Verb::Status => Ok(()),
        Verb::Ladder { rung: Some(rung) } if Rung::of(rung).is_none() => {
            return Report::Refused("a rung is 0, 1, 2 or 3".into());
        }
        Verb::Ladder { rung } => admission.ladder().set(|stored| stored.by_hand = rung).await,
        Verb::Tool { name, .. } if !tools.contains(&name.as_str()) => {
            return Report::Refused(format!("no such tool; there are {}", tools.join(", ")));
        }
        Verb::Tool { name, on } => {
            let set = |stored: &mut crate::store::rows::Ladder| {
                if on {
                    stored.tools_off.remove(&name)
                } else {
                    stored.tools_off.insert(name)
                };
            };
            admission.ladder().set(set).await
        }
        Verb::Anonymous { paused } => admission.ladder().set(|stored| stored.anonymous_paused = paused).await,
        Verb::Backup { file } => {
            let written = backup::place(data, &file).and_then(|path| admission.back_up(&path).map(|()| path));
            return match written {
                Ok(path) => Report::BackedUp(path),
                Err(error @ BackupError::Io { .. }) => {
                    Report::Refused(format!("{error}; {}", who_writes(data)))
                }
                Err(error) => Report::Refused(error.to_string()),
            };
        }
        Verb::RestoreConfirm => {
            let mut was_waiting = false;
            let set = |stored: &mut crate::store::rows::Ladder| {
                was_waiting = std::mem::take(&mut stored.restore_unconfirmed);
            };
            let done = admission.ladder().set(set).await;
            confirmed = Some(was_waiting);
            done
        }
        Verb::Windows { close } => return windows(client, close.as_deref()),
        Verb::Account(verb) => {
            return match account::answer(admission, accounts, verb).await {
                Ok((accounts, of)) => Report::Accounts { accounts, of },
                Err(reason) => Report::Refused(reason),
            };
        }
        Verb::Usage { who, set } => {
            let id = match account::id_of(accounts, &who) {
                Ok(id) => id,
                Err(reason) => return Report::Refused(reason),
            };
            if set.is_some_and(|units| units > UNITS_MAX) {
                return Report::Refused(TOO_MANY_UNITS.into());
            }
            if let Some(units) = set
                && let Err(error) = admission.set_usage(id, units).await
            {
                return Report::Refused(error.to_string());
            }
            return Report::Usage(admission.usage_of(id));
        }
    };
    match done {
        Ok(()) => status(admission, standing, confirmed),
        Err(error) => Report::Refused(error.to_string()),
    }
}

fn windows(client: &CrateClient, close: Option<&str>) -> Report {
    if let Some(name) = close
        && !Scope::of(name).is_some_and(|scope| client.shut_window(scope))
    {
        return Report::Refused(format!("there is no open window \"{name}\"; `admin windows` lists them"));
    }
    let open = client.window_waits().into_iter();
    let mut open: Vec<(String, u64)> = open.map(|(scope, wait)| (scope.to_string(), whole_s(wait))).collect();
    open.sort();
    Report::Windows(open)
}

fn whole_s(wait: Duration) -> u64 {
    wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0))
}

/// The server writes a backup, and not whoever asks for it.
fn who_writes(data: &Path) -> String {
    format!(
        "the server writes it, as uid {}, and under the unit of the package it can write nowhere but below {} and what \
         ReadWritePaths= names; name a file in {}",
        rustix::process::geteuid().as_raw(),
        data.display(),
        data.join("backups").display()
    )
}

fn status(admission: &Admission, standing: &Standing, restore_confirmed: Option<bool>) -> Report {
    let health = admission.store_health();
    let store_refuses = match health {
        Health::Good | Health::Tight => None,
        Health::Refusing(error) => Some(error.to_string()),
    };
    let stored = admission.ladder().stored();
    Report::Status {
        store: health.as_str().to_owned(),
        store_refuses,
        rung: admission.ladder().rung().number(),
        rung_by_hand: stored.by_hand,
        anonymous_paused: stored.anonymous_paused,
        tools_off: stored.tools_off.iter().cloned().collect(),
        anonymous_units_today: admission.anonymous_units_today(),
        restore_unconfirmed: stored.restore_unconfirmed,
        restore_confirmed,
        reload: Box::new(standing.report()),
        open_files: rustix::process::getrlimit(rustix::process::Resource::Nofile).current,
        backups: Box::new(BackupReport::of(admission.backups())),
    }
}
