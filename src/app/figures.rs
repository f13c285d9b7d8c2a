//! Where the operator's figures come from: each value is read from the part that counts it.
//!
//! Decides nothing. Reading holds up nobody: what is locked is locked for a moment, and no file of the server is read.

mod reference;

use std::sync::Arc;

use time::OffsetDateTime;

pub use self::reference::metrics_reference;

use super::not_ready;
use crate::acme::Renewals;
use crate::admin::{CertificateKind, Reading, Standing};
use crate::admission::Replayed;
use crate::admission::ladder::Rung;
use crate::clock::Clock;
use crate::crate_client::window::Scope;
use crate::envelope::error::{ErrorType, Property};
use crate::model::family::Family;
use crate::operator::series::{
    AccountsNow, BackupsNow, Budget, CertificateNow, LadderNow, NotReady, PlanNow, ReloadNow, RenewalNow,
    Used,
};
use crate::operator::{FamilyPulse, Gauges, Known, Pulse, Source};
use crate::pipeline::Parts;
use crate::protocol::method::Method;
use crate::store::Health;
use crate::store::backups::Outcome;
use crate::telemetry::count::{Counters, Word as _};
use crate::telemetry::exposition::{Sample, Value};
use crate::telemetry::line_limit::lines_left_out;
use crate::telemetry::process;
use crate::telemetry::{Metric, Words};
use crate::tools::registry::ToolName;
use crate::transport::{Shown, Traffic};

/// The labels of certificates beyond which no further one is told.
const CERTIFICATES: [&str; 16] =
    ["first", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16"];
/// What is read again when it changes.
const READ: [&str; 2] = ["configuration", "certificate"];

/// The closed sets of what requests are about.
pub(super) fn words() -> Words {
    let issued = ErrorType::ALL.into_iter().filter(|error| error.recoverable() != Property::Reserved);
    Words {
        tools: ToolName::ALL.map(ToolName::as_str).to_vec(),
        errors: issued.map(ErrorType::as_str).collect(),
        methods: Method::NAMES.to_vec(),
    }
}

/// Every part that counts.
#[derive(Debug)]
pub(super) struct Figures {
    pub(super) parts: Arc<Parts>,
    pub(super) standing: Arc<Standing>,
    pub(super) shown: Arc<Shown>,
    pub(super) renewals: Option<Arc<Renewals>>,
    pub(super) traffic: Arc<Traffic>,
    pub(super) connections_max: usize,
    pub(super) public_base: String,
    pub(super) is_demo: bool,
    pub(super) started: OffsetDateTime,
    pub(super) clock: Clock,
}

impl Figures {
    fn certificates(&self) -> Vec<CertificateNow> {
        let now = self.clock.utc();
        let kinds = self.standing.kinds();
        let certificate = |(at, shown): (usize, &crate::transport::Identity)| CertificateNow {
            names: shown.own_names().to_vec(),
            from: shown.not_before().unix_timestamp(),
            until: shown.not_after().unix_timestamp(),
            days_left: (shown.not_after() - now).whole_seconds().div_euclid(86_400),
            kind: kinds.get(at).copied().unwrap_or(CertificateKind::File).as_str(),
        };
        self.shown.now().iter().enumerate().map(certificate).collect()
    }

    fn reloads(&self) -> [(&'static str, &Counters<Reading>, bool); 2] {
        let report = self.standing.report();
        let [configuration, certificate] = READ;
        [
            (configuration, &self.standing.configuration, report.configuration_refused.is_some()),
            (certificate, &self.standing.certificate, report.certificate_refused.is_some()),
        ]
    }

    fn ladder(&self) -> LadderNow {
        let (step, words) = match self.parts.admission.ladder().rung() {
            Rung::L0 => ("0", "nothing is given up"),
            Rung::L1 => ("1", "discovery tools are switched off"),
            Rung::L2 => ("2", "anonymous use is paused too"),
            Rung::L3 => ("3", "every account has half its pace too"),
        };
        LadderNow { step, words, by_hand: self.parts.admission.ladder().is_by_hand() }
    }

    fn renewal(&self) -> Option<RenewalNow> {
        let outlook = self.renewals.as_ref()?.outlook();
        // Before there is any, it is asked for at once.
        let next = outlook.next.filter(|next| *next > OffsetDateTime::UNIX_EPOCH);
        Some(RenewalNow {
            next_try: next.map(OffsetDateTime::unix_timestamp),
            last_failure: outlook.failure,
            tries_failed: outlook.failures,
        })
    }
}

impl Source for Figures {
    fn known(&self) -> Known {
        Known {
            version: env!("CARGO_PKG_VERSION"),
            public_base: self.public_base.clone(),
            is_demo: self.is_demo,
            started: self.started.unix_timestamp(),
            errors: self.parts.calls.failures(),
            tools: words().tools,
            families: Family::ALL.map(Family::as_str).to_vec(),
        }
    }

    fn samples(&self, metric: Metric) -> Vec<Sample> {
        let Parts { admission, client, calls, auth, .. } = &*self.parts;
        let tallies = client.tallies();
        match metric {
            Metric::Requests => one(calls.requests()),
            Metric::Refused => one(calls.refused()),
            Metric::TokensRefused => one(auth.refusals()),
            Metric::Calls => two(calls.by_outcome()),
            Metric::CallSeconds => calls.took().map(|(tool, took)| Sample::times([tool], took)).collect(),
            Metric::Units => one(admission.units_spent()),
            Metric::AnonymousUsed => Sample::plain(admission.anonymous_units_today()),
            Metric::AnonymousBudget => Sample::plain(admission.anonymous_budget()),
            Metric::AccountsActive => Sample::plain(admission.accounts_now().active_today),
            Metric::AccountsAtLimit => Sample::plain(admission.accounts_now().at_limit),
            Metric::Replays => one(admission.replays().read()),
            Metric::Upstream => two(tallies.by_outcome()),
            Metric::UpstreamSeconds => {
                tallies.took().map(|(family, took)| Sample::times([family], took)).collect()
            }
            Metric::UpstreamUnreadable => one(tallies.unreadables()),
            Metric::NotAsked => two(tallies.not_asked()),
            Metric::Fetches => one(tallies.sources()),
            Metric::KeyRefused => Sample::plain(client.key_refused().is_some().into()),
            Metric::WindowOpen => {
                let open = client.open_windows();
                one(scopes().map(|(word, scope)| (word, u64::from(open.contains(&scope)))))
            }
            Metric::PlanMinuteUsed => plan(self, |plan| Some(plan.minute.into())),
            Metric::PlanMinute => plan(self, |plan| Some(plan.per_minute.into())),
            Metric::PlanMonthUsed => plan(self, |plan| Some(plan.month)),
            Metric::PlanMonth => plan(self, |plan| plan.per_month),
            Metric::Ladder => Sample::plain(admission.ladder().rung().number().into()),
            Metric::AnonymousPaused => Sample::plain(admission.ladder().is_anonymous_paused().into()),
            Metric::ToolsOff => Sample::plain(admission.ladder().stored().tools_off.len() as u64),
            Metric::Connections => Sample::plain(self.traffic.open.get()),
            Metric::ConnectionsMax => Sample::plain(self.connections_max as u64),
            Metric::ConnectionsTaken => Sample::plain(self.traffic.taken.get()),
            Metric::ConnectionsHeld => one(self.traffic.held.read()),
            Metric::GaveWay => Sample::plain(self.traffic.gave_way.get()),
            Metric::Handshakes => one(self.traffic.handshakes.read()),
            Metric::Answers => one(self.traffic.answers.read()),
            Metric::StoreHealth => {
                let now = admission.store_health().as_str();
                one(Health::WORDS.map(|state| (state, u64::from(state == now))))
            }
            Metric::StoreFlushes => {
                let flushes = admission.store_flushes();
                flushes.map(|flushes| Sample::times([], flushes.took)).into_iter().collect()
            }
            Metric::StoreFailures => {
                let flushes = admission.store_flushes();
                flushes.map(|flushes| Sample::of([], flushes.failed)).into_iter().collect()
            }
            Metric::RestoreUnconfirmed => Sample::plain(admission.ladder().is_unconfirmed().into()),
            Metric::Backups => one(admission.backups().counts().read()),
            Metric::BackupLast => {
                let last = admission.backups().standing().last;
                last.map(|last| moment(last.unix_timestamp())).into_iter().collect()
            }
            Metric::BackupMissing => Sample::plain(admission.backups().standing().missing.is_some().into()),
            Metric::Ready => {
                Sample::plain(not_ready(&self.parts, self.renewals.as_deref()).is_empty().into())
            }
            Metric::Reloads => two(self.reloads().into_iter().flat_map(|(what, readings, _)| {
                readings.read().map(move |(result, count)| (what, result, count))
            })),
            Metric::ReloadRefused => {
                one(self.reloads().map(|(what, _, is_refused)| (what, u64::from(is_refused))))
            }
            Metric::CertificateEnd => {
                let shown = self.shown.now();
                let ends = CERTIFICATES.iter().zip(&shown).map(|(word, certificate)| Sample {
                    words: vec![*word],
                    value: Value::Moment(certificate.not_after().unix_timestamp()),
                });
                ends.collect()
            }
            Metric::CertificateFailures => {
                let failures = self.renewals.as_ref().map_or(0, |renewals| renewals.outlook().failures);
                Sample::plain(failures.into())
            }
            Metric::LinesLeftOut => Sample::plain(lines_left_out()),
            Metric::Resident => known(process::resident_bytes()),
            Metric::OpenFds => known(process::open_fds()),
            Metric::MaxFds => known(process::max_fds()),
            Metric::Started => vec![moment(self.started.unix_timestamp())],
            Metric::Build => vec![Sample::of([env!("CARGO_PKG_VERSION")], 1)],
        }
    }

    fn pulse(&self) -> Pulse {
        let Parts { admission, client, calls, .. } = &*self.parts;
        let known = self.known();
        let mut pulse = Pulse {
            errors: vec![0; known.errors.len()],
            tools: vec![0; known.tools.len()],
            refused: calls.refused().map(|(_, count)| count).sum(),
            units: admission.units_spent().map(|(_, units)| units),
            connections: self.traffic.open.get(),
            ..Pulse::default()
        };
        for (tool, outcome, count) in calls.by_outcome() {
            pulse.calls += count;
            add(&mut pulse.tools, known.tools.iter().position(|word| *word == tool), count);
            add(&mut pulse.errors, known.errors.iter().position(|word| *word == outcome), count);
        }
        for (_, took) in calls.took() {
            pulse.latency = pulse.latency.and(&took);
        }
        let open = client.open_windows();
        let is_open = |family| open.contains(&Scope::Service) || open.contains(&Scope::Family(family));
        let asked = client.tallies().asked().map(|asked| FamilyPulse {
            is_open: is_open(asked.family),
            asked: asked.asked,
            failed: asked.failed,
        });
        pulse.families = asked.collect();
        pulse.cache = client.tallies().hits();
        let replays = admission.replays();
        pulse.replay = (replays.get(Replayed::Hit), replays.each().map(|(_, count)| count).sum());
        pulse
    }

    fn gauges(&self) -> Gauges {
        let Parts { admission, client, .. } = &*self.parts;
        let now = self.clock.utc();
        let tomorrow = now.date().next_day().unwrap_or(now.date()).midnight().assume_utc();
        let accounts = admission.accounts_now();
        let report = self.standing.report();
        let health = admission.store_health();
        let store = match health {
            Health::Refusing(error) => format!("{}: {error}", health.as_str()),
            Health::Good | Health::Tight => health.as_str().to_owned(),
        };
        let (counts, standing) = (admission.backups().counts(), admission.backups().standing());
        Gauges {
            anonymous: Budget {
                used: admission.anonymous_units_today(),
                of: admission.anonymous_budget(),
                resets: tomorrow.unix_timestamp(),
                paused: admission.ladder().is_anonymous_paused(),
            },
            accounts: AccountsNow { active_today: accounts.active_today, at_limit: accounts.at_limit },
            upstream_plan: client.plan_use().map(|plan| PlanNow {
                minute: Used { used: plan.minute.into(), of: Some(plan.per_minute.into()) },
                month: Used { used: plan.month, of: plan.per_month },
            }),
            upstream_key_refused: client.key_refused(),
            ladder: self.ladder(),
            tools_off: admission.ladder().stored().tools_off.iter().cloned().collect(),
            store,
            backups: BackupsNow {
                is_on: standing.is_on,
                every_s: standing.every.map(|every| every.as_secs()),
                written: counts.get(Outcome::Written),
                failed: counts.get(Outcome::Failed),
                put_off: counts.get(Outcome::PutOff),
                last: standing.last.map(OffsetDateTime::unix_timestamp),
                missing: standing.missing,
            },
            reload: ReloadNow {
                configuration_refused: report.configuration_refused,
                certificate_refused: report.certificate_refused,
                waits_for_start: report.waits_for_start,
                files_wait_for_start: report.files_wait_for_start,
                renewal: self.renewal(),
            },
            certificates: self.certificates(),
            not_ready: not_ready(&self.parts, self.renewals.as_deref())
                .into_iter()
                .map(|part| NotReady { part: part.part.as_str(), why: part.why })
                .collect(),
        }
    }
}

/// What a degraded window can keep from being asked, in words.
fn scopes() -> impl Iterator<Item = (&'static str, Scope)> {
    let families = Family::ALL.map(|family| (family.as_str(), Scope::Family(family)));
    std::iter::once(("service", Scope::Service)).chain(families)
}

fn moment(seconds: i64) -> Sample {
    Sample { words: Vec::new(), value: Value::Moment(seconds) }
}

fn one(values: impl IntoIterator<Item = (&'static str, u64)>) -> Vec<Sample> {
    values.into_iter().map(|(word, number)| Sample::of([word], number)).collect()
}

fn two(values: impl IntoIterator<Item = (&'static str, &'static str, u64)>) -> Vec<Sample> {
    values.into_iter().map(|(first, second, number)| Sample::of([first, second], number)).collect()
}

fn known(number: Option<u64>) -> Vec<Sample> {
    number.map(|number| Sample::of([], number)).into_iter().collect()
}

fn plan(figures: &Figures, value: impl Fn(crate::crate_client::PlanUse) -> Option<u64>) -> Vec<Sample> {
    known(figures.parts.client.plan_use().and_then(value))
}

fn add(counts: &mut [u64], at: Option<usize>, count: u64) {
    if let Some(of) = at.and_then(|at| counts.get_mut(at)) {
        *of += count;
    }
}
