//! What an operator may ask and set about accounts.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::verb::{TOO_MANY_UNITS, UNITS_MAX};
use crate::accounts::{Accounts, Setting};
use crate::admission::Admission;
use crate::auth::AccountId;

/// How many accounts are told.
const ACCOUNTS_MAX: usize = 100;

/// What is asked about accounts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "about", rename_all = "snake_case", deny_unknown_fields)]
pub enum AccountVerb {
    /// Those that used most this month.
    List,
    /// One account.
    Show {
        /// Which one.
        who: Who,
    },
    /// Shuts it out, or lets it in again.
    Block {
        /// Which one.
        who: Who,
        /// Whether it is shut out.
        blocked: bool,
    },
    /// Sets its units of a month.
    Allowance {
        /// Which one.
        who: Who,
        /// Units; `None` is what its kind of account has.
        units: Option<u64>,
    },
}

/// One account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Who {
    /// By its id.
    Id(String),
    /// By what the issuer calls it. It is not kept, and stands in no answer.
    Subject(String),
}

/// One account, as an operator is told of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountReport {
    /// Its id.
    pub account: String,
    /// When it was first seen, as RFC 3339; `None` when it never was.
    pub first_seen: Option<String>,
    /// Whether it may call: neither shut out here nor by the account service; `None` while that has said nothing since
    /// the start.
    pub active: Option<bool>,
    /// Whether an operator shut it out.
    pub blocked: bool,
    /// The name of its plan, if the account service gave it one.
    pub plan: Option<String>,
    /// Units of one UTC month; `None` while neither an operator nor the account service said how many.
    pub allowance: Option<u64>,
    /// The units that an operator set.
    pub allowance_set: Option<u64>,
    /// Units that it used this month.
    pub used: u64,
}

/// The answer: accounts and how many there are, or why nothing was done.
pub(super) type Answer = Result<(Vec<AccountReport>, usize), String>;

pub(super) async fn answer(admission: &Admission, accounts: &Accounts, verb: AccountVerb) -> Answer {
    let (who, setting) = match verb {
        AccountVerb::List => return Ok(list(admission, accounts)),
        AccountVerb::Show { who } => (who, None),
        AccountVerb::Block { who, blocked } => (who, Some(Setting::Blocked(blocked))),
        AccountVerb::Allowance { units: Some(units), .. } if units > UNITS_MAX => {
            return Err(TOO_MANY_UNITS.to_owned());
        }
        AccountVerb::Allowance { who, units } => (who, Some(Setting::Allowance(units))),
    };
    let id = id_of(accounts, &who)?;
    if let Some(setting) = setting {
        accounts.set(id, setting).await.map_err(|error| error.to_string())?;
    } else if accounts.known(id).is_none() {
        return Err("no such account was ever seen here, nor was anything set for it".to_owned());
    }
    Ok((vec![report(admission, accounts, id)], 1))
}

/// The id of the account that is named, or why there can be none.
pub(super) fn id_of(accounts: &Accounts, who: &Who) -> Result<AccountId, String> {
    match who {
        Who::Id(text) => AccountId::parse(text).ok_or_else(|| {
            "an account has 32 hexadecimal digits, as `admin accounts` tells it, or is named as subject=NAME"
                .to_owned()
        }),
        Who::Subject(subject) => Ok(accounts.id_of(subject)),
    }
}

fn list(admission: &Admission, accounts: &Accounts) -> (Vec<AccountReport>, usize) {
    let mut used: Vec<(AccountId, u64)> = admission.usage_of_all();
    used.extend(accounts.all_known().into_iter().map(|(id, _)| (id, 0)));
    // The most first; what stands twice stands with its use first.
    used.sort_by_key(|(id, units)| (*id, std::cmp::Reverse(*units)));
    used.dedup_by_key(|(id, _)| *id);
    let all = used.len();
    used.sort_by_key(|(id, units)| (std::cmp::Reverse(*units), *id));
    used.truncate(ACCOUNTS_MAX);
    (used.into_iter().map(|(id, _)| report(admission, accounts, id)).collect(), all)
}

fn report(admission: &Admission, accounts: &Accounts, id: AccountId) -> AccountReport {
    let (known, standing) = (accounts.known(id), accounts.told(id));
    let written = |at: OffsetDateTime| at.format(&Rfc3339).ok();
    AccountReport {
        account: id.to_string(),
        first_seen: known.and_then(|known| written(known.first_seen?)),
        active: standing.active,
        blocked: known.is_some_and(|known| known.blocked),
        plan: standing.plan,
        allowance: standing.allowance,
        allowance_set: known.and_then(|known| known.allowance),
        used: admission.usage_of(id),
    }
}
