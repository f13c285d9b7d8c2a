//! The fault table: one row, one test, five callers who meet the same fault, and a sixth who shows whether a
//! window opened.

use serde_json::{Value, json};

use super::peer::{Act, Peer, head, json as json_answer, whole, with};
use super::{CALL_MS, WIDE, caller, server_over, server_with};
use crate::harness::Envelope;
use crate::tables::hold;

const JSON: &str = "content-type: application/json\r\n";
const CARD: &str = r#"{"slug":"x","identity":{"name":"X","resolvedVia":"discogs","discogsArtistId":5}}"#;
const ERROR: &str = r#"{"error":"some_code","message":"m","hint":"h"}"#;

/// What every caller is answered, and what it costs.
struct Row {
    /// What the service does, as the page says it.
    fault: &'static str,
    /// `error.type`, or what the answer is when there is no error.
    kind: &'static str,
    /// `recoverable` and `retryable`.
    flags: Option<(bool, bool)>,
    /// The members of `data` beside `fix_hint`, with their values where these are fixed.
    data: &'static [&'static str],
    units: u64,
    counts: bool,
}

const NO_ANSWER: &str = "none: a gap, `not_found_upstream`";

const fn error(
    fault: &'static str,
    (recoverable, retryable): (bool, bool),
    data: &'static [&'static str],
    units: u64,
    counts: bool,
) -> Row {
    Row { fault, kind: "`upstream_error`", flags: Some((recoverable, retryable)), data, units, counts }
}

const fn gap(fault: &'static str) -> Row {
    Row { fault, kind: NO_ANSWER, flags: None, data: &[], units: 1, counts: false }
}

const AGAIN: (bool, bool) = (true, true);
const NEVER: (bool, bool) = (false, false);
const CALL_DEADLINE: &[&str] = &["cause=call_deadline", "deadline_ms=400"];
const SERVER_ERROR: &[&str] = &["reason=server_error", "status_class=5xx"];
const REFUSED: &[&str] = &["reason=not_available", "status_class=4xx"];
const CREDENTIALS: &[&str] = &["reason=credentials_refused", "status_class=4xx"];
const UNREADABLE: &[&str] = &["reason=unreadable"];

macro_rules! rows {
    ($($name:ident: $row:expr, $act:expr;)+) => {
        const ROWS: &[Row] = &[$($row),+];
        $(#[test]
        fn $name() {
            let row: Row = $row;
            check(&row, $act);
        })+
    };
}

rows! {
    refused_connection: error("refuses the connection", AGAIN, &["reason=unreachable"], 0, true), None;
    reset_before_the_answer: error("resets the connection before an answer", AGAIN, &["reason=unreachable"], 0, true),
        Some(Act::SaysAndResets(Vec::new()));
    reset_in_the_header: error("resets it inside the header", AGAIN, &["reason=unreachable"], 0, true),
        Some(Act::SaysAndResets(b"HTTP/1.1 200 OK\r\ncontent-".to_vec()));
    reset_in_the_body: error("resets it inside the body", AGAIN, &["reason=broken_off"], 0, true),
        Some(Act::SaysAndResets(begun(200)));
    end_in_the_body: error("ends the connection inside the body", AGAIN, &["reason=broken_off"], 0, true),
        Some(Act::Says(begun(200)));
    slow_header: error("sends no header in time", AGAIN, CALL_DEADLINE, 1, true),
        Some(Act::SaysAndWaits(Vec::new()));
    slow_body: error("sends a part of the body and no more in time", AGAIN, CALL_DEADLINE, 1, true),
        Some(Act::SaysAndWaits(begun(200)));
    truncated_json: error("200 with JSON that is cut off", AGAIN, UNREADABLE, 1, true),
        Some(json_answer(200, &CARD[..40]));
    another_json: error("200 with JSON of another form", AGAIN, UNREADABLE, 1, true),
        Some(json_answer(200, "[]"));
    empty_body: error("200 with an empty body", AGAIN, UNREADABLE, 1, true), Some(json_answer(200, ""));
    endless_body: error("200 with a body of 64 MiB", AGAIN, UNREADABLE, 1, true),
        Some(Act::SaysAndFloods(head(200, JSON), 64 << 20));
    html: error("200 with an HTML page", AGAIN, UNREADABLE, 1, true),
        Some(with(200, "content-type: text/html\r\n", b"<html><body>Welcome</body></html>"));
    json_called_html: error("200 with JSON that is called HTML", AGAIN, UNREADABLE, 1, true),
        Some(with(200, "content-type: text/html; charset=utf-8\r\n", CARD.as_bytes()));
    another_charset: error("200 in another charset than UTF-8", AGAIN, UNREADABLE, 1, true),
        Some(with(200, "content-type: application/json; charset=iso-8859-1\r\n", CARD.as_bytes()));
    not_utf_8: error("200 with bytes that are not UTF-8", AGAIN, UNREADABLE, 1, true),
        Some(with(200, JSON, b"{\"slug\":\"x\",\"identity\":{\"name\":\"Bj\xf6rk\",\"resolvedVia\":\"discogs\"}}"));
    gzip: error("200 that is packed, which was not asked for", AGAIN, UNREADABLE, 1, true),
        Some(with(200, "content-type: application/json\r\ncontent-encoding: gzip\r\n", b"\x1f\x8b\x08\0\0\0\0\0"));
    redirect_elsewhere: error(
        "a redirect to another host, which is not followed", NEVER, &["reason=not_available", "status_class=3xx"], 0, false),
        Some(with(302, "location: http://localhost:9/api/v2/artist/x\r\n", b""));
    status_400: error("400 with any code", NEVER, REFUSED, 0, false), Some(json_answer(400, ERROR));
    status_401: error("401", NEVER, CREDENTIALS, 0, false), Some(json_answer(401, ERROR));
    status_402: error("402", NEVER, CREDENTIALS, 0, false), Some(json_answer(402, ERROR));
    status_403: error("403", NEVER, CREDENTIALS, 0, false), Some(json_answer(403, ERROR));
    status_404: gap("404 in the service's own words"), Some(json_answer(404, ERROR));
    status_404_of_another: error("404 with a page of somebody else", AGAIN, UNREADABLE, 1, true),
        Some(with(404, "content-type: text/html\r\n", b"<html>nothing here</html>"));
    status_410: error("410", NEVER, REFUSED, 0, false), Some(json_answer(410, ERROR));
    status_429: error("429 with Retry-After",
        AGAIN, &["reason=rate_limited", "retry_after_ms=7000", "status_class=4xx"], 0, false),
        Some(with(429, "content-type: application/json\r\nretry-after: 7\r\n", br#"{"error":"rate_limited","retry_after_seconds":7}"#));
    status_429_without_a_time: error("429 without a time", AGAIN, &["reason=rate_limited", "status_class=4xx"], 0, false),
        Some(json_answer(429, r#"{"error":"rate_limited"}"#));
    status_429_at_once: error("429 with `reason: concurrency`",
        AGAIN, &["reason=concurrency", "retry_after_ms=1000", "status_class=4xx"], 0, false),
        Some(with(429, "content-type: application/json\r\nretry-after: 1\r\n", br#"{"error":"rate_limited","reason":"concurrency","retry_after_seconds":1}"#));
    status_429_for_long: error("429 with a time of more than a minute",
        AGAIN, &["reason=rate_limited", "reset_at", "retry_after_ms=3600000", "status_class=4xx"], 0, false),
        Some(with(429, "content-type: application/json\r\nretry-after: 3600\r\n", br#"{"error":"rate_limited"}"#));
    status_500: error("500", AGAIN, SERVER_ERROR, 0, true), Some(json_answer(500, ERROR));
    status_502: error("502", AGAIN, SERVER_ERROR, 0, true), Some(with(502, "content-type: text/html\r\n", b"<html>"));
    status_503: error("503", AGAIN, SERVER_ERROR, 0, true), Some(json_answer(503, ERROR));
    status_503_with_a_time: error("503 with Retry-After",
        AGAIN, &["reason=server_error", "retry_after_ms=5000", "status_class=5xx"], 0, true),
        Some(with(503, "content-type: application/json\r\nretry-after: 5\r\n", ERROR.as_bytes()));
    status_504: error("504", AGAIN, SERVER_ERROR, 0, true), Some(json_answer(504, ERROR));
    null_identity: gap("200 with an identity of null"), Some(json_answer(200, r#"{"slug":null,"identity":null}"#));
    honest_gap: gap("200 with `state: honest_gap`"), Some(json_answer(200, r#"{"state":"honest_gap","identity":null}"#));
    degraded: Row {
        fault: "200 with `state: degraded`", kind: "`upstream_degraded`", flags: Some(AGAIN),
        data: &["reason=degraded_answer", "retry_after_ms=30000"], units: 1, counts: true },
        Some(json_answer(200, r#"{"state":"degraded","identity":{"name":"X","resolvedVia":"discogs"}}"#));
}

/// A card whose second half never comes.
fn begun(status: u16) -> Vec<u8> {
    let mut answer = whole(status, JSON, CARD.as_bytes());
    answer.truncate(answer.len() - CARD.len() / 2);
    answer
}

fn check(row: &Row, act: Option<Act>) {
    let peer = Peer::start();
    let port = match &act {
        Some(_) => peer.port,
        None => closed_port(),
    };
    if let Some(act) = act {
        peer.set("/api/v2/artist/", act);
    }
    // Whatever is not about the deadline must not meet it on a machine that is busy.
    let call_ms = if row.data == CALL_DEADLINE { CALL_MS } else { CALL_MS * 10 };
    let deadlines = format!("[deadlines]\ncall_ms = {call_ms}\ntool_ms = 5000\n");
    let server = server_with(port, WIDE, &deadlines);
    // What an earlier refusal keeps from being sent is a row of its own.
    let callers =
        if row.data.iter().any(|datum| datum.starts_with("retry_after_ms")) && !row.counts { 1 } else { 5 };
    for n in 0..callers {
        let answer = server.call_from(caller(n), "get_artist", json!({"key": format!("x-{n}")}));
        assert_row(row, &answer);
    }
    let before = peer.seen("/api/v2/artist/").len();
    let sixth = server.call_from(caller(9), "get_artist", json!({"key": "x-9"}));
    let is_closed = sixth.is_error
        && sixth.error_type() == "upstream_degraded"
        && sixth.json["error"]["data"]["reason"].is_null();
    assert_eq!(is_closed, row.counts, "{}: {}", row.fault, sixth.json);
    if row.counts {
        assert_eq!(peer.seen("/api/v2/artist/").len(), before, "{}: a closed window was asked", row.fault);
        assert_eq!(sixth.json["meta"]["units"], 0);
    }
}

fn assert_row(row: &Row, answer: &Envelope) {
    let what = format!("{}: {}", row.fault, answer.json);
    assert_eq!(answer.json["meta"]["units"], row.units, "{what}");
    assert_eq!(answer.json["meta"]["fixture_mode"], false, "{what}");
    let Some((recoverable, retryable)) = row.flags else {
        assert!(!answer.is_error, "{what}");
        assert_eq!(
            (&answer.json["present"], &answer.json["reason"]),
            (&json!(false), &json!("not_found_upstream")),
            "{what}"
        );
        return;
    };
    assert!(answer.is_error, "{what}");
    let error = &answer.json["error"];
    assert_eq!(format!("`{}`", answer.error_type()), row.kind, "{what}");
    assert_eq!(
        (&error["recoverable"], &error["retryable"]),
        (&json!(recoverable), &json!(retryable)),
        "{what}"
    );
    let mut data: Vec<String> = error["data"]
        .as_object()
        .expect("an object")
        .iter()
        .filter(|(name, _)| *name != "fix_hint")
        .map(|(name, value)| match (name.as_str(), value) {
            ("reset_at", Value::String(at)) => {
                assert!(at.ends_with('Z') && at.len() == 20, "{what}");
                name.clone()
            }
            (_, Value::String(text)) => format!("{name}={text}"),
            (_, value) => format!("{name}={value}"),
        })
        .collect();
    data.sort();
    assert_eq!(data, row.data, "{what}");
    assert!(error["data"]["fix_hint"].is_string(), "{what}");
    assert!(!answer.text.contains("127.0.0.1") && !answer.json.to_string().contains("/api/v2"), "{what}");
}

/// A port that nothing listens at.
fn closed_port() -> u16 {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    listener.local_addr().expect("an address").port()
}

#[test]
fn the_table_of_the_page_is_that_of_the_tests() {
    let word = |flag| if flag { "yes" } else { "no" };
    let rows: Vec<Vec<String>> = ROWS
        .iter()
        .map(|row| {
            let flag =
                |pick: fn((bool, bool)) -> bool| row.flags.map_or("-", |flags| word(pick(flags))).to_owned();
            let data: Vec<String> =
                row.data.iter().map(|datum| format!("`{}`", datum.replace('=', ": "))).collect();
            let data = if data.is_empty() { "-".to_owned() } else { data.join(", ") };
            vec![
                row.fault.to_owned(),
                row.kind.to_owned(),
                flag(|flags| flags.0),
                flag(|flags| flags.1),
                data,
                row.units.to_string(),
                word(row.counts).to_owned(),
            ]
        })
        .collect();
    hold("docs/upstream.md", "Faults", &rows);
}

#[test]
fn every_documented_code_of_a_400_is_the_same_refusal() {
    let peer = Peer::start();
    let server = server_over(peer.port, WIDE);
    for code in [
        "invalid_artist_key",
        "use_resolve_for_locator",
        "invalid_label_key",
        "invalid_fields",
        "missing_locator",
        "invalid_locator",
        "invalid_query",
        "invalid_facet",
    ] {
        peer.set(
            "/api/v2/artist/",
            json_answer(400, &format!(r#"{{"error":"{code}","param":"key","next":"/x"}}"#)),
        );
        let answer = server.call_from(caller(1), "get_artist", json!({"key": "x"}));
        assert_row(&error("400 with any code", NEVER, REFUSED, 0, false), &answer);
        assert!(!answer.json.to_string().contains(code), "{code}");
    }
}

#[test]
fn one_short_unavailability_and_one_lost_connection_are_made_good_unseen() {
    let short = with(503, "content-type: application/json\r\nretry-after: 0\r\n", ERROR.as_bytes());
    for first in [short, Act::SaysAndResets(Vec::new()), Act::Says(begun(200))] {
        let peer = Peer::start();
        peer.set("/api/v2/artist/", Act::First(Box::new(first), Box::new(json_answer(200, CARD))));
        let server = server_over(peer.port, WIDE);
        let answer = server.call_from(caller(1), "get_artist", json!({"key": "x"}));
        assert_eq!(answer.data()["name"], "X");
        assert_eq!(
            (&answer.json["meta"]["units"], &answer.json["meta"]["upstream_2xx"]),
            (&json!(1), &json!(1))
        );
        assert_eq!(peer.seen("/api/v2/artist/").len(), 2);
    }
}

#[test]
fn a_redirect_on_the_same_host_is_followed() {
    let peer = Peer::start();
    peer.set("/api/v2/artist/x", with(308, "location: /elsewhere/x\r\n", b""));
    peer.set("/elsewhere/x", json_answer(200, CARD));
    let server = server_over(peer.port, WIDE);
    let answer = server.call_from(caller(1), "get_artist", json!({"key": "x"}));
    assert_eq!(answer.data()["name"], "X");
}
