//! What the wider views of `get_artist` add to its card.

use serde::Serialize;

use super::facet::Facet;
use crate::model::signals::{Life, Press, Scene, Stage};

/// What the standard view adds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StandardFacts {
    /// Where the artist is at home on stage.
    pub scene: Facet<Scene>,
}

/// What the full view adds to the standard one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FullFacts {
    /// Club nights and festivals.
    pub stage: Facet<Stage>,
    /// Articles about the artist.
    pub press: Facet<Press>,
    /// Birth and death.
    pub life: Facet<Life>,
}
