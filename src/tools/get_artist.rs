//! `get_artist`: the card of one artist.

mod card;
mod include;
mod lookup;
mod next;
mod wide;

use self::include::Include;
use super::argument::ArgumentSpec;
use super::arguments::Arguments;
use super::provenance::{Provenance, Reading, Table};
use super::registry::ToolName;
use super::spec::{Access, ToolSpec};
use super::{refusal, upstream_error};
use crate::answer::Finding;
use crate::crate_client::{CallLedger, CrateClient, Depth};
use crate::envelope::attribution::Origin;
use crate::envelope::error::ToolError;
use crate::envelope::meta::View;
use crate::identity::{Argument, ArtistKey};
use crate::model::family::Family;
use crate::profile::Profile;

/// What is published about it.
pub(super) static SPEC: ToolSpec = ToolSpec {
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
            "summary (all that is shown without sign-in), standard (10 releases; the default) or full (up to 100)",
        ),
        ArgumentSpec::choices(
            "include",
            &Include::WORDS,
            "Similar artists or gigs with the card, 1 unit each",
        ),
    ],
    access: Access::Anonymous,
    profile: Profile::Core,
    cost: "1, and 1 for each include; 1 more when a remembered identity no longer holds",
    families: &[Family::Artist, Family::Similar, Family::Gigs],
};

/// Where the values of an answer come from.
pub static PROVENANCE: Table = Table {
    tool: ToolName::GetArtist,
    endpoint: "/api/v2/artist/{key}",
    rows: &[
        Provenance::same("/cluster_id", "/identity/clusterId"),
        Provenance::read("/slug", "/slug", Reading::IfVerified),
        Provenance::read("/name", "/identity/name", Reading::ShownName),
        Provenance::read("/resolved_via", "/identity/resolvedVia", Reading::Lowered),
        Provenance::same("/discogs_id", "/identity/discogsArtistId"),
        Provenance::same("/mbid", "/facts/signals/mbid"),
        Provenance::same("/mbid", "/debut/signals/artistMbid"),
        Provenance::read("/real_name/name", "/identity/realname", Reading::Name),
        Provenance::read("/aliases/names/*", "/identity/aliases/*", Reading::ShownName),
        Provenance::made("/aliases/total", "names that the service lists"),
        Provenance::read("/origin/city", "/facts/signals/originCity", Reading::Name),
        Provenance::read("/origin/country", "/facts/signals/originCountry", Reading::Name),
        Provenance::read("/debut/year", "/debut/signals/firstReleaseDate", Reading::Year),
        Provenance::read("/genre/primary", "/behavioral/signals/primaryGenre", Reading::Name),
        Provenance::read("/genre/styles/*", "/behavioral/signals/primaryStyles/*", Reading::ShownName),
        Provenance::same("/discography/total", "/discography/signals/total"),
        Provenance::made("/discography/shown", "releases in this answer"),
        Provenance::made("/discography/truncated", "whether there are more than are shown"),
        Provenance::same(
            "/discography/releases/*/master_id",
            "/discography/signals/entries/*/discogsMasterId",
        ),
        Provenance::read(
            "/discography/releases/*/title",
            "/discography/signals/entries/*/representativeName",
            Reading::Name,
        ),
        Provenance::same("/emergence/tier", "/emergence/signals/emergenceTier"),
        Provenance::same("/emergence/momentum", "/emergence/signals/momentumTier"),
        Provenance::made("/*/present", "whether the part is there"),
        Provenance::made("/*/reason", "why the part is not there"),
    ],
};

/// What the wider views hold beside that; the full view shows its many releases as pairs.
pub static WIDE_PROVENANCE: Table = Table {
    tool: ToolName::GetArtist,
    endpoint: "/api/v2/artist/{key}",
    rows: &[
        Provenance::same("/discography/releases/*/0", "/discography/signals/entries/*/discogsMasterId"),
        Provenance::read(
            "/discography/releases/*/1",
            "/discography/signals/entries/*/representativeName",
            Reading::Name,
        ),
        Provenance::read("/scene/city", "/geography/signals/city", Reading::Name),
        Provenance::read("/scene/region", "/geography/signals/region", Reading::Name),
        Provenance::read("/scene/country", "/geography/signals/country", Reading::Name),
        Provenance::same("/stage/club_events", "/tier_presence/signals/clubEvents"),
        Provenance::same("/stage/festival_editions", "/tier_presence/signals/festivalEditions"),
        Provenance::read("/stage/first_club", "/tier_presence/signals/firstClubAt", Reading::Day),
        Provenance::read("/stage/last_club", "/tier_presence/signals/lastClubAt", Reading::Day),
        Provenance::read("/stage/first_festival", "/tier_presence/signals/firstFestivalAt", Reading::Day),
        Provenance::read("/stage/last_festival", "/tier_presence/signals/lastFestivalAt", Reading::Day),
        Provenance::same("/press/articles", "/journalism/signals/pressCount"),
        Provenance::same("/press/reviews", "/journalism/signals/reviewCount"),
        Provenance::same("/press/interviews", "/journalism/signals/interviewCount"),
        Provenance::same("/press/features", "/journalism/signals/featureCount"),
        Provenance::read("/life/born", "/facts/signals/birthDate", Reading::Day),
        Provenance::read("/life/died", "/facts/signals/deathDate", Reading::Day),
    ],
};

/// A valid call of `get_artist`.
#[derive(Clone, Debug, PartialEq)]
pub struct CardRequest {
    key: ArtistKey,
    include: Vec<Include>,
    asked: Option<View>,
    /// How much is shown.
    pub view: View,
    /// Whether the caller asked for more than that.
    pub is_coerced: bool,
}

impl CardRequest {
    pub(super) fn parse(arguments: &Arguments) -> Result<Self, ToolError> {
        let key = arguments.text("key").unwrap_or_default();
        refusal::no_placeholder(Argument::Key, key)?;
        let key = ArtistKey::parse(key).map_err(|found| refusal::key(found, key))?;
        let view = arguments
            .text("view")
            .and_then(|asked| View::ALL.into_iter().find(|view| view.as_str() == asked));
        let include = Include::parse(arguments.choices("include"));
        Ok(Self { key, include, asked: view, view: view.unwrap_or(View::Standard), is_coerced: false })
    }

    /// Whose card, how much of it and what with it, however that was asked for.
    pub(super) fn canonical(&self) -> String {
        // Each by its name, so that none is forgotten; what was asked for only counts as what is shown.
        let Self { key, include, view, asked: _, is_coerced: _ } = self;
        let kind = match key {
            ArtistKey::Cluster(_) => "cluster",
            ArtistKey::Slug(_) => "slug",
        };
        let mut text = ["GetArtist ", view.as_str(), " ", kind].concat();
        for include in include {
            text.extend([" ", include.as_str()]);
        }
        // No word before it ends in a space, so that it can hold anything.
        text.extend(["  ", key.as_str()]);
        text
    }

    /// Keeps to the summary, which is open to everybody.
    pub(super) fn narrow(&mut self) {
        self.is_coerced = self.asked.is_some_and(|asked| asked != View::Summary);
        self.view = View::Summary;
    }

    /// One dossier, and a second one when a remembered slug turns out to lead to somebody else; one for each
    /// include.
    pub(super) fn most_units(&self) -> u32 {
        let dossiers = match self.key {
            ArtistKey::Cluster(_) => 2,
            ArtistKey::Slug(_) => 1,
        };
        dossiers + u32::try_from(self.include.len()).unwrap_or(u32::MAX)
    }
}

/// Reads the dossier and lays out the card.
pub(super) async fn run(
    request: &CardRequest,
    client: &CrateClient,
    ledger: &CallLedger,
    origin: Origin,
) -> Result<Finding, ToolError> {
    let depth = if request.view == View::Summary { Depth::Card } else { Depth::Whole };
    let found = lookup::dossier(&request.key, depth, client, ledger).await.map_err(upstream_error::from)?;
    Ok(match found {
        Some(dossier) => {
            let (key, view) = (&request.key, request.view);
            let included = include::fetch(&request.include, key, view, &dossier, client, ledger).await;
            card::of(key, view, dossier, included, origin)
        }
        None => card::nobody(&request.key, origin),
    })
}

#[cfg(test)]
mod tests;
