//! Which revision a request is served in, and what each revision adds to an answer.

use serde_json::{Value, json};

use super::{ACCEPT, good_requests, in_both_eras, post};
use crate::harness::{Answer, Demo, JSON, MODERN, meta};

const SERVED: [&str; 3] = ["2026-07-28", "2025-11-25", "2025-06-18"];

fn with_version(version: &str, method: &str, params: &Value) -> Answer {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let headers = [JSON, ACCEPT, ("mcp-protocol-version", version), ("mcp-method", method)];
    Demo::shared().post(&headers, body)
}

#[test]
fn a_handshake_agrees_on_a_version_that_is_served_and_never_echoes_another() {
    for (asked, agreed) in [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2026-07-28", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
        ("2025-03-26", "2025-11-25"),
        ("2024-11-05", "2025-11-25"),
        ("foo", "2025-11-25"),
        ("", "2025-11-25"),
    ] {
        let params = json!({"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        for header in ["2026-07-28", "2025-11-25", "1999-01-01", "not-a-version", ""] {
            let result = with_version(header, "initialize", &params).result();
            assert_eq!(result["protocolVersion"], agreed, "{asked:?} with header {header:?}");
        }
    }
}

#[test]
fn a_handshake_says_who_answers_and_what_is_offered() {
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let result =
        post(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).to_string())
            .result();
    assert_eq!(result["serverInfo"]["name"], "ono-sendai");
    assert_eq!(result["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(
        result["capabilities"],
        json!({"tools": {}, "resources": {}, "prompts": {}, "completions": {}})
    );
    let instructions = result["instructions"].as_str().expect("instructions");
    assert!(instructions.len() < 2_048, "{} bytes", instructions.len());
    let essentials: String = instructions.chars().take(512).collect();
    for word in ["resolve_artist", "get_artist", "present:false", "ambiguity"] {
        assert!(essentials.contains(word), "{word} comes late in {instructions}");
    }
    assert_eq!(post(r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#).refusal(), (200, -32602));
}

#[test]
fn discovery_names_every_revision_and_its_result_may_be_kept() {
    let result = Demo::shared().modern("server/discover", json!({})).result();
    assert_eq!(result["supportedVersions"], json!(SERVED));
    assert_eq!(
        result["capabilities"],
        json!({"tools": {}, "resources": {}, "prompts": {}, "completions": {}})
    );
    assert!(
        result["instructions"].is_string() && result["ttlMs"].is_u64() && result["cacheScope"].is_string()
    );
}

#[test]
fn every_served_version_in_the_header_is_served_without_a_handshake() {
    for version in ["2025-11-25", "2025-06-18", "2025-03-26"] {
        assert!(with_version(version, "tools/list", &json!({})).result()["tools"].is_array(), "{version}");
    }
    assert!(post(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).result()["tools"].is_array());
}

#[test]
fn another_version_in_the_header_is_refused_and_the_served_ones_are_named() {
    for version in ["1999-01-01", "2024-11-05", "not-a-version", "", "2026-07-29", "2025-11-25, 2025-06-18"] {
        let answer = with_version(version, "tools/list", &json!({}));
        assert_eq!(answer.refusal(), (400, -32022), "{version:?}");
        assert_eq!(answer.error()["data"], json!({"supported": SERVED, "requested": version}), "{version:?}");
        assert_eq!(answer.json()["id"], 1, "{version:?}");
    }
    let long = "9".repeat(4_000);
    let answer = with_version(&long, "tools/list", &json!({}));
    assert_eq!(answer.refusal(), (400, -32022));
    assert!(answer.body.len() < 500, "an error grows with what was sent: {}", answer.body.len());
}

#[test]
fn another_version_is_refused_on_notifications_too() {
    let body = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    for (version, status) in [("2025-11-25", 202), ("2026-07-28", 202), ("1999-01-01", 400)] {
        let answer = Demo::shared().post(&[JSON, ("mcp-protocol-version", version)], body);
        assert_eq!(answer.status, status, "{version}");
    }
}

#[test]
fn a_modern_request_without_its_metadata_is_refused() {
    let whole = meta();
    let mut no_version = whole.clone();
    no_version.as_object_mut().expect("an object").remove("io.modelcontextprotocol/protocolVersion");
    let mut no_capabilities = whole.clone();
    no_capabilities.as_object_mut().expect("an object").remove("io.modelcontextprotocol/clientCapabilities");
    let mut odd_version = whole.clone();
    odd_version["io.modelcontextprotocol/protocolVersion"] = json!(5);
    let mut odd_capabilities = whole.clone();
    odd_capabilities["io.modelcontextprotocol/clientCapabilities"] = json!([]);
    for meta in [json!({}), json!(null), json!(5), no_version, no_capabilities, odd_version, odd_capabilities]
    {
        let answer = with_version(MODERN, "tools/list", &json!({"_meta": meta}));
        assert_eq!((answer.refusal(), &answer.json()["id"]), ((400, -32602), &json!(1)), "{meta}");
    }
    assert_eq!(with_version(MODERN, "tools/list", &json!({})).refusal(), (400, -32602));
    // Who the client is need not be said.
    let mut anonymous = whole;
    anonymous.as_object_mut().expect("an object").remove("io.modelcontextprotocol/clientInfo");
    assert_eq!(with_version(MODERN, "tools/list", &json!({"_meta": anonymous})).status, 200);
}

#[test]
fn header_and_body_must_name_the_same_revision() {
    for header in ["2025-11-25", "2099-01-01", ""] {
        let answer = with_version(header, "tools/list", &json!({"_meta": meta()}));
        assert_eq!(answer.refusal(), (400, -32020), "{header:?}");
    }
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta()}}).to_string();
    assert_eq!(
        Demo::shared().post(&[JSON, ACCEPT, ("mcp-method", "tools/list")], body).refusal(),
        (400, -32020)
    );
    let mut unserved = meta();
    unserved["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01");
    let answer = with_version("2099-01-01", "tools/list", &json!({"_meta": unserved}));
    assert_eq!(
        (answer.refusal(), &answer.error()["data"]["requested"]),
        ((400, -32022), &json!("2099-01-01"))
    );
}

#[test]
fn every_modern_result_is_complete_and_signed_and_no_legacy_one_is() {
    for (method, params) in good_requests() {
        let [modern, legacy] = in_both_eras(method, params);
        let (modern, legacy) = (modern.result(), legacy.result());
        assert_eq!(modern["resultType"], "complete", "{method}");
        let signed = &modern["_meta"]["io.modelcontextprotocol/serverInfo"];
        assert_eq!(
            (&signed["name"], &signed["version"]),
            (&json!("ono-sendai"), &json!(env!("CARGO_PKG_VERSION")))
        );
        for key in ["resultType", "_meta", "ttlMs", "cacheScope"] {
            assert_eq!(legacy.get(key), None, "{method}");
        }
    }
    let ping = Demo::shared().legacy("ping", json!({}));
    assert_eq!(ping.result(), json!({}));
}

#[test]
fn lists_and_documents_say_how_long_they_last_in_the_modern_era_only() {
    let kept = |method: &str| method.ends_with("/list") || method == "resources/read";
    for (method, params) in good_requests() {
        let result = Demo::shared().modern(method, params).result();
        assert_eq!(result["ttlMs"].is_u64(), kept(method), "{method}");
        assert_eq!(result["cacheScope"] == "public", kept(method), "{method}");
    }
}

#[test]
fn an_unknown_method_is_404_in_the_modern_era_and_200_before() {
    for method in [
        "foo/bar",
        "",
        "tools",
        "Tools/List",
        "logging/setLevel",
        "resources/subscribe",
        "subscriptions/listen",
    ] {
        let [modern, legacy] = in_both_eras(method, json!({}));
        assert_eq!((modern.refusal(), &modern.json()["id"]), ((404, -32601), &json!(1)), "{method}");
        assert_eq!((legacy.refusal(), &legacy.json()["id"]), ((200, -32601), &json!(1)), "{method}");
    }
    for method in ["initialize", "ping"] {
        let answer = Demo::shared().modern(method, json!({"protocolVersion": "2025-11-25"}));
        assert_eq!(answer.refusal(), (404, -32601), "{method}");
    }
    assert_eq!(Demo::shared().legacy("server/discover", json!({})).refusal(), (200, -32601));
}

#[test]
fn nothing_is_inferred_from_an_earlier_request() {
    // No handshake has happened on this server's behalf, and none is needed; none leaves anything behind.
    let demo = Demo::start();
    assert!(demo.legacy("tools/list", json!({})).result()["tools"].is_array());
    demo.legacy("initialize", json!({"protocolVersion": "2025-06-18"})).result();
    assert_eq!(demo.modern("server/discover", json!({})).result()["supportedVersions"], json!(SERVED));
}
