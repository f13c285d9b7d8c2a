//! Who is asking, by proof.

/// A caller whose credentials were looked at. Cannot be made outside `auth`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Anonymous,
}

impl Principal {
    pub(super) fn anonymous() -> Self {
        Self(Kind::Anonymous)
    }

    /// Whether the caller has no account.
    #[must_use]
    pub fn is_anonymous(&self) -> bool {
        match self.0 {
            Kind::Anonymous => true,
        }
    }
}
