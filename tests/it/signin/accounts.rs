//! What a signed-in account gets, and what it is charged.

use serde_json::{Value, json};

use crate::harness::{Demo, Envelope, Kept as _};

fn usage(envelope: &Envelope) -> u64 {
    envelope.json["meta"]["quota"]["used"].as_u64().unwrap_or_else(|| panic!("no quota: {}", envelope.json))
}

#[test]
fn an_account_is_charged_and_the_anonymous_budget_is_not() {
    let demo = Demo::shared();
    let token = demo.token_of("charged");
    let before = demo.call_as(&token, "get_usage", json!({}));
    let found = demo.call_as(&token, "resolve_artist", json!({"q": "Four Tet"}));
    let meta = &found.json["meta"];
    assert_eq!(
        (&meta["anonymous"], &meta["account_mode"], &meta["client_class"], &meta["anon_budget_bucket"]),
        (&json!(false), &json!("interim"), &json!("linked_generic"), &Value::Null)
    );
    let units = meta["units"].as_u64().expect("units");
    assert!(units >= 1, "{meta}");
    assert_eq!(usage(&found), usage(&before) + units);
    let after = demo.call_as(&token, "get_usage", json!({}));
    assert_eq!(after.data()["used"], usage(&found));
    assert_eq!(after.data()["remaining"], 1_000 - usage(&found));
    assert_eq!(after.json["meta"]["units"], 0);
    assert!(after.text.contains("units used"), "{}", after.text);
}

#[test]
fn two_accounts_share_nothing() {
    let demo = Demo::shared();
    let (one, other) = (demo.token_of("one"), demo.token_of("other"));
    let _found = demo.call_as(&one, "resolve_artist", json!({"q": "Four Tet"}));
    assert_eq!(usage(&demo.call_as(&other, "get_usage", json!({}))), 0);
    let profile = demo.call_as(&other, "get_profile", json!({}));
    assert_eq!(profile.data()["account_mode"], "interim");
    assert_eq!(profile.data()["units_per_month"], 1_000);
    assert!(profile.text.contains("1000 units a month"), "{}", profile.text);
}

#[test]
fn the_allowance_of_a_month_is_a_hard_end_that_says_when_it_is_over() {
    let demo = Demo::start();
    let token = demo.token_of("eager");
    let mut refused = None;
    for n in 0..1_100 {
        let answer = demo.call_as(&token, "resolve_artist", json!({"cluster_id": format!("{n:064x}")}));
        if answer.is_error {
            refused = Some(answer);
            break;
        }
    }
    let refused = refused.expect("the allowance ends");
    assert_eq!(refused.error_type(), "quota_exceeded", "{}", refused.json);
    let data = &refused.json["error"]["data"];
    // A call that might cost two units is refused when one is left.
    assert!(data["used"].as_u64().is_some_and(|used| (999..=1_000).contains(&used)), "{data}");
    assert_eq!(data["allowance"], 1_000);
    assert!(data["reset_at"].as_str().is_some_and(|at| at.ends_with("-01T00:00:00Z")), "{data}");
    assert_eq!(refused.json["meta"]["quota"]["warning_80"], true);
    assert!(!demo.call_as(&token, "get_usage", json!({})).is_error, "what costs nothing goes on");
    assert!(!demo.call("resolve_artist", json!({"q": "Four Tet"})).is_error, "others go on");
}

#[test]
fn the_command_line_calls_with_a_token() {
    let demo = Demo::shared();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_ono-sendai"))
        .args(["call", "get_profile", "--url", &demo.url("/mcp"), "--json", "--token", demo.token(), "--ca"])
        .arg(&demo.certificate)
        .kept_output()
        .expect("it runs");
    let envelope: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    assert_eq!((output.status.code(), &envelope["meta"]["anonymous"]), (Some(0), &json!(false)));
}
