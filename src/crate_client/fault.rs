//! How an upstream request can fail.

use std::time::Duration;

use time::OffsetDateTime;

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
    /// The time of the whole tool call ended before the service had answered.
    #[error("no answer within the {} ms of the tool call", deadline.as_millis())]
    ToolDeadline {
        /// The time that the tool call had.
        deadline: Duration,
    },
    /// The service answered with an HTTP status other than 200, 404 and 429.
    #[error("HTTP status {status}")]
    Status {
        /// The status.
        status: u16,
        /// When to try again, where the service says so.
        retry_after: Option<Duration>,
    },
    /// The service counts too many requests of this server.
    #[error("HTTP status 429")]
    RateLimited {
        /// When to try again, where the service says so.
        retry_after: Option<Duration>,
        /// Whether the requests at once are meant, and not those of a minute or a month.
        at_once: bool,
        /// When the service will answer again, where that is so far away that more than a minute's requests
        /// are used up.
        reset_at: Option<OffsetDateTime>,
    },
    /// The service answered 200 with something that is not the JSON of its contract.
    #[error("an answer that cannot be read")]
    Unreadable,
    /// The service answered 200 with the record of another key than the one that was asked for.
    #[error("the record of another key")]
    AnotherRecord,
    /// The service answered 200 with an error in its own form.
    #[error("an error under HTTP status 200")]
    SaysError,
    /// The service answered 200 and says that this answer is degraded.
    #[error("an answer that the service itself calls degraded")]
    Degraded,
    /// The service could not be reached, or the connection ended before an answer began.
    #[error("no connection")]
    Unreachable,
    /// The connection ended in the middle of an answer.
    #[error("an answer that broke off")]
    BrokenOff,
    /// The service was not asked, because it failed too often just now.
    #[error("not asked: a degraded window of {scope}")]
    Window {
        /// What is not being asked.
        scope: Scope,
        /// When to try again.
        retry_after: Duration,
    },
    /// The service was not asked, because the plan of this server's key has no room for it in time.
    #[error("not asked: the plan is used up")]
    NoRoom {
        /// Whether an account asked.
        signed_in: bool,
        /// When there will be room.
        wait: Wait,
    },
}

/// When a plan has room again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// After this time.
    For(Duration),
    /// When the month ends, in UTC.
    Until(OffsetDateTime),
}

impl UpstreamFault {
    /// What it says about the health of the service: a refusal is about the request, all else is a
    /// failure.
    pub(super) fn outcome(self) -> Outcome {
        match self {
            Self::Status { status: ..500, .. } | Self::RateLimited { .. } => Outcome::Refused,
            Self::Status { .. }
            | Self::CallDeadline { .. }
            | Self::ToolDeadline { .. }
            | Self::Unreadable
            | Self::SaysError
            | Self::Degraded
            | Self::Unreachable
            | Self::BrokenOff => Outcome::Failed,
            // Nothing was asked, so nothing is learned.
            Self::Window { .. } | Self::NoRoom { .. } => Outcome::Abandoned,
            // The service answered, and may have meant it.
            Self::AnotherRecord => Outcome::Refused,
        }
    }

    /// Whether the service was asked at all.
    pub(super) fn was_sent(self) -> bool {
        !matches!(self, Self::Window { .. } | Self::NoRoom { .. })
    }

    /// Whether the service counts the request although it failed.
    pub(super) fn is_charged(self) -> bool {
        matches!(
            self,
            Self::CallDeadline { .. }
                | Self::ToolDeadline { .. }
                | Self::Unreadable
                | Self::AnotherRecord
                | Self::Degraded
        )
    }
}

impl From<Closed> for UpstreamFault {
    fn from(closed: Closed) -> Self {
        Self::Window { scope: closed.scope, retry_after: closed.retry_after }
    }
}
