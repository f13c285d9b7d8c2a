//! The two documents of the data service that are served as resources: what a dossier holds, and what
//! its words mean.

use super::start::StartError;
use crate::catalogue::{Catalogue, CatalogueRequest};
use crate::clock::Clock;

const MANIFEST: &str = "/api/v2/dossier/manifest";
const DICTIONARY: &str = "/api/v2/semantics/dictionary.json";

/// The manifest and the dictionary, in that order.
pub(super) fn of(catalogue: &Catalogue, clock: &Clock) -> Result<(String, String), StartError> {
    let today = clock.utc().date();
    let read = |path: &'static str| {
        let answer = catalogue.answer(&CatalogueRequest { path, query: &[], today });
        let text = (answer.status == 200).then(|| String::from_utf8(answer.body.to_vec()).ok()).flatten();
        text.ok_or_else(|| StartError::Catalogue { reason: format!("holds no document at {path}") })
    };
    Ok((read(MANIFEST)?, read(DICTIONARY)?))
}
