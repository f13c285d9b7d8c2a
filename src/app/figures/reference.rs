//! The table of metrics as a page of the documentation has it.
//!
//! Decides nothing: the words of each label come from those who count.

use super::{CERTIFICATES, READ, scopes, words};
use crate::admin::Reading;
use crate::admission::{Replayed, Who};
use crate::auth::fault::TokenFault;
use crate::crate_client::tallies::{CameFrom, End, NotSent};
use crate::model::family::Family;
use crate::store::Health;
use crate::store::backups::Outcome;
use crate::telemetry::count::texts;
use crate::telemetry::{Calls, Metric};
use crate::transport::{Held, Traffic, Unshaken};

/// The table of metrics as a page of the documentation has it.
#[must_use]
pub fn metrics_reference() -> String {
    Metric::reference(labels)
}

/// The words of each label of a metric; none for a tool and for a version, which other pages list.
fn labels(metric: Metric) -> Vec<Vec<&'static str>> {
    let calls = || Calls::new(&words());
    let families = || Family::ALL.map(Family::as_str).to_vec();
    let elsewhere = Vec::new;
    match metric {
        Metric::Requests => vec![firsts(calls().requests())],
        Metric::Refused => vec![firsts(calls().refused())],
        Metric::TokensRefused => vec![texts::<TokenFault>()],
        Metric::Calls => vec![elsewhere(), ends(&calls())],
        Metric::CallSeconds => vec![elsewhere()],
        Metric::Units => vec![texts::<Who>()],
        Metric::Replays => vec![texts::<Replayed>()],
        Metric::Upstream => vec![families(), texts::<End>()],
        Metric::UpstreamSeconds | Metric::UpstreamUnreadable => vec![families()],
        Metric::NotAsked => vec![families(), texts::<NotSent>()],
        Metric::Fetches => vec![texts::<CameFrom>()],
        Metric::WindowOpen => vec![scopes().map(|(word, _)| word).collect()],
        Metric::ConnectionsHeld => vec![texts::<Held>()],
        Metric::Handshakes => vec![texts::<Unshaken>()],
        Metric::Answers => vec![firsts(Traffic::default().answers.read())],
        Metric::StoreHealth => vec![Health::WORDS.to_vec()],
        Metric::Backups => vec![texts::<Outcome>()],
        Metric::Reloads => vec![READ.to_vec(), texts::<Reading>()],
        Metric::ReloadRefused => vec![READ.to_vec()],
        Metric::CertificateEnd => vec![CERTIFICATES.to_vec()],
        Metric::Build => vec![elsewhere()],
        Metric::AnonymousUsed
        | Metric::AnonymousBudget
        | Metric::AccountsActive
        | Metric::AccountsAtLimit
        | Metric::KeyRefused
        | Metric::PlanMinuteUsed
        | Metric::PlanMinute
        | Metric::PlanMonthUsed
        | Metric::PlanMonth
        | Metric::Ladder
        | Metric::AnonymousPaused
        | Metric::ToolsOff
        | Metric::Connections
        | Metric::ConnectionsMax
        | Metric::ConnectionsTaken
        | Metric::GaveWay
        | Metric::StoreFlushes
        | Metric::StoreFailures
        | Metric::RestoreUnconfirmed
        | Metric::BackupLast
        | Metric::BackupMissing
        | Metric::CertificateFailures
        | Metric::Ready
        | Metric::LinesLeftOut
        | Metric::Resident
        | Metric::OpenFds
        | Metric::MaxFds
        | Metric::Started => Vec::new(),
    }
}

fn firsts(pairs: impl Iterator<Item = (&'static str, u64)>) -> Vec<&'static str> {
    pairs.map(|(word, _)| word).collect()
}

/// How calls end, of one tool: every other one has the same.
fn ends(calls: &Calls) -> Vec<&'static str> {
    let first = calls.by_outcome().next().map(|(tool, _, _)| tool);
    calls.by_outcome().filter(|(tool, _, _)| Some(*tool) == first).map(|(_, end, _)| end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_label_of_a_metric_has_its_words_but_for_tools_and_the_version() {
        for metric in Metric::ALL {
            let row = metric.row();
            let words = labels(metric);
            assert_eq!(words.len(), row.labels.len(), "{}", row.name);
            for (label, words) in row.labels.iter().zip(&words) {
                let is_elsewhere = matches!(*label, "tool" | "version");
                assert_eq!(words.is_empty(), is_elsewhere, "{label} of {}", row.name);
            }
        }
    }
}
