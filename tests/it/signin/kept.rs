//! Accounts that stay: over a kill, and as an operator sets them.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{Demo, Kept as _, PATIENCE};
use crate::upstream::peer::{Act, Peer, whole};

fn admin(demo: &Demo, arguments: &[&str]) -> Result<Value, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_ono-sendai"))
        .args(["admin", "--data"])
        .arg(demo.data())
        .arg("accounts")
        .args(arguments)
        .kept_output()
        .expect("the program runs");
    if output.status.success() {
        Ok(serde_json::from_slice::<Value>(&output.stdout).expect("JSON")["accounts"]["accounts"].clone())
    } else {
        Err(String::from_utf8(output.stderr).expect("text"))
    }
}

fn only(accounts: &Value) -> Value {
    let [account] = accounts.as_array().expect("a list").as_slice() else { panic!("{accounts}") };
    account.clone()
}

#[test]
fn an_account_is_kept_from_its_first_token_on_and_over_a_kill() {
    let first = Demo::start();
    let subject = "subject=kept person";
    assert!(admin(&first, &["show", subject]).unwrap_err().contains("no such account"));
    let _answer = first.call_as(&first.token_of("kept person"), "get_usage", json!({}));
    let before = only(&admin(&first, &["show", subject]).expect("it is there"));
    let id = before["account"].as_str().expect("an id").to_owned();
    assert_eq!(
        (&before["blocked"], &before["active"], &before["allowance"]),
        (&json!(false), &json!(true), &json!(1_000))
    );
    assert!(before["first_seen"].as_str().is_some_and(|at| at.ends_with('Z')), "{before}");
    // What an operator set is durable once it was answered, what was seen a moment later.
    admin(&first, &["allowance", &id, "1234"]).expect("it is set");
    first.kill();
    let next = first.again();
    let after = only(&admin(&next, &["show", &id]).expect("it is there"));
    assert_eq!((&after["first_seen"], &after["allowance"]), (&before["first_seen"], &json!(1_234)));
    let profile = next.call_as(&next.token_of("kept person"), "get_profile", json!({}));
    assert_eq!(profile.data()["units_per_month"], 1_234);
    admin(&next, &["allowance", &id, "usual"]).expect("it is set");
    let profile = next.call_as(&next.token_of("kept person"), "get_profile", json!({}));
    assert_eq!(profile.data()["units_per_month"], 1_000);
    let listed = admin(&next, &["list"]).expect("a list");
    assert!(listed.as_array().expect("a list").iter().any(|account| account["account"] == id), "{listed}");
}

#[test]
fn a_blocked_account_is_refused_at_once_and_over_a_kill_until_it_is_let_in_again() {
    let first = Demo::start();
    let (token, other) = (first.token_of("shut out"), first.token_of("other"));
    assert!(!first.call_as(&token, "get_usage", json!({})).is_error);
    let blocked = only(&admin(&first, &["block", "subject=shut out"]).expect("it is set"));
    assert_eq!((&blocked["blocked"], &blocked["active"]), (&json!(true), &json!(false)));
    let refused = |demo: &Demo| {
        for (tool, arguments) in [("get_usage", json!({})), ("resolve_artist", json!({"q": "Four Tet"}))] {
            let answer = demo.call_as(&token, tool, arguments);
            assert_eq!(
                (answer.error_type(), &answer.json["error"]["recoverable"]),
                ("unauthorized", &json!(false))
            );
            assert_eq!(answer.json["meta"]["units"], 0);
        }
    };
    refused(&first);
    assert!(!first.call_as(&other, "get_usage", json!({})).is_error, "nobody else is touched");
    first.kill();
    let next = first.again();
    refused(&next);
    admin(&next, &["unblock", "subject=shut out"]).expect("it is set");
    assert!(!next.call_as(&token, "get_usage", json!({})).is_error);
    next.kill();
    let last = next.again();
    assert!(!last.call_as(&token, "get_usage", json!({})).is_error);
}

#[test]
fn a_call_that_runs_while_its_account_is_blocked_ends_as_usual_and_the_next_is_refused_at_once() {
    let service = Peer::start();
    let nobody = whole(200, "content-type: application/json\r\n", br#"{"resolved_via":null}"#);
    service.set("/api/v2/resolve", Act::Held(nobody));
    let sections = format!(
        "[issuer]\nenabled = true\n[crate]\nbase_url = \"http://127.0.0.1:{}\"\nkey = \"ck_test_B1ock3d0123456789ABCDEF\"\n[deadlines]\ncall_ms = 20000\ntool_ms = 30000\n",
        service.port
    );
    let server = Demo::serving("fixture_mode = false", &sections);
    let token = server.token_of("busy");
    std::thread::scope(|scope| {
        let call = || server.call_as(&token, "resolve_artist", json!({"q": "Nobody"}));
        let running = scope.spawn(call);
        let begun = Instant::now();
        while service.seen("/api/v2/resolve").is_empty() {
            assert!(begun.elapsed() < PATIENCE, "nothing was asked");
            std::thread::sleep(Duration::from_millis(2));
        }
        admin(&server, &["block", "subject=busy"]).expect("it is set");
        let refused = server.call_as(&token, "get_usage", json!({}));
        assert_eq!(refused.error_type(), "unauthorized");
        assert!(!running.is_finished(), "the call ended before its answer was there");
        service.let_go();
        let finished = running.join().expect("an answer");
        assert_ne!(finished.json["error"]["type"], "unauthorized", "{}", finished.json);
        assert!(finished.json["meta"]["units"].as_u64().is_some_and(|units| units >= 1), "{}", finished.json);
    });
    assert_eq!(server.call_as(&token, "resolve_artist", json!({"q": "Nobody"})).error_type(), "unauthorized");
    assert_eq!(service.seen("/api/v2/resolve").len(), 1, "nothing more is asked for it");
}

#[test]
fn an_allowance_that_is_set_is_a_hard_end() {
    let demo = Demo::start();
    let token = demo.token_of("small");
    admin(&demo, &["allowance", "subject=small", "3"]).expect("it is set before the account is ever seen");
    let mut served = 0;
    let refused = (0..10).find_map(|number| {
        let answer = demo.call_as(&token, "resolve_artist", json!({"cluster_id": format!("{number:064x}")}));
        served += u64::from(!answer.is_error);
        answer.is_error.then_some(answer)
    });
    let refused = refused.expect("an end");
    assert_eq!(
        (refused.error_type(), &refused.json["error"]["data"]["allowance"]),
        ("quota_exceeded", &json!(3))
    );
    assert!((1..=3).contains(&served), "{served}");
}

#[test]
fn what_cannot_be_set_is_told_in_one_line() {
    let demo = Demo::start();
    for (arguments, said) in [
        (&["show", "00"][..], "32 hexadecimal digits"),
        (&["block", "somebody"], "32 hexadecimal digits"),
        (&["show", "subject=nobody"], "no such account"),
    ] {
        let error = admin(&demo, arguments).unwrap_err();
        assert!(error.contains(said) && error.lines().count() == 1, "{error}");
    }
    for arguments in [&["allowance", "subject=x", "-1"][..], &["allowance", "subject=x", "many"], &["block"]]
    {
        assert!(admin(&demo, arguments).is_err(), "{arguments:?}");
    }
}
