//! Follow-ups that several tools give, and the reasons for them.

use serde_json::json;

use super::registry::ToolName;
use crate::envelope::next::NextAction;
use crate::identity::{Argument, ArtistKey, ArtistName};
use crate::model::text::CleanName;

/// Asking again helps.
pub(super) const LATER: &str = "the data service was degraded; ask again later";
/// A bare cluster id does not say whose it is.
pub(super) const WHOSE: &str = "shows whose cluster it is";
/// Whoever has a cluster id can have the card.
pub(super) const CARD: &str = "the card says what else hosaka holds";
/// The name, which stands in the answer, may lead to others.
pub(super) const WHO: &str = "shows who carries this name and how they are told apart";
/// The same where there is no name but that of the key.
pub(super) const WHO_BY_KEY: &str =
    "q is made from the key; shows who carries this name and how they are told apart";
/// A retry may bring what a card lacks.
pub(super) const ALONE: &str = "could not be had with the card; ask for it alone";

/// Looks for whoever carries a name of the service; `None` for a name that is no question, such as one in the form of an
/// id.
pub(super) fn by_name(name: &CleanName, why: &'static str) -> Option<NextAction> {
    let is_question = ArtistName::parse(Argument::Q, name.as_str()).is_ok();
    is_question.then(|| NextAction::new(ToolName::ResolveArtist.as_str(), [("q", json!(name))], why))
}

/// Looks anew for the artist whose key led to nobody.
pub(super) fn nobody(key: &ArtistKey) -> NextAction {
    let why = match key {
        ArtistKey::Slug(_) => NOBODY_BY_KEY,
        ArtistKey::Cluster(_) => NOBODY,
    };
    anew(key, why)
}

/// Looks anew for the artist under whose key this kind of fact is not on record: the artist may be, and under another
/// key too.
pub(super) fn without(key: &ArtistKey) -> NextAction {
    let why = match key {
        ArtistKey::Slug(_) => WITHOUT_BY_KEY,
        ArtistKey::Cluster(_) => WITHOUT,
    };
    anew(key, why)
}

/// Looks for the artist anew whose key led to somebody who is not certain. The words of a slug become a name, which may
/// be spelled otherwise than the artist's: `why` has to say where it comes from. A slug has letters, digits and hyphens
/// only, so that it may stand in a call.
pub(super) fn anew(key: &ArtistKey, why: &'static str) -> NextAction {
    let argument = match key {
        ArtistKey::Slug(slug) => ("q", json!(slug.as_str().replace('-', " "))),
        ArtistKey::Cluster(id) => ("cluster_id", json!(id.as_str())),
    };
    NextAction::repeating(ToolName::ResolveArtist.as_str(), [argument], why)
}

const WITHOUT: &str =
    "none is on record under this key; resolve the artist again, by the name that the user gave";
const WITHOUT_BY_KEY: &str =
    "none is on record under this key, and q is made from it; better take the name that the user gave";
const NOBODY: &str = "no record has this key; resolve the artist again, by the name that the user gave";
const NOBODY_BY_KEY: &str =
    "no record has this key, and q is made from it; better take the name that the user gave";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_would_be_refused_is_not_recommended() {
        let asks = |name: &str| by_name(&CleanName::new(name).unwrap(), WHO).is_some();
        assert!(asks("Four Tet") && asks("311"));
        for name in ["ab".repeat(32).as_str(), "8b4c5dfb-1dd9-4ad6-8f5a-3d9cbef4d4b7", "https://a.example/b"]
        {
            assert!(!asks(name), "{name}");
        }
    }
}
