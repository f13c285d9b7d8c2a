//! Whose data a fact is, and under which licence.

use std::collections::BTreeSet;

/// A source that is credited by name. Closed: a new source needs its licence here first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// Discogs monthly data dumps.
    Discogs,
    /// MusicBrainz core data.
    MusicBrainz,
    /// Wikidata statements.
    Wikidata,
    /// hosaka's record of who was booked: the source of identities that are only observed.
    Bookings,
    /// The data service's index of pages that belong to artists.
    LinkIndex,
    /// hosaka's own observations: bookings, plays, presence.
    Hosaka,
}

impl Source {
    /// Every source, in the order in which they are credited.
    pub const ALL: [Self; 5] =
        [Self::Discogs, Self::MusicBrainz, Self::Wikidata, Self::LinkIndex, Self::Hosaka];

    /// The name to credit.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Discogs => "Discogs",
            Self::MusicBrainz => "MusicBrainz",
            Self::Wikidata => "Wikidata",
            Self::Bookings => "hosaka bookings",
            Self::LinkIndex => "hosaka link index",
            Self::Hosaka => "hosaka signals",
        }
    }

    /// The licence its data comes under.
    #[must_use]
    pub fn licence(self) -> &'static str {
        match self {
            Self::Discogs | Self::MusicBrainz | Self::Wikidata => "CC0",
            Self::Bookings | Self::LinkIndex | Self::Hosaka => "hosaka terms",
        }
    }
}

/// The sources behind one answer, each once, in the order of [`Source::ALL`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources(BTreeSet<Source>);

impl Sources {
    /// Notes that the answer holds something of `source`.
    pub fn add(&mut self, source: Source) {
        self.0.insert(source);
    }

    /// The sources in crediting order.
    pub fn iter(&self) -> impl Iterator<Item = Source> + '_ {
        self.0.iter().copied()
    }
}

impl FromIterator<Source> for Sources {
    fn from_iter<I: IntoIterator<Item = Source>>(sources: I) -> Self {
        Self(sources.into_iter().collect())
    }
}
