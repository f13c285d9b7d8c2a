//! Follow-ups that several tools give, and the reasons for them.

use serde_json::json;

use super::registry::ToolName;
use crate::envelope::next::NextAction;
use crate::identity::ArtistKey;

/// Asking again helps.
pub(super) const LATER: &str = "the data service was degraded; ask again later";
/// A bare cluster id does not say whose it is.
pub(super) const WHOSE: &str = "shows whose cluster it is";
/// Whoever has a cluster id can have the card.
pub(super) const CARD: &str = "the card says what else hosaka holds";
/// The name may lead to others.
pub(super) const WHO: &str = "shows who carries this name and how they are told apart";
/// A retry may bring what a card lacks.
pub(super) const ALONE: &str = "could not be had with the card; ask for it alone";

/// Looks for the artist anew whose key led to nobody, or to somebody who is not certain. A key is in a form that cannot
/// hold words, so it may stand in a call that helps.
pub(super) fn anew(key: &ArtistKey, why: &'static str) -> NextAction {
    let argument = match key {
        ArtistKey::Slug(slug) => ("q", json!(slug.as_str().replace('-', " "))),
        ArtistKey::Cluster(id) => ("cluster_id", json!(id.as_str())),
    };
    NextAction::repeating(ToolName::ResolveArtist.as_str(), [argument], why)
}

/// The reason for [`anew`] where nobody was found.
pub(super) const NOBODY: &str =
    "no record has this key; resolve the artist again, by the name that the user gave";
