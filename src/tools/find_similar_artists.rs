//! `find_similar_artists`: who is found beside an artist, axis by axis.

use serde_json::json;

use super::argument::ArgumentSpec;
use super::arguments::Arguments;
use super::listing::Limit;
use super::provenance::{Provenance, Reading, Table};
use super::registry::ToolName;
use super::similarity::Ranked;
use super::spec::{Access, ToolSpec};
use super::{bound, credit, next, refusal, similarity, upstream_error};
use crate::answer::{Data, Finding, IdentityFacts, SimilarArtists, SimilarList};
use crate::crate_client::{CallLedger, CrateClient, Extension, UpstreamFault};
use crate::envelope::attribution::{Attribution, Origin};
use crate::envelope::degraded::Degraded;
use crate::envelope::error::ToolError;
use crate::envelope::identity::Ambiguity;
use crate::envelope::next::NextAction;
use crate::identity::{AmbiguityState, ArtistKey, Assessment, ClusterId};
use crate::model::family::Family;
use crate::model::gap::{Fact, GapReason};
use crate::model::neighbour::{Axis, Neighbours, ONE_LIST, Surroundings};
use crate::model::source::{Source, Sources};
use crate::model::text::CleanName;
use crate::profile::Profile;

/// Rows when no limit is given: so many with four axes each and long names keep the usual size.
const UNASKED: u32 = 6;
/// The most rows with the counts of their axes.
const FULL: u32 = 10;

/// What is published about it.
pub(super) static SPEC: ToolSpec = ToolSpec {
    name: ToolName::FindSimilarArtists,
    title: "Find similar artists",
    description: "Artists found beside one artist, with the counts of each axis: booked together, same festivals, \
        same radio, DJs who play the artist, credits. There is no overall score; axes that could not be had are \
        named. Pass the cluster_id of resolve_artist as key. If ambiguity.state is not none, ask the user before \
        going on. Show attribution.line with any fact.",
    arguments: &[
        ArgumentSpec::needed_text("key", 200, "cluster_id (64 hex digits) or slug from resolve_artist"),
        ArgumentSpec::integer("limit", 1, 25, "Artists; 6 unless given, above 10 without counts"),
    ],
    access: Access::SignedIn,
    profile: Profile::Core,
    cost: "calls made, at most 3; 4 when a remembered identity no longer holds",
    families: &[Family::Similar],
};

/// Where each value of its answer comes from.
pub(super) static DOSSIER_PROVENANCE: Table = Table {
    tool: ToolName::FindSimilarArtists,
    endpoint: "/api/v2/artist/{key}",
    rows: &[
        Provenance::same("/cluster_id", "/identity/clusterId"),
        Provenance::read("/slug", "/slug", Reading::IfVerified),
        Provenance::read("/name", "/identity/name", Reading::ShownName),
        Provenance::read("/resolved_via", "/identity/resolvedVia", Reading::Lowered),
        Provenance::same("/discogs_id", "/identity/discogsArtistId"),
        Provenance::made("/mbid", "what an earlier resolve bound, or null"),
        Provenance::read("/similar/*/name", "/connections/signals/related/*/name", Reading::JoinedName),
        Provenance::read(
            "/similar/*/cluster_id",
            "/connections/signals/related/*/clusterId",
            Reading::Joined,
        ),
        Provenance::read(
            "/similar/*/discogs_id",
            "/connections/signals/related/*/discogsArtistId",
            Reading::Joined,
        ),
        Provenance::read("/similar/*/mbid", "/connections/signals/related/*/mbid", Reading::Joined),
        Provenance::read(
            "/similar/*/axes/co_booking",
            "/connections/signals/related/*/coEventCount",
            Reading::Joined,
        ),
        Provenance::read(
            "/similar/*/cluster_id",
            "/dj_champion/signals/topChampions/*/djClusterId",
            Reading::Joined,
        ),
        Provenance::read(
            "/similar/*/axes/dj_champions",
            "/dj_champion/signals/topChampions/*/playCount",
            Reading::Joined,
        ),
        Provenance::read("/similar/*/name", "/credits/signals/writing/*/name", Reading::JoinedName),
        Provenance::read("/similar/*/cluster_id", "/credits/signals/writing/*/clusterId", Reading::Joined),
        Provenance::read(
            "/similar/*/discogs_id",
            "/credits/signals/writing/*/discogsArtistId",
            Reading::Joined,
        ),
        Provenance::read("/similar/*/mbid", "/credits/signals/writing/*/mbid", Reading::Joined),
        Provenance::read(
            "/similar/*/axes/credits/works",
            "/credits/signals/writing/*/count",
            Reading::Joined,
        ),
        Provenance::read("/similar/*/name", "/credits/signals/production/*/name", Reading::JoinedName),
        Provenance::read("/similar/*/cluster_id", "/credits/signals/production/*/clusterId", Reading::Joined),
        Provenance::read(
            "/similar/*/discogs_id",
            "/credits/signals/production/*/discogsArtistId",
            Reading::Joined,
        ),
        Provenance::read("/similar/*/mbid", "/credits/signals/production/*/mbid", Reading::Joined),
        Provenance::read(
            "/similar/*/axes/credits/recordings",
            "/credits/signals/production/*/count",
            Reading::Joined,
        ),
        Provenance::made("/axes/*/present", "whether the axis is there"),
        Provenance::made("/axes/*/reason", "why it is not"),
        Provenance::made("/axes/*/source", "where the service keeps it"),
        Provenance::made("/axes/*/listed", "how many artists it lists"),
        Provenance::made("/shown", "how many artists are shown"),
        Provenance::made("/found", "how many artists were found"),
        Provenance::made("/unreadable", "how many rows could not be read"),
        Provenance::made("/similar/*/axes/*", "the axes alone, where there are many rows"),
        Provenance::made("/similar/*/axes/*/gaps/*", "why a count is missing"),
        Provenance::made("/similar/*/gaps/*", "why a value of the row is missing"),
    ],
};

/// Where each value of its answer comes from.
pub(super) static FESTIVALS_PROVENANCE: Table = Table {
    tool: ToolName::FindSimilarArtists,
    endpoint: "/api/v2/surface/seen.artist_festival_co_appearance",
    rows: &[
        Provenance::read("/similar/*/name", "/rows/*/co_artist_name_display", Reading::JoinedName),
        Provenance::read("/similar/*/cluster_id", "/rows/*/co_cluster_id_hex", Reading::Joined),
        Provenance::read("/similar/*/discogs_id", "/rows/*/co_resolved_discogs_artist_id", Reading::Joined),
        Provenance::read("/similar/*/mbid", "/rows/*/co_resolved_mbid", Reading::Joined),
        Provenance::read("/similar/*/axes/festivals", "/rows/*/co_edition_count", Reading::Joined),
    ],
};

/// Where each value of its answer comes from.
pub(super) static RADIO_PROVENANCE: Table = Table {
    tool: ToolName::FindSimilarArtists,
    endpoint: "/api/v2/surface/seen.radio_co_play",
    rows: &[
        Provenance::read("/similar/*/cluster_id", "/rows/*/co_cluster_id_hex", Reading::Joined),
        Provenance::read("/similar/*/axes/radio", "/rows/*/co_play_count", Reading::Joined),
    ],
};

/// Where each value of its answer comes from, when the service has them in one list.
pub(super) static LIST_PROVENANCE: Table = Table {
    tool: ToolName::FindSimilarArtists,
    endpoint: "/api/v2/artist/{key}/similar",
    rows: &[
        Provenance::read("/similar/*/name", "/similar/*/name", Reading::JoinedName),
        Provenance::read("/similar/*/cluster_id", "/similar/*/cluster_id", Reading::Joined),
        Provenance::read("/similar/*/discogs_id", "/similar/*/discogs_id", Reading::Joined),
        Provenance::read("/similar/*/mbid", "/similar/*/mbid", Reading::Joined),
        Provenance::read("/similar/*/axes/co_booking", "/similar/*/axes/co_booking/events", Reading::Joined),
        Provenance::read("/similar/*/axes/festivals", "/similar/*/axes/festivals/editions", Reading::Joined),
        Provenance::read("/similar/*/axes/radio", "/similar/*/axes/radio/plays", Reading::Joined),
        Provenance::read(
            "/similar/*/axes/dj_champions",
            "/similar/*/axes/dj_champions/plays",
            Reading::Joined,
        ),
        Provenance::read("/similar/*/axes/credits/works", "/similar/*/axes/credits/works", Reading::Joined),
        Provenance::read(
            "/similar/*/axes/credits/recordings",
            "/similar/*/axes/credits/recordings",
            Reading::Joined,
        ),
    ],
};

/// A valid call of `find_similar_artists`.
#[derive(Clone, Debug, PartialEq)]
pub struct SimilarRequest {
    key: ArtistKey,
    limit: Limit,
}

impl SimilarRequest {
    pub(super) fn parse(arguments: &Arguments) -> Result<Self, ToolError> {
        let key = refusal::artist_key(arguments.text("key").unwrap_or_default())?;
        Ok(Self { key, limit: Limit::parse_with(arguments, UNASKED, FULL) })
    }

    /// The dossier and two surfaces; a second dossier when a remembered slug turns out to lead to somebody else.
    pub(super) fn most_units(&self) -> u32 {
        match self.key {
            ArtistKey::Cluster(_) => 4,
            ArtistKey::Slug(_) => 3,
        }
    }
}

/// Asks for every axis and brings them together.
pub(super) async fn run(
    request: &SimilarRequest,
    client: &CrateClient,
    ledger: &CallLedger,
    origin: Origin,
) -> Result<Finding, ToolError> {
    let ask = |key: ArtistKey| async move { client.surroundings(&key, ledger).await };
    let record = match bound::read(&request.key, client, ask).await.map_err(upstream_error::from)? {
        Some(record) => record,
        None => return Ok(nobody(&request.key, origin)),
    };
    let assessment = bound::assess(&request.key, &record);
    if mixes_people(&assessment, &record) {
        let list = SimilarList::empty(Axis::ALL, GapReason::AmbiguousBind);
        return Ok(finding(request, &record, list, Err(GapReason::AmbiguousBind), &assessment, None, origin));
    }
    let (axes, degraded) = match &record.identity.cluster_id {
        Ok(id) if client.has(Extension::Similar) => in_one_list(&record, client.similar(id, ledger).await),
        Ok(id) => {
            let (festivals, radio) =
                tokio::join!(client.festival_neighbours(id, ledger), client.radio_neighbours(id, ledger));
            let ((festivals, first), (radio, second)) = (axis(festivals), axis(radio));
            (beside(&record, festivals, radio), first.or(second))
        }
        // The list and both surfaces are kept by cluster.
        Err(reason) => {
            let reason = without_cluster(*reason);
            (beside(&record, Err(reason), Err(reason)), None)
        }
    };
    let (list, present) =
        similarity::join(&record.identity, axes, request.limit.rows(), request.limit.form());
    let degraded = degraded.or_else(|| suspect(&list));
    Ok(finding(request, &record, list, present, &assessment, degraded, origin))
}

/// Why nothing that is kept by cluster is there for a record that has none, or one that cannot be read.
pub(super) fn without_cluster(reason: GapReason) -> GapReason {
    match reason {
        GapReason::MalformedUpstream => GapReason::MalformedUpstream,
        _ => GapReason::NoVerifiedIdentity,
    }
}

/// The axes of the dossier with two others.
fn beside(record: &Surroundings, festivals: Neighbours, radio: Neighbours) -> Vec<Ranked> {
    let axes = [
        (Axis::CoBooking, record.co_booking.clone()),
        (Axis::Festivals, festivals),
        (Axis::Radio, radio),
        (Axis::DjChampions, record.dj_champions.clone()),
        (Axis::Credits, record.credits.clone()),
    ];
    axes.map(Ranked::from).into()
}

/// The axes of one list; without it those of the dossier, which is there already, and gaps for the others.
fn in_one_list(
    record: &Surroundings,
    answered: Result<Fact<Vec<(Axis, Neighbours)>>, UpstreamFault>,
) -> (Vec<Ranked>, Option<Degraded>) {
    match answered {
        Ok(Ok(axes)) => {
            let of_list = |(axis, rows)| Ranked { axis, source: ONE_LIST, rows };
            (axes.into_iter().map(of_list).collect(), None)
        }
        Ok(Err(reason)) => (beside(record, Err(reason), Err(reason)), None),
        Err(fault) => {
            let (reason, degraded) = upstream_error::gap(fault);
            (beside(record, Err(reason), Err(reason)), degraded)
        }
    }
}

/// Whether what is kept under the record's ids may be several artists' together.
pub(super) fn mixes_people(assessment: &Assessment, record: &impl bound::Record) -> bool {
    matches!(assessment.state, AmbiguityState::OverMerged | AmbiguityState::NameCollision)
        || record.merged() == crate::model::artist::Merged::Unreadable
}

/// An axis that failed is a gap with its notice; the others do not depend on it.
pub(super) fn axis(answered: Result<Neighbours, UpstreamFault>) -> (Neighbours, Option<Degraded>) {
    match answered {
        Ok(rows) => (rows, None),
        Err(fault) => upstream_error::without(fault),
    }
}

/// The notice for a facet that the service itself calls degraded.
pub(super) fn suspect(list: &SimilarList) -> Option<Degraded> {
    let doubted = list.axes.0.iter().any(|(_, state)| state.gap() == Some(GapReason::UpstreamDegraded));
    doubted.then(|| upstream_error::degraded(UpstreamFault::Degraded))
}

fn finding(
    request: &SimilarRequest,
    record: &Surroundings,
    list: SimilarList,
    present: Fact<()>,
    assessment: &Assessment,
    degraded: Option<Degraded>,
    origin: Origin,
) -> Finding {
    let mut sources = Sources::default();
    credit::identity(&mut sources, &record.identity, origin);
    credit_list(&mut sources, &list, origin);
    let next_actions = next_actions(request, record, present, assessment, degraded.is_some());
    Finding {
        data: Data::SimilarArtists(SimilarArtists { identity: IdentityFacts::from(&record.identity), list }),
        present,
        ambiguity: Some(Ambiguity::from(assessment)),
        degraded,
        untrusted_text: Vec::new(),
        attribution: Attribution::of(&sources, origin),
        next_actions,
    }
}

/// Credits whoever gave the axes that the shown rows stand on.
pub(super) fn credit_list(sources: &mut Sources, list: &SimilarList, origin: Origin) {
    for (axis, _) in list.similar.iter().flat_map(|row| &row.axes) {
        sources.add(match (axis, origin) {
            (Axis::Credits, Origin::Service) => Source::MusicBrainz,
            _ => Source::Hosaka,
        });
    }
    let ids_shown = list.similar.iter().filter(|row| row.cluster_id.is_err() || row.is_key_shared);
    credit::rows(sources, ids_shown.clone().map(|row| &row.discogs_id), origin);
    if ids_shown.into_iter().any(|row| row.mbid.is_ok()) {
        sources.add(Source::MusicBrainz);
    }
}

fn next_actions(
    request: &SimilarRequest,
    record: &Surroundings,
    present: Fact<()>,
    assessment: &Assessment,
    is_degraded: bool,
) -> Vec<NextAction> {
    let mut actions = Vec::new();
    let key = record.identity.cluster_id.as_ref().map_or(request.key.as_str(), ClusterId::as_str);
    if is_degraded {
        let again = [("key", json!(key))];
        actions.push(NextAction::new(ToolName::FindSimilarArtists.as_str(), again, next::LATER));
    }
    let own_name = CleanName::new(&record.identity.record_name);
    if assessment.state != AmbiguityState::None
        && let Some(by_name) = own_name.and_then(|name| next::by_name(&name, next::WHO))
    {
        actions.push(by_name);
    } else if present.is_err() && !is_degraded {
        actions.push(NextAction::new(ToolName::GetArtist.as_str(), [("key", json!(key))], next::CARD));
    }
    actions
}

fn nobody(key: &ArtistKey, origin: Origin) -> Finding {
    let reason = GapReason::NotFoundUpstream;
    let list = SimilarList::empty(Axis::ALL, reason);
    Finding {
        data: Data::SimilarArtists(SimilarArtists { identity: IdentityFacts::nobody(), list }),
        present: Err(reason),
        ambiguity: Some(Ambiguity::from(&bound::assess_nobody(key))),
        degraded: None,
        untrusted_text: Vec::new(),
        attribution: Attribution::of(&Sources::default(), origin),
        next_actions: vec![next::nobody(key)],
    }
}
