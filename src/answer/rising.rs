//! The answers of `list_breakouts` and `list_ones_to_watch`.

use serde::ser::{Serialize, Serializer};

use super::row::RowWriter;
use super::shapeable::Shapeable;
use crate::identity::{ClusterId, DiscogsId, Tier};
use crate::model::artist::Origin;
use crate::model::date::Day;
use crate::model::gap::{Fact, GapReason};
use crate::model::rising::{Breakout, OneToWatch};
use crate::shape::{List, Role};

/// How much of each row is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowForm {
    /// Everything.
    Full,
    /// What many rows have room for.
    Compact,
}

/// The answer of `list_breakouts`.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Breakouts {
    /// The rows, in the service's order.
    pub breakouts: Vec<BreakoutRow>,
    /// How many rows are shown.
    pub shown: usize,
    /// Whether the service has more rows than are shown.
    pub more: bool,
    /// How many rows could not be read.
    pub unreadable: usize,
}

/// One row of `list_breakouts`.
#[derive(Clone, Debug, PartialEq)]
pub struct BreakoutRow {
    /// What is known.
    pub artist: Breakout,
    /// How much of it is shown.
    pub form: RowForm,
}

impl Serialize for BreakoutRow {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let (artist, is_full) = (&self.artist, self.form == RowForm::Full);
        let mut row = RowWriter::new(out)?;
        row.fact("name", &artist.name)?;
        // The Discogs id is the shorter of the two, and the one that leads to a verified identity.
        if is_full || artist.discogs_id.is_err() {
            row.fact("cluster_id", &artist.cluster_id.as_ref().map(ClusterId::as_str).map_err(reason))?;
        }
        row.fact("discogs_id", &artist.discogs_id.map(DiscogsId::get))?;
        if is_full || artist.tier != Ok(Tier::Discogs) {
            row.fact("resolved_via", &artist.tier.map(Tier::as_str))?;
        }
        row.fact("emergence_tier", &artist.emergence_tier)?;
        row.fact("press_count", &artist.press_count)?;
        row.fact("corroboration", &artist.corroboration)?;
        if is_full {
            row.fact("emergence_score", &artist.emergence_score)?;
            row.fact("location", &artist.location.as_ref().map(Place).map_err(reason))?;
        }
        row.end()
    }
}

fn reason(reason: &GapReason) -> GapReason {
    *reason
}

/// Where an artist is at home.
struct Place<'a>(&'a Origin);

impl Serialize for Place<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let known = [("city", &self.0.city), ("country", &self.0.country)];
        out.collect_map(known.into_iter().filter_map(|(name, place)| Some((name, place.as_ref()?))))
    }
}

/// The answer of `list_ones_to_watch`.
#[derive(Clone, Debug, PartialEq)]
pub struct OnesToWatch {
    /// The rows, by rank.
    pub rows: Vec<OneToWatchRow>,
    /// The day of the service's snapshot.
    pub snapshot_on: Fact<Day>,
    /// Whether the service calls its snapshot old.
    pub is_stale: Fact<bool>,
    /// Whether the service has more rows than are shown.
    pub more: bool,
    /// How many rows could not be read.
    pub unreadable: usize,
}

impl Serialize for OnesToWatch {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut whole = RowWriter::new(out)?;
        whole.value("ones_to_watch", &self.rows)?;
        whole.value("shown", &self.rows.len())?;
        whole.value("more", &self.more)?;
        whole.value("unreadable", &self.unreadable)?;
        whole.fact("snapshot_on", &self.snapshot_on)?;
        whole.fact("stale", &self.is_stale)?;
        whole.end()
    }
}

/// One row of `list_ones_to_watch`.
#[derive(Clone, Debug, PartialEq)]
pub struct OneToWatchRow {
    /// What is known.
    pub artist: OneToWatch,
    /// How much of it is shown.
    pub form: RowForm,
}

impl Serialize for OneToWatchRow {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let artist = &self.artist;
        let mut row = RowWriter::new(out)?;
        row.fact("rank", &artist.rank)?;
        row.fact("name", &artist.name)?;
        row.fact("discogs_id", &artist.discogs_id.map(DiscogsId::get))?;
        row.fact("emergence_tier", &artist.emergence_tier)?;
        row.fact("momentum_tier", &artist.momentum_tier)?;
        if self.form == RowForm::Full {
            row.fact("emergence_score", &artist.emergence_score)?;
            row.fact("profile", &artist.profile)?;
            row.fact("culture_forward_festivals", &artist.culture_forward_festivals)?;
        }
        row.end()
    }
}

const BREAKOUTS: &str = "data.breakouts";

impl Shapeable for Breakouts {
    fn lists(&self) -> Vec<List> {
        vec![List::of(BREAKOUTS, Role::Main, &self.breakouts)]
    }

    fn keep(&mut self, path: &str, rows: usize) {
        if path == BREAKOUTS {
            self.breakouts.truncate(rows);
            self.more |= self.breakouts.len() < self.shown;
            self.shown = self.breakouts.len();
        }
    }
}

const WATCHED: &str = "data.ones_to_watch";

impl Shapeable for OnesToWatch {
    fn lists(&self) -> Vec<List> {
        vec![List::of(WATCHED, Role::Main, &self.rows)]
    }

    fn keep(&mut self, path: &str, rows: usize) {
        if path == WATCHED {
            self.more |= rows < self.rows.len();
            self.rows.truncate(rows);
        }
    }
}
