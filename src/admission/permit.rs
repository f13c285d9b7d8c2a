//! A call that may run: what it holds, and how it ends.

use std::sync::Arc;

use tokio::sync::OwnedSemaphorePermit;

use super::account::Place;
use super::purse::Hold;
use super::refusal;
use super::replay::Leader;
use super::tallies::Spending;
use crate::crate_client::CallLedger;
use crate::envelope::error::ToolError;
use crate::envelope::meta::Quota;
use crate::store::rows::Replay;
use crate::store::{Health, State};

/// A running call: holds its places and its units. Dropping it charges what was spent, also when the client went away
/// in the middle; [`Self::settle`] does so and says when it is durable.
#[derive(Debug)]
pub struct Permit {
    pub(super) ledger: Arc<CallLedger>,
    pub(super) hold: Hold,
    /// The allowance of an account; `None` for callers without one.
    pub(super) allowance: Option<u64>,
    pub(super) state: Arc<State>,
    /// Only accounts have replays.
    pub(super) leader: Option<Leader>,
    pub(super) _places: (OwnedSemaphorePermit, Option<Place>),
    pub(super) _spending: Spending,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// The use of the account's allowance with this call; `None` for callers without one.
    pub quota: Option<Quota>,
    /// Whether an answer that should have been kept for identical calls was not.
    pub replay_failed: bool,
}

impl Permit {
    /// Where the call counts what it spends.
    #[must_use]
    pub fn ledger(&self) -> &Arc<CallLedger> {
        &self.ledger
    }

    /// What the account has used with this call; `None` for callers without one.
    #[must_use]
    pub fn quota(&self) -> Option<Quota> {
        self.allowance.map(|allowance| refusal::quota(self.hold.used(), allowance))
    }

    /// Ends the call. When it spent something, that is durable together with `answer`, which identical calls are
    /// answered with from then on; `None` keeps nothing.
    ///
    /// # Errors
    /// When it could not be metered: the answer must not be served.
    pub async fn settle(self, answer: Option<Arc<str>>) -> Result<Settled, ToolError> {
        let Self { hold, allowance, state, leader, _places, .. } = self;
        let key = leader.as_ref().map(|leader| *leader.key().as_bytes());
        // With little room on the disk, what can be done without is not written.
        let may_keep = state.health() == Health::Good;
        let wanted = answer.is_some() && key.is_some();
        let kept = answer.zip(key).filter(|_| may_keep);
        let mut stored = false;
        let settled = hold
            .settle(|batch| {
                if let Some((answer, key)) = kept {
                    stored = state.replays.put(batch, key, Replay { answer }).is_ok();
                }
            })
            .await;
        match settled {
            Ok(used) => Ok(Settled {
                quota: allowance.map(|allowance| refusal::quota(used, allowance)),
                replay_failed: wanted && !stored,
            }),
            Err(error) => {
                if let Some(key) = key {
                    state.replays.forget(&key);
                }
                Err(refusal::unmetered(error))
            }
        }
    }
}
