//! The texts of `get_profile` and `get_usage`.

use super::lines::line;
use crate::answer::{AccountProfile, AccountUsage};

/// Adds what the account may do.
pub(super) fn profile(text: &mut String, data: &AccountProfile) {
    let AccountProfile { account_mode, plan, units_per_month, calls_per_minute, calls_at_once } = data;
    if let Some(plan) = plan {
        line(text, format_args!("Plan: {plan}."));
    }
    line(
        text,
        format_args!(
            "Signed in ({account_mode} account). {units_per_month} units a month, {calls_per_minute} calls a minute, {calls_at_once} at once."
        ),
    );
}

/// Adds what the account has used.
pub(super) fn usage(text: &mut String, data: &AccountUsage) {
    let AccountUsage { used, allowance, remaining, warning_80, reset_at } = data;
    line(text, format_args!("{used} of {allowance} units used, {remaining} left until {reset_at}."));
    if *warning_80 {
        line(text, format_args!("Four fifths of the month's allowance are used."));
    }
}
