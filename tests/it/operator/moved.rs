//! Every metric of the table is there, and moves when what it counts happens.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::path::PathBuf;

use http::Method;
use ono_sendai::store::space::Space;
use ono_sendai::telemetry::Metric;
use ono_sendai::telemetry::metric::Kind;
use serde_json::json;

use super::{ANY_PORT, Values, connect, get, metrics, metrics_at, port_of, until};
use crate::harness::{Demo, JSON};
use crate::metering::operator::{admin, restore};
use crate::pki::private;
use crate::reload::served::{ONE_PAIR, Served};
use crate::store::disk_full::Small;
use crate::sweep::Secrets;
use crate::upstream::peer::{Peer, json as answers};
use crate::upstream::server_with;

pub(super) fn of(values: &Values, name: &str) -> f64 {
    *values.get(name).unwrap_or_else(|| panic!("{name} is not told"))
}

/// How much each of these grew, as whole numbers.
pub(super) fn grew(before: &Values, after: &Values, names: &[&str]) -> Vec<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "counts of a test")]
    names.iter().map(|name| (of(after, name) - of(before, name)).round() as i64).collect()
}

/// A server over a service of the test, with everything that counts switched on.
fn server(peer: &Peer) -> Demo {
    server_with(
        peer.port,
        "in_flight = 50\nper_minute = 1000\nper_month = 5000",
        &format!("[deadlines]\ncall_ms = 400\ntool_ms = 5000\n[issuer]\nenabled = true\n{ANY_PORT}"),
    )
}

#[test]
fn every_metric_of_the_table_is_told_and_no_other() {
    let peer = Peer::start();
    let server = server(&peer);
    let told = get(port_of(&server), "/metrics");
    assert!(told.head.contains("content-type: text/plain; version=0.0.4; charset=utf-8"), "{}", told.head);
    let mut wanted = BTreeSet::new();
    for metric in Metric::ALL {
        let row = metric.row();
        assert!(told.body.contains(&format!("# HELP {} ", row.name)), "{}", row.name);
        assert!(told.body.contains(&format!("# TYPE {} {}\n", row.name, row.kind.as_str())), "{}", row.name);
        let first =
            if row.kind == Kind::Histogram { format!("{}_count", row.name) } else { row.name.to_owned() };
        // Of a backup that there is not yet, there is no moment.
        let is_told = told.body.lines().any(|line| line.starts_with(&first));
        assert!(is_told != (metric == Metric::BackupLast), "{first} has a value: {is_told}");
        wanted.insert(row.name);
    }
    for line in told.body.lines().filter(|line| !line.starts_with('#')) {
        let name = line.split(['{', ' ']).next().expect("a name");
        let bare =
            ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
        assert!(wanted.contains(name) || wanted.contains(bare), "{line} is of no metric of the table");
    }
}

#[test]
fn calls_units_caches_and_replays_count_where_they_belong() {
    let peer = Peer::start();
    peer.set("/api/v2/resolve", answers(200, r#"{"resolved_via":null}"#));
    peer.set("/api/v2/search", answers(200, r#"{"results":[]}"#));
    let server = server(&peer);
    let port = port_of(&server);
    let token = server.token_of("counted");
    let before = metrics(port);
    let question = json!({"q": "Somebody Nobody Knows"});
    server.call("resolve_artist", question.clone());
    server.call("resolve_artist", question.clone());
    server.call_as(&token, "resolve_artist", question.clone());
    let again = server.call_as(&token, "resolve_artist", question);
    assert_eq!(again.json["meta"]["replay"], true, "{}", again.json);
    server.call("get_artist", json!({}));
    server.modern("tools/list", json!({}));
    let after = metrics(port);
    let calls = |outcome| format!("ono_calls_total{{tool=\"resolve_artist\",outcome=\"{outcome}\"}}");
    let names = [
        &calls("ok"),
        &calls("replay"),
        "ono_calls_total{tool=\"get_artist\",outcome=\"invalid_argument\"}",
        "ono_call_duration_seconds_count{tool=\"resolve_artist\"}",
        "ono_requests_total{method=\"tools/call\"}",
        "ono_requests_total{method=\"tools/list\"}",
        "ono_replay_lookups_total{result=\"hit\"}",
        "ono_replay_lookups_total{result=\"miss\"}",
    ];
    assert_eq!(grew(&before, &after, &names), [3, 1, 1, 4, 5, 1, 1, 1]);
    let asked = ["/api/v2/resolve", "/api/v2/search"].map(|path| peer.seen(path).len());
    let asked = i64::try_from(asked.iter().sum::<usize>()).expect("few");
    for family in ["resolve", "search"] {
        let ended = |word| format!("ono_upstream_requests_total{{family=\"{family}\",outcome=\"{word}\"}}");
        let seen = i64::try_from(peer.seen(&format!("/api/v2/{family}")).len()).expect("few");
        assert_eq!(grew(&before, &after, &[&ended("ok"), &ended("nothing")]), [seen, 0], "{family}");
    }
    let more = grew(
        &before,
        &after,
        &[
            "ono_units_total{who=\"anonymous\"}",
            "ono_upstream_fetches_total{from=\"service\"}",
            "ono_anonymous_units_used",
            "ono_upstream_plan_month_used",
            "ono_upstream_plan_minute_used",
            "ono_accounts_active_today",
        ],
    );
    // The server itself asks the service for its documents.
    assert!(more[1] >= asked && more[3] >= asked && more[4] >= asked, "{more:?}");
    assert!(more[0] >= 1 && more[2] == more[0] && more[5] == 1, "{more:?}");
    assert!(grew(&before, &after, &["ono_upstream_fetches_total{from=\"cache\"}"])[0] >= 1);
    assert!(grew(&before, &after, &["ono_store_flush_duration_seconds_count"])[0] >= 1);
    assert!(grew(&before, &after, &["ono_http_answers_total{status=\"200\"}"])[0] >= 6);
}

#[test]
fn refusals_count_by_kind_and_tokens_by_what_was_at_fault() {
    let server = Demo::serving("", &format!("[issuer]\nenabled = true\n{ANY_PORT}"));
    let port = port_of(&server);
    let before = metrics(port);
    server.post(&[JSON, ("authorization", "Bearer made.up")], "{}");
    server.post(&[JSON, ("authorization", "Basic dXNlcjpwYXNz")], "{}");
    let token = server.token_of("forged");
    let forged = format!("Bearer {}", token.rsplit_once('.').expect("a signature").0.to_owned() + ".AAAA");
    server.post(&[JSON, ("authorization", &forged)], "{}");
    server.post(&[JSON, ("accept", "application/json")], "no message");
    let no_such = r#"{"jsonrpc":"2.0","id":1,"method":"tools/lisst"}"#;
    server.post(&[JSON, ("accept", "application/json")], no_such);
    server.post(&[JSON, ("accept", "application/json")], no_such);
    server.send(Method::GET, "/nothing", &[], "");
    let mut garbage = connect(server.port);
    garbage.write_all(b"GET / HTTP/1.0\r\n\r\n").expect("sent");
    let _alert = garbage.read_to_end(&mut Vec::new());
    let failed = "ono_handshakes_failed_total{reason=\"failed\"}";
    let after =
        until(|| metrics(port), "a failed handshake", |values| of(values, failed) > of(&before, failed));
    let names = [
        "ono_refused_requests_total{kind=\"unauthenticated\"}",
        "ono_refused_requests_total{kind=\"unreadable\"}",
        "ono_refused_requests_total{kind=\"unknown_method\"}",
        "ono_tokens_refused_total{reason=\"its form\"}",
        "ono_tokens_refused_total{reason=\"header\"}",
        "ono_tokens_refused_total{reason=\"signature\"}",
        "ono_http_answers_total{status=\"401\"}",
        "ono_http_answers_total{status=\"404\"}",
        failed,
    ];
    assert_eq!(grew(&before, &after, &names), [3, 1, 2, 1, 1, 1, 3, 1, 1]);
    assert!(of(&after, "ono_connections_open") >= 1.0);
    assert!(grew(&before, &after, &["ono_connections_total"])[0] >= 1);
    // A flood leaves lines out and counts all the same.
    for _ in 0..40 {
        server.post(&[JSON, ("accept", "application/json")], "no message");
    }
    let flooded = metrics(port);
    let names = ["ono_refused_requests_total{kind=\"unreadable\"}", "ono_log_lines_left_out_total"];
    let more = grew(&after, &flooded, &names);
    assert!(more[0] == 40 && more[1] >= 15, "{more:?}");
}

/// How often the family `resolve` was asked.
fn asked(peer: &Peer) -> i64 {
    let seen = peer.seen("/api/v2/resolve").len();
    assert!(seen >= 1, "it was asked");
    i64::try_from(seen).expect("few")
}

/// How many requests of that family ended as unreadable and how many well, and how many were found unreadable by what
/// read them `later`.
fn unreadable(before: &Values, after: &Values, later: &str) -> Vec<i64> {
    let ended = |word| format!("ono_upstream_requests_total{{family=\"resolve\",outcome=\"{word}\"}}");
    grew(before, after, &[&ended("unreadable"), &ended("ok"), later])
}

#[test]
fn a_no_that_is_not_the_services_own_ends_its_request_as_unreadable() {
    let peer = Peer::start();
    peer.set("/api/v2/resolve", answers(404, "<html>"));
    let server = server(&peer);
    let before = metrics(port_of(&server));
    server.call("resolve_artist", json!({"q": "Somebody"}));
    let after = metrics(port_of(&server));
    let later = "ono_upstream_unreadable_total{family=\"resolve\"}";
    assert_eq!(unreadable(&before, &after, later), [asked(&peer), 0, 0]);
}

#[test]
fn a_failing_family_is_counted_and_its_window_is_shown() {
    let peer = Peer::start();
    peer.set("/api/v2/artist/", answers(500, "{}"));
    peer.set("/api/v2/resolve", answers(200, "{\"resolved_via\": [}"));
    let server = server(&peer);
    let port = port_of(&server);
    let before = metrics(port);
    server.call("resolve_artist", json!({"q": "Somebody"}));
    for n in 0..12 {
        let address = std::net::Ipv4Addr::new(192, 0, 2, 1 + n % 4);
        server.call_from(address.into(), "get_artist", json!({"key": format!("x-{n}")}));
    }
    let after = metrics(port);
    let status =
        grew(&before, &after, &["ono_upstream_requests_total{family=\"artist\",outcome=\"status\"}"])[0];
    assert_eq!(status, i64::try_from(peer.seen("/api/v2/artist/").len()).expect("few"));
    // What arrives whole has ended its request well, and is counted apart when it cannot be read.
    let later = "ono_upstream_unreadable_total{family=\"resolve\"}";
    assert_eq!(unreadable(&before, &after, later), [0, asked(&peer), asked(&peer)]);
    let open = ["service", "artist"]
        .map(|scope| of(&after, &format!("ono_degraded_window_open{{scope=\"{scope}\"}}")));
    assert!(open.contains(&1.0), "{open:?}");
    let not_asked = "ono_upstream_not_asked_total{family=\"artist\",reason=\"window\"}";
    assert!(grew(&before, &after, &[not_asked])[0] >= 1);
    assert_eq!(of(&before, "ono_degraded_window_open{scope=\"artist\"}").to_bits(), 0.0_f64.to_bits());
}

#[test]
fn what_an_operator_sets_is_shown() {
    let server = Demo::serving("", ANY_PORT);
    let port = port_of(&server);
    let set = |arguments: &[&str]| admin(&server, arguments).expect("done");
    set(&["ladder", "2"]);
    set(&["tool", "get_label", "off"]);
    set(&["anonymous", "pause"]);
    let after = metrics(port);
    let told =
        ["ono_ladder_rung", "ono_tools_off", "ono_anonymous_paused", "ono_ready", "ono_restore_unconfirmed"]
            .map(|name| of(&after, name).round() as i64);
    assert_eq!(told, [2, 1, 1, 1, 0]);
    assert_eq!(of(&after, "ono_store_state{state=\"good\"}").round() as i64, 1);
    assert!(of(&after, "process_resident_memory_bytes") > 1e6 && of(&after, "process_open_fds") > 3.0);
    assert!(of(&after, "process_max_fds") > 10.0 && of(&after, "process_start_time_seconds") > 1.7e9);
    assert!(of(&after, "ono_certificate_expiry_timestamp_seconds{certificate=\"first\"}") > 1.7e9);
    let build = format!("ono_build_info{{version=\"{}\"}}", env!("CARGO_PKG_VERSION"));
    assert_eq!(of(&after, &build).round() as i64, 1);
}

/// A server whose files a test changes, with a socket at a path.
fn served(name: &str) -> (Served, String, PathBuf) {
    let path = std::env::temp_dir().join(format!("ono-sendai-{name}-{}.sock", std::process::id()));
    let rest = format!("{ONE_PAIR}[operator]\nlisten = \"unix:{}\"\n", path.display());
    let served = Served::start(name, |authority| authority.signs(&["localhost"], (-1, 60)), &rest);
    (served, rest, path)
}

#[test]
fn a_refused_configuration_is_shown_until_a_good_one_is_taken() {
    let (served, rest, path) = served("metrics-configuration");
    let read = || metrics_at(&path);
    let refused = "ono_reload_refused{what=\"configuration\"}";
    let before = read();
    served.configure(&format!("{rest}[legl]\n"));
    let broken = until(read, "refused", |values| of(values, refused) > 0.5);
    served.configure(&format!("{rest}[guard]\nextra_hosts = [\"mcp.example.org\"]\n"));
    let mended = until(read, "taken", |values| of(values, refused) < 0.5);
    let count = |result: &str| format!("ono_reloads_total{{what=\"configuration\",result=\"{result}\"}}");
    let (refusals, takings) = (count("refused"), count("taken"));
    let names = [refusals.as_str(), takings.as_str()];
    assert_eq!(grew(&before, &broken, &names), [1, 0]);
    assert_eq!(grew(&before, &mended, &names), [1, 1]);
    std::fs::remove_file(path).expect("removed");
}

#[test]
fn a_certificate_that_is_taken_or_refused_counts_and_its_end_is_told() {
    let (served, _, path) = served("metrics-certificate");
    let read = || metrics_at(&path);
    let before = read();
    let write = |file: &str, content: &str| private(&served.place.join("tls").join(file), content);
    let next = served.authority.signs(&["localhost"], (-1, 30));
    write("key.pem", &next.key);
    served.signal("HUP");
    let is_refused = "ono_reload_refused{what=\"certificate\"}";
    let broken = until(read, "refused", |values| of(values, is_refused) > 0.5);
    write("chain.pem", &next.chain);
    served.signal("HUP");
    let mended = until(read, "taken", |values| of(values, is_refused) < 0.5);
    let taken = "ono_reloads_total{what=\"certificate\",result=\"taken\"}";
    let refused = "ono_reloads_total{what=\"certificate\",result=\"refused\"}";
    assert!(grew(&before, &broken, &[refused])[0] >= 1);
    assert_eq!((grew(&before, &broken, &[taken]), grew(&before, &mended, &[taken])), (vec![0], vec![1]));
    let end = "ono_certificate_expiry_timestamp_seconds{certificate=\"first\"}";
    let days = -grew(&before, &mended, &[end])[0] / 86_400;
    assert!((29..=31).contains(&days), "{days}");
    std::fs::remove_file(path).expect("removed");
}

#[test]
fn a_used_up_account_and_a_full_server_are_told() {
    let server = Demo::serving(
        "",
        &format!(
            "[issuer]\nenabled = true\n[accounts]\nunits_per_month = 4\n[transport]\nconnections = 3\n{ANY_PORT}"
        ),
    );
    let port = port_of(&server);
    let before = metrics(port);
    let token = server.token_of("uses-it-up");
    for name in ["Four Tet", "Burial", "Bonobo"] {
        server.call_as(&token, "resolve_artist", json!({"q": name}));
    }
    let after = metrics(port);
    let names =
        ["ono_accounts_at_limit", "ono_units_total{who=\"accounts\"}", "ono_units_total{who=\"anonymous\"}"];
    let more = grew(&before, &after, &names);
    assert!(more[0] == 1 && more[1] >= 1 && more[2] == 0, "{more:?}");
    // They say nothing, so that the first gives way to the last.
    let full = "ono_connections_gave_way_total";
    let _silent: Vec<_> = (0..4).map(|_| connect(server.port)).collect();
    // The one that gave way may be open a moment longer.
    let is_full = |values: &Values| {
        of(values, full) > of(&after, full) && of(values, "ono_connections_open").round() as i64 <= 3
    };
    let held = until(|| metrics(port), "full", is_full);
    assert_eq!(of(&held, "ono_connections_limit").round() as i64, 3);
}

/// Which state of the store is told; exactly one is.
fn store_state(values: &Values) -> &'static str {
    let is_so = |state: &&'static str| of(values, &format!("ono_store_state{{state=\"{state}\"}}")) > 0.5;
    let states: Vec<_> = ["good", "tight", "refusing"].into_iter().filter(is_so).collect();
    assert_eq!(states.len(), 1, "{states:?}");
    states[0]
}

#[test]
fn each_state_of_the_store_is_told_while_it_holds() {
    let Some(disk) = Small::mount("64m") else { return };
    let server = Demo::serving_in(disk.path().join("data"), ANY_PORT);
    let port = port_of(&server);
    let filler = disk.path().join("filler");
    let mut n = 0;
    let mut reaches = |state: &str, free_bytes: u64| {
        let _none_yet = std::fs::remove_file(&filler);
        let free = Space::of(disk.path()).expect("a disk").free_bytes;
        std::fs::write(&filler, vec![1; usize::try_from(free.saturating_sub(free_bytes)).expect("small")])
            .expect("there is room");
        let read = || {
            // Whatever is written, or would be, has the room looked at.
            n += 1;
            server.call("resolve_artist", json!({"q": format!("Nobody {n}")}));
            metrics(port)
        };
        let read = std::cell::RefCell::new(read);
        let values = until(|| read.borrow_mut()(), state, |values| store_state(values) == state);
        let told = admin(&server, &["status"]).expect("told");
        assert_eq!(told["status"]["store"], state);
        let series: serde_json::Value = serde_json::from_str(&get(port, "/series").body).expect("JSON");
        assert!(series["gauges"]["store"].as_str().expect("text").starts_with(state), "{series}");
        assert_eq!(of(&values, "ono_ready") > 0.5, state != "refusing");
    };
    const MIB: u64 = 1024 * 1024;
    // Of 64 MiB a tenth is little and a thirtieth too little.
    reaches("good", 20 * MIB);
    reaches("tight", 5 * MIB);
    reaches("refusing", MIB);
    // It goes back by itself.
    reaches("tight", 5 * MIB);
    reaches("good", 20 * MIB);
}

#[test]
fn the_metrics_tell_what_the_operators_command_and_the_page_tell_at_the_same_time() {
    let rest = format!("[issuer]\nenabled = true\n[anonymous]\nunits_per_day = 100\n{ANY_PORT}");
    let server = Demo::serving("", &rest);
    let port = port_of(&server);
    let agree = || {
        let told = admin(&server, &["status"]).expect("told")["status"].clone();
        let values = metrics(port);
        let series: serde_json::Value = serde_json::from_str(&get(port, "/series").body).expect("JSON");
        let gauges = &series["gauges"];
        let whole = |name: &str| json!(of(&values, name).round() as i64);
        assert_eq!(told["rung"], whole("ono_ladder_rung"));
        assert_eq!(told["rung"].to_string(), gauges["ladder"]["step"].as_str().expect("text"));
        assert_eq!(json!(!told["rung_by_hand"].is_null()), gauges["ladder"]["by_hand"]);
        for what in
            ["waits_for_start", "files_wait_for_start", "configuration_refused", "certificate_refused"]
        {
            assert_eq!(told["reload"][what], gauges["reload"][what], "{what}");
        }
        assert_eq!(json!(told["tools_off"].as_array().expect("tools").len()), whole("ono_tools_off"));
        assert_eq!(told["tools_off"], gauges["tools_off"]);
        assert_eq!(json!(i64::from(told["anonymous_paused"] == true)), whole("ono_anonymous_paused"));
        assert_eq!(told["anonymous_paused"], gauges["anonymous"]["paused"]);
        assert_eq!(told["anonymous_units_today"], whole("ono_anonymous_units_used"));
        assert_eq!(told["anonymous_units_today"], gauges["anonymous"]["used"]);
        assert_eq!(
            (whole("ono_anonymous_units_budget"), &gauges["anonymous"]["of"]),
            (json!(100), &json!(100))
        );
        assert_eq!(json!(i64::from(told["restore_unconfirmed"] == true)), whole("ono_restore_unconfirmed"));
        assert_eq!(told["store"], store_state(&values));
        assert_eq!(told["open_files"], whole("process_max_fds"));
        let until = told["reload"]["certificate_until"].as_str().expect("a moment");
        let until = time::OffsetDateTime::parse(until, &time::format_description::well_known::Rfc3339);
        let end = whole("ono_certificate_expiry_timestamp_seconds{certificate=\"first\"}");
        assert_eq!(json!(until.expect("a moment").unix_timestamp()), end);
        assert_eq!(gauges["certificates"][0]["until"], end);
        told
    };
    let before = agree();
    server.call("resolve_artist", json!({"q": "Four Tet"}));
    server.call("get_artist", json!({"key": "four-tet"}));
    assert!(agree()["anonymous_units_today"].as_u64() > before["anonymous_units_today"].as_u64());
    for set in [&["ladder", "3"][..], &["tool", "get_label", "off"], &["anonymous", "pause"]] {
        admin(&server, set).expect("done");
        agree();
    }
    for set in [&["ladder", "auto"][..], &["tool", "get_label", "on"], &["anonymous", "resume"]] {
        admin(&server, set).expect("done");
    }
    assert_eq!(agree()["anonymous_paused"], false);
}

#[test]
fn a_restored_server_is_not_ready_until_its_operator_says_so() {
    let server = Demo::serving("", &format!("[issuer]\nenabled = true\n{ANY_PORT}"));
    server.call_as(&server.token_of("restored"), "resolve_artist", json!({"q": "Four Tet"}));
    let file = server.data().parent().expect("a folder").join("one.backup");
    admin(&server, &["backup", file.to_str().expect("text")]).expect("written");
    server.stop();
    server.log_to_its_end();
    let (is_done, said) = restore(&server, &file);
    assert!(is_done, "{said}");
    let again = server.serving_again();
    let port = port_of(&again);
    let told = |values: &Values| {
        ["ono_restore_unconfirmed", "ono_ready"].map(|name| of(values, name).round() as i64)
    };
    assert_eq!(told(&metrics(port)), [1, 0]);
    let series: serde_json::Value = serde_json::from_str(&get(port, "/series").body).expect("JSON");
    assert_eq!(series["gauges"]["not_ready"][0]["part"], "store");
    admin(&again, &["restore-confirm"]).expect("confirmed");
    assert_eq!(told(&metrics(port)), [0, 1]);
}

#[test]
fn nobody_adds_a_series_and_nothing_that_is_secret_or_asked_is_told() {
    let server = Demo::serving("", &format!("[issuer]\nenabled = true\n{ANY_PORT}"));
    let port = port_of(&server);
    let token = server.token_of("a-subject-to-look-for");
    server.call_as(&token, "resolve_artist", json!({"q": "A Question To Look For"}));
    let keys = |values: &Values| values.keys().cloned().collect::<BTreeSet<_>>();
    let before = keys(&metrics(port));
    let hostile = "made\"up}\n# TYPE ono_x counter\nono_x 1";
    server.modern("tools/call", json!({"name": "made_up_tool", "arguments": {"q": hostile}}));
    server.modern("made/up", json!({}));
    server.call("get_artist", json!({"made_up": hostile, "key": hostile}));
    server.send(
        Method::from_bytes(b"MADEUP").expect("a method"),
        "/mcp",
        &[("authorization", "Bearer made_up")],
        "x",
    );
    server.send(
        Method::GET,
        "/made_up?made_up",
        &[("origin", "https://made-up.example"), ("x-request-id", "made_up")],
        "",
    );
    server.post(&[JSON, ("mcp-protocol-version", "made_up"), ("mcp-method", "made_up")], "[]");
    assert_eq!(keys(&metrics(port)), before);
    let mut secrets = Secrets::default();
    secrets.add_token("the token", &token);
    secrets.add("the subject", "a-subject-to-look-for");
    secrets.add("the question", "A Question To Look For");
    for path in ["/metrics", "/series", "/"] {
        let told = get(port, path);
        secrets.assert_absent(path, &told.body);
        assert!(!told.body.contains("made_up"), "{path}");
    }
}
