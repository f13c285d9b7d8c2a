//! `get_artist`: the card of one artist.

use serde_json::json;

use super::argument::ArgumentSpec;
use super::arguments::Arguments;
use super::provenance::{Provenance, Reading, Table};
use super::registry::ToolName;
use super::spec::{Access, ToolSpec};
use super::{credit, refusal, upstream_error};
use crate::answer::{
    AliasFacet, ArtistCard, Data, DebutFacet, DiscographyFacet, EmergenceFacet, Facet, Finding, GenreFacet,
    IdentityFacts, NameFacet, OriginFacet, ReleaseRow,
};
use crate::crate_client::{CallLedger, CrateClient, UpstreamFault};
use crate::envelope::attribution::{Attribution, Origin};
use crate::envelope::degraded::{Degraded, FallbackTier};
use crate::envelope::error::ToolError;
use crate::envelope::identity::Ambiguity;
use crate::envelope::meta::View;
use crate::envelope::next::NextAction;
use crate::identity::{
    self, AmbiguityState, Argument, ArtistKey, Assessment, ClusterId, Evidence, LocatorKind, Tier,
};
use crate::model::artist::{Dossier, Merged};
use crate::model::family::Family;
use crate::model::gap::{Fact, GapReason};
use crate::model::source::Sources;
use crate::model::text::CleanName;
use crate::profile::Profile;

/// Releases in the summary.
const RELEASES_SHOWN: usize = 5;
/// Other names in the summary.
const ALIASES_SHOWN: usize = 5;
/// Styles in the summary.
const STYLES_SHOWN: usize = 5;

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
            "How much to show; this server serves the summary",
        ),
    ],
    access: Access::Anonymous,
    profile: Profile::Core,
    cost: "1; 2 when a remembered identity no longer holds",
    families: &[Family::Artist],
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
        Provenance::read("/emergence/tier", "/emergence/signals/emergenceTier", Reading::Name),
        Provenance::read("/emergence/momentum", "/emergence/signals/momentumTier", Reading::Name),
        Provenance::made("/*/present", "whether the part is there"),
        Provenance::made("/*/reason", "why the part is not there"),
    ],
};

/// A valid call of `get_artist`.
#[derive(Clone, Debug, PartialEq)]
pub struct CardRequest {
    key: ArtistKey,
    /// How much to show; `None` when the caller left it to the server.
    pub view: Option<View>,
}

impl CardRequest {
    pub(super) fn parse(arguments: &Arguments) -> Result<Self, ToolError> {
        let key = arguments.text("key").unwrap_or_default();
        refusal::no_placeholder(Argument::Key, key)?;
        let key = ArtistKey::parse(key).map_err(|found| refusal::key(found, key))?;
        let view = arguments
            .text("view")
            .and_then(|asked| View::ALL.into_iter().find(|view| view.as_str() == asked));
        Ok(Self { key, view })
    }

    /// One dossier; a second one when a remembered slug turns out to lead to somebody else.
    pub(super) fn most_units(&self) -> u32 {
        match self.key {
            ArtistKey::Cluster(_) => 2,
            ArtistKey::Slug(_) => 1,
        }
    }
}

/// Reads the dossier and lays out the card.
pub(super) async fn run(
    request: &CardRequest,
    client: &CrateClient,
    ledger: &CallLedger,
    origin: Origin,
) -> Result<Finding, ToolError> {
    let found = match &request.key {
        ArtistKey::Slug(_) => client.dossier(&request.key, ledger).await,
        ArtistKey::Cluster(id) => by_cluster(client, id, ledger).await,
    };
    let found = found.map_err(upstream_error::from)?;
    if let Some(dossier) = found.as_ref().filter(|dossier| is_merged(dossier))
        && let Some(cluster_id) = &dossier.identity.cluster_id
    {
        client.mark_shared(cluster_id);
    }
    Ok(match found {
        Some(mut dossier) => {
            if dossier.identity.tier == Tier::Cluster {
                unverified(&mut dossier);
            }
            card(request, dossier, origin)
        }
        None => nobody(&request.key, origin),
    })
}

/// Asks by slug where an earlier resolve verified the cluster, and takes the answer only when it is
/// about the same Discogs artist; otherwise asks by the cluster, which the service only observes.
async fn by_cluster(
    client: &CrateClient,
    id: &ClusterId,
    ledger: &CallLedger,
) -> Result<Option<Dossier>, UpstreamFault> {
    if let Some(remembered) = client.recall(id) {
        let by_slug = client.dossier(&ArtistKey::Slug(remembered.slug), ledger).await?;
        let same = by_slug.filter(|dossier| {
            let who = &dossier.identity;
            who.discogs_id == Some(remembered.discogs_id)
                && who.cluster_id.as_ref() == Some(id)
                && !is_merged(dossier)
        });
        if let Some(mut dossier) = same {
            dossier.identity.mbid = dossier.identity.mbid.or(remembered.mbid);
            return Ok(Some(dossier));
        }
    }
    let mut by_cluster = client.dossier(&ArtistKey::Cluster(id.clone()), ledger).await?;
    if let Some(dossier) = &mut by_cluster {
        // The service never vouches for a bare cluster id, whatever else the record may say.
        dossier.identity.tier = Tier::Cluster;
    }
    Ok(by_cluster)
}

fn is_merged(dossier: &Dossier) -> bool {
    matches!(dossier.merged, Merged::Count(2..))
}

/// What hangs on a verified identity is left out of such a record, although the service may hold it.
fn unverified(dossier: &mut Dossier) {
    fn blame<T>(fact: &mut Fact<T>) {
        if matches!(fact, Err(GapReason::HonestGap)) {
            *fact = Err(GapReason::NoVerifiedIdentity);
        }
    }
    blame(&mut dossier.real_name);
    blame(&mut dossier.aliases);
    blame(&mut dossier.origin);
    blame(&mut dossier.debut);
}

fn card(request: &CardRequest, dossier: Dossier, origin: Origin) -> Finding {
    let assessment = assess(&request.key, &dossier);
    let own_name = CleanName::new(&dossier.identity.record_name);
    let identity = IdentityFacts::from(&dossier.identity);
    let sources = sources(&dossier, origin);
    let degraded = is_degraded(&dossier).then(|| Degraded::at(FallbackTier::Suspect));
    let data = ArtistCard {
        identity,
        real_name: Facet(dossier.real_name.map(|name| NameFacet { name })),
        aliases: Facet(dossier.aliases.map(|aliases| AliasFacet {
            total: aliases.total,
            names: aliases.names.into_iter().take(ALIASES_SHOWN).collect(),
        })),
        origin: Facet(
            dossier.origin.map(|origin| OriginFacet { city: origin.city, country: origin.country }),
        ),
        debut: Facet(dossier.debut.map(|debut| DebutFacet { year: debut.year })),
        genre: Facet(dossier.genre.map(|genre| GenreFacet {
            primary: genre.primary,
            styles: genre.styles.into_iter().take(STYLES_SHOWN).collect(),
        })),
        discography: Facet(dossier.discography.map(|found| {
            let releases: Vec<ReleaseRow> = found
                .releases
                .into_iter()
                .take(RELEASES_SHOWN)
                .map(|release| ReleaseRow { master_id: release.master_id, title: release.title })
                .collect();
            let shown = releases.len();
            DiscographyFacet { total: found.total, shown, truncated: (shown as u64) < found.total, releases }
        })),
        emergence: Facet(
            dossier.emergence.map(|found| EmergenceFacet { tier: found.tier, momentum: found.momentum }),
        ),
    };
    let next_actions = next_actions(&request.key, &assessment, own_name);
    Finding {
        data: Data::ArtistCard(Box::new(data)),
        present: Ok(()),
        ambiguity: Some(Ambiguity::from(&assessment)),
        degraded,
        // The summary quotes nobody; the wider views do.
        untrusted_text: Vec::new(),
        attribution: Attribution::of(&sources, origin),
        next_actions,
    }
}

fn assess(key: &ArtistKey, dossier: &Dossier) -> Assessment {
    let resolved = dossier.identity.resolved();
    let lookup = match key {
        ArtistKey::Cluster(_) => identity::Lookup::Locator(LocatorKind::ClusterId),
        // A slug is a name in another spelling: homonyms compete for it, and no probe has looked for them.
        ArtistKey::Slug(_) => identity::Lookup::Name(&dossier.identity.record_name),
    };
    identity::assess(&Evidence {
        merged_discogs_ids: match dossier.merged {
            Merged::Count(count) => Some(u32::try_from(count).unwrap_or(u32::MAX)),
            Merged::NotSaid | Merged::Unreadable => None,
        },
        merge_unreadable: dossier.merged == Merged::Unreadable,
        ..Evidence::new(lookup, Some(&resolved))
    })
}

/// Whose data the card really holds.
fn sources(dossier: &Dossier, origin: Origin) -> Sources {
    let mut sources = Sources::default();
    credit::identity(&mut sources, &dossier.identity, origin);
    credit::facets(&mut sources, dossier, origin);
    sources
}

fn is_degraded(dossier: &Dossier) -> bool {
    [
        dossier.real_name.as_ref().err(),
        dossier.aliases.as_ref().err(),
        dossier.origin.as_ref().err(),
        dossier.debut.as_ref().err(),
        dossier.genre.as_ref().err(),
        dossier.discography.as_ref().err(),
        dossier.emergence.as_ref().err(),
    ]
    .into_iter()
    .flatten()
    .any(|reason| *reason == GapReason::UpstreamDegraded)
}

/// Asks by the record's own name, number included: without it the name may be another artist's.
fn next_actions(key: &ArtistKey, assessment: &Assessment, own_name: Option<CleanName>) -> Vec<NextAction> {
    let why = match key {
        ArtistKey::Slug(_) => "checks whether other artists carry this name",
        ArtistKey::Cluster(_) => "finds a verified identity of this name, if there is one",
    };
    match (assessment.state, own_name) {
        (AmbiguityState::None, _) | (_, None) => Vec::new(),
        (_, Some(name)) => vec![NextAction::new(ToolName::ResolveArtist.as_str(), [("q", json!(name))], why)],
    }
}

fn nobody(key: &ArtistKey, origin: Origin) -> Finding {
    let lookup = match key {
        ArtistKey::Cluster(_) => LocatorKind::ClusterId,
        ArtistKey::Slug(_) => LocatorKind::Slug,
    };
    let assessment = identity::assess(&Evidence::new(identity::Lookup::Locator(lookup), None));
    Finding {
        data: Data::ArtistCard(Box::new(ArtistCard::empty(GapReason::NotFoundUpstream))),
        present: Err(GapReason::NotFoundUpstream),
        ambiguity: Some(Ambiguity::from(&assessment)),
        degraded: None,
        untrusted_text: Vec::new(),
        attribution: Attribution::of(&Sources::default(), origin),
        // The key is the caller's text: no call is made of it.
        next_actions: Vec::new(),
    }
}
