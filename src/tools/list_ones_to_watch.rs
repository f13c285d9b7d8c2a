//! `list_ones_to_watch`: artists to watch, by rank.

use super::argument::ArgumentSpec;
use super::arguments::Arguments;
use super::listing::{self, Limit};
use super::provenance::{Provenance, Reading, Table};
use super::registry::ToolName;
use super::spec::{Access, ToolSpec};
use super::{credit, next};
use crate::answer::{Data, Finding, OneToWatchRow, OnesToWatch};
use crate::crate_client::{CallLedger, CrateClient};
use crate::envelope::attribution::{Attribution, Origin};
use crate::envelope::error::ToolError;
use crate::envelope::next::NextAction;
use crate::model::family::Family;
use crate::model::gap::{Fact, GapReason};
use crate::model::rising::Watchlist;
use crate::model::source::{Source, Sources};
use crate::profile::Profile;

/// Rows when no limit is given.
const UNASKED: u32 = 8;

/// What is published about it.
pub(super) static SPEC: ToolSpec = ToolSpec {
    name: ToolName::ListOnesToWatch,
    title: "List ones to watch",
    description: "Artists to watch by hosaka's rank, each with its tiers and the kind of rise. An observation of \
        bookings, not a forecast; a missing value stands under gaps. Show attribution.line with any fact.",
    arguments: &[ArgumentSpec::integer("limit", 1, 25, "Rows; 8 unless given, above that shorter ones")],
    access: Access::SignedIn,
    profile: Profile::Full,
    cost: "1",
    families: &[Family::Lists],
};

/// Where each value of its answer comes from.
pub(super) static PROVENANCE: Table = Table {
    tool: ToolName::ListOnesToWatch,
    endpoint: "/api/v2/tastemakers/ones-to-watch",
    rows: &[
        Provenance::same("/ones_to_watch/*/rank", "/onesToWatch/*/rank"),
        Provenance::read("/ones_to_watch/*/name", "/onesToWatch/*/name", Reading::ShownName),
        Provenance::same("/ones_to_watch/*/discogs_id", "/onesToWatch/*/discogsArtistId"),
        Provenance::same("/ones_to_watch/*/emergence_tier", "/onesToWatch/*/emergenceTier"),
        Provenance::same("/ones_to_watch/*/momentum_tier", "/onesToWatch/*/momentumTier"),
        Provenance::same("/ones_to_watch/*/emergence_score", "/onesToWatch/*/emergenceScore"),
        Provenance::same("/ones_to_watch/*/profile", "/onesToWatch/*/profile"),
        Provenance::same(
            "/ones_to_watch/*/culture_forward_festivals",
            "/onesToWatch/*/cultureForwardFestivals",
        ),
        Provenance::made("/ones_to_watch/*/gaps/*", "why a value of the row is missing"),
        Provenance::read("/snapshot_on", "/snapshotDate", Reading::Day),
        Provenance::same("/stale", "/stale"),
        Provenance::made("/gaps/*", "why a value of the list is missing"),
        Provenance::made("/shown", "how many rows are shown"),
        Provenance::made("/more", "whether the service gave one more row than was asked for to show"),
        Provenance::made("/unreadable", "how many rows could not be read"),
    ],
};

/// A valid call of `list_ones_to_watch`.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchlistRequest {
    limit: Limit,
}

impl WatchlistRequest {
    pub(super) fn parse(arguments: &Arguments) -> Self {
        Self { limit: Limit::parse(arguments, UNASKED) }
    }
}

/// Reads the list.
pub(super) async fn run(
    request: &WatchlistRequest,
    client: &CrateClient,
    ledger: &CallLedger,
    origin: Origin,
) -> Result<Finding, ToolError> {
    let answered = client.ones_to_watch(request.limit.asked(), ledger).await;
    let listing::Outcome { found, degraded } = listing::keyless(answered)?;
    let present = found.as_ref().map(|_| ()).map_err(|reason| *reason);
    let data = rows(found, request.limit);
    let mut sources = Sources::default();
    if !data.rows.is_empty() {
        sources.add(Source::Hosaka);
    }
    credit::rows(&mut sources, data.rows.iter().map(|row| &row.artist.discogs_id), origin);
    Ok(Finding {
        data: Data::OnesToWatch(data),
        present,
        ambiguity: None,
        degraded,
        untrusted_text: Vec::new(),
        attribution: Attribution::of(&sources, origin),
        next_actions: next_actions(present.err()),
    })
}

fn rows(found: Fact<Watchlist>, limit: Limit) -> OnesToWatch {
    match found {
        Ok(list) => OnesToWatch {
            snapshot_on: list.snapshot_on,
            is_stale: list.is_stale,
            more: list.rows.rows.len() > limit.rows(),
            unreadable: list.rows.unreadable,
            rows: list
                .rows
                .rows
                .into_iter()
                .take(limit.rows())
                .map(|artist| OneToWatchRow { artist, form: limit.form() })
                .collect(),
        },
        Err(reason) => OnesToWatch {
            rows: Vec::new(),
            snapshot_on: Err(reason),
            is_stale: Err(reason),
            more: false,
            unreadable: 0,
        },
    }
}

fn next_actions(gap: Option<GapReason>) -> Vec<NextAction> {
    match gap {
        None => Vec::new(),
        Some(GapReason::UpstreamDegraded) => {
            vec![NextAction::new(ToolName::ListOnesToWatch.as_str(), [], next::LATER)]
        }
        Some(_) => {
            vec![NextAction::new(ToolName::ListBreakouts.as_str(), [], "another list of rising artists")]
        }
    }
}
