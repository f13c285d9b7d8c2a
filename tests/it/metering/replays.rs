//! Identical calls: one charge, one answer, and never anybody else's.

use ono_sendai::profile::Profile;
use ono_sendai::tools::Call;
use ono_sendai::tools::registry::{self, ToolName};
use serde_json::{Value, json};

use super::{fresh, used};
use crate::harness::{Demo, Envelope};

fn is_replay(envelope: &Envelope) -> bool {
    envelope.json["meta"]["replay"].as_bool().unwrap()
}

#[test]
fn one_question_in_many_spellings_is_charged_once() {
    let demo = Demo::shared();
    let token = demo.token_of("spellings");
    let first = demo.call_as(&token, "get_artist", json!({"key": "four-tet"}));
    assert!(!first.is_error && !is_replay(&first), "{}", first.json);
    let charged = used(&first);
    for (arguments, endpoint) in [
        (json!({"key": "four-tet"}), "/mcp/full"),
        (json!({"key": "four-tet", "view": "standard"}), "/mcp"),
        (json!({"view": "standard", "key": "four-tet"}), "/mcp/full"),
        (json!({"key": "four-tet", "view": null}), "/mcp/full"),
    ] {
        let params = json!({"name": "get_artist", "arguments": arguments});
        let again = demo.modern_as(Some(&token), endpoint, "tools/call", params).envelope();
        assert!(is_replay(&again), "{arguments}: {}", again.json["meta"]);
        assert_eq!(used(&again), charged, "{arguments}");
        let meta = &again.json["meta"];
        assert_eq!((&meta["units"], &meta["upstream_2xx"]), (&json!(0), &json!(0)));
        assert_eq!((&again.json["data"], &again.text), (&first.json["data"], &first.text));
        assert_ne!(meta["request_id"], first.json["meta"]["request_id"]);
        let keys = |envelope: &Value| envelope.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(&again.json), keys(&first.json));
    }
}

#[test]
fn values_in_another_json_type_and_defaults_that_are_spelled_out_are_one_question() {
    let demo = Demo::shared();
    let token = demo.token_of("types");
    for (tool, first, others) in [
        (
            "resolve_artist",
            json!({"discogs_id": 3543}),
            vec![json!({"discogs_id": "3543"}), json!(r#"{"discogs_id": 3543}"#)],
        ),
        (
            "search_catalog",
            json!({"genre": "Electronic", "limit": 7}),
            vec![
                json!({"limit": "7", "genre": ["Electronic"]}),
                json!({"genre": "[\"Electronic\"]", "limit": 7, "genre_mode": "or"}),
            ],
        ),
        ("search_catalog", json!({"q": "record"}), vec![json!({"limit": 8, "q": " record "})]),
    ] {
        let answer = demo.call_as(&token, tool, first);
        assert!(!answer.is_error && !is_replay(&answer), "{}", answer.json);
        for other in others {
            let again = demo.call_as(&token, tool, other.clone());
            assert!(is_replay(&again), "{tool} {other}: {}", again.json["meta"]);
            assert_eq!(used(&again), used(&answer), "{other}");
        }
    }
}

#[test]
fn a_composed_and_a_decomposed_name_are_one_question() {
    let demo = Demo::shared();
    let token = demo.token_of("composed");
    let first = demo.call_as(&token, "resolve_artist", json!({"q": "Bj\u{f6}rk"}));
    let again = demo.call_as(&token, "resolve_artist", json!({"q": "Bjo\u{308}rk"}));
    assert!(is_replay(&again), "{}", again.json["meta"]);
    assert_eq!(used(&again), used(&first));
}

#[test]
fn another_account_another_view_and_a_caller_without_account_are_answered_for_themselves() {
    let demo = Demo::shared();
    let (one, other) = (demo.token_of("replay-one"), demo.token_of("replay-other"));
    let question = json!({"key": "four-tet"});
    let first = demo.call_as(&one, "get_artist", question.clone());
    let theirs = demo.call_as(&other, "get_artist", question.clone());
    assert!(!is_replay(&theirs) && used(&theirs) > 0, "{}", theirs.json["meta"]);
    let full = demo.call_as(&one, "get_artist", json!({"key": "four-tet", "view": "full"}));
    assert!(!is_replay(&full) && used(&full) > used(&first));
    for _ in 0..2 {
        let anonymous = demo.call("resolve_artist", json!({"q": "Four Tet"}));
        assert!(!is_replay(&anonymous) && anonymous.json["meta"]["quota"].is_null());
    }
}

#[test]
fn a_card_with_more_in_it_is_another_question() {
    let demo = Demo::shared();
    let token = demo.token_of("replay-includes");
    let mut answers = Vec::new();
    for include in [json!([]), json!(["similar"]), json!(["gigs"]), json!(["similar", "gigs"])] {
        let ask = || demo.call_as(&token, "get_artist", json!({"key": "four-tet", "include": include}));
        let answer = ask();
        assert!(!is_replay(&answer), "{include}: {}", answer.json["meta"]);
        let again = ask();
        assert!(is_replay(&again) && again.json["data"] == answer.json["data"], "{include}");
        answers.push(answer.json["data"].clone());
    }
    for (n, answer) in answers.iter().enumerate() {
        assert!(!answers[..n].contains(answer), "{answer}");
    }
    let spelled = json!({"key": "four-tet", "include": ["gigs", "similar", "gigs"]});
    assert!(
        is_replay(&demo.call_as(&token, "get_artist", spelled)),
        "in another order, and one of them twice"
    );
}

/// What tells a call from others of its tool.
fn question(tool: ToolName, arguments: &Value) -> Option<String> {
    let call = Call::parse(tool, arguments).ok()?;
    Some(format!("{} {:?}", call.canonical(), call.view()))
}

/// Values of an argument that mean different things, as far as its schema tells some.
fn values(schema: &Value) -> Vec<Value> {
    let list = |values: &Value| values.as_array().cloned().unwrap_or_default();
    if schema["enum"].is_array() {
        return list(&schema["enum"]);
    }
    if schema["items"]["enum"].is_array() {
        return list(&schema["items"]["enum"]).into_iter().map(|value| json!([value])).collect();
    }
    let bounds: Vec<Value> =
        ["minimum", "maximum"].iter().map(|bound| schema[*bound].clone()).filter(Value::is_number).collect();
    match bounds.len() {
        2 => bounds,
        _ => {
            vec![json!("Nirvana"), json!("Warp"), json!("four-tet"), json!("2028-01-01"), json!("2028-02-01")]
        }
    }
}

#[test]
fn calls_that_differ_in_any_argument_are_different_questions() {
    let mut compared = 0;
    let calls: Value = serde_json::from_str(include_str!("../../e2e/lib/calls.json")).unwrap();
    for call in calls.as_array().unwrap() {
        let tool = ToolName::find(call["tool"].as_str().unwrap(), Profile::Full).unwrap();
        let listed = registry::list(Profile::Full, None);
        let listed =
            listed["tools"].as_array().unwrap().iter().find(|row| row["name"] == tool.as_str()).unwrap();
        let base = &call["arguments"];
        assert!(question(tool, base).is_some(), "{call}");
        for (name, schema) in listed["inputSchema"]["properties"].as_object().unwrap() {
            // A track of an artist is one question, however many rows it may have.
            if tool == ToolName::FindTracks && name == "limit" {
                continue;
            }
            let mut seen: Vec<(String, Value)> = Vec::new();
            for value in values(schema) {
                let mut arguments = base.clone();
                arguments[name] = value.clone();
                // How several values of another argument are meant says nothing where that has none.
                if let Some(of) = name.strip_suffix("_mode") {
                    arguments[of] = json!(["Electronic", "Rock"]);
                }
                let Some(question) = question(tool, &arguments) else { continue };
                let same = seen.iter().find(|(other, _)| *other == question);
                assert!(same.is_none(), "{tool:?} {name}: {value} and {same:?}");
                compared += seen.len();
                seen.push((question, value));
            }
        }
    }
    assert!(compared > 40, "{compared}");
}

#[test]
fn identical_calls_at_once_are_charged_once() {
    let demo = Demo::shared();
    let token = demo.token_of("at-once");
    let question = fresh();
    let answers: Vec<Envelope> = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| demo.call_as(&token, "resolve_artist", question.clone())))
            .collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    assert!(answers.iter().all(|answer| !answer.is_error));
    assert_eq!(answers.iter().filter(|answer| !is_replay(answer)).count(), 1);
    let units: u64 = answers.iter().map(|answer| answer.json["meta"]["units"].as_u64().unwrap()).sum();
    assert_eq!(used(&demo.call_as(&token, "get_usage", json!({}))), units);
}

#[test]
fn a_refused_call_is_never_answered_from_before() {
    let demo = Demo::shared();
    let token = demo.token_of("refused");
    for _ in 0..2 {
        let refused = demo.call_as(&token, "get_artist", json!({"key": ""}));
        assert!(refused.is_error && !is_replay(&refused));
    }
}
