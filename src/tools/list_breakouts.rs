//! `list_breakouts`: artists whose bookings pick up.

use serde_json::json;

use super::argument::ArgumentSpec;
use super::arguments::Arguments;
use super::listing::{self, Limit};
use super::provenance::{Provenance, Reading, Table};
use super::registry::ToolName;
use super::spec::{Access, ToolSpec};
use super::{credit, next};
use crate::answer::{BreakoutRow, Breakouts, Data, Finding};
use crate::crate_client::{BreakoutFilter, CallLedger, CrateClient};
use crate::envelope::attribution::{Attribution, Origin};
use crate::envelope::error::ToolError;
use crate::envelope::next::NextAction;
use crate::model::family::Family;
use crate::model::gap::GapReason;
use crate::model::listed::Listed;
use crate::model::rising::Breakout;
use crate::model::source::{Source, Sources};
use crate::profile::Profile;

const TIERS: [&str; 2] = ["breakout", "rising"];
const CORROBORATIONS: [&str; 2] = ["corroborated", "booking_ahead"];
/// Rows when no limit is given.
const UNASKED: u32 = 8;

/// What is published about it.
pub(super) static SPEC: ToolSpec = ToolSpec {
    name: ToolName::ListBreakouts,
    title: "List breakouts",
    description: "Artists whose bookings pick up, with what the press says of it, in the data service's order. Rows \
        are hosaka's own observation, not a chart; a missing value stands under gaps. Show attribution.line with \
        any fact.",
    arguments: &[
        ArgumentSpec::choice("tier", &TIERS, "Only artists of this tier"),
        ArgumentSpec::choice(
            "corroboration",
            &CORROBORATIONS,
            "Only artists whose bookings the press bears out, or runs behind",
        ),
        ArgumentSpec::integer("limit", 1, 50, "Rows; 8 unless given, above that shorter ones"),
    ],
    access: Access::SignedIn,
    profile: Profile::Full,
    cost: "1",
    families: &[Family::Lists],
};

/// Where each value of its answer comes from.
pub(super) static PROVENANCE: Table = Table {
    tool: ToolName::ListBreakouts,
    endpoint: "/api/v2/breakouts",
    rows: &[
        Provenance::read("/breakouts/*/name", "/items/*/name", Reading::ShownName),
        Provenance::same("/breakouts/*/cluster_id", "/items/*/clusterId"),
        Provenance::same("/breakouts/*/discogs_id", "/items/*/discogsArtistId"),
        Provenance::same("/breakouts/*/resolved_via", "/items/*/resolvedVia"),
        Provenance::same("/breakouts/*/emergence_tier", "/items/*/emergenceTier"),
        Provenance::same("/breakouts/*/emergence_score", "/items/*/emergenceScore"),
        Provenance::same("/breakouts/*/press_count", "/items/*/pressCount"),
        Provenance::same("/breakouts/*/corroboration", "/items/*/corroboration"),
        Provenance::read("/breakouts/*/location/city", "/items/*/location/city", Reading::Name),
        Provenance::read("/breakouts/*/location/country", "/items/*/location/country", Reading::Name),
        Provenance::made("/breakouts/*/gaps/*", "why a value of the row is missing"),
        Provenance::made("/shown", "how many rows are shown"),
        Provenance::made("/more", "whether the service gave one more row than was asked for to show"),
        Provenance::made("/unreadable", "how many rows could not be read"),
    ],
};

/// A valid call of `list_breakouts`.
#[derive(Clone, Debug, PartialEq)]
pub struct BreakoutsRequest {
    filter: BreakoutFilter,
    limit: Limit,
}

impl BreakoutsRequest {
    pub(super) fn parse(arguments: &Arguments) -> Self {
        let word = |name, words: [&'static str; 2]| {
            arguments.text(name).and_then(|asked| words.into_iter().find(|word| *word == asked))
        };
        let filter = BreakoutFilter {
            tier: word("tier", TIERS),
            corroboration: word("corroboration", CORROBORATIONS),
        };
        Self { filter, limit: Limit::parse(arguments, UNASKED) }
    }
}

/// Reads the list.
pub(super) async fn run(
    request: &BreakoutsRequest,
    client: &CrateClient,
    ledger: &CallLedger,
    origin: Origin,
) -> Result<Finding, ToolError> {
    let answered = client.breakouts(request.filter, request.limit.asked(), ledger).await;
    let listing::Outcome { found, degraded } = listing::keyless(answered)?;
    let present = found.as_ref().map(|_| ()).map_err(|reason| *reason);
    let data = rows(found.unwrap_or_else(|_| Listed { rows: Vec::new(), unreadable: 0 }), request.limit);
    let mut sources = Sources::default();
    if data.shown > 0 {
        sources.add(Source::Hosaka);
    }
    credit::rows(&mut sources, data.breakouts.iter().map(|row| &row.artist.discogs_id), origin);
    Ok(Finding {
        data: Data::Breakouts(data),
        present,
        ambiguity: None,
        degraded,
        untrusted_text: Vec::new(),
        attribution: Attribution::of(&sources, origin),
        next_actions: next_actions(request.filter, present.err()),
    })
}

fn rows(found: Listed<Breakout>, limit: Limit) -> Breakouts {
    let more = found.rows.len() > limit.rows();
    let breakouts: Vec<BreakoutRow> = found
        .rows
        .into_iter()
        .take(limit.rows())
        .map(|artist| BreakoutRow { artist, form: limit.form() })
        .collect();
    Breakouts { shown: breakouts.len(), breakouts, more, unreadable: found.unreadable }
}

fn next_actions(filter: BreakoutFilter, gap: Option<GapReason>) -> Vec<NextAction> {
    let tool = ToolName::ListBreakouts.as_str();
    match gap {
        None => Vec::new(),
        Some(GapReason::HonestGap) if filter != BreakoutFilter::default() => {
            vec![NextAction::new(tool, [], "nobody matches these filters; the list without them")]
        }
        Some(GapReason::UpstreamDegraded) => {
            let given = [("tier", filter.tier), ("corroboration", filter.corroboration)];
            let args = given.into_iter().filter_map(|(name, word)| Some((name, json!(word?))));
            vec![NextAction::with(tool, args, next::LATER)]
        }
        Some(_) => {
            vec![NextAction::new(ToolName::ListOnesToWatch.as_str(), [], "another list of rising artists")]
        }
    }
}
