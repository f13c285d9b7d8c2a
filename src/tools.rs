//! The tools: what each takes, asks the data service and answers.
//!
//! Decides what a question means and which facts answer it. It must never know who asks, what the
//! caller may spend, or how the answer travels.

pub mod account;
pub mod argument;
pub mod arguments;
mod bound;
mod credit;
pub mod find_similar_artists;
pub mod find_tracks;
pub mod get_artist;
pub mod get_aura;
pub mod get_label;
pub mod get_profile;
pub mod get_upcoming_gigs;
pub mod get_usage;
pub mod list_breakouts;
pub mod list_ones_to_watch;
mod listing;
mod next;
pub mod provenance;
pub mod refusal;
pub mod registry;
pub mod resolve_artist;
pub mod search_catalog;
mod similarity;
pub mod spec;
mod told;
pub mod upstream_error;

use crate::answer::Finding;
use crate::crate_client::{CallLedger, CrateClient};
use crate::cursors::Walks;
use crate::envelope::attribution::Origin;
use crate::envelope::error::ToolError;
use crate::envelope::meta::View;
use crate::tools::account::AccountView;
use crate::tools::arguments::Arguments;
use crate::tools::registry::ToolName;

/// A call whose arguments are valid.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// Who is meant by a name, a link or an id.
    ResolveArtist(resolve_artist::Lookup),
    /// The card of one artist.
    GetArtist(get_artist::CardRequest),
    /// Records of the catalogue.
    SearchCatalog(Box<search_catalog::CatalogSearch>),
    /// Who has a track of a title.
    FindTracks(find_tracks::TrackQuestion),
    /// The card of one label.
    GetLabel(get_label::LabelRequest),
    /// Who is found beside one artist.
    FindSimilarArtists(find_similar_artists::SimilarRequest),
    /// Concerts that lie ahead of one artist.
    GetUpcomingGigs(get_upcoming_gigs::GigsRequest),
    /// Artists whose bookings pick up.
    ListBreakouts(list_breakouts::BreakoutsRequest),
    /// Artists to watch.
    ListOnesToWatch(list_ones_to_watch::WatchlistRequest),
    /// The aura of one artist, or the strongest.
    GetAura(get_aura::AuraRequest),
    /// What the caller's account may do.
    GetProfile,
    /// What the caller's account has used.
    GetUsage,
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
            ToolName::SearchCatalog => search_catalog::CatalogSearch::parse(&arguments)
                .map(|search| Self::SearchCatalog(Box::new(search))),
            ToolName::FindTracks => find_tracks::TrackQuestion::parse(&arguments).map(Self::FindTracks),
            ToolName::GetLabel => get_label::LabelRequest::parse(&arguments).map(Self::GetLabel),
            ToolName::FindSimilarArtists => {
                find_similar_artists::SimilarRequest::parse(&arguments).map(Self::FindSimilarArtists)
            }
            ToolName::GetUpcomingGigs => {
                get_upcoming_gigs::GigsRequest::parse(&arguments).map(Self::GetUpcomingGigs)
            }
            ToolName::ListBreakouts => {
                Ok(Self::ListBreakouts(list_breakouts::BreakoutsRequest::parse(&arguments)))
            }
            ToolName::ListOnesToWatch => {
                Ok(Self::ListOnesToWatch(list_ones_to_watch::WatchlistRequest::parse(&arguments)))
            }
            ToolName::GetAura => get_aura::AuraRequest::parse(&arguments).map(Self::GetAura),
            ToolName::GetProfile => Ok(Self::GetProfile),
            ToolName::GetUsage => Ok(Self::GetUsage),
        }
    }

    /// The most calls to the data service that it may start; what is reserved before it runs.
    #[must_use]
    pub fn most_units(&self) -> u32 {
        match self {
            Self::ResolveArtist(lookup) => lookup.most_units(),
            Self::GetArtist(request) => request.most_units(),
            Self::FindSimilarArtists(request) => request.most_units(),
            Self::SearchCatalog(_)
            | Self::FindTracks(_)
            | Self::GetUpcomingGigs(_)
            | Self::GetLabel(_)
            | Self::ListBreakouts(_)
            | Self::ListOnesToWatch(_)
            | Self::GetAura(_) => 1,
            Self::GetProfile | Self::GetUsage => 0,
        }
    }

    /// The call in one form, however it was written: calls that mean the same have the same text, within one version
    /// of the program.
    #[must_use]
    pub fn canonical(&self) -> String {
        match self {
            Self::GetArtist(request) => request.canonical(),
            // These hold nothing but what is asked for, in one form.
            other => format!("{other:?}"),
        }
    }

    /// Keeps to what is open without an account.
    pub fn narrow(&mut self) {
        if let Self::GetArtist(request) = self {
            request.narrow();
        }
    }

    /// The view that is served, for tools that have views, and whether a wider one was asked for.
    #[must_use]
    pub fn view(&self) -> (Option<View>, bool) {
        match self {
            Self::GetArtist(request) => (Some(request.view), request.is_coerced),
            Self::ResolveArtist(_)
            | Self::SearchCatalog(_)
            | Self::FindSimilarArtists(_)
            | Self::FindTracks(_)
            | Self::GetUpcomingGigs(_)
            | Self::GetLabel(_)
            | Self::GetProfile
            | Self::GetUsage
            | Self::ListBreakouts(_)
            | Self::ListOnesToWatch(_)
            | Self::GetAura(_) => (None, false),
        }
    }

    /// Asks the data service and puts the answer together. `account` and `walks` are the caller's own.
    ///
    /// # Errors
    /// When the service could not answer; a fact that it does not hold is not an error.
    pub async fn run(
        &self,
        client: &CrateClient,
        ledger: &CallLedger,
        origin: Origin,
        account: Option<&AccountView>,
        walks: Walks<'_>,
    ) -> Result<Finding, ToolError> {
        match self {
            Self::ResolveArtist(lookup) => resolve_artist::run(lookup, client, ledger, origin).await,
            Self::GetArtist(request) => get_artist::run(request, client, ledger, origin).await,
            Self::SearchCatalog(search) => search_catalog::run(search, client, ledger, origin, walks).await,
            Self::FindTracks(question) => find_tracks::run(question, client, ledger, origin).await,
            Self::GetLabel(request) => get_label::run(request, client, ledger, origin).await,
            Self::FindSimilarArtists(request) => {
                find_similar_artists::run(request, client, ledger, origin).await
            }
            Self::GetUpcomingGigs(request) => get_upcoming_gigs::run(request, client, ledger, origin).await,
            Self::ListBreakouts(request) => list_breakouts::run(request, client, ledger, origin).await,
            Self::ListOnesToWatch(request) => list_ones_to_watch::run(request, client, ledger, origin).await,
            Self::GetAura(request) => get_aura::run(request, client, ledger, origin).await,
            Self::GetProfile => get_profile::run(account, origin),
            Self::GetUsage => get_usage::run(account, origin),
        }
    }
}
