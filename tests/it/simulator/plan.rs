//! The key and its plan.

use std::io::Write;
use std::time::Instant;

use serde_json::json;

use super::Sim;
use super::process::read;
use crate::harness::PATIENCE;

#[test]
fn without_the_key_nothing_is_served_but_what_is_open() {
    let sim = Sim::start("", &["--api-key", "ck_live_OfThisTestAndOfNobodyElseAtAll00"]);
    let ask = |target: &str, key: &str| {
        let mut stream = sim.connect();
        let request = format!("GET {target} HTTP/1.1\r\nhost: sim\r\n{key}connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("it reads");
        read(stream)
    };
    for open in ["/api/v2", "/api/v2/openapi.json", "/api/v2/preview/artist?q=x"] {
        assert_eq!(ask(open, "").status, 200, "{open}");
    }
    let right = "x-api-key: ck_live_OfThisTestAndOfNobodyElseAtAll00\r\n";
    for (key, status) in [("", 401), ("x-api-key: ck_live_x\r\n", 401), (right, 200)] {
        let said = ask("/api/v2/resolve?q=x", key);
        assert_eq!(said.status, status, "{key}");
        assert_eq!(said.json()["error"] == "invalid_api_key", status == 401, "{key}");
    }
    assert_eq!(sim.report()["requests"], 4, "what had no key is not counted");
}

#[test]
fn more_at_once_than_the_plan_allows_is_refused_until_a_place_is_free() {
    let sim = Sim::start("[[rule]]\nquery = \"q=hang\"\nhang = true\n", &["--per-minute", "0"]);
    let hanging = [sim.send("/api/v2/resolve?q=hang"), sim.send("/api/v2/resolve?q=hang")];
    let began = Instant::now();
    while sim.report()["in_flight"] != 2 {
        assert!(began.elapsed() < PATIENCE, "{}", sim.report());
    }
    let refused = sim.get("/api/v2/resolve?q=x");
    assert_eq!((refused.status, refused.field("retry-after")), (429, Some("1")));
    let body = json!({ "error": "rate_limited", "retry_after_seconds": 1, "reason": "concurrency" });
    assert_eq!(refused.json(), body);
    drop(hanging);
    while sim.get("/api/v2/resolve?q=x").status != 200 {
        assert!(began.elapsed() < PATIENCE, "{}", sim.report());
    }
    let report = sim.report();
    assert_eq!((&report["greatest_in_flight"], &report["answers"]["429"].is_null()), (&json!(3), &false));
}

#[test]
fn more_a_minute_than_the_plan_allows_is_refused_with_the_time_to_wait() {
    let sim = Sim::start("", &["--per-minute", "3"]);
    for left in ["2", "1", "0"] {
        let said = sim.get("/api/v2/resolve?q=x");
        assert_eq!((said.status, said.field("x-ratelimit-remaining")), (200, Some(left)));
        assert_eq!(said.field("x-ratelimit-limit"), Some("3"));
        assert!(
            said.field("x-ratelimit-reset")
                .is_some_and(|at| at.parse::<u64>().is_ok_and(|at| at > 1_700_000_000))
        );
    }
    let refused = sim.get("/api/v2/resolve?q=x");
    assert_eq!((refused.status, refused.field("x-ratelimit-remaining")), (429, Some("0")));
    let wait = refused.json()["retry_after_seconds"].as_u64().expect("seconds");
    assert!((1..=60).contains(&wait), "{wait}");
    assert_eq!(refused.field("retry-after"), Some(wait.to_string().as_str()));
    assert!(refused.json().get("reason").is_none());
    let report = sim.report();
    assert_eq!((&report["greatest_per_minute"], &report["greatest_in_flight"]), (&json!(4), &json!(1)));
    assert_eq!(report["targets"], json!({ "GET /api/v2/resolve?q=x": 4 }));
}
