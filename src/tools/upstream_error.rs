//! Faults of the data service in the words of the closed error vocabulary.

use std::time::Duration;

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::clock::whole_ms;
use crate::crate_client::UpstreamFault;
use crate::crate_client::fault::Wait;
use crate::crate_client::window::Scope;
use crate::envelope::degraded::{Degraded, FallbackTier};
use crate::envelope::error::{Cause, ErrorType, ToolError};
use crate::model::gap::{Fact, GapReason};

/// How long whoever met an answer that the service calls degraded is told to wait: as long as a window is open.
const DEGRADED_WAIT: Duration = Duration::from_secs(30);

/// The error that a fault becomes when it leaves nothing to answer with.
#[must_use]
pub fn from(fault: UpstreamFault) -> ToolError {
    match fault {
        UpstreamFault::CallDeadline { deadline } => deadline_passed(Cause::CallDeadline, deadline),
        UpstreamFault::ToolDeadline { deadline } => deadline_passed(Cause::ToolDeadline, deadline),
        UpstreamFault::Status { status, retry_after } => refused(status, retry_after),
        UpstreamFault::RateLimited { retry_after, at_once, reset_at } => {
            let reason = if at_once { "concurrency" } else { "rate_limited" };
            let error = retry("The data service is busy.", reason, retry_after);
            with_reset(error.with("status_class", "4xx"), reset_at)
        }
        UpstreamFault::Unreadable => {
            retry("The data service sent an answer that cannot be read.", "unreadable", None)
        }
        UpstreamFault::AnotherRecord => another_record(Asked::ByKey),
        UpstreamFault::SaysError => {
            retry("The data service failed.", "server_error", None).with("status_class", "2xx")
        }
        UpstreamFault::Unreachable => retry("The data service could not be reached.", "unreachable", None),
        UpstreamFault::BrokenOff => {
            retry("The data service's answer broke off in the middle.", "broken_off", None)
        }
        UpstreamFault::Degraded => ToolError::new(
            ErrorType::UpstreamDegraded,
            "The data service says that its answer is degraded, so it is not passed on.",
        )
        .with("reason", "degraded_answer")
        .with("retry_after_ms", whole_ms(DEGRADED_WAIT))
        .hint("Wait for retry_after_ms, then call again.")
        .degraded(degraded(fault)),
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
        UpstreamFault::NoRoom { signed_in, wait } => no_room(signed_in, wait),
    }
}

/// In which way a record was asked for, which decides what else can be tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// An artist by name.
    ByName,
    /// An artist by a cluster id or a slug.
    ByKey,
    /// A label by slug.
    LabelBySlug,
    /// A label by cluster id.
    LabelByCluster,
}

/// The same for a record that was asked for in this way.
#[must_use]
pub fn from_asked(fault: UpstreamFault, asked: Asked) -> ToolError {
    match fault {
        UpstreamFault::AnotherRecord => another_record(asked),
        fault => from(fault),
    }
}

fn another_record(asked: Asked) -> ToolError {
    let (asked_for, hint) = match asked {
        Asked::ByName => (
            "name",
            "Give a link to the artist as url, or its discogs_id or mbid, instead of the name; a retry does not help.",
        ),
        Asked::ByKey => {
            ("key", "Look it up again by name, and go on with the key that is found; a retry does not help.")
        }
        Asked::LabelBySlug => (
            "slug",
            "Give the label's cluster_id, if it is known, or find its records with the argument label of search_catalog; a \
             retry does not help.",
        ),
        Asked::LabelByCluster => (
            "cluster_id",
            "Give the label's slug, or find its records with the argument label of search_catalog; a retry does not help.",
        ),
    };
    let message = format!(
        "The data service answered with the record of another {asked_for} than the one it was asked for, so it is not \
         passed on."
    );
    ToolError::new(ErrorType::UpstreamError, message)
        .with("reason", "another_record")
        .hint(hint)
        .recoverable(true)
        .retryable(false)
}

/// What stands in the place of what a failed request was to bring, in an answer that does without it, and what such an
/// answer says about it. Only what may come back later is told as degraded.
#[must_use]
pub fn gap(fault: UpstreamFault) -> (GapReason, Option<Degraded>) {
    match fault {
        UpstreamFault::Status { status: ..500, .. } => (GapReason::RefusedUpstream, None),
        UpstreamFault::AnotherRecord => (GapReason::AmbiguousBind, None),
        fault => (GapReason::UpstreamDegraded, Some(degraded(fault))),
    }
}

/// The same for a fact that the request was to bring.
pub(super) fn without<T>(fault: UpstreamFault) -> (Fact<T>, Option<Degraded>) {
    let (reason, degraded) = gap(fault);
    (Err(reason), degraded)
}

/// What an answer says that does without something which may come back later.
#[must_use]
pub fn degraded(fault: UpstreamFault) -> Degraded {
    Degraded::at(match fault {
        UpstreamFault::Window { .. } => FallbackTier::Unavailable,
        UpstreamFault::Degraded => FallbackTier::Suspect,
        UpstreamFault::CallDeadline { .. }
        | UpstreamFault::ToolDeadline { .. }
        | UpstreamFault::Status { .. }
        | UpstreamFault::RateLimited { .. }
        | UpstreamFault::Unreadable
        | UpstreamFault::SaysError
        | UpstreamFault::AnotherRecord
        | UpstreamFault::Unreachable
        | UpstreamFault::BrokenOff
        | UpstreamFault::NoRoom { .. } => FallbackTier::NoSignal,
    })
}

fn refused(status: u16, retry_after: Option<Duration>) -> ToolError {
    let error = match status {
        401..=403 => {
            ToolError::new(ErrorType::UpstreamError, "The data service refused this server's access.")
                .with("reason", "credentials_refused")
                .hint("Report it to the operator with meta.request_id; a retry does not help.")
                .recoverable(false)
        }
        500.. => retry("The data service failed.", "server_error", retry_after),
        _ => ToolError::new(ErrorType::UpstreamError, "The data service did not accept the request.")
            .with("reason", "not_available")
            .hint("A retry does not help; report it with meta.request_id.")
            .recoverable(false),
    };
    error.with("status_class", format!("{}xx", status / 100))
}

/// The plan of this server's key is used up; nothing was asked.
fn no_room(signed_in: bool, wait: Wait) -> ToolError {
    let error = if signed_in {
        ToolError::new(
            ErrorType::LinkedCapacityExhausted,
            "The capacity that signed-in callers share is exhausted for now.",
        )
    } else {
        ToolError::new(
            ErrorType::AnonymousCapacityExhausted,
            "The capacity that anonymous callers share is exhausted for now.",
        )
    };
    match wait {
        Wait::For(wait) => {
            error.with("retry_after_ms", whole_ms(wait)).hint("Wait for retry_after_ms, then call again.")
        }
        Wait::Until(at) => with_reset(error, Some(at)).hint("Call again after reset_at."),
    }
    .with("reason", "plan")
}

fn with_reset(error: ToolError, reset_at: Option<OffsetDateTime>) -> ToolError {
    match reset_at.and_then(|at| at.format(&Rfc3339).ok()) {
        Some(at) => error.with("reset_at", at),
        None => error,
    }
}

/// The error of a call that ran out of time.
#[must_use]
pub fn deadline_passed(cause: Cause, deadline: Duration) -> ToolError {
    ToolError::new(ErrorType::UpstreamError, "The data service did not answer in time.")
        .with("cause", cause.as_str())
        .with("deadline_ms", u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX))
        .hint("Retry once after a few seconds.")
        .recoverable(true)
        .retryable(true)
        .degraded(Degraded::at(FallbackTier::NoSignal))
}

fn retry(message: &str, reason: &'static str, retry_after: Option<Duration>) -> ToolError {
    let error = ToolError::new(ErrorType::UpstreamError, message)
        .with("reason", reason)
        .recoverable(true)
        .retryable(true)
        .degraded(Degraded::at(FallbackTier::NoSignal));
    match retry_after {
        Some(wait) => {
            error.with("retry_after_ms", whole_ms(wait)).hint("Wait for retry_after_ms, then call again.")
        }
        None => error.hint("Retry once after a few seconds."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::family::Family;
    use time::macros::datetime;

    #[test]
    fn only_what_a_retry_can_mend_is_called_retryable() {
        let of = |fault| {
            let error = serde_json::to_value(from(fault)).unwrap();
            (error["recoverable"].as_bool().unwrap(), error["retryable"].as_bool().unwrap())
        };
        assert_eq!(of(UpstreamFault::CallDeadline { deadline: Duration::from_secs(8) }), (true, true));
        let status = |status| UpstreamFault::Status { status, retry_after: None };
        for number in [500, 502, 503, 504] {
            assert_eq!(of(status(number)), (true, true), "{number}");
        }
        for number in [204, 302, 400, 401, 402, 403, 410, 413] {
            assert_eq!(of(status(number)), (false, false), "{number}");
        }
        assert_eq!(of(UpstreamFault::BrokenOff), (true, true));
        assert_eq!(of(UpstreamFault::Degraded), (true, true));
        let busy = UpstreamFault::RateLimited { retry_after: None, at_once: false, reset_at: None };
        assert_eq!(of(busy), (true, true));
        assert_eq!(of(UpstreamFault::Unreadable), (true, true));
        assert_eq!(of(UpstreamFault::AnotherRecord), (true, false));
        assert_eq!(of(UpstreamFault::SaysError), (true, true));
        assert_eq!(of(UpstreamFault::Unreachable), (true, true));
        let window = UpstreamFault::Window { scope: Scope::Service, retry_after: Duration::from_secs(30) };
        assert_eq!(of(window), (true, true));
    }

    #[test]
    fn what_a_retry_does_not_mend_is_never_told_to_be_retried() {
        for fault in [UpstreamFault::AnotherRecord, UpstreamFault::Status { status: 403, retry_after: None }]
        {
            let error = from(fault);
            let bare = serde_json::to_value(&error).unwrap();
            assert_eq!(bare["retryable"], false);
            assert_ne!(error.clone().degraded(Degraded::at(FallbackTier::NoSignal)), error, "{fault:?}");
        }
    }

    #[test]
    fn another_record_is_never_answered_with_the_way_that_led_to_it() {
        let hint = |asked| {
            let error = from_asked(UpstreamFault::AnotherRecord, asked);
            error.datum("fix_hint").and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
        };
        assert!(hint(Asked::ByName).contains("discogs_id") && !hint(Asked::ByName).contains("by name"));
        assert!(hint(Asked::ByKey).contains("by name"));
        assert!(
            !hint(Asked::LabelBySlug).contains("slug") && hint(Asked::LabelBySlug).contains("search_catalog")
        );
        assert!(!hint(Asked::LabelByCluster).contains("cluster_id"));
        let other = UpstreamFault::Unreachable;
        assert_eq!(from_asked(other, Asked::ByName), from(other));
    }

    #[test]
    fn a_gap_is_called_degraded_only_where_asking_later_may_close_it() {
        let status = |status| gap(UpstreamFault::Status { status, retry_after: None });
        for refused in [302, 400, 401, 402, 403, 410, 422] {
            assert_eq!(status(refused), (GapReason::RefusedUpstream, None), "{refused}");
        }
        let later = (GapReason::UpstreamDegraded, Some(Degraded::at(FallbackTier::NoSignal)));
        for failed in [500, 502, 503, 504] {
            assert_eq!(status(failed), later, "{failed}");
        }
        let busy = UpstreamFault::RateLimited { retry_after: None, at_once: false, reset_at: None };
        assert_eq!((gap(busy), gap(UpstreamFault::Unreachable)), (later, later));
        assert_eq!(gap(UpstreamFault::AnotherRecord), (GapReason::AmbiguousBind, None));
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

    #[test]
    fn a_plan_that_is_used_up_is_told_to_each_kind_of_caller_as_its_own_capacity() {
        let reset_at = datetime!(2027-02-01 0:00 UTC);
        for (signed_in, kind) in
            [(true, ErrorType::LinkedCapacityExhausted), (false, ErrorType::AnonymousCapacityExhausted)]
        {
            let error = from(UpstreamFault::NoRoom { signed_in, wait: Wait::For(Duration::from_secs(7)) });
            assert_eq!((error.kind(), error.datum("retry_after_ms")), (kind, Some(&7_000.into())));
            let error = from(UpstreamFault::NoRoom { signed_in, wait: Wait::Until(reset_at) });
            assert_eq!((error.kind(), error.datum("retry_after_ms")), (kind, None));
            assert_eq!(error.datum("reset_at"), Some(&"2027-02-01T00:00:00Z".into()));
        }
    }
}
