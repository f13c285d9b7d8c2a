//! Resources: documents that are ready, and what is said about others.

use serde_json::{Value, json};

use super::in_both_eras;
use crate::harness::Demo;

#[test]
fn every_listed_resource_can_be_read_and_is_json() {
    let list = Demo::shared().modern("resources/list", json!({})).result();
    let resources = list["resources"].as_array().expect("a list");
    let uris: Vec<&str> = resources.iter().filter_map(|resource| resource["uri"].as_str()).collect();
    assert_eq!(
        uris,
        [
            "hosaka://capabilities",
            "hosaka://envelope-schema",
            "hosaka://dossier-manifest",
            "hosaka://semantics-dictionary"
        ]
    );
    for uri in uris {
        for answer in in_both_eras("resources/read", json!({"uri": uri})) {
            let result = answer.result();
            let contents = result["contents"].as_array().expect("contents");
            assert_eq!(contents.len(), 1, "{uri}");
            assert_eq!(
                (&contents[0]["uri"], &contents[0]["mimeType"]),
                (&json!(uri), &json!("application/json"))
            );
            let text = contents[0]["text"].as_str().expect("text");
            assert!(serde_json::from_str::<Value>(text).is_ok_and(|json| json.is_object()), "{uri}: {text}");
        }
    }
}

#[test]
fn an_unknown_resource_is_an_error_of_its_era_with_the_address_that_was_asked() {
    for uri in [
        "hosaka://nothing",
        "hosaka://capabilities/",
        "HOSAKA://capabilities",
        "https://example.org/",
        "file:///etc/passwd",
        "",
    ] {
        let [modern, legacy] = in_both_eras("resources/read", json!({"uri": uri}));
        assert_eq!((modern.refusal(), &modern.error()["data"]["uri"]), ((200, -32602), &json!(uri)), "{uri}");
        assert_eq!((legacy.refusal(), &legacy.error()["data"]["uri"]), ((200, -32002), &json!(uri)), "{uri}");
    }
    let long = format!("hosaka://{}", "x".repeat(100_000));
    let answer = Demo::shared().legacy("resources/read", json!({"uri": long}));
    assert_eq!(answer.refusal(), (200, -32002));
    assert!(answer.body.len() < 4_096, "an error grows with what was sent: {}", answer.body.len());
    for params in [json!({}), json!({"uri": null}), json!({"uri": 5})] {
        for answer in in_both_eras("resources/read", params.clone()) {
            assert_eq!(answer.refusal(), (200, -32602), "{params}");
        }
    }
}

#[test]
fn capabilities_name_every_listed_tool_and_every_error_code_with_its_flag() {
    let capabilities = Demo::shared().resource("hosaka://capabilities");
    let names = |list: &Value| -> Vec<String> {
        let list = list.as_array().expect("a list");
        list.iter().map(|row| row["name"].as_str().expect("a name").to_owned()).collect()
    };
    let listed = Demo::shared().modern_at("/mcp/full", "tools/list", json!({})).result();
    assert_eq!(names(&capabilities["tools"]), names(&listed["tools"]));
    let errors = capabilities["errors"].as_array().expect("errors");
    let types: Vec<&str> = errors.iter().filter_map(|row| row["type"].as_str()).collect();
    assert_eq!(
        types,
        [
            "invalid_argument",
            "one_of_required",
            "range_too_large",
            "placeholder_detected",
            "unauthorized",
            "insufficient_scope",
            "quota_exceeded",
            "anonymous_capacity_exhausted",
            "rate_limited",
            "linked_capacity_exhausted",
            "request_in_progress",
            "upstream_degraded",
            "upstream_error",
            "metering_unavailable",
            "tool_disabled",
            "idempotency_conflict",
            "internal",
        ]
    );
    assert!(errors.iter().all(|row| row["retryable"].is_string()), "{errors:?}");
    assert_eq!(
        (&capabilities["limits"]["response_tokens_soft"], &capabilities["limits"]["response_tokens_hard"]),
        (&json!(1_500), &json!(4_000))
    );
    assert_eq!(capabilities["protocol_versions"], json!(["2026-07-28", "2025-11-25", "2025-06-18"]));
}

#[test]
fn reading_a_resource_costs_nothing() {
    let demo = Demo::start();
    for _ in 0..50 {
        demo.modern("resources/read", json!({"uri": "hosaka://capabilities"})).result();
    }
    let charged = demo
        .log()
        .lines()
        .filter(|line| line.contains("resources/read") && !line.contains("units=0"))
        .count();
    assert_eq!(charged, 0);
}
