//! Reasons for follow-ups that several tools give.

/// Asking again helps.
pub(super) const LATER: &str = "the data service was degraded; ask again later";
/// Whoever has a cluster id can have the card.
pub(super) const CARD: &str = "the card says what else hosaka holds";
