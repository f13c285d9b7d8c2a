//! The answer of `find_similar_artists`, and the similar artists of a card.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::facet::Facet;
use super::identity_facts::IdentityFacts;
use super::rising::RowForm;
use super::row::RowWriter;
use super::shapeable::Shapeable;
use crate::identity::{ClusterId, DiscogsId, Mbid};
use crate::model::gap::{Fact, GapReason};
use crate::model::neighbour::{Axis, Count};
use crate::model::text::CleanName;
use crate::shape::{List, Role};

/// The answer of `find_similar_artists`.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct SimilarArtists {
    /// Whom the others are similar to.
    #[serde(flatten)]
    pub identity: IdentityFacts,
    /// The others.
    #[serde(flatten)]
    pub list: SimilarList,
}

/// Artists who are found beside another one.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct SimilarList {
    /// What was looked at, each there or missing for a reason.
    pub axes: AxisStates,
    /// The artists: those on most axes first, then those that stand highest on one.
    pub similar: Vec<SimilarRow>,
    /// How many are shown.
    pub shown: usize,
    /// How many were found on the axes that are there.
    pub found: usize,
    /// How many rows of them could not be read.
    pub unreadable: usize,
}

impl SimilarList {
    /// Nobody, for one reason on each of `axes`.
    #[must_use]
    pub fn empty(axes: impl IntoIterator<Item = Axis>, reason: GapReason) -> Self {
        let axes = axes.into_iter().map(|axis| (axis, Facet(Err(reason)))).collect();
        Self { axes: AxisStates(axes), similar: Vec::new(), shown: 0, found: 0, unreadable: 0 }
    }
}

/// The axes that were looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct AxisStates(pub Vec<(Axis, Facet<AxisFacet>)>);

impl Serialize for AxisStates {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_map(self.0.iter().map(|(axis, state)| (axis.as_str(), state)))
    }
}

/// One axis that is there.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct AxisFacet {
    /// Where the data service keeps it.
    pub source: &'static str,
    /// How many artists it lists.
    pub listed: usize,
}

/// One artist beside another.
#[derive(Clone, Debug, PartialEq)]
pub struct SimilarRow {
    /// The service's key.
    pub cluster_id: Fact<ClusterId>,
    /// Name.
    pub name: Fact<CleanName>,
    /// Discogs artist id.
    pub discogs_id: Fact<DiscogsId>,
    /// MusicBrainz artist id.
    pub mbid: Fact<Mbid>,
    /// The axes with what is counted on each.
    pub axes: Vec<(Axis, Vec<Count>)>,
    /// Whether another row has the same key, so that it does not tell them apart.
    pub is_key_shared: bool,
    /// How much is shown.
    pub form: RowForm,
}

impl Serialize for SimilarRow {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut row = RowWriter::new(out)?;
        row.fact("name", &self.name)?;
        row.fact("cluster_id", &self.cluster_id.as_ref().map(ClusterId::as_str).map_err(|reason| *reason))?;
        // The key says who it is; the other ids only where there is none, or where it is somebody else's too.
        if self.cluster_id.is_err() || self.is_key_shared {
            row.fact("discogs_id", &self.discogs_id.map(DiscogsId::get))?;
            row.fact("mbid", &self.mbid.map(|id| id.to_string()))?;
        }
        match self.form {
            RowForm::Full => row.value("axes", &AxisCounts(&self.axes))?,
            RowForm::Compact => {
                let words: Vec<&str> = self.axes.iter().map(|(axis, _)| axis.as_str()).collect();
                row.value("axes", &words)?;
            }
        }
        row.end()
    }
}

struct AxisCounts<'a>(&'a [(Axis, Vec<Count>)]);

impl Serialize for AxisCounts<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut axes = out.serialize_map(Some(self.0.len()))?;
        for (axis, counts) in self.0 {
            axes.serialize_entry(axis.as_str(), &Counts(counts))?;
        }
        axes.end()
    }
}

struct Counts<'a>(&'a [Count]);

impl Serialize for Counts<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut row = RowWriter::new(out)?;
        for (word, count) in self.0 {
            row.fact(word, count)?;
        }
        row.end()
    }
}

const SIMILAR: &str = "data.similar";

impl SimilarList {
    /// Keeps the first rows; what was found stays.
    pub(super) fn keep(&mut self, rows: usize) {
        self.similar.truncate(rows);
        self.shown = self.similar.len();
    }
}

impl Shapeable for SimilarArtists {
    fn lists(&self) -> Vec<List> {
        vec![List::of(SIMILAR, Role::Main, &self.list.similar)]
    }

    fn keep(&mut self, path: &str, rows: usize) {
        if path == SIMILAR {
            self.list.keep(rows);
        }
    }
}
