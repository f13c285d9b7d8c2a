//! What is known of an artist beside the catalogue: stages, press, life.

use serde::Serialize;

use crate::model::day::RecordedDay;
use crate::model::gap::{Fact, GapReason};
use crate::model::text::CleanName;

/// The parts of a dossier that only the wider views ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signals {
    /// Where the artist is at home on stage.
    pub scene: Fact<Scene>,
    /// Club nights and festivals.
    pub stage: Fact<Stage>,
    /// Articles about the artist.
    pub press: Fact<Press>,
    /// Birth and death.
    pub life: Fact<Life>,
}

impl Signals {
    /// None of them, all for the same reason.
    #[must_use]
    pub fn none(reason: GapReason) -> Self {
        Self { scene: Err(reason), stage: Err(reason), press: Err(reason), life: Err(reason) }
    }
}

/// Where an artist is at home on stage, as hosaka derives it from bookings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Scene {
    /// City.
    pub city: Option<CleanName>,
    /// Region or state.
    pub region: Option<CleanName>,
    /// Country.
    pub country: Option<CleanName>,
}

/// Club nights and festivals that hosaka saw the artist at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stage {
    /// Club nights.
    pub club_events: u64,
    /// Editions of festivals.
    pub festival_editions: u64,
    /// First club night.
    pub first_club: Option<RecordedDay>,
    /// Last club night.
    pub last_club: Option<RecordedDay>,
    /// First festival.
    pub first_festival: Option<RecordedDay>,
    /// Last festival.
    pub last_festival: Option<RecordedDay>,
}

/// Articles in the archive of the service, by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Press {
    /// Articles of any kind.
    pub articles: u64,
    /// Reviews.
    pub reviews: u64,
    /// Interviews.
    pub interviews: u64,
    /// Features.
    pub features: u64,
}

/// Birth and death as recorded in Wikidata.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Life {
    /// Birth.
    pub born: Option<RecordedDay>,
    /// Death.
    pub died: Option<RecordedDay>,
}
