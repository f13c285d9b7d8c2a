//! What the wider views of `get_artist` add to its card.

use serde::Serialize;

use super::facet::Facet;
use crate::model::day::RecordedDay;
use crate::model::text::CleanName;

/// What the standard view adds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StandardFacts {
    /// Where the artist is at home on stage.
    pub scene: Facet<SceneFacet>,
}

/// What the full view adds to the standard one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FullFacts {
    /// Club nights and festivals.
    pub stage: Facet<StageFacet>,
    /// Articles about the artist.
    pub press: Facet<PressFacet>,
    /// Birth and death.
    pub life: Facet<LifeFacet>,
}

/// Where an artist is at home on stage.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SceneFacet {
    /// City.
    pub city: Option<CleanName>,
    /// Region or state.
    pub region: Option<CleanName>,
    /// Country.
    pub country: Option<CleanName>,
}

/// Club nights and festivals.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StageFacet {
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

/// Articles about the artist, by kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PressFacet {
    /// Articles of any kind.
    pub articles: u64,
    /// Reviews.
    pub reviews: u64,
    /// Interviews.
    pub interviews: u64,
    /// Features.
    pub features: u64,
}

/// Birth and death.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LifeFacet {
    /// Birth.
    pub born: Option<RecordedDay>,
    /// Death.
    pub died: Option<RecordedDay>,
}
