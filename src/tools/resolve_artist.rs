//! `resolve_artist`: who is meant, and how sure that is.

use serde_json::json;

use super::argument::ArgumentSpec;
use super::arguments::{Arguments, invalid};
use super::provenance::{Provenance, Reading, Table};
use super::registry::ToolName;
use super::spec::{Access, ID_MAX_CHARS, ToolSpec};
use super::upstream_error::Asked;
use super::{credit, refusal, told, upstream_error};
use crate::answer::{Data, Finding, IdentityFacts, LINKS_SHOWN, ResolvedArtist};
use crate::crate_client::{Ask, CallLedger, CrateClient, Resolution, UpstreamFault};
use crate::envelope::attribution::{Attribution, Origin};
use crate::envelope::degraded::Degraded;
use crate::envelope::error::{ErrorType, ToolError};
use crate::envelope::identity::Ambiguity;
use crate::envelope::next::NextAction;
use crate::identity::{
    self, AmbiguityState, Argument, ArtistName, ArtistUrl, Assessment, Candidate, ClusterId, DiscogsId,
    Evidence, FoldedPick, Isrc, LocatorKind, Mbid, Probe, TrackTitle, display_name, fold, pick_folded,
};
use crate::model::artist::ArtistIdentity;
use crate::model::family::Family;
use crate::model::gap::GapReason;
use crate::model::source::Sources;
use crate::profile::Profile;

/// The arguments of which a call gives exactly one.
const ALTERNATIVES: [Argument; 6] =
    [Argument::Q, Argument::Url, Argument::ClusterId, Argument::DiscogsId, Argument::Mbid, Argument::Isrc];

/// The most candidates that are followed up by a recommended call.
const FOLLOW_UPS_MAX: usize = 3;

/// What is published about it.
pub(super) static SPEC: ToolSpec = ToolSpec {
    name: ToolName::ResolveArtist,
    title: "Resolve an artist",
    description: "Turns a name, link or id into one verified artist identity with a cluster_id, or says that \
        the name is ambiguous, unverified or unknown. Call it first. Give exactly one of q, url, cluster_id, \
        discogs_id, mbid, isrc, or artist with track. If ambiguity.state is not none, ask the user. Show attribution.line with any fact.",
    arguments: &[
        ArgumentSpec::text("q", 200, "Artist name as people write it"),
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
    access: Access::Anonymous,
    profile: Profile::Core,
    cost: "1; by name 1 more for the same-name probe, and 1 more when only a folded spelling matches",
    families: &[Family::Resolve, Family::Search],
};

/// Where the values of an answer come from.
pub static PROVENANCE: Table = Table {
    tool: ToolName::ResolveArtist,
    endpoint: "/api/v2/resolve",
    rows: &[
        Provenance::same("/cluster_id", "/cluster_id"),
        Provenance::read("/slug", "/slug", Reading::IfVerified),
        Provenance::read("/name", "/display", Reading::ShownName),
        Provenance::read("/resolved_via", "/resolved_via", Reading::Lowered),
        Provenance::same("/discogs_id", "/locators/discogs"),
        Provenance::same("/mbid", "/locators/mbid"),
        Provenance::made("/links/*/site", "the field that the page stands in"),
        Provenance::read("/links/*/url", PAGE_LISTS, Reading::Listed),
        Provenance::read("/links/*/handle", PAGE_LISTS, Reading::Listed),
        Provenance::made("/links_total", "pages that the service lists"),
    ],
};

/// The lists of pages, in the order in which they are shown.
const PAGE_LISTS: &str = "/locators/{bandcamp,spotify,soundcloud,youtube,instagram,website}/*";

/// A valid call of `resolve_artist`.
#[derive(Clone, Debug, PartialEq)]
pub enum Lookup {
    /// By name: needs the same-name probe.
    Name(ArtistName),
    /// By something that identifies without a name.
    Locator(LocatorKind, Ask),
}

impl Lookup {
    pub(super) fn parse(arguments: &Arguments) -> Result<Self, ToolError> {
        let recording = [Argument::Artist, Argument::Track];
        let given: Vec<Argument> =
            ALTERNATIVES.into_iter().filter(|argument| arguments.has(argument.as_str())).collect();
        let halves: Vec<Argument> =
            recording.into_iter().filter(|argument| arguments.has(argument.as_str())).collect();
        match (given.as_slice(), halves.as_slice()) {
            ([], []) => Err(nothing_given()),
            ([one], []) => Self::by(*one, arguments.text(one.as_str()).unwrap_or_default()),
            ([], [_, _]) => Self::by_recording(arguments),
            ([], [Argument::Artist]) => Err(refusal::suggest(
                invalid("track", "The argument artist is only for use with track.")
                    .hint("Give track as well, or give the name as q."),
                Argument::Q,
                arguments.text("artist").unwrap_or_default(),
            )),
            ([], _) => Err(invalid("artist", "The argument track is only for use with artist.")
                .hint("Give artist as well: a track title alone names nobody.")),
            (given, halves) => Err(several_given(given, halves)),
        }
    }

    fn by(argument: Argument, value: &str) -> Result<Self, ToolError> {
        if argument != Argument::Q && argument != Argument::Url {
            refusal::no_placeholder(argument, value)?;
        }
        let refused = |found| refusal::locator(found, value);
        Ok(match argument {
            Argument::Url => match ArtistUrl::parse(value).map_err(refused)? {
                ArtistUrl::Discogs(id) => Self::Locator(LocatorKind::Url, Ask::Discogs(id)),
                ArtistUrl::MusicBrainz(id) => Self::Locator(LocatorKind::Url, Ask::Mbid(id)),
                ArtistUrl::Profile { canonical, .. } => Self::Locator(LocatorKind::Url, Ask::Url(canonical)),
            },
            Argument::ClusterId => {
                Self::Locator(LocatorKind::ClusterId, Ask::Cluster(ClusterId::parse(value).map_err(refused)?))
            }
            Argument::DiscogsId => {
                Self::Locator(LocatorKind::DiscogsId, Ask::Discogs(DiscogsId::parse(value).map_err(refused)?))
            }
            Argument::Mbid => {
                Self::Locator(LocatorKind::Mbid, Ask::Mbid(Mbid::parse(value).map_err(refused)?))
            }
            Argument::Isrc => {
                Self::Locator(LocatorKind::Isrc, Ask::Isrc(Isrc::parse(value).map_err(refused)?))
            }
            Argument::Q | Argument::Artist | Argument::Track | Argument::Title | Argument::Key => {
                Self::Name(ArtistName::parse(Argument::Q, value).map_err(refused)?)
            }
        })
    }

    fn by_recording(arguments: &Arguments) -> Result<Self, ToolError> {
        let (artist, track) =
            (arguments.text("artist").unwrap_or_default(), arguments.text("track").unwrap_or_default());
        Ok(Self::Locator(
            LocatorKind::ArtistTrack,
            Ask::Recording {
                artist: ArtistName::parse(Argument::Artist, artist)
                    .map_err(|found| refusal::locator(found, artist))?,
                track: TrackTitle::parse(Argument::Track, track)
                    .map_err(|found| refusal::locator(found, track))?,
            },
        ))
    }

    /// By name: the lookup, the probe, and the id that folding may find; that one, like a cluster id given, is
    /// asked for twice when what is remembered of it no longer holds.
    pub(super) fn most_units(&self) -> u32 {
        match self {
            Self::Name(_) => 4,
            Self::Locator(_, Ask::Cluster(_)) => 2,
            Self::Locator(..) => 1,
        }
    }
}

fn nothing_given() -> ToolError {
    ToolError::new(ErrorType::OneOfRequired, "resolve_artist needs one way to name an artist.")
        .with("one_of", ALTERNATIVES.map(Argument::as_str).to_vec())
        .hint(
            "Give exactly one of q, url, cluster_id, discogs_id, mbid, isrc, or artist together with track.",
        )
}

fn several_given(given: &[Argument], halves: &[Argument]) -> ToolError {
    let names: Vec<&str> = given.iter().chain(halves).map(|argument| argument.as_str()).collect();
    invalid(
        names.first().copied().unwrap_or_default(),
        format!("Several ways to name an artist were given: {}.", names.join(", ")),
    )
    .with("conflicting", names)
    .hint("Give exactly one of them: ids that disagree would name two artists.")
}

/// What the data service said, gathered for the assessment.
struct Found {
    resolution: Resolution,
    probe: Probe,
    folded: bool,
    /// Why the probe gave nothing, when it should have.
    degraded: Option<Degraded>,
}

impl Found {
    fn new(resolution: Resolution, probe: Probe) -> Self {
        Self { resolution, probe, folded: false, degraded: None }
    }

    fn without_probe(resolution: Resolution) -> Self {
        Self::new(resolution, Probe::NotRun)
    }
}

/// Asks the data service and assesses what it says.
pub(super) async fn run(
    lookup: &Lookup,
    client: &CrateClient,
    ledger: &CallLedger,
    origin: Origin,
) -> Result<Finding, ToolError> {
    let found = match lookup {
        Lookup::Name(name) => by_name(name, client, ledger).await,
        Lookup::Locator(_, Ask::Cluster(id)) => {
            by_cluster(client, id, ledger).await.map(Found::without_probe)
        }
        Lookup::Locator(_, ask) => client
            .resolve(ask, ledger)
            .await
            .and_then(|found| told::about(ask, found))
            .map(Found::without_probe),
    };
    let asked = match lookup {
        Lookup::Name(_) => Asked::ByName,
        Lookup::Locator(..) => Asked::ByKey,
    };
    let found = found.map_err(|fault| upstream_error::from_asked(fault, asked))?;
    let assessment = assess(lookup, &found);
    remember(client, &found, &assessment);
    Ok(finding(lookup, found, &assessment, client, origin))
}

async fn by_name(
    name: &ArtistName,
    client: &CrateClient,
    ledger: &CallLedger,
) -> Result<Found, UpstreamFault> {
    let ask = Ask::Name(name.clone());
    let resolution = client.resolve(&ask, ledger).await.and_then(|found| told::about(&ask, found))?;
    if resolution.siblings_listed > 0 {
        return Ok(Found::new(resolution, Probe::NotRun));
    }
    if resolution.siblings_unreadable {
        // Siblings were listed, and nobody can tell how many.
        let degraded = Some(upstream_error::degraded(UpstreamFault::Unreadable));
        return Ok(Found { degraded, ..Found::new(resolution, Probe::Unavailable) });
    }
    if !fold(display_name(name.as_str())).is_comparable() {
        return Ok(Found::new(resolution, Probe::NotComparable));
    }
    // Homonyms are told apart by a number behind the name, so the search is for the name without it.
    let bare = ArtistName::parse(Argument::Q, display_name(name.as_str())).unwrap_or_else(|_| name.clone());
    // The lookup itself succeeded: a probe that fails makes the answer less sure, not an error.
    let rows = match client.same_name_rows(&bare, ledger).await {
        Ok(rows) => rows,
        Err(fault) => {
            let (_, degraded) = upstream_error::gap(fault);
            return Ok(Found { degraded, ..Found::new(resolution, Probe::Unavailable) });
        }
    };
    let picked = match (&resolution.identity, pick_folded(name.as_str(), &rows)) {
        (None, FoldedPick::One(row)) => row.cluster_id,
        _ => None,
    };
    let Some(cluster_id) = picked else { return Ok(Found::new(resolution, Probe::Rows(rows))) };
    // Two answers are in already: a third that fails leaves them as they are.
    // What was remembered of the cluster stays out of it: one caller's questions must not make another's name surer.
    let ask = Ask::Cluster(cluster_id);
    let is_alike = |who: &ArtistIdentity| identity::is_alike(name.as_str(), &who.record_name);
    Ok(match client.resolve(&ask, ledger).await.map(|by_id| told::about(&ask, by_id)) {
        Ok(Ok(by_id)) if by_id.identity.as_ref().is_some_and(is_alike) => {
            Found { folded: true, ..Found::new(by_id, Probe::Rows(rows)) }
        }
        // Nobody, or somebody else: the row stays a candidate.
        Ok(_) => Found::new(resolution, Probe::Rows(rows)),
        Err(fault) => {
            let (_, degraded) = upstream_error::gap(fault);
            Found { degraded, ..Found::new(resolution, Probe::Rows(rows)) }
        }
    })
}

/// Asks by the Discogs id that an earlier resolve verified for the cluster, and takes the answer only when it
/// leads back to that cluster and to the ids that were bound to it; the service only ever observes a bare cluster id.
async fn by_cluster(
    client: &CrateClient,
    id: &ClusterId,
    ledger: &CallLedger,
) -> Result<Resolution, UpstreamFault> {
    if let Some(remembered) = client.recall(id).filter(|remembered| remembered.is_alone) {
        let by_discogs = client.resolve(&Ask::Discogs(remembered.discogs_id), ledger).await?;
        let is_same = |who: &ArtistIdentity| who.cluster_id.as_ref() == Ok(id) && remembered.is_bound_to(who);
        if by_discogs.identity.as_ref().is_some_and(is_same) {
            return Ok(by_discogs);
        }
    }
    let ask = Ask::Cluster(id.clone());
    client.resolve(&ask, ledger).await.and_then(|found| told::about(&ask, found))
}

fn assess(lookup: &Lookup, found: &Found) -> Assessment {
    let resolved = found.resolution.identity.as_ref().map(ArtistIdentity::resolved);
    let unconfirmed_id = match (lookup, &found.resolution.identity) {
        (Lookup::Locator(_, ask), Some(who)) => told::unconfirmed_id(ask, who),
        _ => None,
    };
    let lookup = match (lookup, &resolved) {
        (Lookup::Name(name), _) => identity::Lookup::Name(name.as_str()),
        // What the service could only read as a name is no better than that name.
        (
            Lookup::Locator(LocatorKind::Url | LocatorKind::Isrc | LocatorKind::ArtistTrack, _),
            Some(resolved),
        ) if found.resolution.matched_by_name => identity::Lookup::Name(&resolved.name),
        (Lookup::Locator(kind, _), _) => identity::Lookup::Locator(*kind),
    };
    identity::assess(&Evidence {
        folded: found.folded,
        probe: &found.probe,
        siblings: &found.resolution.same_name_clusters,
        siblings_listed: found.resolution.siblings_listed,
        offered: &found.resolution.candidates,
        unconfirmed_id,
        ..Evidence::new(lookup, resolved.as_ref())
    })
}

/// Keeps what the answer shows of the cluster: whose it is, and whether somebody else is in it.
fn remember(client: &CrateClient, found: &Found, assessment: &Assessment) {
    let Some(identity) = found.resolution.identity.as_ref().filter(|_| !found.folded) else { return };
    let Ok(cluster_id) = &identity.cluster_id else { return };
    let of_cluster =
        assessment.candidates.iter().filter(|candidate| candidate.cluster_id == *cluster_id).count();
    if of_cluster > 1 || found.resolution.unnamed_siblings.contains(cluster_id) {
        return client.mark_shared(cluster_id);
    }
    // A namesake who cannot be read may be in the cluster.
    let read = found.resolution.same_name_clusters.len() + found.resolution.unnamed_siblings.len();
    let is_doubtful = found.resolution.siblings_unreadable || found.resolution.siblings_listed > read;
    let looked = matches!(found.probe, Probe::Rows(_)) || found.resolution.siblings_listed > 0;
    client.remember(identity, looked && !is_doubtful);
    if is_doubtful {
        client.doubt(cluster_id);
    }
}

fn finding(
    lookup: &Lookup,
    found: Found,
    assessment: &Assessment,
    client: &CrateClient,
    origin: Origin,
) -> Finding {
    let Found { resolution, degraded, .. } = found;
    let sources = sources(&resolution, assessment, origin);
    let present = match (&resolution.identity, assessment.state, lookup) {
        (None, _, Lookup::Locator(..)) => Err(GapReason::NotFoundUpstream),
        (None, _, _) | (_, AmbiguityState::Unresolved, _) => Err(GapReason::NoVerifiedIdentity),
        (Some(_), _, _) => Ok(()),
    };
    let data = ResolvedArtist {
        identity: resolution.identity.as_ref().map_or_else(IdentityFacts::nobody, IdentityFacts::from),
        links: resolution.links.into_iter().take(LINKS_SHOWN).collect(),
        links_total: resolution.links_total,
    };
    let is_shared = resolution.identity.as_ref().is_some_and(|identity| {
        let known = identity.cluster_id.as_ref().ok().and_then(|id| client.recall(id));
        identity.tier == identity::Tier::Discogs && known.is_none()
    });
    let next_actions = next_actions(&data.identity, is_shared, assessment);
    Finding {
        data: Data::ResolvedArtist(data),
        present,
        ambiguity: Some(Ambiguity::from(assessment)),
        degraded,
        untrusted_text: Vec::new(),
        attribution: Attribution::of(&sources, origin),
        next_actions,
    }
}

fn sources(resolution: &Resolution, assessment: &Assessment, origin: Origin) -> Sources {
    let mut sources = Sources::default();
    if let Some(identity) = &resolution.identity {
        credit::identity(&mut sources, identity, origin);
        if !resolution.links.is_empty() {
            credit::pages(&mut sources, identity, origin);
        }
    }
    credit::candidates(&mut sources, &assessment.candidates, origin);
    sources
}

fn next_actions(who: &IdentityFacts, is_shared: bool, assessment: &Assessment) -> Vec<NextAction> {
    let card = |cluster_id: &str, why| {
        NextAction::new(ToolName::GetArtist.as_str(), [("key", json!(cluster_id))], why)
    };
    // The id of a cluster that homonyms share would lose who was found; the slug does not.
    let key = if is_shared { who.slug.value() } else { who.cluster_id.value() };
    match (assessment.state, key) {
        (AmbiguityState::None, Some(cluster_id)) => {
            vec![card(cluster_id, "verified identity; fetch the card")]
        }
        (AmbiguityState::Observed, Some(cluster_id)) => {
            vec![card(cluster_id, "observed identity; fetch the card and say that it is unverified")]
        }
        (AmbiguityState::None, None) => Vec::new(),
        _ => choices(&assessment.candidates).take(FOLLOW_UPS_MAX).collect(),
    }
}

/// One call a candidate, by the id that tells it from its namesakes: homonyms may share a cluster, and a bare
/// cluster id is only ever observed.
fn choices(candidates: &[Candidate]) -> impl Iterator<Item = NextAction> {
    const WHY: &str = "only if the user says that this one is meant";
    let shared = |candidate: &Candidate| {
        candidates.iter().filter(|other| other.cluster_id == candidate.cluster_id).count() > 1
    };
    candidates.iter().filter_map(move |candidate| {
        let resolve =
            |name, value| Some(NextAction::new(ToolName::ResolveArtist.as_str(), [(name, value)], WHY));
        match (candidate.discogs_id, candidate.mbid) {
            (Some(id), _) => resolve("discogs_id", json!(id.to_string())),
            (None, Some(id)) => resolve("mbid", json!(id.to_string())),
            // Its id would lead to whoever shares it.
            (None, None) if shared(candidate) => None,
            (None, None) => {
                let key = [("key", json!(candidate.cluster_id.as_str()))];
                Some(NextAction::new(ToolName::GetArtist.as_str(), key, WHY))
            }
        }
    })
}

#[cfg(test)]
mod tests;
