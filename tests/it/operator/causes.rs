//! Each metric of the table has a cause, and a test that has it happen and looks at the metric by its name.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::net::{Ipv4Addr, TcpStream};
use std::process::Command;

use http::StatusCode;
use ono_sendai::telemetry::Metric;
use ono_sendai::transport::Traffic;
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
use serde_json::json;

use super::moved::{grew, of};
use super::{ANY_PORT, metrics, port_of, until};
use crate::harness::Demo;
use crate::layers::source_text;
use crate::signin::builtin::registered;
use crate::store::power_cut::{Mounted, made};
use crate::store::support::Scratch;
use crate::tables::page;
use crate::upstream::peer::{Peer, json as answers};
use crate::upstream::server_with;

/// What moves a metric, and the file and the name of the test that has that happen.
fn cause(metric: Metric) -> (&'static str, &'static str, &'static str) {
    let calls = |what| (what, "moved", "calls_units_caches_and_replays_count_where_they_belong");
    let refusals = |what| (what, "moved", "refusals_count_by_kind_and_tokens_by_what_was_at_fault");
    let failing = |what| (what, "moved", "a_failing_family_is_counted_and_its_window_is_shown");
    let set = |what| (what, "moved", "what_an_operator_sets_is_shown");
    let used_up = |what| (what, "moved", "a_used_up_account_and_a_full_server_are_told");
    let restored = |what| (what, "moved", "a_restored_server_is_not_ready_until_its_operator_says_so");
    let configured = |what| (what, "causes", "what_is_configured_is_told_as_the_limit_of_what_is_used");
    let backup = |what| (what, "backups", "a_backup_that_is_written_and_one_that_fails_are_told_everywhere");
    match metric {
        Metric::Requests => calls("a message is read"),
        Metric::Refused => refusals("a token that is none is sent"),
        Metric::TokensRefused => refusals("a token with another signature is sent"),
        Metric::Calls => calls("a call ends"),
        Metric::CallSeconds => calls("a call ends"),
        Metric::Units => calls("a call asks the data service"),
        Metric::AnonymousUsed => calls("somebody without an account calls"),
        Metric::AnonymousBudget => configured("a server starts"),
        Metric::AccountsActive => calls("an account calls"),
        Metric::AccountsAtLimit => used_up("an account has used its month up"),
        Metric::Replays => calls("an account calls twice"),
        Metric::Upstream => calls("the data service answers"),
        Metric::UpstreamSeconds => {
            ("the data service answers", "causes", "a_request_to_the_data_service_is_timed_in_its_own_family")
        }
        Metric::UpstreamUnreadable => failing("the data service answers with JSON of another shape"),
        Metric::NotAsked => failing("a family fails again and again"),
        Metric::Fetches => calls("a call needs something twice"),
        Metric::WindowOpen => failing("a family fails again and again"),
        Metric::KeyRefused => {
            ("the key is refused", "refused_key", "a_refused_key_is_an_alarm_once_until_it_is_taken_again")
        }
        Metric::PlanMinuteUsed => calls("the data service is asked"),
        Metric::PlanMinute => configured("a server starts"),
        Metric::PlanMonthUsed => calls("the data service is asked"),
        Metric::PlanMonth => configured("a server starts"),
        Metric::Ladder => set("an operator sets a rung"),
        Metric::AnonymousPaused => set("an operator pauses use without an account"),
        Metric::ToolsOff => set("an operator switches a tool off"),
        Metric::Connections => refusals("somebody is connected"),
        Metric::ConnectionsMax => used_up("a server starts"),
        Metric::ConnectionsTaken => refusals("somebody connects"),
        Metric::ConnectionsHeld => (
            "the system has no descriptor for one more",
            "causes",
            "connections_that_wait_for_a_descriptor_are_told_as_held",
        ),
        Metric::GaveWay => used_up("as many are connected as may be"),
        Metric::Handshakes => refusals("somebody sends no handshake"),
        Metric::Answers => refusals("a page that there is not is asked for"),
        Metric::StoreHealth => set("a server starts"),
        Metric::StoreFlushes => calls("a call spends something"),
        Metric::StoreFailures => (
            "a disk turns read-only",
            "causes",
            "a_write_that_the_disk_refuses_is_counted_as_one_that_failed",
        ),
        Metric::RestoreUnconfirmed => restored("a backup is restored"),
        Metric::Backups | Metric::BackupLast | Metric::BackupMissing => backup("a backup is due"),
        Metric::Ready => restored("a backup is restored"),
        Metric::Reloads | Metric::ReloadRefused => {
            ("a file is changed", "moved", "a_refused_configuration_is_shown_until_a_good_one_is_taken")
        }
        Metric::CertificateEnd => (
            "a certificate is replaced",
            "moved",
            "a_certificate_that_is_taken_or_refused_counts_and_its_end_is_told",
        ),
        Metric::CertificateFailures => (
            "the authority does not answer",
            "../acme",
            "without_a_certificate_the_port_is_open_names_are_refused_and_this_machine_is_told_why",
        ),
        Metric::LinesLeftOut => refusals("an address floods the server"),
        Metric::Resident | Metric::OpenFds | Metric::MaxFds | Metric::Started | Metric::Build => {
            set("a server starts")
        }
    }
}

#[test]
fn every_metric_has_a_cause_and_a_test_that_has_it_happen() {
    for metric in Metric::ALL {
        let name = metric.row().name;
        let (what, file, test) = cause(metric);
        assert!(!what.is_empty(), "{name}");
        let text = page(&format!("tests/it/operator/{file}.rs"));
        let (before, after) = text
            .split_once(&format!("\nfn {test}() {{\n"))
            .unwrap_or_else(|| panic!("{name}: no test {test}"));
        assert!(before.ends_with("#[test]"), "{test} is no test");
        let body = after.split("\n}\n").next().expect("its end");
        // As a whole word: one name may begin with another.
        let is_named = body.split(name).skip(1).any(|rest| {
            let rest = rest.strip_prefix("_count").unwrap_or(rest);
            !rest.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '_')
        });
        assert!(is_named, "{test} does not look at {name}");
    }
}

#[test]
fn what_is_configured_is_told_as_the_limit_of_what_is_used() {
    let peer = Peer::start();
    let server = server_with(peer.port, "per_minute = 321\nper_month = 6543", ANY_PORT);
    let told = metrics(port_of(&server));
    let limits =
        ["ono_upstream_plan_minute_limit", "ono_upstream_plan_month_limit", "ono_anonymous_units_budget"];
    assert_eq!(limits.map(|name| of(&told, name).round() as i64), [321, 6_543, 1_000_000]);
    // A plan without an end has no limit, and a demo no plan.
    let endless = server_with(peer.port, "per_month = 0", ANY_PORT);
    let told = metrics(port_of(&endless));
    assert!(
        !told.contains_key("ono_upstream_plan_month_limit")
            && told.contains_key("ono_upstream_plan_month_used")
    );
    let told = metrics(port_of(&Demo::serving("", &format!("[anonymous]\nunits_per_day = 77\n{ANY_PORT}"))));
    assert!(!told.keys().any(|name| name.starts_with("ono_upstream_plan")));
    assert_eq!(of(&told, "ono_anonymous_units_budget").round() as i64, 77);
}

#[test]
fn a_request_to_the_data_service_is_timed_in_its_own_family() {
    let peer = Peer::start();
    peer.set("/api/v2/resolve", answers(200, r#"{"resolved_via":null}"#));
    peer.set("/api/v2/search", answers(200, r#"{"results":[]}"#));
    let server = server_with(peer.port, "", ANY_PORT);
    let port = port_of(&server);
    let before = metrics(port);
    for name in ["Nobody", "Nobody Else", "Nobody At All"] {
        server.call("resolve_artist", json!({"q": name}));
    }
    let after = metrics(port);
    let of_family =
        |family: &str| format!("ono_upstream_request_duration_seconds_count{{family=\"{family}\"}}");
    let asked = |path: &str| i64::try_from(peer.seen(path).len()).expect("few");
    for family in ["resolve", "search"] {
        let timed = grew(&before, &after, &[&of_family(family)])[0];
        assert_eq!(timed, asked(&format!("/api/v2/{family}")), "{family}");
    }
    assert!(asked("/api/v2/resolve") >= 3);
    assert_eq!(grew(&before, &after, &[&of_family("label"), &of_family("gigs")]), [0, 0]);
    let sum = "ono_upstream_request_duration_seconds_sum{family=\"resolve\"}";
    assert!(of(&after, sum) > of(&before, sum));
}

#[test]
fn connections_that_wait_for_a_descriptor_are_told_as_held() {
    let server = Demo::serving("", ANY_PORT);
    let port = port_of(&server);
    let held = "ono_connections_held_total{reason=\"shortage\"}";
    assert_eq!(of(&metrics(port), held).round() as i64, 0);
    let pid = Pid::from_raw(i32::try_from(server.pid).expect("a process id"));
    // It has the limits of whoever started it.
    let limit = |current| {
        let maximum = getrlimit(Resource::Nofile).maximum;
        prlimit(pid, Resource::Nofile, Rlimit { current, maximum }).expect("a limit").current
    };
    let before = limit(Some(3));
    let _waits = TcpStream::connect((Ipv4Addr::LOCALHOST, server.port)).expect("a connection");
    until(|| server.log(), "a word of it", |log| log.contains("cannot accept connections just now"));
    limit(before);
    let told = metrics(port);
    assert!(of(&told, held) > 0.5);
    assert_eq!(of(&told, "ono_connections_held_total{reason=\"full\"}").round() as i64, 0);
}

#[test]
fn a_write_that_the_disk_refuses_is_counted_as_one_that_failed() {
    let scratch = Scratch::new("refused-writes");
    let (image, folder) = (scratch.0.join("disk"), scratch.0.join("mounted"));
    let Some(mounted) = Some(()).filter(|()| made(&image)).and_then(|()| Mounted::new(&image, &folder))
    else {
        return println!("SKIPPED: a disk that refuses writes: nothing may be mounted here");
    };
    let rest = format!("[issuer]\nenabled = true\n{ANY_PORT}");
    let server = Demo::serving_in(mounted.0.join("data"), &rest);
    let port = port_of(&server);
    let failures = "ono_store_flush_failures_total";
    let token = server.token_of("refused");
    assert!(!server.call_as(&token, "resolve_artist", json!({"q": "Four Tet"})).is_error);
    assert_eq!(of(&metrics(port), failures).round() as i64, 0);
    // What a kernel does to a file system that it finds damaged.
    let turned = Command::new("mount").args(["-o", "remount,abort"]).arg(&mounted.0).status();
    assert!(turned.expect("mount runs").success());
    let n = Cell::new(0);
    let read = || {
        n.set(n.get() + 1);
        server.call_as(&token, "resolve_artist", json!({"q": format!("Nobody {}", n.get())}));
        metrics(port)
    };
    let after = until(read, "a failed write", |values| of(values, failures) > 0.5);
    assert!(of(&after, "ono_store_state{state=\"refusing\"}") > 0.5 && of(&after, "ono_ready") < 0.5);
    server.kill();
}

#[test]
fn every_status_that_the_source_names_for_an_answer_is_one_that_is_counted() {
    // Whoever asks others, and the listener of the operator, answers nobody on the public port.
    const NOT_THERE: [&str; 9] = [
        "src/accounts",
        "src/acme",
        "src/app/doctor",
        "src/cli",
        "src/crate_client",
        "src/crate_sim",
        "src/fetch",
        "src/operator",
        "src/transport/plain.rs",
    ];
    let constant = |status: StatusCode| {
        let reason = status.canonical_reason().unwrap_or_default().to_ascii_uppercase();
        reason.replace([' ', '-'], "_").replace('\'', "")
    };
    let statuses = (100..600).filter_map(|number| StatusCode::from_u16(number).ok());
    let known: BTreeMap<String, StatusCode> = statuses.map(|status| (constant(status), status)).collect();
    let traffic = Traffic::default();
    let counted: BTreeSet<&str> = traffic.answers.read().map(|(word, _)| word).collect();
    let mut named = BTreeSet::new();
    for (file, text) in source_text() {
        if NOT_THERE.iter().any(|begin| file.starts_with(begin)) {
            continue;
        }
        for rest in text.split("StatusCode::").skip(1) {
            let end = rest.find(|c: char| !(c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit()));
            let name = &rest[..end.unwrap_or(rest.len())];
            // What is no constant is a function.
            if !name.is_empty() {
                let status = known.get(name).unwrap_or_else(|| panic!("{file}: what is {name}?"));
                assert!(counted.contains(status.as_str()), "{file} answers {status}, which is not counted");
                named.insert(*status);
            }
        }
    }
    assert!(named.len() >= 15 && named.contains(&StatusCode::CREATED), "{named:?}");
}

#[test]
fn a_client_that_registers_counts_as_what_it_is_answered() {
    let server = Demo::serving("", &format!("[issuer]\nenabled = true\n{ANY_PORT}"));
    let port = port_of(&server);
    let before = metrics(port);
    registered(&server);
    let after = metrics(port);
    let names = ["ono_http_answers_total{status=\"201\"}", "ono_http_answers_total{status=\"other\"}"];
    assert_eq!(grew(&before, &after, &names), [1, 0]);
}
