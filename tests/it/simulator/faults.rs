//! Every fault that a scenario can name, seen from the other end of the socket.

use std::io::{ErrorKind, Read};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Sim;

/// A rule for requests with this word in their query, and what it does.
fn rule(word: &str, does: &str) -> String {
    format!("[[rule]]\nquery = \"q={word}\"\n{does}\n")
}

fn target(word: &str) -> String {
    format!("/api/v2/resolve?q={word}")
}

#[test]
fn an_answer_can_be_another_than_the_right_one() {
    let sim = Sim::with(
        &[
            rule("status", "status = 503\nheaders = { \"Retry-After\" = \"7\" }"),
            rule("body", "status = 400\nbody = '{\"error\":\"own\"}'"),
            rule("html", "answer = \"html\""),
            rule("text", "answer = \"text\""),
            rule("wrong", "answer = \"wrong_json\""),
            rule("half", "answer = \"half_json\""),
            rule("empty", "answer = \"empty\""),
            rule("state", "state = \"degraded\""),
            rule("edit", "set = { \"/slug\" = 5, \"/locators/discogs\" = [1] }\nnull = \"/display\"\nremove = [\"/note\", \"/resolved_from\"]"),
            rule("pad", "pad_bytes = 3000000"),
        ]
        .concat(),
    );
    let status = sim.get(&target("status"));
    assert_eq!((status.status, status.field("retry-after")), (503, Some("7")));
    assert_eq!(status.json(), json!({ "error": "unavailable" }));
    let body = sim.get(&target("body"));
    assert_eq!((body.status, body.json()), (400, json!({ "error": "own" })));
    let html = sim.get(&target("html"));
    assert_eq!((html.status, html.field("content-type")), (200, Some("text/html; charset=utf-8")));
    assert!(html.body.starts_with(b"<!doctype html>"));
    let is_json = |word: &str| serde_json::from_slice::<Value>(&sim.get(&target(word)).body).is_ok();
    assert_eq!([is_json("text"), is_json("half"), is_json("empty")], [false; 3]);
    assert!(sim.get(&target("wrong")).json().is_array());
    let half = sim.get(&target("half"));
    assert_eq!(half.field("content-length").and_then(|n| n.parse().ok()), Some(half.body.len()));
    assert_eq!((sim.get(&target("empty")).status, sim.get(&target("empty")).body.len()), (200, 0));
    assert_eq!(sim.get(&target("state")).json()["state"], "degraded");
    let edit = sim.get(&target("edit")).json();
    assert_eq!((&edit["slug"], &edit["locators"]["discogs"]), (&json!(5), &json!([1])));
    assert_eq!((edit.get("display"), edit.get("resolved_from")), (Some(&Value::Null), None));
    let pad = sim.get(&target("pad"));
    assert_eq!(pad.body.len(), 3_000_000);
    assert_eq!(pad.json()["resolved_from"], "name");
    assert_eq!(sim.get(&target("none")).json()["cluster_id"], Value::Null);
}

#[test]
fn a_connection_can_end_where_it_should_not() {
    let sim = Sim::with(
        &[
            rule("before", "reset = \"before\""),
            rule("inside", "reset = \"body\""),
            rule("cut", "truncate_bytes = 10"),
            rule("nothing", "truncate_bytes = 0"),
        ]
        .concat(),
    );
    let before = sim.get(&target("before"));
    assert_eq!((before.status, before.broken.map(|e| e.kind())), (0, Some(ErrorKind::ConnectionReset)));
    let announced = |said: &super::Said| said.field("content-length").and_then(|n| n.parse::<usize>().ok());
    let inside = sim.get(&target("inside"));
    assert_eq!(inside.broken.as_ref().map(std::io::Error::kind), Some(ErrorKind::ConnectionReset));
    // A reset may overtake what was read so far, but no more than half can have come.
    assert!(inside.body.len() <= announced(&inside).unwrap_or(0) / 2, "{inside:?}");
    for (word, bytes) in [("cut", 10), ("nothing", 0)] {
        let said = sim.get(&target(word));
        assert_eq!((said.status, said.body.len(), said.broken.is_none()), (200, bytes, true), "{said:?}");
        assert!(announced(&said).is_some_and(|length| length > 100), "{said:?}");
    }
}

#[test]
fn an_answer_can_take_its_time() {
    let sim = Sim::with(
        &[
            rule("late", "latency_ms = 300"),
            rule("header", "slow_header_ms = 3"),
            rule("body", "slow_body_ms = 20\nslow_body_bytes = 20"),
            rule("never", "hang = true"),
        ]
        .concat(),
    );
    let timed = |word: &str| {
        let began = Instant::now();
        let said = sim.get(&target(word));
        assert_eq!((said.status, said.json()["resolved_from"].as_str()), (200, Some("name")), "{word}");
        (said, began.elapsed())
    };
    assert!(timed("late").1 >= Duration::from_millis(300));
    let (said, took) = timed("header");
    let least = 3 * (u64::try_from(said.header.len()).expect("a length") - 1);
    assert!(took >= Duration::from_millis(least), "{took:?} {least}");
    let (said, took) = timed("body");
    let least = 20 * (u64::try_from(said.body.len()).expect("a length") / 20 - 1);
    assert!(took >= Duration::from_millis(least), "{took:?} {least}");

    let mut stream = sim.send(&target("never"));
    stream.set_read_timeout(Some(Duration::from_millis(300))).expect("a timeout");
    let nothing = stream.read(&mut [0; 1]).expect_err("silence");
    assert_eq!(nothing.kind(), ErrorKind::WouldBlock);
}

#[test]
fn a_fault_ends_after_its_requests() {
    let sim =
        Sim::with("[[rule]]\nfamily = \"resolve\"\nfrom_request = 2\nuntil_request = 3\nstatus = 500\n");
    let statuses: Vec<u16> = (0..4).map(|_| sim.get(&target("x")).status).collect();
    assert_eq!(statuses, [200, 500, 500, 200]);
    assert_eq!(sim.get("/api/v2/search?q=x").status, 200);
}
