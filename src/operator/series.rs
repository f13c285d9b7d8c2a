//! The last hour and the present as JSON, for the operator's page.
//!
//! Decides the keys of the document. Arrays are all as long as `t`.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde::ser::SerializeSeq as _;
use serde::{Serialize, Serializer};

use super::ring::{KEPT, Ring, STEP_S, Step};
use crate::telemetry::count::Times;

/// What does not change while the server runs. The words are closed sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// The version that runs.
    pub version: &'static str,
    /// What clients call the server.
    pub public_base: String,
    /// Whether it serves the demo catalogue.
    pub is_demo: bool,
    /// When it started, in seconds since 1970.
    pub started: i64,
    /// Every way in which a call can end that is no answer, in the order of [`Pulse::errors`].
    pub errors: Vec<&'static str>,
    /// Every tool, in the order of [`Pulse::tools`].
    pub tools: Vec<&'static str>,
    /// Every family, in the order of [`Pulse::families`].
    pub families: Vec<&'static str>,
}

/// What the counts have come to since the start, and what there is now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pulse {
    /// Calls that ended.
    pub calls: u64,
    /// Requests that were refused before they became a call.
    pub refused: u64,
    /// How long calls took.
    pub latency: Times,
    /// Calls that ended without an answer, by how.
    pub errors: Vec<u64>,
    /// Calls that ended, by tool.
    pub tools: Vec<u64>,
    /// What was asked of each family.
    pub families: Vec<FamilyPulse>,
    /// Units that were spent, of everybody without an account and of accounts.
    pub units: [u64; 2],
    /// What was needed of the data service and was there already, of all that was needed and was there or asked for.
    pub cache: (u64, u64),
    /// Calls that were answered with an identical call's answer, of all that might have been.
    pub replay: (u64, u64),
    /// Connections that are open now.
    pub connections: u64,
}

/// What was asked of one family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FamilyPulse {
    /// Whether a degraded window keeps it from being asked now.
    pub is_open: bool,
    /// Requests that ended.
    pub asked: u64,
    /// Those of them that failed.
    pub failed: u64,
}

/// How a family stood in a step. Closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It was asked, and nothing keeps it from being asked.
    None,
    /// A degraded window keeps it from being asked.
    Degraded,
    /// It was not asked, so that nothing is known.
    NoData,
}

/// How things stand.
#[derive(Clone, Debug, Serialize)]
pub struct Gauges {
    /// The budget of everybody without an account.
    pub anonymous: Budget,
    /// The accounts.
    pub accounts: AccountsNow,
    /// The plan of the data service's key; `None` for a service that counts nothing.
    pub upstream_plan: Option<PlanNow>,
    /// The HTTP status with which the data service refuses the key now; `None` while it takes it.
    pub upstream_key_refused: Option<u16>,
    /// The protection ladder.
    pub ladder: LadderNow,
    /// Tools that an operator switched off.
    pub tools_off: Vec<String>,
    /// `good`, `tight`, or `refusing: ` and why.
    pub store: String,
    /// The backups that the server writes by itself.
    pub backups: BackupsNow,
    /// What became of changed files.
    pub reload: ReloadNow,
    /// The certificates that are shown.
    pub certificates: Vec<CertificateNow>,
    /// What cannot be served, and why.
    pub not_ready: Vec<NotReady>,
}

/// The budget of a day, of everybody without an account.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Budget {
    /// Units that are used or held.
    pub used: u64,
    /// Of so many.
    pub of: u64,
    /// When it begins anew, in seconds since 1970.
    pub resets: i64,
    /// Whether an operator paused such use, whatever is left.
    pub paused: bool,
}

/// Accounts, as far as they called since the start.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct AccountsNow {
    /// Those that called today (UTC).
    pub active_today: u64,
    /// Those whose last call found their month used up.
    pub at_limit: u64,
}

/// The use of a plan.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct PlanNow {
    /// The last minute.
    pub minute: Used,
    /// The UTC month.
    pub month: Used,
}

/// So much of so much.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Used {
    /// So much.
    pub used: u64,
    /// Of so much; `None` without an end.
    pub of: Option<u64>,
}

/// The rung that holds.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct LadderNow {
    /// Its name.
    pub step: &'static str,
    /// What it means.
    pub words: &'static str,
    /// Whether an operator set it, so that it holds whatever the month's use is.
    pub by_hand: bool,
}

/// The backups that the server writes by itself.
#[derive(Clone, Debug, Serialize)]
pub struct BackupsNow {
    /// Whether any are written.
    pub is_on: bool,
    /// Seconds between two; `None` when none are written.
    pub every_s: Option<u64>,
    /// Those that were written since the start.
    pub written: u64,
    /// Those that could not be.
    pub failed: u64,
    /// Those that were put off.
    pub put_off: u64,
    /// When the last one was written, in seconds since 1970; `None` when there is none.
    pub last: Option<i64>,
    /// Why the one that was due last is not there; `None` when it is.
    pub missing: Option<String>,
}

/// What became of changed files.
#[derive(Clone, Debug, Serialize)]
pub struct ReloadNow {
    /// Why the configuration was refused.
    pub configuration_refused: Option<String>,
    /// Why the certificates were refused.
    pub certificate_refused: Option<String>,
    /// Sections that wait for the next start.
    pub waits_for_start: Vec<String>,
    /// Keys whose files changed and are read at the next start only.
    pub files_wait_for_start: Vec<String>,
    /// How the automatic certificate stands; `None` where there is none.
    pub renewal: Option<RenewalNow>,
}

/// How an automatic certificate stands.
#[derive(Clone, Debug, Serialize)]
pub struct RenewalNow {
    /// When the authority is asked next, in seconds since 1970; `None` while it is being asked.
    pub next_try: Option<i64>,
    /// Why the last try failed; `None` when it did not.
    pub last_failure: Option<String>,
    /// How many failed in a row, as `ono_certificate_tries_failed` has it.
    pub tries_failed: u32,
}

/// A certificate that is shown.
#[derive(Clone, Debug, Serialize)]
pub struct CertificateNow {
    /// The hosts that it is for.
    pub names: Vec<String>,
    /// From when on it is valid, in seconds since 1970.
    pub from: i64,
    /// Until when.
    pub until: i64,
    /// Whole days until then; below 0 once it has ended.
    pub days_left: i64,
    /// Where it comes from.
    pub kind: &'static str,
}

/// A part that cannot be served.
#[derive(Clone, Debug, Serialize)]
pub struct NotReady {
    /// Its name.
    pub part: &'static str,
    /// Why.
    pub why: String,
}

#[derive(Serialize)]
struct Document<'a> {
    version: &'a str,
    public_base: &'a str,
    is_demo: bool,
    started: i64,
    now: i64,
    step_s: u32,
    kept_s: u64,
    set_back: u64,
    t: Column<'a, i64>,
    calls: Column<'a, u32>,
    refused: Column<'a, u32>,
    latency_ms: Percentiles<'a>,
    errors: BTreeMap<&'a str, Column<'a, u32>>,
    tools: BTreeMap<&'a str, Column<'a, u32>>,
    families: BTreeMap<&'a str, FamilyColumns<'a>>,
    units: Units<'a>,
    cache_hit: Column<'a, Option<f32>>,
    replay_hit: Column<'a, Option<f32>>,
    connections: Column<'a, u32>,
    gauges: &'a Gauges,
}

#[derive(Serialize)]
struct Percentiles<'a> {
    p50: Column<'a, Option<f32>>,
    p95: Column<'a, Option<f32>>,
    p99: Column<'a, Option<f32>>,
}

#[derive(Serialize)]
struct Units<'a> {
    anonymous: Column<'a, u32>,
    accounts: Column<'a, u32>,
}

#[derive(Serialize)]
struct FamilyColumns<'a> {
    state: Column<'a, State>,
    asked: Column<'a, u32>,
    failed: Column<'a, u32>,
}

/// One value of every step.
struct Column<'a, T> {
    steps: &'a [&'a Step],
    value: Box<dyn Fn(&Step) -> T + 'a>,
}

impl<T: Serialize> Serialize for Column<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sequence = serializer.serialize_seq(Some(self.steps.len()))?;
        for step in self.steps {
            sequence.serialize_element(&(self.value)(step))?;
        }
        sequence.end()
    }
}

/// The document of what is kept after a moment.
pub(super) fn document(known: &Known, ring: &Ring, gauges: &Gauges, now: i64, after: Option<i64>) -> Bytes {
    let steps: Vec<&Step> = ring.after(after).collect();
    let steps = steps.as_slice();
    // Only words that occur within all that is kept, so that a reader of the newest part has the same keys.
    let occurring = |words: &'_ [&'static str], of: fn(&Step) -> &[u32]| {
        let occurs = |at: usize| ring.all().any(|step| of(step).get(at).is_some_and(|count| *count > 0));
        let columns = words.iter().enumerate().filter(|(at, _)| occurs(*at)).map(|(at, word)| {
            (*word, column(steps, move |step| of(step).get(at).copied().unwrap_or_default()))
        });
        columns.collect::<BTreeMap<_, _>>()
    };
    let family = |(at, word): (usize, &&'static str)| {
        let of = move |step: &Step| step.families.get(at).copied();
        let columns = FamilyColumns {
            state: column(steps, move |step| of(step).map_or(State::NoData, |family| family.state)),
            asked: column(steps, move |step| of(step).map_or(0, |family| family.asked)),
            failed: column(steps, move |step| of(step).map_or(0, |family| family.failed)),
        };
        (*word, columns)
    };
    let percentile = |at: usize| {
        column(steps, move |step| {
            step.latency
                .and_then(|latency| latency.get(at).copied())
                .map(|ms| (ms * 1_000.0).round() / 1_000.0)
        })
    };
    let units = |at: usize| column(steps, move |step| step.units.get(at).copied().unwrap_or_default());
    let document = Document {
        version: known.version,
        public_base: &known.public_base,
        is_demo: known.is_demo,
        started: known.started,
        now,
        step_s: STEP_S,
        kept_s: u64::from(STEP_S) * KEPT as u64,
        set_back: ring.set_back(),
        t: column(steps, |step| step.at),
        calls: column(steps, |step| step.calls),
        refused: column(steps, |step| step.refused),
        latency_ms: Percentiles { p50: percentile(0), p95: percentile(1), p99: percentile(2) },
        errors: occurring(&known.errors, |step| &step.errors),
        tools: occurring(&known.tools, |step| &step.tools),
        families: known.families.iter().enumerate().map(family).collect(),
        units: Units { anonymous: units(0), accounts: units(1) },
        cache_hit: column(steps, |step| step.cache),
        replay_hit: column(steps, |step| step.replay),
        connections: column(steps, |step| step.connections),
        gauges,
    };
    // Numbers, words and lists have nothing that JSON lacks.
    serde_json::to_vec(&document).unwrap_or_default().into()
}

fn column<'a, T>(steps: &'a [&'a Step], value: impl Fn(&Step) -> T + 'a) -> Column<'a, T> {
    Column { steps, value: Box::new(value) }
}
