//! The families of data that the service answers from, each of which can fail alone.

/// A family of upstream data. Closed, so that it can label a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Turning names and ids into identities.
    Resolve,
    /// Artist dossiers.
    Artist,
    /// Catalogue search.
    Search,
}

impl Family {
    /// Every family.
    pub const ALL: [Self; 3] = [Self::Resolve, Self::Artist, Self::Search];

    /// The word for it in answers, logs and metrics.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Resolve => "resolve",
            Self::Artist => "artist",
            Self::Search => "search",
        }
    }
}
