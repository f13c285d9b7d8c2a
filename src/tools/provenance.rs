//! Where each value of an answer comes from, written down so that tests can hold the answers to it.
//!
//! Decides nothing at run time. A value under `data` that no row names has no business there.

use super::registry::ToolName;
use super::{
    find_similar_artists, find_tracks, get_artist, get_aura, get_label, get_upcoming_gigs, list_breakouts,
    list_ones_to_watch, resolve_artist, search_catalog,
};

/// Every table; a tool that asks several endpoints has one for each.
pub static TABLES: &[&Table] = &[
    &resolve_artist::PROVENANCE,
    &get_artist::PROVENANCE,
    &get_artist::WIDE_PROVENANCE,
    &search_catalog::FULL_PROVENANCE,
    &search_catalog::COMPACT_PROVENANCE,
    &find_similar_artists::DOSSIER_PROVENANCE,
    &find_similar_artists::FESTIVALS_PROVENANCE,
    &find_similar_artists::RADIO_PROVENANCE,
    &find_similar_artists::LIST_PROVENANCE,
    &find_tracks::BY_TITLE_PROVENANCE,
    &find_tracks::BY_ARTIST_PROVENANCE,
    &get_upcoming_gigs::PROVENANCE,
    &get_label::PROVENANCE,
    &list_breakouts::PROVENANCE,
    &list_ones_to_watch::PROVENANCE,
    &get_aura::LIST_PROVENANCE,
    &get_aura::ONE_PROVENANCE,
];

/// The includes of `get_artist`: where each stands under `data`, and the table of the tool whose list it shows there.
pub static INCLUDED: &[(&str, &Table)] =
    &[("/similar", &find_similar_artists::DOSSIER_PROVENANCE), ("/gigs", &get_upcoming_gigs::PROVENANCE)];

/// What an answer of a tool holds of one answer of the service.
#[derive(Debug, PartialEq, Eq)]
pub struct Table {
    /// The tool.
    pub tool: ToolName,
    /// The path of the service that is asked; `{key}` stands for a key.
    pub endpoint: &'static str,
    /// Each value under `data`. Of two rows for one value the first that the service gives counts.
    pub rows: &'static [Provenance],
}

/// Where one value under `data` comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Provenance {
    /// The place under `data`, as a JSON pointer; `*` stands for every index of a list.
    pub data: &'static str,
    /// Where it comes from.
    pub from: Given,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// From this place in the service's answer, read so. A `*` stands for the same index as in `data`.
    Upstream(&'static str, Reading),
    /// The server makes it, from what it shows or from how it was asked; the words say how.
    Made(&'static str),
}

/// What happens to a value between the service and the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Nothing.
    Same,
    /// Text is cleaned of what cannot be seen, and cut.
    Name,
    /// As a name, without the number and the star of Discogs.
    ShownName,
    /// The year of a date.
    Year,
    /// The day of a time.
    Day,
    /// Shown of verified identities only, else null.
    IfVerified,
    /// Only `discogs` stays so, and only where nothing speaks against it; all else is `cluster`.
    Lowered,
    /// `*` is the key of an artist, `a1` for the first of the rows.
    Keyed,
    /// The same, read as a name.
    NameOfKeyed,
    /// As a name, without the number and the star of Discogs; of the row that is about the same artist.
    JoinedName,
    /// Nothing; of the row that is about the same artist, wherever it stands.
    Joined,
    /// The parts of a list or of several lists in one order; `*` counts the parts that can be shown.
    Listed,
}

impl Provenance {
    /// A value of the service, read so.
    #[must_use]
    pub const fn read(data: &'static str, upstream: &'static str, reading: Reading) -> Self {
        Self { data, from: Given::Upstream(upstream, reading) }
    }

    /// A value of the service, as it is.
    #[must_use]
    pub const fn same(data: &'static str, upstream: &'static str) -> Self {
        Self::read(data, upstream, Reading::Same)
    }

    /// A value that the server makes.
    #[must_use]
    pub const fn made(data: &'static str, how: &'static str) -> Self {
        Self { data, from: Given::Made(how) }
    }
}
