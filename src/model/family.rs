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
    /// Tracks by title.
    Tracks,
    /// Label dossiers.
    Label,
    /// Artists who share stages, airplay or credits.
    Similar,
    /// Dated events to come.
    Gigs,
    /// Lists of rising artists.
    Lists,
    /// Aura scores.
    Aura,
}

impl Family {
    /// Every family.
    pub const ALL: [Self; 9] = [
        Self::Resolve,
        Self::Artist,
        Self::Search,
        Self::Tracks,
        Self::Label,
        Self::Similar,
        Self::Gigs,
        Self::Lists,
        Self::Aura,
    ];

    /// The word for it in answers, logs and metrics.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Resolve => "resolve",
            Self::Artist => "artist",
            Self::Search => "search",
            Self::Tracks => "tracks",
            Self::Label => "label",
            Self::Similar => "similar",
            Self::Gigs => "gigs",
            Self::Lists => "lists",
            Self::Aura => "aura",
        }
    }
}
