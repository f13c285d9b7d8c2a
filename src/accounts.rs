//! What an account may do: whether it is active, and how many units it has.
//!
//! Decides the standing of an account that a token has proved. It must never know tokens, tools or what
//! has been used.

use std::fmt;
use std::time::Duration;

use crate::auth::Account;

/// How the standing of accounts is found. Closed vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountMode {
    /// Every verified subject has an account from its first call on, with one allowance for all.
    Interim,
    /// An account service knows them.
    Hooked,
}

impl AccountMode {
    /// Every mode.
    pub const ALL: [Self; 2] = [Self::Interim, Self::Hooked];

    /// The word in the configuration and on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Interim => "interim",
            Self::Hooked => "hooked",
        }
    }
}

/// What an account may do just now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// How it was found.
    pub mode: AccountMode,
    /// Whether it may call signed-in tools at all.
    pub active: bool,
    /// The name of its plan, if it has one.
    pub plan: Option<String>,
    /// Units of one UTC month.
    pub allowance: u64,
}

/// Nobody can say just now what the account may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unconfirmed {
    /// When to ask again.
    pub retry_after: Duration,
}

/// Where the standing of accounts is found.
pub struct Accounts {
    units_per_month: u64,
}

impl Accounts {
    /// Accounts that exist from their first call on, with so many units a month each.
    #[must_use]
    pub fn interim(units_per_month: u64) -> Self {
        Self { units_per_month }
    }

    /// What the account may do.
    ///
    /// # Errors
    /// When that cannot be found out just now.
    pub async fn standing(&self, _account: &Account) -> Result<Standing, Unconfirmed> {
        Ok(Standing { mode: AccountMode::Interim, active: true, plan: None, allowance: self.units_per_month })
    }
}

impl fmt::Debug for Accounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Accounts").finish_non_exhaustive()
    }
}
