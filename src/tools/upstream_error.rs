//! Faults of the data service in the words of the closed error vocabulary.

use crate::clock::whole_ms;
use crate::crate_client::UpstreamFault;
use crate::crate_client::window::Scope;
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
        UpstreamFault::Degraded => {
            retry("The data service calls its own answer degraded.", "degraded").degraded(degraded(fault))
        }
        UpstreamFault::Unreachable => retry("The data service could not be reached.", "unreachable"),
        UpstreamFault::Window { scope, retry_after } => {
            let message = match scope {
                Scope::Service => {
                    "The data service keeps failing, so it is not asked for a while.".to_owned()
                }
                Scope::Family(family) => format!(
                    "The data service keeps failing on {} requests, so these are not made for a while.",
                    family.as_str()
                ),
            };
            ToolError::new(ErrorType::UpstreamDegraded, message)
                .with("retry_after_ms", whole_ms(retry_after))
                .hint("Wait for retry_after_ms, then call again.")
                .degraded(degraded(fault))
        }
    }
}

/// What an answer that does without the failed request says about it.
#[must_use]
pub fn degraded(fault: UpstreamFault) -> Degraded {
    Degraded::at(match fault {
        UpstreamFault::Window { .. } => FallbackTier::Unavailable,
        UpstreamFault::Degraded => FallbackTier::Suspect,
        UpstreamFault::CallDeadline { .. }
        | UpstreamFault::Status { .. }
        | UpstreamFault::Unreadable
        | UpstreamFault::Unreachable => FallbackTier::NoSignal,
    })
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
    use crate::model::family::Family;
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
        let window = UpstreamFault::Window { scope: Scope::Service, retry_after: Duration::from_secs(30) };
        assert_eq!(of(window), (true, true));
    }

    #[test]
    fn a_degraded_window_says_what_is_closed_and_for_how_long() {
        for (scope, names_artist) in [(Scope::Service, false), (Scope::Family(Family::Artist), true)] {
            let error = from(UpstreamFault::Window { scope, retry_after: Duration::from_micros(12_345_678) });
            assert_eq!(error.kind(), ErrorType::UpstreamDegraded);
            assert_eq!(error.message().contains("artist"), names_artist);
            assert_eq!(error.datum("retry_after_ms"), Some(&serde_json::json!(12_346)));
            assert!(error.datum("fix_hint").is_some());
            assert_eq!(error.clone().degraded(Degraded::at(FallbackTier::Unavailable)), error);
        }
    }
}
