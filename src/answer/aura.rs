//! The answer of `get_aura`.

use serde::ser::{Serialize, Serializer};

use super::rising::RowForm;
use super::row::RowWriter;
use super::shapeable::Shapeable;
use crate::identity::ClusterId;
use crate::model::aura::Aura;
use crate::shape::{List, Role};

/// The answer of `get_aura`.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Auras {
    /// The auras, in the service's order: most kinds of signal first.
    pub aura: Vec<AuraRow>,
    /// How many are shown.
    pub shown: usize,
    /// Whether the service has more of them than are shown.
    pub more: bool,
    /// How many could not be read.
    pub unreadable: usize,
}

/// The aura of one artist.
#[derive(Clone, Debug, PartialEq)]
pub struct AuraRow {
    /// What is known.
    pub artist: Aura,
    /// How much of it is shown.
    pub form: RowForm,
}

impl Serialize for AuraRow {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let artist = &self.artist;
        let mut row = RowWriter::new(out)?;
        row.fact("name", &artist.name)?;
        row.fact("cluster_id", &artist.cluster_id.as_ref().map(ClusterId::as_str).map_err(|reason| *reason))?;
        row.fact("dimension_count", &artist.dimension_count)?;
        if self.form == RowForm::Full {
            row.fact("dimensions", &artist.dimensions)?;
        }
        row.fact("break_odds_percent", &artist.break_odds_percent)?;
        if self.form == RowForm::Full {
            row.fact("first_signal_on", &artist.first_signal_on)?;
            row.fact("latest_signal_on", &artist.latest_signal_on)?;
            row.fact("has_broken", &artist.has_broken)?;
            // Who has not broken has no day of it: that is no gap.
            if artist.has_broken != Ok(false) {
                row.fact("broke_on", &artist.broke_on)?;
            }
        }
        row.end()
    }
}

const AURA: &str = "data.aura";

impl Shapeable for Auras {
    fn lists(&self) -> Vec<List> {
        vec![List::of(AURA, Role::Main, &self.aura)]
    }

    fn keep(&mut self, path: &str, rows: usize) {
        if path == AURA {
            self.aura.truncate(rows);
            self.more |= self.aura.len() < self.shown;
            self.shown = self.aura.len();
        }
    }
}
