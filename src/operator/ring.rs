//! The last hour, one entry every five seconds.
//!
//! Decides what is kept of the counts and for how long. An entry takes a few hundred bytes whatever happens, so that
//! the hour takes about a quarter of a megabyte. The time is told to it.

use std::collections::VecDeque;
use std::time::Duration;

use super::series::{Pulse, State};

/// Seconds from one entry to the next.
pub const STEP_S: u32 = 5;
/// The same as a time.
pub(super) const STEP: Duration = Duration::from_secs(STEP_S as u64);
/// How many entries are kept.
pub(super) const KEPT: usize = 720;

/// What is kept.
#[derive(Debug)]
pub struct Ring {
    before: Pulse,
    steps: VecDeque<Step>,
    set_back: u64,
}

/// What came between two looks at the counts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step {
    pub(super) at: i64,
    pub(super) calls: u32,
    pub(super) refused: u32,
    /// Milliseconds of the 50th, 95th and 99th percentile; `None` when there were no calls.
    pub(super) latency: Option<[f32; 3]>,
    /// In the order of the words.
    pub(super) errors: Box<[u32]>,
    pub(super) tools: Box<[u32]>,
    pub(super) families: Box<[FamilyStep]>,
    pub(super) units: [u32; 2],
    pub(super) cache: Option<f32>,
    pub(super) replay: Option<f32>,
    pub(super) connections: u32,
}

/// What came of one family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FamilyStep {
    pub(super) state: State,
    pub(super) asked: u32,
    pub(super) failed: u32,
}

impl Ring {
    /// Nothing yet; what comes counts from `pulse` on.
    #[must_use]
    pub fn new(pulse: Pulse) -> Self {
        Self { before: pulse, steps: VecDeque::with_capacity(KEPT), set_back: 0 }
    }

    /// Keeps what came since the last look, which ends at `now`, in seconds since 1970. Where the clock was set back,
    /// what lies ahead of it goes: nobody would look there before it is that time again.
    pub fn push(&mut self, pulse: Pulse, now: i64) {
        self.set_back += u64::from(self.steps.back().is_some_and(|last| last.at >= now));
        while self.steps.back().is_some_and(|last| last.at >= now) {
            self.steps.pop_back();
        }
        let before = std::mem::replace(&mut self.before, pulse);
        let step = Step::between(&before, &self.before, now);
        if self.steps.len() >= KEPT {
            self.steps.pop_front();
        }
        self.steps.push_back(step);
    }

    /// How often entries went since the clock was set back: whoever keeps some of before has to ask for all anew.
    pub(super) fn set_back(&self) -> u64 {
        self.set_back
    }

    /// What came after a moment, the oldest first.
    pub(super) fn after(&self, moment: Option<i64>) -> impl Iterator<Item = &Step> + Clone {
        self.steps.iter().filter(move |step| moment.is_none_or(|moment| step.at > moment))
    }

    /// Every entry.
    pub(super) fn all(&self) -> impl Iterator<Item = &Step> + Clone {
        self.steps.iter()
    }
}

impl Step {
    #[expect(clippy::cast_possible_truncation, reason = "milliseconds below an hour need no more digits")]
    fn between(before: &Pulse, now: &Pulse, at: i64) -> Self {
        let each = |now: &[u64], before: &[u64]| -> Box<[u32]> {
            now.iter().zip(before).map(|(now, before)| more(*now, *before)).collect()
        };
        let times = now.latency.since(&before.latency);
        let percentile = |percent| times.percentile_ms(percent).map(|ms| ms as f32);
        let latency = percentile(50).zip(percentile(95)).zip(percentile(99));
        let families = now.families.iter().zip(&before.families).map(|(now, before)| {
            let asked = more(now.asked, before.asked);
            let state = match (now.is_open, asked) {
                (true, _) => State::Degraded,
                (false, 0) => State::NoData,
                (false, _) => State::None,
            };
            FamilyStep { state, asked, failed: more(now.failed, before.failed) }
        });
        Self {
            at,
            calls: more(now.calls, before.calls),
            refused: more(now.refused, before.refused),
            latency: latency.map(|((p50, p95), p99)| [p50, p95, p99]),
            errors: each(&now.errors, &before.errors),
            tools: each(&now.tools, &before.tools),
            families: families.collect(),
            units: std::array::from_fn(|at| {
                let of = |units: &[u64; 2]| units.get(at).copied().unwrap_or_default();
                more(of(&now.units), of(&before.units))
            }),
            cache: share(now.cache, before.cache),
            replay: share(now.replay, before.replay),
            connections: u32::try_from(now.connections).unwrap_or(u32::MAX),
        }
    }
}

fn more(now: u64, before: u64) -> u32 {
    u32::try_from(now.saturating_sub(before)).unwrap_or(u32::MAX)
}

/// Which part of all were hits; `None` when there was nothing.
#[expect(clippy::cast_precision_loss, reason = "a share needs few digits")]
fn share((hits, all): (u64, u64), (hits_before, all_before): (u64, u64)) -> Option<f32> {
    let (hits, all) = (hits.saturating_sub(hits_before), all.saturating_sub(all_before));
    (all > 0).then(|| hits as f32 / all as f32)
}
