//! Who is asking, by proof.

use std::fmt;

use ring::digest::{SHA256, digest};

/// A caller whose credentials were looked at. Cannot be made outside `auth`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Anonymous,
    Account(Box<Account>),
}

impl Principal {
    pub(super) fn anonymous() -> Self {
        Self(Kind::Anonymous)
    }

    pub(super) fn of(account: Account) -> Self {
        Self(Kind::Account(Box::new(account)))
    }

    /// Whether the caller has no account.
    #[must_use]
    pub fn is_anonymous(&self) -> bool {
        self.account().is_none()
    }

    /// The account that the caller proved to be theirs; `None` without a sign-in.
    #[must_use]
    pub fn account(&self) -> Option<&Account> {
        match &self.0 {
            Kind::Anonymous => None,
            Kind::Account(account) => Some(account),
        }
    }
}

/// An account, as a verified token names it.
#[derive(Clone, PartialEq, Eq)]
pub struct Account {
    id: AccountId,
    subject: String,
    client: ClientKind,
    scopes: Vec<String>,
}

impl Account {
    pub(super) fn new(issuer: &str, subject: String, client: ClientKind, scopes: Vec<String>) -> Self {
        Self { id: AccountId::of(issuer, &subject), subject, client, scopes }
    }

    /// An account without a token.
    #[cfg(test)]
    pub fn for_test(issuer: &str, subject: &str, client: ClientKind) -> Self {
        Self::new(issuer, subject.to_owned(), client, Vec::new())
    }

    /// The key under which everything about the account is kept.
    #[must_use]
    pub fn id(&self) -> AccountId {
        self.id
    }

    /// What the issuer calls it. For the account service alone; never for logs or answers.
    #[must_use]
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// Which kind of client the token was issued to.
    #[must_use]
    pub fn client(&self) -> ClientKind {
        self.client
    }

    /// What the token was granted, as the issuer spells it.
    #[must_use]
    pub fn scopes(&self) -> &[String] {
        &self.scopes
    }
}

impl fmt::Debug for Account {
    /// Without the subject, which is a person's.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Account").field("id", &self.id).field("client", &self.client).finish_non_exhaustive()
    }
}

/// An opaque name for one subject of one issuer: the same in every run, and nothing can be read from it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AccountId([u8; AccountId::BYTES]);

impl AccountId {
    /// Its length.
    pub const BYTES: usize = 16;

    /// The id of a subject. Two issuers never share one, whatever their subjects are called.
    #[must_use]
    pub fn of(issuer: &str, subject: &str) -> Self {
        let mut named = Vec::with_capacity(issuer.len() + subject.len() + 40);
        named.extend_from_slice(b"ono-sendai account 1\0");
        named.extend_from_slice(&(issuer.len() as u64).to_be_bytes());
        named.extend_from_slice(issuer.as_bytes());
        named.extend_from_slice(subject.as_bytes());
        let hash = digest(&SHA256, &named);
        let mut id = [0; Self::BYTES];
        for (to, from) in id.iter_mut().zip(hash.as_ref()) {
            *to = *from;
        }
        Self(id)
    }

    /// As it is stored.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }

    /// As it was stored.
    #[must_use]
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// Takes the form that [`fmt::Display`] gives it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        if digits.len() != 2 * Self::BYTES {
            return None;
        }
        let mut id = [0; Self::BYTES];
        for (to, pair) in id.iter_mut().zip(digits.chunks_exact(2)) {
            let value = |digit: &u8| match digit {
                b'0'..=b'9' => Some(digit - b'0'),
                b'a'..=b'f' => Some(digit - b'a' + 10),
                _ => None,
            };
            let [high, low] = pair else { return None };
            *to = value(high)? * 16 + value(low)?;
        }
        Some(Self(id))
    }
}

impl fmt::Display for AccountId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for AccountId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AccountId({self})")
    }
}

/// Which kind of client a token was issued to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientKind {
    /// One whose client id the operator lists as ChatGPT's.
    Chatgpt,
    /// Any other.
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_the_same_in_every_run_and_reads_back() {
        let id = AccountId::of("https://issuer.example", "user_1");
        assert_eq!(id, AccountId::of("https://issuer.example", "user_1"));
        assert_eq!(AccountId::parse(&id.to_string()), Some(id));
        assert_eq!(AccountId::from_bytes(*id.as_bytes()), id);
        for bad in ["", "00", &"g".repeat(32), &"A".repeat(32), &"é".repeat(16)] {
            assert_eq!(AccountId::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn no_two_subjects_share_an_id_however_they_are_cut() {
        let ids = [
            AccountId::of("https://a.example", "x"),
            AccountId::of("https://a.example", "y"),
            AccountId::of("https://a.examplex", ""),
            AccountId::of("https://a.exampl", "ex"),
            AccountId::of("", "https://a.examplex"),
        ];
        let different: std::collections::BTreeSet<_> = ids.into_iter().collect();
        assert_eq!(different.len(), ids.len());
    }

    #[test]
    fn an_account_is_shown_without_its_subject() {
        let account =
            Account::new("https://a.example", "s3cr3t-subject".to_owned(), ClientKind::Other, vec![]);
        let shown = format!("{:?}", Principal::of(account));
        assert!(!shown.contains("s3cr3t") && shown.contains("AccountId("), "{shown}");
    }
}
