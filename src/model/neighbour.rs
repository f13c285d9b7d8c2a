//! Artists who are found beside another one: on stages, on air, in sets, in credits.

use crate::identity::{ClusterId, DiscogsId, Mbid};
use crate::model::artist::{ArtistIdentity, Merged};
use crate::model::gap::Fact;
use crate::model::listed::Listed;
use crate::model::text::CleanName;

/// What brings two artists together. Closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Axis {
    /// They were booked for the same events.
    CoBooking,
    /// They played the same festivals.
    Festivals,
    /// They were played by the same radio stations.
    Radio,
    /// A DJ who plays the other.
    DjChampions,
    /// Someone credited on the other's recordings.
    Credits,
}

impl Axis {
    /// Every axis, the first named first where rows are equal.
    pub const ALL: [Self; 5] =
        [Self::CoBooking, Self::Festivals, Self::Radio, Self::DjChampions, Self::Credits];

    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CoBooking => "co_booking",
            Self::Festivals => "festivals",
            Self::Radio => "radio",
            Self::DjChampions => "dj_champions",
            Self::Credits => "credits",
        }
    }

    /// Where the data service keeps it.
    #[must_use]
    pub fn source(self) -> &'static str {
        match self {
            Self::CoBooking => "connections",
            Self::Festivals => "seen.artist_festival_co_appearance",
            Self::Radio => "seen.radio_co_play",
            Self::DjChampions => "dj_champion",
            Self::Credits => "credits",
        }
    }
}

/// Where a service keeps all axes that has them in one list.
pub const ONE_LIST: &str = "similar";

/// Something that is counted, under the word for it.
pub type Count = (&'static str, Fact<u64>);

/// One row of one axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbour {
    /// The service's key.
    pub cluster_id: Fact<ClusterId>,
    /// Name.
    pub name: Fact<CleanName>,
    /// Discogs artist id.
    pub discogs_id: Fact<DiscogsId>,
    /// MusicBrainz artist id.
    pub mbid: Fact<Mbid>,
    /// What is counted; credits may count works and recordings, every other axis one thing.
    pub counts: Vec<Count>,
}

/// The rows of one axis.
pub type Neighbours = Fact<Listed<Neighbour>>;

/// What the dossier of an artist says of others.
#[derive(Clone, Debug, PartialEq)]
pub struct Surroundings {
    /// Whose dossier it is.
    pub identity: ArtistIdentity,
    /// How many Discogs artists the record is known to merge.
    pub merged: Merged,
    /// Co-booked artists.
    pub co_booking: Neighbours,
    /// DJs who play the artist.
    pub dj_champions: Neighbours,
    /// People credited on the artist's recordings.
    pub credits: Neighbours,
}
