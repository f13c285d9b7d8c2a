//! How an upstream request can fail.

use std::time::Duration;

use super::window::{Closed, Outcome, Scope};

/// A request that brought no usable answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UpstreamFault {
    /// The service did not answer within the time of one request.
    #[error("no answer within {} ms", deadline.as_millis())]
    CallDeadline {
        /// The time that it had.
        deadline: Duration,
    },
    /// The service answered with an HTTP status other than 200 and 404.
    #[error("HTTP status {status}")]
    Status {
        /// The status.
        status: u16,
    },
    /// The service answered 200 with something that is not the JSON of its contract.
    #[error("an answer that cannot be read")]
    Unreadable,
    /// The service answered 200 and says that this answer is degraded.
    #[error("an answer that the service itself calls degraded")]
    Degraded,
    /// The service could not be reached, or the connection broke.
    #[error("no connection")]
    Unreachable,
    /// The service was not asked, because it failed too often just now.
    #[error("not asked: a degraded window of {scope}")]
    Window {
        /// What is not being asked.
        scope: Scope,
        /// When to try again.
        retry_after: Duration,
    },
}

impl UpstreamFault {
    /// What it says about the health of the service: a refusal is about the request, all else is a
    /// failure.
    pub(super) fn outcome(self) -> Outcome {
        match self {
            Self::Status { status: ..500 } => Outcome::Refused,
            Self::Status { .. }
            | Self::CallDeadline { .. }
            | Self::Unreadable
            | Self::Degraded
            | Self::Unreachable => Outcome::Failed,
            // Nothing was asked, so nothing is learned.
            Self::Window { .. } => Outcome::Abandoned,
        }
    }
}

impl From<Closed> for UpstreamFault {
    fn from(closed: Closed) -> Self {
        Self::Window { scope: closed.scope, retry_after: closed.retry_after }
    }
}
