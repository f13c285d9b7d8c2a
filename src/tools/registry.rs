//! The tools by name, and where each has its specification.

use serde_json::{Value, json};

use super::spec::ToolSpec;
use super::{find_tracks, get_artist, get_label, get_profile, get_usage, resolve_artist, search_catalog};
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
    /// What the caller's account may do.
    GetProfile,
    /// What the caller's account has used.
    GetUsage,
}

impl ToolName {
    /// Every tool, in the order of the lists.
    pub const ALL: [Self; 7] = [
        Self::ResolveArtist,
        Self::GetArtist,
        Self::SearchCatalog,
        Self::FindTracks,
        Self::GetLabel,
        Self::GetProfile,
        Self::GetUsage,
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
