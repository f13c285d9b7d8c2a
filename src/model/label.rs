//! A label as the service's dossier describes one: each part a fact or a gap.

use crate::identity::ClusterId;
use crate::model::artist::{ArtistIdentity, Merged};
use crate::model::day::RecordedDay;
use crate::model::gap::Fact;
use crate::model::link::Link;
use crate::model::prose::Prose;
use crate::model::score::Score;
use crate::model::text::CleanName;

/// Everything that is read of one label's dossier.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelDossier {
    /// Which label it is about. Labels are told apart as artists are: their Discogs and MusicBrainz ids are those
    /// of the label.
    pub identity: ArtistIdentity,
    /// How many Discogs labels the record is known to merge.
    pub merged: Merged,
    /// The label that it belongs to.
    pub parent: Fact<CleanName>,
    /// Its page on Bandcamp.
    pub bandcamp: Fact<Link>,
    /// Its pages elsewhere.
    pub pages: Fact<LabelPages>,
    /// Where it was observed.
    pub presence: Fact<LabelPresence>,
    /// How it is played by DJs.
    pub dj_momentum: Fact<DjMomentum>,
    /// Labels that the same people collect.
    pub travels: Fact<Vec<Fact<RelatedLabel>>>,
    /// Third-party prose that came with it.
    pub prose: Option<Prose>,
}

/// Pages of a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelPages {
    /// Those that could be read, in the service's order.
    pub links: Vec<Link>,
    /// How many the service lists.
    pub total: usize,
}

/// Where the service has observed a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelPresence {
    /// In Discogs.
    pub discogs: Fact<bool>,
    /// On Bandcamp.
    pub bandcamp: Fact<bool>,
    /// In sets of DJs.
    pub dj_sets: Fact<bool>,
    /// In what is written about music.
    pub editorial: Fact<bool>,
}

/// How DJs play a label's records, by public tracklists.
#[derive(Clone, Debug, PartialEq)]
pub struct DjMomentum {
    /// Plays in all.
    pub plays: Fact<u64>,
    /// Plays within the last 365 days.
    pub plays_last_365d: Fact<u64>,
    /// DJs who played it.
    pub djs: Fact<u64>,
    /// Artists of the label that were played.
    pub artists: Fact<u64>,
    /// Tracklists in which it stands.
    pub tracklists: Fact<u64>,
    /// The share of all plays that fell into the last 365 days, 0 to 1.
    pub velocity: Fact<Score>,
    /// The first play.
    pub first_played: Fact<RecordedDay>,
    /// The last play.
    pub last_played: Fact<RecordedDay>,
}

/// A label that the same people collect.
#[derive(Clone, Debug, PartialEq)]
pub struct RelatedLabel {
    /// Its name.
    pub name: Fact<CleanName>,
    /// Its own key.
    pub cluster_id: Fact<ClusterId>,
    /// How much more often than by chance the two are collected together; for ordering only.
    pub npmi: Fact<Score>,
    /// How many people collect both.
    pub support: Fact<u64>,
}
