//! The answer of `resolve_artist`.

use serde::Serialize;

use super::identity_facts::IdentityFacts;
use super::shapeable::Shapeable;
use crate::model::link::Link;
use crate::shape::{List, Role};

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

const LINKS: &str = "data.links";

impl Shapeable for ResolvedArtist {
    fn lists(&self) -> Vec<List> {
        vec![List::of(LINKS, Role::Main, &self.links)]
    }

    fn keep(&mut self, path: &str, rows: usize) {
        if path == LINKS {
            self.links.truncate(rows);
        }
    }
}
