//! The answer of `resolve_artist`.

use serde::Serialize;

use super::identity_facts::IdentityFacts;
use crate::model::link::Link;

/// The answer of `resolve_artist`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResolvedArtist {
    /// Who was found.
    #[serde(flatten)]
    pub identity: IdentityFacts,
    /// Pages of the artist elsewhere, the first [`LINKS_SHOWN`].
    pub links: Vec<Link>,
    /// How many pages the service lists.
    pub links_total: usize,
}

/// The most links in one answer.
pub const LINKS_SHOWN: usize = 8;
