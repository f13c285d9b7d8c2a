//! `get_aura`: how many independent signals converge on an artist.

use serde_json::json;

use super::argument::ArgumentSpec;
use super::arguments::Arguments;
use super::listing::{self, Limit};
use super::provenance::{Provenance, Reading, Table};
use super::registry::ToolName;
use super::spec::{Access, ID_MAX_CHARS, ToolSpec};
use super::{next, refusal};
use crate::answer::{AuraRow, Auras, Data, Finding, RowForm};
use crate::crate_client::{CallLedger, CrateClient};
use crate::envelope::attribution::{Attribution, Origin};
use crate::envelope::degraded::Degraded;
use crate::envelope::error::ToolError;
use crate::envelope::identity::Ambiguity;
use crate::envelope::next::NextAction;
use crate::identity::{
    self, AmbiguityState, Argument, ArtistKey, Assessment, ClusterId, Evidence, LocatorKind, Resolved, Tier,
};
use crate::model::aura::Aura;
use crate::model::family::Family;
use crate::model::gap::{Fact, GapReason};
use crate::model::source::{Source, Sources};
use crate::profile::Profile;

/// Rows when no limit is given.
const UNASKED: u32 = 8;

/// What is published about it.
pub(super) static SPEC: ToolSpec = ToolSpec {
    name: ToolName::GetAura,
    title: "Get aura",
    description: "How many independent kinds of signal (booking, radio, press and others) converge on an artist, \
        strongest first without cluster_id. break_odds_percent is a base rate among such artists, never a forecast \
        for one. If ambiguity.state is not none, say so. Show attribution.line with any fact.",
    arguments: &[
        ArgumentSpec::text("cluster_id", ID_MAX_CHARS, "Artist from resolve_artist; leave out for the list"),
        ArgumentSpec::integer("limit", 1, 40, "Rows of the list; 8 unless given, above that shorter ones"),
    ],
    access: Access::SignedIn,
    profile: Profile::Full,
    cost: "1",
    families: &[Family::Aura],
};

/// Where each value of its answer comes from.
pub(super) static LIST_PROVENANCE: Table = Table {
    tool: ToolName::GetAura,
    endpoint: "/api/v2/aura",
    rows: &[
        Provenance::read("/aura/*/name", "/items/*/artist_name", Reading::ShownName),
        Provenance::same("/aura/*/cluster_id", "/items/*/cluster_id"),
        Provenance::same("/aura/*/dimension_count", "/items/*/convergence_dim_count"),
        Provenance::same("/aura/*/dimensions/*", "/items/*/dimensions/*"),
        Provenance::same("/aura/*/break_odds_percent", "/items/*/break_odds"),
        Provenance::same("/aura/*/has_broken", "/items/*/has_break_event"),
        Provenance::made("/aura/*/gaps/*", "why a value of the row is missing"),
        Provenance::made("/shown", "how many rows are shown"),
        Provenance::made("/more", "whether the service gave one more row than was asked for to show"),
        Provenance::made("/unreadable", "how many rows could not be read"),
    ],
};

/// Where each value of its answer comes from.
pub(super) static ONE_PROVENANCE: Table = Table {
    tool: ToolName::GetAura,
    endpoint: "/api/v2/aura/{key}",
    rows: &[
        Provenance::read("/aura/*/name", "/aura/artist_name", Reading::ShownName),
        Provenance::same("/aura/*/cluster_id", "/aura/cluster_id"),
        Provenance::same("/aura/*/dimension_count", "/aura/convergence_dim_count"),
        Provenance::same("/aura/*/dimensions/*", "/aura/dimensions/*"),
        Provenance::same("/aura/*/break_odds_percent", "/aura/break_odds"),
        Provenance::same("/aura/*/has_broken", "/aura/has_break_event"),
        Provenance::made("/aura/*/gaps/*", "why a value of the row is missing"),
        Provenance::read("/aura/*/first_signal_on", "/aura/first_signal_at", Reading::Day),
        Provenance::read("/aura/*/latest_signal_on", "/aura/latest_appearance_at", Reading::Day),
        Provenance::read("/aura/*/broke_on", "/aura/break_event_at", Reading::Day),
        Provenance::made("/shown", "how many rows are shown"),
        Provenance::made("/more", "whether the service gave one more row than was asked for to show"),
        Provenance::made("/unreadable", "how many rows could not be read"),
    ],
};

/// A valid call of `get_aura`.
#[derive(Clone, Debug, PartialEq)]
pub enum AuraRequest {
    /// Of one artist.
    One(ClusterId),
    /// The strongest.
    List(Limit),
}

impl AuraRequest {
    pub(super) fn parse(arguments: &Arguments) -> Result<Self, ToolError> {
        let Some(id) = arguments.text("cluster_id") else {
            return Ok(Self::List(Limit::parse(arguments, UNASKED)));
        };
        refusal::no_placeholder(Argument::ClusterId, id)?;
        ClusterId::parse(id).map(Self::One).map_err(|found| refusal::locator(found, id))
    }
}

/// Reads the aura, or the list of them.
pub(super) async fn run(
    request: &AuraRequest,
    client: &CrateClient,
    ledger: &CallLedger,
    origin: Origin,
) -> Result<Finding, ToolError> {
    match request {
        AuraRequest::One(id) => {
            let listing::Outcome { found, degraded } = listing::outcome(client.aura_of(id, ledger).await)?;
            Ok(one(id, found, degraded, client, origin))
        }
        AuraRequest::List(limit) => {
            let answered = client.auras(limit.asked(), ledger).await;
            let listing::Outcome { found, degraded } = listing::keyless(answered)?;
            let present = found.as_ref().map(|_| ()).map_err(|reason| *reason);
            let (rows, unreadable) =
                found.map_or_else(|_| (Vec::new(), 0), |found| (found.rows, found.unreadable));
            let more = rows.len() > limit.rows();
            let data = auras(rows.into_iter().take(limit.rows()), limit.form(), more, unreadable);
            let next_actions = match present {
                Err(GapReason::UpstreamDegraded) => {
                    vec![NextAction::new(ToolName::GetAura.as_str(), [], next::LATER)]
                }
                Ok(()) | Err(_) => Vec::new(),
            };
            Ok(finding(data, present, None, degraded, next_actions, origin))
        }
    }
}

fn one(
    id: &ClusterId,
    found: Fact<Aura>,
    degraded: Option<Degraded>,
    client: &CrateClient,
    origin: Origin,
) -> Finding {
    let present = found.as_ref().map(|_| ()).map_err(|reason| *reason);
    let assessment = assess(id, found.as_ref().ok(), client);
    let next_actions = next_actions(id, present, &assessment);
    let data = auras(found.into_iter(), RowForm::Single, false, 0);
    finding(data, present, Some(Ambiguity::from(&assessment)), degraded, next_actions, origin)
}

/// The answer does not say how the cluster is bound: only an earlier resolve that saw nobody else in it does.
fn assess(id: &ClusterId, found: Option<&Aura>, client: &CrateClient) -> Assessment {
    let remembered = client.recall(id).filter(|remembered| remembered.is_alone);
    let Some(aura) = found else {
        return identity::assess_unread(&ArtistKey::Cluster(id.clone()), remembered.is_some());
    };
    let resolved = Resolved {
        name: aura.name.as_ref().map(ToString::to_string).unwrap_or_default(),
        cluster_id: Some(id.clone()),
        tier: if remembered.is_some() { Tier::Discogs } else { Tier::Cluster },
        slug: None,
        is_slug_unreadable: false,
        discogs_id: remembered.as_ref().map(|remembered| remembered.discogs_id),
        mbid: remembered.as_ref().and_then(|remembered| remembered.mbid),
    };
    let lookup = identity::Lookup::Locator(LocatorKind::ClusterId);
    identity::assess(&Evidence::new(lookup, Some(&resolved)))
}

fn next_actions(id: &ClusterId, present: Result<(), GapReason>, assessment: &Assessment) -> Vec<NextAction> {
    let card = |why| vec![NextAction::new(ToolName::GetArtist.as_str(), [("key", json!(id.as_str()))], why)];
    match present {
        Ok(()) if assessment.state == AmbiguityState::None => Vec::new(),
        Ok(()) => card(next::WHOSE),
        Err(GapReason::UpstreamDegraded) => {
            let again = [("cluster_id", json!(id.as_str()))];
            vec![NextAction::new(ToolName::GetAura.as_str(), again, next::LATER)]
        }
        Err(GapReason::NotFoundUpstream) => vec![next::without(&ArtistKey::Cluster(id.clone()))],
        Err(_) => card(next::CARD),
    }
}

fn auras(found: impl Iterator<Item = Aura>, form: RowForm, more: bool, unreadable: usize) -> Auras {
    let aura: Vec<AuraRow> = found.map(|artist| AuraRow { artist, form }).collect();
    Auras { shown: aura.len(), aura, more, unreadable }
}

fn finding(
    data: Auras,
    present: Result<(), GapReason>,
    ambiguity: Option<Ambiguity>,
    degraded: Option<Degraded>,
    next_actions: Vec<NextAction>,
    origin: Origin,
) -> Finding {
    let sources: Sources = (data.shown > 0).then_some(Source::Hosaka).into_iter().collect();
    Finding {
        data: Data::Auras(data),
        present,
        ambiguity,
        degraded,
        untrusted_text: Vec::new(),
        attribution: Attribution::of(&sources, origin),
        next_actions,
    }
}
