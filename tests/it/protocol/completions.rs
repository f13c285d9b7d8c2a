//! Completions: closed words where there are some, an empty list where there are none.

use serde_json::{Value, json};

use super::in_both_eras;

fn values(reference: &Value, argument: &str, typed: &str) -> Vec<Value> {
    let params = json!({"ref": reference, "argument": {"name": argument, "value": typed}});
    let [modern, legacy] = in_both_eras("completion/complete", params);
    let (modern, legacy) = (modern.result()["completion"].clone(), legacy.result()["completion"].clone());
    assert_eq!(modern, legacy);
    let values = modern["values"].as_array().expect("values").clone();
    assert_eq!((&modern["total"], &modern["hasMore"]), (&json!(values.len()), &json!(false)));
    values
}

#[test]
fn the_words_of_a_closed_argument_are_offered() {
    let prompt = json!({"type": "ref/prompt", "name": "known_and_unknown"});
    assert_eq!(values(&prompt, "view", ""), ["summary", "standard", "full"]);
    assert_eq!(values(&prompt, "view", "s"), ["summary", "standard"]);
    assert_eq!(values(&prompt, "view", "x"), [] as [&str; 0]);
}

#[test]
fn an_unknown_reference_or_argument_has_no_completions() {
    for reference in [
        json!({"type": "ref/prompt", "name": "nothing"}),
        json!({"type": "ref/prompt"}),
        json!({"type": "ref/prompt", "name": 5}),
        json!({"type": "ref/resource", "uri": "hosaka://capabilities"}),
        json!({"type": "ref/resource", "uri": "file:///{path}"}),
        json!({"type": "ref/nothing"}),
    ] {
        assert_eq!(values(&reference, "view", ""), [] as [&str; 0], "{reference}");
    }
    let prompt = json!({"type": "ref/prompt", "name": "known_and_unknown"});
    for argument in ["artist", "", "nothing"] {
        assert_eq!(values(&prompt, argument, "a"), [] as [&str; 0], "{argument}");
    }
}

#[test]
fn a_completion_that_asks_for_nothing_is_invalid_params() {
    let prompt = json!({"type": "ref/prompt", "name": "known_and_unknown"});
    for params in [
        json!({}),
        json!({"ref": prompt}),
        json!({"ref": prompt, "argument": null}),
        json!({"ref": prompt, "argument": []}),
        json!({"ref": prompt, "argument": {"name": "view"}}),
        json!({"ref": prompt, "argument": {"name": 5, "value": ""}}),
        json!({"ref": "known_and_unknown", "argument": {"name": "view", "value": ""}}),
        json!({"ref": {}, "argument": {"name": "view", "value": ""}}),
        json!({"argument": {"name": "view", "value": ""}}),
    ] {
        for answer in in_both_eras("completion/complete", params.clone()) {
            assert_eq!(answer.refusal(), (200, -32602), "{params}");
        }
    }
}
