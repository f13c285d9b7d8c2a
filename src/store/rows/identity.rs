//! A verified identity behind a cluster id.

use serde::{Deserialize, Serialize};

use crate::store::class::Class;
use crate::store::record::Record;

/// What was verified. Its key is the cluster id as its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// Whom it stands for; `None` when homonyms share the cluster.
    pub one: Option<KnownArtist>,
    /// When it was last seen, in milliseconds since 1970 UTC.
    pub seen_ms: u64,
}

/// One artist, as the data service names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownArtist {
    /// The readable key.
    pub slug: String,
    /// The Discogs artist.
    pub discogs_id: u32,
    /// The MusicBrainz artist.
    pub mbid: Option<String>,
    /// Whether nobody else is in the cluster.
    pub is_alone: bool,
}

impl Record for Identity {
    type Key = [u8; 32];
    const CLASS: Class = Class::Identity;
}
