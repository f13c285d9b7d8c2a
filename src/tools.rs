//! The tools: what each takes, asks the data service and answers.
//!
//! Decides what a question means and which facts answer it. It must never know who asks, what the
//! caller may spend, or how the answer travels.

pub mod argument;
pub mod arguments;
mod credit;
pub mod find_tracks;
pub mod get_artist;
pub mod get_label;
pub mod provenance;
pub mod refusal;
pub mod registry;
pub mod resolve_artist;
pub mod spec;
pub mod upstream_error;

use crate::answer::Finding;
use crate::crate_client::{CallLedger, CrateClient};
use crate::envelope::attribution::Origin;
use crate::envelope::error::ToolError;
use crate::envelope::meta::View;
use crate::tools::arguments::Arguments;
use crate::tools::registry::ToolName;

/// A call whose arguments are valid.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// Who is meant by a name, a link or an id.
    ResolveArtist(resolve_artist::Lookup),
    /// The card of one artist.
    GetArtist(get_artist::CardRequest),
    /// Who has a track of a title.
    FindTracks(find_tracks::TrackQuestion),
    /// The card of one label.
    GetLabel(get_label::LabelRequest),
}

impl Call {
    /// Turns arguments into a call.
    ///
    /// # Errors
    /// An input error that says what to change.
    pub fn parse(tool: ToolName, arguments: &serde_json::Value) -> Result<Self, ToolError> {
        let arguments = Arguments::parse(tool.spec(), arguments)?;
        match tool {
            ToolName::ResolveArtist => resolve_artist::Lookup::parse(&arguments).map(Self::ResolveArtist),
            ToolName::GetArtist => get_artist::CardRequest::parse(&arguments).map(Self::GetArtist),
            ToolName::FindTracks => find_tracks::TrackQuestion::parse(&arguments).map(Self::FindTracks),
            ToolName::GetLabel => get_label::LabelRequest::parse(&arguments).map(Self::GetLabel),
        }
    }

    /// The most calls to the data service that it may start; what is reserved before it runs.
    #[must_use]
    pub fn most_units(&self) -> u32 {
        match self {
            Self::ResolveArtist(lookup) => lookup.most_units(),
            Self::GetArtist(request) => request.most_units(),
            Self::FindTracks(_) | Self::GetLabel(_) => 1,
        }
    }

    /// The view that is served, for tools that have views, and whether a wider one was asked for. All
    /// callers of this version get the summary.
    #[must_use]
    pub fn view(&self) -> (Option<View>, bool) {
        match self {
            Self::ResolveArtist(_) | Self::FindTracks(_) | Self::GetLabel(_) => (None, false),
            Self::GetArtist(request) => {
                (Some(View::Summary), request.view.is_some_and(|asked| asked != View::Summary))
            }
        }
    }

    /// Asks the data service and puts the answer together.
    ///
    /// # Errors
    /// When the service could not answer; a fact that it does not hold is not an error.
    pub async fn run(
        &self,
        client: &CrateClient,
        ledger: &CallLedger,
        origin: Origin,
    ) -> Result<Finding, ToolError> {
        match self {
            Self::ResolveArtist(lookup) => resolve_artist::run(lookup, client, ledger, origin).await,
            Self::GetArtist(request) => get_artist::run(request, client, ledger, origin).await,
            Self::FindTracks(question) => find_tracks::run(question, client, ledger, origin).await,
            Self::GetLabel(request) => get_label::run(request, client, ledger, origin).await,
        }
    }
}
