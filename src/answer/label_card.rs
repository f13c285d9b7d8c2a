//! The answer of `get_label`.

use serde::Serialize;

use super::artist_card::NameFacet;
use super::cell::Cell;
use super::facet::Facet;
use super::identity_facts::IdentityFacts;
use super::shapeable::Shapeable;
use crate::model::day::RecordedDay;
use crate::model::gap::GapReason;
use crate::model::link::Link;
use crate::model::score::Score;
use crate::model::text::CleanName;
use crate::shape::{List, Role};

/// The most pages of a label in one answer.
pub const LABEL_PAGES_SHOWN: usize = 6;
/// The most related labels in one answer.
pub const RELATED_LABELS_SHOWN: usize = 4;

/// The answer of `get_label`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LabelCard {
    /// Which label it is about; the ids are those of the label.
    #[serde(flatten)]
    pub identity: IdentityFacts,
    /// The label that it belongs to.
    pub parent: Facet<NameFacet>,
    /// Its page on Bandcamp.
    pub bandcamp: Facet<LinkFacet>,
    /// Its pages elsewhere.
    pub pages: Facet<LabelPagesFacet>,
    /// Where it was observed.
    pub presence: Facet<PresenceFacet>,
    /// How DJs play it.
    pub dj_momentum: Facet<DjMomentumFacet>,
    /// Labels that the same people collect.
    pub travels: Facet<TravelsFacet>,
}

impl LabelCard {
    /// The card of no label: every part is missing for the same reason.
    #[must_use]
    pub fn empty(reason: GapReason) -> Self {
        Self {
            identity: IdentityFacts::nobody(),
            parent: Facet(Err(reason)),
            bandcamp: Facet(Err(reason)),
            pages: Facet(Err(reason)),
            presence: Facet(Err(reason)),
            dj_momentum: Facet(Err(reason)),
            travels: Facet(Err(reason)),
        }
    }
}

/// One page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkFacet {
    /// Where it leads.
    #[serde(flatten)]
    pub link: Link,
}

/// Pages.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LabelPagesFacet {
    /// The first [`LABEL_PAGES_SHOWN`], in the service's order.
    pub links: Vec<Link>,
    /// How many the service lists.
    pub total: usize,
}

/// Where a label was observed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PresenceFacet {
    /// In Discogs.
    pub discogs: Cell<bool>,
    /// On Bandcamp.
    pub bandcamp: Cell<bool>,
    /// In sets of DJs.
    pub dj_sets: Cell<bool>,
    /// In what is written about music.
    pub editorial: Cell<bool>,
}

/// How DJs play a label's records.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DjMomentumFacet {
    /// Plays in all.
    pub plays: Cell<u64>,
    /// Plays within the last 365 days.
    pub plays_last_365d: Cell<u64>,
    /// DJs who played it.
    pub djs: Cell<u64>,
    /// Artists of the label that were played.
    pub artists: Cell<u64>,
    /// Tracklists in which it stands.
    pub tracklists: Cell<u64>,
    /// The share of all plays that fell into the last 365 days.
    pub velocity: Cell<Score>,
    /// The day of the first play.
    pub first_played: Cell<RecordedDay>,
    /// The day of the last play.
    pub last_played: Cell<RecordedDay>,
}

/// Labels that the same people collect.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TravelsFacet {
    /// How many the service lists, those that cannot be read included.
    pub total: usize,
    /// How many are shown here.
    pub shown: usize,
    /// Whether there are more than are shown.
    pub truncated: bool,
    /// The first [`RELATED_LABELS_SHOWN`], in the service's order.
    pub labels: Vec<RelatedLabelRow>,
}

/// One related label.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RelatedLabelRow {
    /// Its name.
    pub name: Cell<CleanName>,
    /// The label's key.
    pub cluster_id: Cell<String>,
    /// How much more often than by chance the two are collected together; for ordering only.
    pub npmi: Cell<Score>,
    /// How many people collect both.
    pub support: Cell<u64>,
}

const PAGES: &str = "data.pages.links";
const TRAVELS: &str = "data.travels.labels";

impl Shapeable for LabelCard {
    fn lists(&self) -> Vec<List> {
        let lists = [
            self.pages.fact().map(|found| List::of(PAGES, Role::Main, &found.links)),
            self.travels.fact().map(|found| List::of(TRAVELS, Role::Main, &found.labels)),
        ];
        lists.into_iter().flatten().collect()
    }

    fn keep(&mut self, path: &str, rows: usize) {
        match path {
            PAGES => self.pages.0.iter_mut().for_each(|found| found.links.truncate(rows)),
            TRAVELS => self.travels.0.iter_mut().for_each(|found| {
                found.labels.truncate(rows);
                found.shown = found.labels.len();
                found.truncated = found.shown < found.total;
            }),
            _ => {}
        }
    }
}
