//! The table of metrics: what each is called, what it counts, and under which labels.
//!
//! `/metrics`, docs/metrics.md and the tests are made from it. Decides names and words; knows nothing of where values
//! come from.

/// What a value does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It only grows, from the start of the program.
    Counter,
    /// It goes up and down.
    Gauge,
    /// It counts below bounds.
    Histogram,
}

impl Kind {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// What it is called.
    pub name: &'static str,
    /// What its values do.
    pub kind: Kind,
    /// What tells its values apart. Each has a closed set of words.
    pub labels: &'static [&'static str],
    /// What it counts in.
    pub unit: &'static str,
    /// What it says, in Markdown without links.
    pub meaning: &'static str,
}

/// Every metric. Closed: each has a row, a value and a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Metric {
    /// `ono_requests_total`.
    Requests,
    /// `ono_refused_requests_total`.
    Refused,
    /// `ono_tokens_refused_total`.
    TokensRefused,
    /// `ono_calls_total`.
    Calls,
    /// `ono_call_duration_seconds`.
    CallSeconds,
    /// `ono_units_total`.
    Units,
    /// `ono_anonymous_units_used`.
    AnonymousUsed,
    /// `ono_anonymous_units_budget`.
    AnonymousBudget,
    /// `ono_accounts_active_today`.
    AccountsActive,
    /// `ono_accounts_at_limit`.
    AccountsAtLimit,
    /// `ono_replay_lookups_total`.
    Replays,
    /// `ono_upstream_requests_total`.
    Upstream,
    /// `ono_upstream_request_duration_seconds`.
    UpstreamSeconds,
    /// `ono_upstream_unreadable_total`.
    UpstreamUnreadable,
    /// `ono_upstream_not_asked_total`.
    NotAsked,
    /// `ono_upstream_fetches_total`.
    Fetches,
    /// `ono_upstream_key_refused`.
    KeyRefused,
    /// `ono_degraded_window_open`.
    WindowOpen,
    /// `ono_upstream_plan_minute_used`.
    PlanMinuteUsed,
    /// `ono_upstream_plan_minute_limit`.
    PlanMinute,
    /// `ono_upstream_plan_month_used`.
    PlanMonthUsed,
    /// `ono_upstream_plan_month_limit`.
    PlanMonth,
    /// `ono_ladder_rung`.
    Ladder,
    /// `ono_anonymous_paused`.
    AnonymousPaused,
    /// `ono_tools_off`.
    ToolsOff,
    /// `ono_connections_open`.
    Connections,
    /// `ono_connections_limit`.
    ConnectionsMax,
    /// `ono_connections_total`.
    ConnectionsTaken,
    /// `ono_connections_held_total`.
    ConnectionsHeld,
    /// `ono_connections_gave_way_total`.
    GaveWay,
    /// `ono_handshakes_failed_total`.
    Handshakes,
    /// `ono_http_answers_total`.
    Answers,
    /// `ono_store_state`.
    StoreHealth,
    /// `ono_store_flush_duration_seconds`.
    StoreFlushes,
    /// `ono_store_flush_failures_total`.
    StoreFailures,
    /// `ono_restore_unconfirmed`.
    RestoreUnconfirmed,
    /// `ono_backups_total`.
    Backups,
    /// `ono_backup_last_timestamp_seconds`.
    BackupLast,
    /// `ono_backup_missing`.
    BackupMissing,
    /// `ono_ready`.
    Ready,
    /// `ono_reloads_total`.
    Reloads,
    /// `ono_reload_refused`.
    ReloadRefused,
    /// `ono_certificate_expiry_timestamp_seconds`.
    CertificateEnd,
    /// `ono_certificate_tries_failed`.
    CertificateFailures,
    /// `ono_log_lines_left_out_total`.
    LinesLeftOut,
    /// `process_resident_memory_bytes`.
    Resident,
    /// `process_open_fds`.
    OpenFds,
    /// `process_max_fds`.
    MaxFds,
    /// `process_start_time_seconds`.
    Started,
    /// `ono_build_info`.
    Build,
}

impl Metric {
    /// Every metric, in the order of the documentation.
    pub const ALL: [Self; 50] = [
        Self::Requests,
        Self::Refused,
        Self::TokensRefused,
        Self::Calls,
        Self::CallSeconds,
        Self::Units,
        Self::AnonymousUsed,
        Self::AnonymousBudget,
        Self::AccountsActive,
        Self::AccountsAtLimit,
        Self::Replays,
        Self::Upstream,
        Self::UpstreamSeconds,
        Self::UpstreamUnreadable,
        Self::NotAsked,
        Self::Fetches,
        Self::KeyRefused,
        Self::WindowOpen,
        Self::PlanMinuteUsed,
        Self::PlanMinute,
        Self::PlanMonthUsed,
        Self::PlanMonth,
        Self::Ladder,
        Self::AnonymousPaused,
        Self::ToolsOff,
        Self::Connections,
        Self::ConnectionsMax,
        Self::ConnectionsTaken,
        Self::ConnectionsHeld,
        Self::GaveWay,
        Self::Handshakes,
        Self::Answers,
        Self::StoreHealth,
        Self::StoreFlushes,
        Self::StoreFailures,
        Self::RestoreUnconfirmed,
        Self::Backups,
        Self::BackupLast,
        Self::BackupMissing,
        Self::Ready,
        Self::Reloads,
        Self::ReloadRefused,
        Self::CertificateEnd,
        Self::CertificateFailures,
        Self::LinesLeftOut,
        Self::Resident,
        Self::OpenFds,
        Self::MaxFds,
        Self::Started,
        Self::Build,
    ];

    /// Its row of the table.
    #[must_use]
    pub fn row(self) -> Row {
        use Kind::{Counter, Gauge, Histogram};
        let (name, kind, labels, unit, meaning): (_, _, &[&str], _, _) = match self {
            Self::Requests => (
                "ono_requests_total",
                Counter,
                &["method"],
                "requests",
                "Requests that were read, by MCP method; `other` for those whose client left before that.",
            ),
            Self::Refused => (
                "ono_refused_requests_total",
                Counter,
                &["kind"],
                "requests",
                "Requests refused before they were looked at: credentials that are not accepted, an address that sends too much, a message that cannot be read (`unreadable`), a method that there is not.",
            ),
            Self::TokensRefused => (
                "ono_tokens_refused_total",
                Counter,
                &["reason"],
                "tokens",
                "Tokens that were not accepted, by the claim or part that was at fault. A token that cannot be checked just now is `unverifiable`.",
            ),
            Self::Calls => (
                "ono_calls_total",
                Counter,
                &["tool", "outcome"],
                "calls",
                "Tool calls that ended, by how: `ok`, `replay`, an error code of docs/errors.md, or `client_abort`, `stopped`, `panic`.",
            ),
            Self::CallSeconds => (
                "ono_call_duration_seconds",
                Histogram,
                &["tool"],
                "seconds",
                "How long tool calls took, from the complete request to the answer.",
            ),
            Self::Units => (
                "ono_units_total",
                Counter,
                &["who"],
                "units",
                "Units that calls spent, of everybody without an account and of accounts.",
            ),
            Self::AnonymousUsed => (
                "ono_anonymous_units_used",
                Gauge,
                &[],
                "units",
                "Units of today's anonymous budget that are used or held (UTC).",
            ),
            Self::AnonymousBudget => {
                ("ono_anonymous_units_budget", Gauge, &[], "units", "The anonymous budget of a day.")
            }
            Self::AccountsActive => (
                "ono_accounts_active_today",
                Gauge,
                &[],
                "accounts",
                "Accounts that called today (UTC) since the server started.",
            ),
            Self::AccountsAtLimit => (
                "ono_accounts_at_limit",
                Gauge,
                &[],
                "accounts",
                "Accounts whose last call was refused because their month is used up, since the server started.",
            ),
            Self::Replays => (
                "ono_replay_lookups_total",
                Counter,
                &["result"],
                "calls",
                "Calls of accounts that an identical call's answer was looked for: `hit` was answered with it, `running` has to wait for it, `miss` ran.",
            ),
            Self::Upstream => (
                "ono_upstream_requests_total",
                Counter,
                &["family", "outcome"],
                "requests",
                "Requests to the data service that ended, by family of data and by how.",
            ),
            Self::UpstreamSeconds => (
                "ono_upstream_request_duration_seconds",
                Histogram,
                &["family"],
                "seconds",
                "How long requests to the data service took.",
            ),
            Self::UpstreamUnreadable => (
                "ono_upstream_unreadable_total",
                Counter,
                &["family"],
                "answers",
                "Answers of the data service that arrived whole and could not be read as its contract has them.",
            ),
            Self::NotAsked => (
                "ono_upstream_not_asked_total",
                Counter,
                &["family", "reason"],
                "requests",
                "Requests that were not sent: a degraded window is open, or the plan has no room in time.",
            ),
            Self::Fetches => (
                "ono_upstream_fetches_total",
                Counter,
                &["from"],
                "fetches",
                "What calls needed of the data service, by where it came from: the cache, a request that was on its way already, or a request of its own; `not_sent` is what came from nowhere, since it was neither there nor asked for.",
            ),
            Self::KeyRefused => (
                "ono_upstream_key_refused",
                Gauge,
                &[],
                "0 or 1",
                "Whether the data service refuses the key of this server (HTTP 401, 402 or 403), for all or for a family.",
            ),
            Self::WindowOpen => (
                "ono_degraded_window_open",
                Gauge,
                &["scope"],
                "0 or 1",
                "Whether a degraded window keeps the family, or the whole service, from being asked.",
            ),
            Self::PlanMinuteUsed => (
                "ono_upstream_plan_minute_used",
                Gauge,
                &[],
                "requests",
                "Requests of the last minute, as the data service's plan counts them.",
            ),
            Self::PlanMinute => (
                "ono_upstream_plan_minute_limit",
                Gauge,
                &[],
                "requests",
                "Requests that the plan allows in a minute.",
            ),
            Self::PlanMonthUsed => (
                "ono_upstream_plan_month_used",
                Gauge,
                &[],
                "requests",
                "Counted requests of this UTC month.",
            ),
            Self::PlanMonth => (
                "ono_upstream_plan_month_limit",
                Gauge,
                &[],
                "requests",
                "Counted requests that the plan allows in a month; absent where it has no end.",
            ),
            Self::Ladder => (
                "ono_ladder_rung",
                Gauge,
                &[],
                "0 to 3",
                "The rung of the protection ladder that holds: 0 gives nothing up, 1 discovery tools, 2 also anonymous use, 3 also half of everybody's pace.",
            ),
            Self::AnonymousPaused => {
                ("ono_anonymous_paused", Gauge, &[], "0 or 1", "Whether an operator paused anonymous use.")
            }
            Self::ToolsOff => ("ono_tools_off", Gauge, &[], "tools", "Tools that an operator switched off."),
            Self::Connections => {
                ("ono_connections_open", Gauge, &[], "connections", "Connections that are open.")
            }
            Self::ConnectionsMax => (
                "ono_connections_limit",
                Gauge,
                &[],
                "connections",
                "Connections that may be open at once; for a further one, one that stands still gives way.",
            ),
            Self::ConnectionsTaken => {
                ("ono_connections_total", Counter, &[], "connections", "Connections that were taken.")
            }
            Self::ConnectionsHeld => (
                "ono_connections_held_total",
                Counter,
                &["reason"],
                "times",
                "Times that no further connection was taken for a while: as many were open as may be, or the system had no descriptor or memory.",
            ),
            Self::GaveWay => (
                "ono_connections_gave_way_total",
                Counter,
                &[],
                "connections",
                "Connections that stood still and were ended, because as many were open as may be and another one came.",
            ),
            Self::Handshakes => (
                "ono_handshakes_failed_total",
                Counter,
                &["reason"],
                "handshakes",
                "TLS handshakes that came to nothing: `failed`, or `late` when they took too long.",
            ),
            Self::Answers => (
                "ono_http_answers_total",
                Counter,
                &["status"],
                "answers",
                "HTTP answers, by status; an answer as an event stream counts with the status that it began with.",
            ),
            Self::StoreHealth => (
                "ono_store_state",
                Gauge,
                &["state"],
                "0 or 1",
                "Whether the store is in this state; while it is `refusing`, metered calls are refused.",
            ),
            Self::StoreFlushes => (
                "ono_store_flush_duration_seconds",
                Histogram,
                &[],
                "seconds",
                "How long it took to make what was written durable.",
            ),
            Self::StoreFailures => (
                "ono_store_flush_failures_total",
                Counter,
                &[],
                "flushes",
                "Writes that the database or the disk refused.",
            ),
            Self::RestoreUnconfirmed => (
                "ono_restore_unconfirmed",
                Gauge,
                &[],
                "0 or 1",
                "Whether metered calls wait for `admin restore-confirm`.",
            ),
            Self::Backups => (
                "ono_backups_total",
                Counter,
                &["outcome"],
                "backups",
                "Backups that were due by themselves: `written`, `failed`, or `put_off`, once each, while the disk has little room or the store refuses.",
            ),
            Self::BackupLast => (
                "ono_backup_last_timestamp_seconds",
                Gauge,
                &[],
                "seconds since 1970",
                "When the last backup was written by itself, also before this start; absent before the first.",
            ),
            Self::BackupMissing => (
                "ono_backup_missing",
                Gauge,
                &[],
                "0 or 1",
                "Whether the backup that was due last is not there: it failed, or is put off.",
            ),
            Self::Ready => {
                ("ono_ready", Gauge, &[], "0 or 1", "Whether `/readyz` says that everything can be served.")
            }
            Self::Reloads => (
                "ono_reloads_total",
                Counter,
                &["what", "result"],
                "times",
                "Changed files that were read again: `taken`, or `refused` while the last good goes on.",
            ),
            Self::ReloadRefused => (
                "ono_reload_refused",
                Gauge,
                &["what"],
                "0 or 1",
                "Whether the files as they are now were refused, so that the last good serves.",
            ),
            Self::CertificateEnd => (
                "ono_certificate_expiry_timestamp_seconds",
                Gauge,
                &["certificate"],
                "seconds since 1970",
                "When the certificate ends: the `first`, and further ones in the order of the configuration.",
            ),
            Self::CertificateFailures => (
                "ono_certificate_tries_failed",
                Gauge,
                &[],
                "tries",
                "Tries to get or renew the automatic certificate that failed in a row, those before a restart included; 0 once one has come, and without `[acme]`.",
            ),
            Self::LinesLeftOut => (
                "ono_log_lines_left_out_total",
                Counter,
                &[],
                "lines",
                "Log lines that were left out because there were too many of their kind.",
            ),
            Self::Resident => (
                "process_resident_memory_bytes",
                Gauge,
                &[],
                "bytes",
                "Resident memory; absent where there is no /proc.",
            ),
            Self::OpenFds => (
                "process_open_fds",
                Gauge,
                &[],
                "descriptors",
                "Open file descriptors; absent where there is no /proc.",
            ),
            Self::MaxFds => (
                "process_max_fds",
                Gauge,
                &[],
                "descriptors",
                "File descriptors that may be open; absent where that has no end.",
            ),
            Self::Started => {
                ("process_start_time_seconds", Gauge, &[], "seconds since 1970", "When the server started.")
            }
            Self::Build => ("ono_build_info", Gauge, &["version"], "1", "The version that runs."),
        };
        Row { name, kind, labels, unit, meaning }
    }

    /// Every metric as a table of a page; `words` says which words a label of a metric may have.
    #[must_use]
    pub fn reference(words: impl Fn(Self) -> Vec<Vec<&'static str>>) -> String {
        let mut text = "| metric | kind | unit | labels | meaning |\n|---|---|---|---|---|\n".to_owned();
        for metric in Self::ALL {
            let Row { name, kind, labels, unit, meaning } = metric.row();
            let words = words(metric);
            let label = |(at, label): (usize, &&str)| match words.get(at) {
                Some(words) if !words.is_empty() => {
                    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
                    format!("`{label}`: {}", words.join(", "))
                }
                _ => format!("`{label}`"),
            };
            let labels: Vec<String> = labels.iter().enumerate().map(label).collect();
            let labels = labels.join("; ");
            text += &format!("| `{name}` | {} | {unit} | {labels} | {meaning} |\n", kind.as_str());
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_those_of_prometheus_and_no_two_are_the_same() {
        let names: HashSet<&str> = Metric::ALL.iter().map(|metric| metric.row().name).collect();
        assert_eq!(names.len(), Metric::ALL.len());
        for Row { name, kind, labels, unit, meaning } in Metric::ALL.map(Metric::row) {
            let plain = |word: &str| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            assert!(plain(name) && labels.iter().all(|label| plain(label)), "{name}");
            assert_eq!(kind == Kind::Counter, name.ends_with("_total"), "{name}");
            assert_eq!(kind == Kind::Histogram, name.ends_with("_duration_seconds"), "{name}");
            assert!(!labels.contains(&"le") && !unit.is_empty() && meaning.ends_with('.'), "{name}");
            assert!(!meaning.contains('|') && !meaning.contains("]("), "{name}");
        }
    }
}
