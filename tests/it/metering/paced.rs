//! Whose pace a call counts for: an address, everybody behind ChatGPT's addresses together, or an account.

use std::net::IpAddr;

use serde_json::{Value, json};

use super::fresh;
use crate::harness::{Demo, Envelope, JSON};

fn reason(answer: &Envelope) -> Option<&str> {
    answer.json["error"]["data"]["reason"].as_str()
}

#[test]
fn whatever_a_caller_says_of_its_address_it_is_limited_as_the_one_it_has() {
    let server = Demo::serving("fixture_mode = true", "[anonymous]\ncalls_per_minute = 5");
    let mut served = 0;
    for n in 0..12_u8 {
        let address = format!("198.51.100.{n}");
        let forwarded = format!("for={address}");
        let headers = [
            JSON,
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2025-11-25"),
            ("x-forwarded-for", address.as_str()),
            ("x-real-ip", address.as_str()),
            ("forwarded", forwarded.as_str()),
            ("cf-connecting-ip", address.as_str()),
        ];
        let params = json!({"name": "resolve_artist", "arguments": fresh()});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let answer = server.post(&headers, body.to_string()).envelope();
        if answer.is_error {
            assert_eq!(reason(&answer), Some("anonymous_pace"), "{}", answer.json);
        } else {
            served += 1;
        }
    }
    assert_eq!(served, 5);
}

#[test]
fn callers_from_chatgpts_addresses_are_paced_together_and_hold_up_neither_others_nor_accounts() {
    let server = Demo::serving(
        "fixture_mode = true",
        "[guard]\ntrusted_proxies = [\"127.0.0.1\"]\n[issuer]\nenabled = true\n\
         [anonymous]\ncalls_per_minute = 2\nchatgpt_calls_per_minute = 8\nchatgpt_networks = [\"203.0.113.0/28\"]",
    );
    let from = |address: &str| {
        let address: IpAddr = address.parse().unwrap();
        server.call_from(address, "resolve_artist", fresh())
    };
    let class = |answer: &Envelope| answer.json["meta"]["client_class"].clone();
    for n in [1, 1, 1, 1, 1, 2, 3, 4] {
        let answer = from(&format!("203.0.113.{n}"));
        assert_eq!((answer.is_error, class(&answer)), (false, json!("chatgpt_ip")), "{}", answer.json);
    }
    let refused = from("203.0.113.5");
    assert_eq!((refused.error_type(), reason(&refused)), ("rate_limited", Some("chatgpt_pace")));
    assert!(refused.json["error"]["data"]["retry_after_ms"].as_u64().is_some_and(|wait| wait <= 7_500));
    let outside: Vec<Value> = (0..3).map(|_| from("203.0.113.16").json).collect();
    let errors: Vec<&Value> = outside.iter().map(|answer| &answer["error"]["data"]["reason"]).collect();
    assert_eq!(errors, [&Value::Null, &Value::Null, &json!("anonymous_pace")]);
    assert_eq!(outside[0]["meta"]["client_class"], "unknown");
    // An account behind the same address has a pace of its own.
    let token = server.token_of("behind");
    let answer = server.call_as(&token, "resolve_artist", fresh());
    assert_eq!((answer.is_error, class(&answer)), (false, json!("linked_generic")), "{}", answer.json);
}

#[test]
fn d11_whoever_is_refused_reads_in_the_answer_itself_when_to_come_back() {
    let server = Demo::serving(
        "fixture_mode = true",
        "[issuer]\nenabled = true\n[accounts]\nunits_per_month = 1\ncalls_per_minute = 2\n\
         [anonymous]\nunits_per_day = 0",
    );
    let token = server.token_of("told");
    let card = |n: u8| server.call_as(&token, "get_artist", json!({"key": format!("nobody-{n}")}));
    assert!(!card(1).is_error);
    // Each is the answer of a tool, under 200, which any client shows: `call_as` takes no other status.
    let told = |answer: &Envelope, kind: &str, figures: &[&str]| {
        assert_eq!((answer.is_error, answer.error_type()), (true, kind), "{}", answer.json);
        for figure in figures {
            let value = &answer.json["error"]["data"][figure];
            let said = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            assert!(
                !value.is_null() && answer.text.contains(&said),
                "{figure} of {}\n{}",
                answer.json,
                answer.text
            );
        }
    };
    told(&card(2), "quota_exceeded", &["used", "allowance", "reset_at"]);
    told(&card(3), "rate_limited", &["retry_after_ms"]);
    told(
        &server.call("resolve_artist", fresh()),
        "anonymous_capacity_exhausted",
        &["retry_after_ms", "reset_at"],
    );
}

#[test]
fn an_account_at_its_limit_holds_up_neither_another_at_the_same_address_nor_a_caller_without_one() {
    let server = Demo::serving(
        "fixture_mode = true",
        "[issuer]\nenabled = true\n[accounts]\ncalls_per_minute = 2\n[anonymous]\ncalls_per_minute = 1",
    );
    let (limited, other) = (server.token_of("limited"), server.token_of("other"));
    let of = |token: &str| server.call_as(token, "resolve_artist", fresh());
    let first: Vec<bool> = (0..3).map(|_| of(&limited).is_error).collect();
    assert_eq!(first, [false, false, true]);
    assert!(!of(&other).is_error);
    assert!(!server.call("resolve_artist", fresh()).is_error);
    assert_eq!(reason(&server.call("resolve_artist", fresh())), Some("anonymous_pace"));
    assert!(!of(&other).is_error, "signed in, nobody is limited by address");
}
