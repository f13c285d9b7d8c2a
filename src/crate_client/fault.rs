//! How an upstream request can fail.

use std::time::Duration;

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
    /// The service could not be reached, or the connection broke.
    #[error("no connection")]
    Unreachable,
}
