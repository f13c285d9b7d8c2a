//! What to do after a card.

use serde_json::json;

use crate::envelope::meta::View;
use crate::envelope::next::NextAction;
use crate::identity::{AmbiguityState, ArtistKey, Assessment};
use crate::model::text::CleanName;
use crate::tools::next::by_name;
use crate::tools::registry::ToolName;

/// Asks by the record's own name, number included: without it the name may be another artist's.
pub(super) fn actions(
    key: &ArtistKey,
    assessment: &Assessment,
    own_name: Option<CleanName>,
) -> Vec<NextAction> {
    let why = match key {
        ArtistKey::Slug(_) => "checks whether other artists carry this name",
        ArtistKey::Cluster(_) => "finds a verified identity of this name, if there is one",
    };
    match (assessment.state, own_name) {
        (AmbiguityState::None, _) | (_, None) => Vec::new(),
        (_, Some(name)) => by_name(&name, why).into_iter().collect(),
    }
}

/// Where the releases are that the standard view has no room for.
pub(super) fn full_view(key: &ArtistKey) -> NextAction {
    NextAction::new(
        ToolName::GetArtist.as_str(),
        [("key", json!(key.as_str())), ("view", json!(View::Full.as_str()))],
        "lists more releases",
    )
}
