//! The words of each refusal, with its figures.

use std::time::Duration;

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::calendar::month_end;
use super::purse::Used;
use crate::clock::whole_ms;
use crate::envelope::error::{ErrorType, ToolError};
use crate::envelope::meta::Quota;
use crate::store::StoreError;

/// How long a caller is told to wait for a free place, in milliseconds.
const PLACE_RETRY_MS: u64 = 1_000;
/// How long to wait for an identical call that runs, in milliseconds.
const SAME_CALL_RETRY_MS: u64 = 2_000;
/// How long to wait for a store that fails, in milliseconds. It looks after itself that often.
const STORE_RETRY_MS: u64 = 5_000;
/// How long to wait while an operator holds something back, in milliseconds.
const PAUSED_RETRY_MS: u64 = 60_000;

pub(super) fn paced(message: &str, reason: &str, wait: Duration) -> ToolError {
    ToolError::new(ErrorType::RateLimited, message)
        .with("reason", reason)
        .with("retry_after_ms", whole_ms(wait))
        .hint("Wait for retry_after_ms, then call again.")
}

pub(super) fn busy(message: &str) -> ToolError {
    ToolError::new(ErrorType::RateLimited, message)
        .with("reason", "concurrency")
        .with("retry_after_ms", PLACE_RETRY_MS)
        .hint("Wait for retry_after_ms, then call again.")
}

pub(super) fn in_progress() -> ToolError {
    ToolError::new(ErrorType::RequestInProgress, "The identical call is still running.")
        .with("retry_after_ms", SAME_CALL_RETRY_MS)
        .hint("Wait for retry_after_ms, then call again: its answer will be served, free of charge.")
}

/// The reason of a failing store is for the operator's log; a caller can do nothing with it.
pub(super) fn unmetered(_: StoreError) -> ToolError {
    ToolError::new(ErrorType::MeteringUnavailable, "The call could not be metered, so it was not served.")
        .with("retry_after_ms", STORE_RETRY_MS)
        .hint("Wait for retry_after_ms, then call again. Nothing was charged for this call.")
}

pub(super) fn unconfirmed() -> ToolError {
    ToolError::new(ErrorType::MeteringUnavailable, "The server was restored and waits for its operator.")
        .with("reason", "restore_unconfirmed")
        .with("retry_after_ms", PAUSED_RETRY_MS)
        .hint("Try again later; nothing was charged for this call.")
}

pub(super) fn used_up(used: Used, allowance: u64) -> ToolError {
    ToolError::new(ErrorType::QuotaExceeded, "The account's allowance for this month is used up.")
        .with("used", used.used)
        .with("allowance", allowance)
        .with("reset_at", moment(month_end(used.period)))
        .hint("Tell the user when it resets: reset_at, in UTC.")
}

pub(super) fn anonymous_used_up(until: OffsetDateTime, now: OffsetDateTime) -> ToolError {
    let wait = Duration::try_from(until - now).unwrap_or(Duration::ZERO);
    ToolError::new(ErrorType::AnonymousCapacityExhausted, "Today's anonymous capacity is used up.")
        .with("reset_at", moment(until))
        .with("retry_after_ms", whole_ms(wait))
        .hint("Sign in where that is offered, or retry after reset_at (UTC).")
}

pub(super) fn anonymous_paused(reason: &str) -> ToolError {
    ToolError::new(ErrorType::AnonymousCapacityExhausted, "Anonymous use is paused for now.")
        .with("reason", reason)
        .with("retry_after_ms", PAUSED_RETRY_MS)
        .hint("Sign in where that is offered, or retry later.")
}

pub(super) fn tool_off(reason: &str) -> ToolError {
    ToolError::new(ErrorType::ToolDisabled, "This tool is switched off for now.")
        .with("reason", reason)
        .with("retry_after_ms", PAUSED_RETRY_MS)
        .retryable(true)
        .hint("Retry later, or use another tool; signing in does not change it.")
}

pub(super) fn quota(used: Used, allowance: u64) -> Quota {
    Quota {
        used: used.used,
        allowance,
        warning_80: u128::from(used.used) * 5 >= u128::from(allowance) * 4,
        reset_at: moment(month_end(used.period)),
    }
}

fn moment(at: OffsetDateTime) -> String {
    at.format(&Rfc3339).unwrap_or_default()
}
