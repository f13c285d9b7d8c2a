//! The tools by name, and where each has its specification.

use serde_json::{Value, json};

use super::spec::ToolSpec;
use super::{
    find_similar_artists, find_tracks, get_artist, get_aura, get_label, get_profile, get_upcoming_gigs,
    get_usage, list_breakouts, list_ones_to_watch, resolve_artist, search_catalog,
};
use crate::profile::Profile;

/// The tools by name. Closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ToolName {
    /// Who is meant.
    ResolveArtist,
    /// The card of one artist.
    GetArtist,
    /// Records of the catalogue.
    SearchCatalog,
    /// Who has a track of a title.
    FindTracks,
    /// The card of one label.
    GetLabel,
    /// Who is found beside an artist.
    FindSimilarArtists,
    /// Concerts that lie ahead.
    GetUpcomingGigs,
    /// Artists whose bookings pick up.
    ListBreakouts,
    /// Artists to watch.
    ListOnesToWatch,
    /// How many signals converge on an artist.
    GetAura,
    /// What the caller's account may do.
    GetProfile,
    /// What the caller's account has used.
    GetUsage,
}

impl ToolName {
    /// Every tool, in the order of the lists.
    pub const ALL: [Self; 12] = [
        Self::ResolveArtist,
        Self::GetArtist,
        Self::SearchCatalog,
        Self::FindSimilarArtists,
        Self::FindTracks,
        Self::GetUpcomingGigs,
        Self::GetLabel,
        Self::GetProfile,
        Self::GetUsage,
        Self::ListBreakouts,
        Self::ListOnesToWatch,
        Self::GetAura,
    ];

    /// The name on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ResolveArtist => "resolve_artist",
            Self::GetArtist => "get_artist",
            Self::SearchCatalog => "search_catalog",
            Self::FindTracks => "find_tracks",
            Self::GetLabel => "get_label",
            Self::FindSimilarArtists => "find_similar_artists",
            Self::GetUpcomingGigs => "get_upcoming_gigs",
            Self::ListBreakouts => "list_breakouts",
            Self::ListOnesToWatch => "list_ones_to_watch",
            Self::GetAura => "get_aura",
            Self::GetProfile => "get_profile",
            Self::GetUsage => "get_usage",
        }
    }

    /// The tool of that name in `profile`.
    #[must_use]
    pub fn find(name: &str, profile: Profile) -> Option<Self> {
        Self::listed(profile).find(|tool| tool.as_str() == name)
    }

    /// The tools that `profile` lists.
    pub fn listed(profile: Profile) -> impl Iterator<Item = Self> {
        Self::ALL
            .into_iter()
            .filter(move |tool| profile == Profile::Full || tool.spec().profile == Profile::Core)
    }

    /// What is published about it.
    #[must_use]
    pub fn spec(self) -> &'static ToolSpec {
        match self {
            Self::ResolveArtist => &resolve_artist::SPEC,
            Self::GetArtist => &get_artist::SPEC,
            Self::SearchCatalog => &search_catalog::SPEC,
            Self::FindTracks => &find_tracks::SPEC,
            Self::GetLabel => &get_label::SPEC,
            Self::FindSimilarArtists => &find_similar_artists::SPEC,
            Self::GetUpcomingGigs => &get_upcoming_gigs::SPEC,
            Self::ListBreakouts => &list_breakouts::SPEC,
            Self::ListOnesToWatch => &list_ones_to_watch::SPEC,
            Self::GetAura => &get_aura::SPEC,
            Self::GetProfile => &get_profile::SPEC,
            Self::GetUsage => &get_usage::SPEC,
        }
    }
}

/// The result of `tools/list`: the same for every caller. `scopes` are what a client asks the issuer for;
/// `None` where there is no sign-in.
#[must_use]
pub fn list(profile: Profile, scopes: Option<&[String]>) -> Value {
    let tools: Vec<Value> = ToolName::listed(profile).map(|tool| tool.spec().list_entry(scopes)).collect();
    json!({"tools": tools})
}
