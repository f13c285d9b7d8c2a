//! When a failed request is made once more. Every request only reads, so a second one changes nothing.

use std::time::Duration;

use super::fault::UpstreamFault;

/// The pause before a connection is tried again.
const RECONNECT_AFTER: Duration = Duration::from_millis(100);
/// The longest pause that is worth waiting for within a call.
const PAUSE_MAX: Duration = Duration::from_secs(1);

/// How long to wait before the one retry that `fault` is worth; `None` when it is worth none.
pub(super) fn pause(fault: UpstreamFault) -> Option<Duration> {
    match fault {
        UpstreamFault::Unreachable | UpstreamFault::BrokenOff => Some(RECONNECT_AFTER),
        UpstreamFault::Status { status: 503, retry_after: Some(wait) } if wait <= PAUSE_MAX => Some(wait),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lost_connections_and_a_short_unavailability_are_tried_again() {
        let status = |status, retry_after| UpstreamFault::Status { status, retry_after };
        let second = Duration::from_secs(1);
        assert!(pause(UpstreamFault::Unreachable).is_some() && pause(UpstreamFault::BrokenOff).is_some());
        assert_eq!(pause(status(503, Some(second))), Some(second));
        for fault in [
            status(503, None),
            status(503, Some(second + Duration::from_millis(1))),
            status(500, Some(second)),
            status(504, Some(second)),
            UpstreamFault::RateLimited { retry_after: Some(second), at_once: true, reset_at: None },
            UpstreamFault::Unreadable,
            UpstreamFault::Degraded,
            UpstreamFault::CallDeadline { deadline: second },
        ] {
            assert_eq!(pause(fault), None, "{fault:?}");
        }
    }
}
