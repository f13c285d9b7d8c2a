//! The answer of `get_upcoming_gigs`, and the gigs of a card.

use serde::ser::{Serialize, Serializer};

use super::row::RowWriter;
use super::shapeable::Shapeable;
use crate::model::date::Day;
use crate::model::gig::Gig;
use crate::shape::{List, Role};

/// The answer of `get_upcoming_gigs`.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct UpcomingGigs {
    /// Whose gigs they are.
    pub cluster_id: Option<String>,
    /// The gigs.
    #[serde(flatten)]
    pub list: GigList,
}

/// Gigs that lie ahead.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct GigList {
    /// The day from which on gigs lie ahead, in UTC.
    pub as_of: Day,
    /// The next ones, the nearest first.
    pub gigs: Vec<GigRow>,
    /// How many are shown.
    pub shown: usize,
    /// How many lie ahead.
    pub total: usize,
    /// How many the service listed that could not be read.
    pub unreadable: usize,
}

/// One gig.
#[derive(Clone, Debug, PartialEq)]
pub struct GigRow(pub Gig);

impl Serialize for GigRow {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let gig = &self.0;
        let mut row = RowWriter::new(out)?;
        row.value("date", &gig.date)?;
        row.fact("title", &gig.title)?;
        row.fact("venue", &gig.venue)?;
        row.fact("city", &gig.city)?;
        row.fact("country", &gig.country)?;
        row.fact("cancelled", &gig.is_cancelled)?;
        row.end()
    }
}

const GIGS: &str = "data.gigs";

impl GigList {
    /// Keeps the nearest gigs; how many lie ahead stays.
    pub(super) fn keep(&mut self, rows: usize) {
        self.gigs.truncate(rows);
        self.shown = self.gigs.len();
    }
}

impl Shapeable for UpcomingGigs {
    fn lists(&self) -> Vec<List> {
        vec![List::of(GIGS, Role::Main, &self.list.gigs)]
    }

    fn keep(&mut self, path: &str, rows: usize) {
        if path == GIGS {
            self.list.keep(rows);
        }
    }
}
