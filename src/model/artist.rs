//! An artist as the service's dossier describes one: each part a fact or a gap.

use crate::identity::{ClusterId, DiscogsId, Mbid, Resolved, Slug, Tier};
use crate::model::gap::{Fact, GapReason};
use crate::model::prose::Prose;
use crate::model::signals::Signals;
use crate::model::text::CleanName;
use crate::model::word::Word;

/// Who an answer is about, with every identifier that the service vouches for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArtistIdentity {
    /// The name to show.
    pub name: CleanName,
    /// The name as the service has it, for comparing.
    pub record_name: String,
    /// The service's own key; opaque. Here as in the other ids an honest gap is one that the record does not have.
    pub cluster_id: Fact<ClusterId>,
    /// The readable key.
    pub slug: Fact<Slug>,
    /// How the identity is bound.
    pub tier: Tier,
    /// Whether the service's word for that cannot be read.
    pub is_tier_unreadable: bool,
    /// Discogs artist id.
    pub discogs_id: Fact<DiscogsId>,
    /// MusicBrainz artist id.
    pub mbid: Fact<Mbid>,
}

impl ArtistIdentity {
    /// The same as the assessment wants it.
    #[must_use]
    pub fn resolved(&self) -> Resolved {
        Resolved {
            name: self.record_name.clone(),
            cluster_id: self.cluster_id.clone().ok(),
            tier: self.tier,
            slug: self.slug.clone().ok(),
            is_slug_unreadable: is_unreadable(&self.slug),
            discogs_id: self.discogs_id.ok(),
            mbid: self.mbid.ok(),
        }
    }
}

/// Whether a value was sent that cannot be read. It may be any value, so that it never agrees with another.
#[must_use]
pub fn is_unreadable<T>(fact: &Fact<T>) -> bool {
    matches!(fact, Err(GapReason::MalformedUpstream))
}

/// Where an artist comes from, as recorded in Wikidata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// City, when recorded.
    pub city: Option<CleanName>,
    /// Country, when recorded.
    pub country: Option<CleanName>,
}

/// The earliest dated release group of an artist in MusicBrainz.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Debut {
    /// Year of it; the service knows no more than the year.
    pub year: u16,
}

/// What the artist's releases are mostly called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Genre {
    /// The most frequent genre of the masters.
    pub primary: CleanName,
    /// The most frequent styles, in the service's order.
    pub styles: Vec<CleanName>,
}

/// One entry of a discography: a Discogs master.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// Discogs master id.
    pub master_id: u64,
    /// Its title.
    pub title: CleanName,
}

/// The artist's masters in the service's order: lead credits first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discography {
    /// How many masters the service counts.
    pub total: u64,
    /// Those it listed, as far as they could be read.
    pub releases: Vec<Release>,
}

/// Where the artist stands on the way up, by hosaka's observation of bookings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emergence {
    /// The service's word for how established the artist is.
    pub tier: Word,
    /// The service's word for the direction.
    pub momentum: Option<Word>,
}

/// What a record says about holding more than one artist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merged {
    /// Nothing.
    NotSaid,
    /// Something that cannot be read.
    Unreadable,
    /// So many Discogs artists; 1 is one artist.
    Count(u64),
}

/// Other names of the same artist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aliases {
    /// Those that could be read, in the service's order.
    pub names: Vec<CleanName>,
    /// How many the service lists.
    pub total: usize,
}

/// Everything that is read of one dossier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dossier {
    /// Who it is about.
    pub identity: ArtistIdentity,
    /// How many Discogs artists the record is known to merge.
    pub merged: Merged,
    /// Other names of the same artist on record.
    pub aliases: Fact<Aliases>,
    /// The name behind the name.
    pub real_name: Fact<CleanName>,
    /// First release.
    pub debut: Fact<Debut>,
    /// Origin.
    pub origin: Fact<Origin>,
    /// Genre and styles.
    pub genre: Fact<Genre>,
    /// Releases.
    pub discography: Fact<Discography>,
    /// Emergence.
    pub emergence: Fact<Emergence>,
    /// What only the wider views ask for.
    pub signals: Signals,
    /// Third-party prose that came with it.
    pub prose: Vec<Prose>,
}
