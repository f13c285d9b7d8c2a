//! Aura: how many independent signals converge on an artist.

use crate::identity::ClusterId;
use crate::model::date::Day;
use crate::model::gap::Fact;
use crate::model::score::Score;
use crate::model::text::CleanName;
use crate::model::word::Word;

/// The aura of one artist.
#[derive(Clone, Debug, PartialEq)]
pub struct Aura {
    /// The service's key.
    pub cluster_id: Fact<ClusterId>,
    /// Name.
    pub name: Fact<CleanName>,
    /// How many kinds of signal were seen within the service's window.
    pub dimension_count: Fact<u64>,
    /// Which kinds; a word that cannot be read spoils the list.
    pub dimensions: Fact<Vec<Word>>,
    /// Of artists with so many kinds of signal, how many in a hundred broke within a year. A base rate, no
    /// forecast for this one.
    pub break_odds_percent: Fact<Score>,
    /// When the first kind of signal appeared.
    pub first_signal_on: Fact<Day>,
    /// When the latest new kind of signal appeared.
    pub latest_signal_on: Fact<Day>,
    /// Whether the artist has broken already.
    pub has_broken: Fact<bool>,
    /// When that was.
    pub broke_on: Fact<Day>,
}
