//! Faults of the data service in the words of the closed error vocabulary.

use crate::crate_client::UpstreamFault;
use crate::envelope::degraded::{Degraded, FallbackTier};
use crate::envelope::error::{Cause, ErrorType, ToolError};

/// The error that a fault becomes when it leaves nothing to answer with.
#[must_use]
pub fn from(fault: UpstreamFault) -> ToolError {
    match fault {
        UpstreamFault::CallDeadline { deadline } => deadline_passed(Cause::CallDeadline, deadline),
        UpstreamFault::Status { status: 401..=403 } => {
            ToolError::new(ErrorType::UpstreamError, "The data service refused this server's access.")
                .with("reason", "credentials_refused")
                .hint("Report it to the operator with meta.request_id; a retry does not help.")
        }
        UpstreamFault::Status { status: 429 } => retry("The data service is busy.", "rate_limited"),
        UpstreamFault::Status { status: 500.. } => retry("The data service failed.", "server_error"),
        UpstreamFault::Status { .. } => {
            ToolError::new(ErrorType::UpstreamError, "The data service did not accept the request.")
                .with("reason", "not_available")
                .hint("A retry does not help; report it with meta.request_id.")
                .recoverable(false)
        }
        UpstreamFault::Unreadable => {
            retry("The data service sent an answer that cannot be read.", "unreadable")
        }
        UpstreamFault::Unreachable => retry("The data service could not be reached.", "unreachable"),
    }
}

/// The error of a call that ran out of time.
#[must_use]
pub fn deadline_passed(cause: Cause, deadline: std::time::Duration) -> ToolError {
    ToolError::new(ErrorType::UpstreamError, "The data service did not answer in time.")
        .with("cause", cause.as_str())
        .with("deadline_ms", u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX))
        .hint("Retry once after a few seconds.")
        .recoverable(true)
        .retryable(true)
        .degraded(Degraded::at(FallbackTier::NoSignal))
}

fn retry(message: &str, reason: &'static str) -> ToolError {
    ToolError::new(ErrorType::UpstreamError, message)
        .with("reason", reason)
        .hint("Retry once after a few seconds.")
        .recoverable(true)
        .retryable(true)
        .degraded(Degraded::at(FallbackTier::NoSignal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn only_what_a_retry_can_mend_is_called_retryable() {
        let of = |fault| {
            let error = serde_json::to_value(from(fault)).unwrap();
            (error["recoverable"].as_bool().unwrap(), error["retryable"].as_bool().unwrap())
        };
        assert_eq!(of(UpstreamFault::CallDeadline { deadline: Duration::from_secs(8) }), (true, true));
        for status in [429, 500, 502, 503, 504] {
            assert_eq!(of(UpstreamFault::Status { status }), (true, true), "{status}");
        }
        for status in [400, 401, 402, 403, 410, 413] {
            assert_eq!(of(UpstreamFault::Status { status }), (false, false), "{status}");
        }
        assert_eq!(of(UpstreamFault::Unreadable), (true, true));
        assert_eq!(of(UpstreamFault::Unreachable), (true, true));
    }
}
