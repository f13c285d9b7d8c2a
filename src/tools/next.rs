//! Reasons for follow-ups that several tools give.

/// Asking again helps.
pub(super) const LATER: &str = "the data service was degraded; ask again later";
/// Whoever has a cluster id can have the card.
pub(super) const CARD: &str = "the card says what else hosaka holds";
/// The name may lead to others.
pub(super) const WHO: &str = "shows who carries this name and how they are told apart";
/// A retry may bring what a card lacks.
pub(super) const ALONE: &str = "could not be had with the card; ask for it alone";
