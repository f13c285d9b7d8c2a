//! The two commands of a first visit, as they are printed: a demo, and a call from a second terminal.

use serde_json::{Value, json};

use super::{code, ono_sendai, stderr, stdout};
use crate::harness::Demo;

/// Calls the shared demo from the command line; exit code and envelope.
fn call(tool: &str, argument: &str) -> (i32, Value) {
    let demo = Demo::shared();
    let certificate = demo.certificate.display().to_string();
    let output = ono_sendai(&["call", tool, argument, "--url", &demo.url("/mcp"), "--ca", &certificate]);
    assert_eq!(stderr(&output), "", "{tool} {argument}");
    (code(&output), serde_json::from_str(&stdout(&output)).expect("an envelope"))
}

#[test]
fn the_id_of_a_resolved_artist_leads_to_the_card() {
    let (code, resolved) = call("resolve_artist", "q=Four Tet");
    assert_eq!((code, &resolved["ambiguity"]["state"]), (0, &json!("none")), "{resolved}");
    let id = resolved["data"]["cluster_id"].as_str().expect("an id");
    assert_eq!(resolved["next_actions"][0]["args"]["key"], id);
    let (code, card) = call("get_artist", &format!("key={id}"));
    assert_eq!(
        (code, &card["data"]["name"], &card["data"]["resolved_via"]),
        (0, &json!("Four Tet"), &json!("discogs"))
    );
    for envelope in [resolved, card] {
        assert!(
            envelope["attribution"]["line"].as_str().is_some_and(|line| line.starts_with("Data by hosaka"))
        );
    }
}

#[test]
fn a_bad_argument_is_an_envelope_and_ends_with_4() {
    let (code, envelope) = call("resolve_artist", "qq=Four Tet");
    assert_eq!((code, &envelope["error"]["type"]), (4, &json!("invalid_argument")));
    assert_eq!(envelope["error"]["data"]["did_you_mean"], "q");
}
