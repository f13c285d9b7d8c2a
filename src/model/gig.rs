//! Concerts that lie ahead.

use crate::identity::ClusterId;
use crate::model::date::Day;
use crate::model::gap::Fact;
use crate::model::listed::Listed;
use crate::model::text::CleanName;

/// One concert. Without its day it would be no fact about what lies ahead.
#[derive(Clone, Debug, PartialEq)]
pub struct Gig {
    /// The day, where it takes place.
    pub date: Day,
    /// What it is called.
    pub title: Fact<CleanName>,
    /// Venue.
    pub venue: Fact<CleanName>,
    /// City.
    pub city: Fact<CleanName>,
    /// Country.
    pub country: Fact<CleanName>,
    /// Whether it was called off.
    pub is_cancelled: Fact<bool>,
}

/// What the service says of an artist's concerts.
#[derive(Clone, Debug, PartialEq)]
pub struct Gigs {
    /// Whose they are.
    pub cluster_id: Fact<ClusterId>,
    /// The concerts, past ones included.
    pub gigs: Fact<Listed<Gig>>,
}
