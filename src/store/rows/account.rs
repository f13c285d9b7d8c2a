//! What is known of an account beyond its use.

use serde::{Deserialize, Serialize};

use super::AccountKey;
use crate::store::class::Class;
use crate::store::record::Record;

/// An account that was seen, or that an operator set something for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Account {
    /// When it was first seen, in seconds since 1970 UTC; `None` when it never was.
    pub first_seen_s: Option<i64>,
    /// The units a month that an operator set for it; `None` for what its kind of account has.
    pub allowance: Option<u64>,
    /// Whether an operator shut it out.
    pub blocked: bool,
}

impl Record for Account {
    type Key = AccountKey;
    const CLASS: Class = Class::Account;

    /// In version 1 every account had a first sight: a number, which is read as one that is there.
    fn from_older(version: u8, body: &[u8]) -> Option<Self> {
        let row: Self = serde_json::from_slice(body).ok().filter(|_| version == 1)?;
        row.first_seen_s.is_some().then_some(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::record;

    #[test]
    fn an_account_of_the_first_version_is_read_with_its_first_sight() {
        let read = |version, body: &str| record::read::<Account>(version, body.as_bytes());
        let old = r#"{"first_seen_s":5,"allowance":9,"blocked":true}"#;
        let account = Account { first_seen_s: Some(5), allowance: Some(9), blocked: true };
        assert_eq!(read(1, old), Ok((account.clone(), true)));
        assert_eq!(read(2, old), Ok((account, false)));
        assert!(read(2, "[5,9,true]").is_err() && read(1, "[5,9,true]").is_err(), "read by places");
        let never = r#"{"first_seen_s":null,"allowance":9,"blocked":true}"#;
        assert!(read(1, never).is_err() && read(2, never).is_ok_and(|(row, _)| row.first_seen_s.is_none()));
        assert!(read(0, old).is_err());
    }
}
