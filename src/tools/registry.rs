//! One value per tool, from which everything that is published about it comes.

use serde_json::{Map, Value, json};

use super::argument::ArgumentSpec;
use crate::envelope::error::{ErrorType, Property};
use crate::envelope::schema;
use crate::model::family::Family;
use crate::profile::Profile;

/// The tools by name. Closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ToolName {
    /// Who is meant.
    ResolveArtist,
    /// The card of one artist.
    GetArtist,
}

/// Who may call a tool: this version has no accounts, so every tool is for everyone.
pub const ACCESS: &str = "anonymous";

/// What is published about one tool.
#[derive(Debug, PartialEq, Eq)]
pub struct ToolSpec {
    /// Its name.
    pub name: ToolName,
    /// Its name for people.
    pub title: &'static str,
    /// What it does, for a model that has to choose; the error codes are added when it is listed.
    pub description: &'static str,
    /// Its arguments.
    pub arguments: &'static [ArgumentSpec],
    /// The endpoint that lists it first.
    pub profile: Profile,
    /// What it costs, in words.
    pub cost: &'static str,
    /// The families of data that it asks for.
    pub families: &'static [Family],
}

impl ToolName {
    /// Every tool, in the order of the lists.
    pub const ALL: [Self; 2] = [Self::ResolveArtist, Self::GetArtist];

    /// The name on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ResolveArtist => "resolve_artist",
            Self::GetArtist => "get_artist",
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
            Self::ResolveArtist => &RESOLVE_ARTIST,
            Self::GetArtist => &GET_ARTIST,
        }
    }
}

/// The result of `tools/list`: the same for every caller.
#[must_use]
pub fn list(profile: Profile) -> Value {
    let tools: Vec<Value> = ToolName::listed(profile).map(|tool| tool.spec().list_entry()).collect();
    json!({"tools": tools})
}

/// As long as the longest id, for all of them: one that stands in another's place is told where it belongs.
const ID_MAX_CHARS: usize = 64;

static RESOLVE_ARTIST: ToolSpec = ToolSpec {
    name: ToolName::ResolveArtist,
    title: "Resolve an artist",
    description: "Turns a name, link or id into one verified artist identity with a cluster_id, or says that \
        the name is ambiguous, unverified or unknown. Call it first. Give exactly one of q, url, cluster_id, \
        discogs_id, mbid, isrc, or artist with track. If ambiguity.state is not none, ask the user before \
        going on. Show attribution.line with any fact.",
    arguments: &[
        ArgumentSpec::text("q", 200, "Artist name as people write it, for example Four Tet"),
        ArgumentSpec::text(
            "url",
            500,
            "Link to the artist on Discogs, MusicBrainz, Bandcamp, Spotify, SoundCloud, YouTube or \
                Instagram",
        ),
        ArgumentSpec::text("cluster_id", ID_MAX_CHARS, "Id from an earlier answer, 64 hex digits"),
        ArgumentSpec::text("discogs_id", ID_MAX_CHARS, "Discogs artist id, digits only"),
        ArgumentSpec::text("mbid", ID_MAX_CHARS, "MusicBrainz artist id, a UUID"),
        ArgumentSpec::text("isrc", ID_MAX_CHARS, "Recording code; finds its main artist"),
        ArgumentSpec::text("artist", 200, "Artist name, only together with track"),
        ArgumentSpec::text("track", 200, "Track title, only together with artist"),
    ],
    profile: Profile::Core,
    cost: "1; by name 1 more for the same-name probe, and 1 more when only a folded spelling matches",
    families: &[Family::Resolve, Family::Search],
};

static GET_ARTIST: ToolSpec = ToolSpec {
    name: ToolName::GetArtist,
    title: "Get an artist's card",
    description: "The card of one artist: identity, names, origin, first release, genre, discography. Facts that \
        hosaka lacks come as present:false with a reason; never fill them from memory. Pass the cluster_id of \
        resolve_artist as key. If ambiguity.state is not none, ask the \
        user before going on. Show attribution.line with any fact.",
    arguments: &[
        ArgumentSpec::needed_text("key", 200, "cluster_id (64 hex digits) or slug from resolve_artist"),
        ArgumentSpec::choice(
            "view",
            &["summary", "standard", "full"],
            "How much to show; this server serves the summary",
        ),
    ],
    profile: Profile::Core,
    cost: "1; 2 when a remembered identity no longer holds",
    families: &[Family::Artist],
};

impl ToolSpec {
    /// The schema of its arguments: flat, without combinators or references.
    #[must_use]
    pub fn input_schema(&self) -> Value {
        let properties: Map<String, Value> =
            self.arguments.iter().map(|spec| (spec.name.to_owned(), spec.schema())).collect();
        let required: Vec<&str> =
            self.arguments.iter().filter(|spec| spec.required).map(|spec| spec.name).collect();
        let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
        if let (false, Some(object)) = (required.is_empty(), schema.as_object_mut()) {
            object.insert("required".to_owned(), json!(required));
        }
        schema
    }

    /// What it does, ending with the error codes.
    #[must_use]
    pub fn full_description(&self) -> String {
        let codes: Vec<&str> = ErrorType::ALL
            .iter()
            .filter(|kind| kind.retryable() != Property::Reserved)
            .map(|kind| kind.as_str())
            .collect();
        format!("{} Errors: {}.", self.description, codes.join(", "))
    }

    /// Its entry of `tools/list`.
    #[must_use]
    pub fn list_entry(&self) -> Value {
        let schemes = json!([{"type": "noauth"}]);
        json!({
            "name": self.name.as_str(),
            "title": self.title,
            "description": self.full_description(),
            "inputSchema": self.input_schema(),
            "outputSchema": schema::output(),
            "annotations": {
                "title": self.title,
                "readOnlyHint": true,
                "destructiveHint": false,
                "idempotentHint": true,
                "openWorldHint": true,
            },
            // Clients of one SDK drop unknown fields of the entry, so the schemes stand in both places.
            "securitySchemes": schemes,
            "_meta": {"securitySchemes": schemes},
        })
    }

    /// Its row of `hosaka://capabilities`.
    #[must_use]
    pub fn capability(&self) -> Value {
        json!({
            "name": self.name.as_str(),
            "title": self.title,
            "auth": ACCESS,
            "profile": self.profile.as_str(),
            "units": self.cost,
            "families": self.families.iter().map(|family| family.as_str()).collect::<Vec<_>>(),
        })
    }
}
