//! Prompts: listed, filled in, refused.

use serde_json::{Value, json};

use super::in_both_eras;
use crate::harness::Demo;

fn prompts() -> Vec<Value> {
    let result = Demo::shared().modern("prompts/list", json!({})).result();
    result["prompts"].as_array().expect("prompts").clone()
}

#[test]
fn every_listed_prompt_can_be_filled_in() {
    let prompts = prompts();
    assert!(!prompts.is_empty());
    for prompt in prompts {
        let arguments: serde_json::Map<String, Value> = prompt["arguments"]
            .as_array()
            .expect("arguments")
            .iter()
            .filter(|argument| argument["required"] == true)
            .map(|argument| (argument["name"].as_str().expect("a name").to_owned(), json!("Sigur \"Rós\"")))
            .collect();
        for answer in in_both_eras("prompts/get", json!({"name": prompt["name"], "arguments": arguments})) {
            let result = answer.result();
            let messages = result["messages"].as_array().expect("messages");
            assert!(!messages.is_empty() && result["description"].is_string(), "{result}");
            for message in messages {
                assert_eq!((&message["role"], &message["content"]["type"]), (&json!("user"), &json!("text")));
            }
            assert!(result.to_string().contains("Sigur"), "{result}");
        }
    }
}

#[test]
fn an_unknown_prompt_and_arguments_that_do_not_fit_are_invalid_params() {
    for params in [
        json!({"name": "nothing"}),
        json!({"name": ""}),
        json!({"name": 5}),
        json!({}),
        json!({"name": "who_is_this_artist"}),
        json!({"name": "who_is_this_artist", "arguments": null}),
        json!({"name": "who_is_this_artist", "arguments": []}),
        json!({"name": "who_is_this_artist", "arguments": "Four Tet"}),
        json!({"name": "who_is_this_artist", "arguments": {"artist": 5}}),
        json!({"name": "who_is_this_artist", "arguments": {"artist": " "}}),
        json!({"name": "who_is_this_artist", "arguments": {"artist": "x".repeat(201)}}),
        json!({"name": "known_and_unknown", "arguments": {"artist": "x", "view": "huge"}}),
    ] {
        for answer in in_both_eras("prompts/get", params.clone()) {
            assert_eq!(answer.refusal(), (200, -32602), "{params}");
        }
    }
}
