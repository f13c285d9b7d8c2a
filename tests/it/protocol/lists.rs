//! The lists: one page each, the same every time.

use serde_json::{Value, json};

use super::in_both_eras;
use crate::harness::Demo;

const LISTS: [(&str, &str); 4] = [
    ("tools/list", "tools"),
    ("resources/list", "resources"),
    ("resources/templates/list", "resourceTemplates"),
    ("prompts/list", "prompts"),
];

#[test]
fn a_list_is_one_page_in_a_fixed_order_and_the_same_in_both_eras() {
    for (method, key) in LISTS {
        let first = Demo::shared().modern(method, json!({})).result();
        for answer in in_both_eras(method, json!({})) {
            let result = answer.result();
            assert_eq!(result[key], first[key], "{method}");
            assert_eq!(result.get("nextCursor"), None, "{method}");
        }
    }
}

#[test]
fn every_cursor_is_refused_since_none_was_ever_issued() {
    for (method, _) in LISTS {
        for cursor in [json!(""), json!("abc"), json!(5), json!({})] {
            for answer in in_both_eras(method, json!({"cursor": cursor})) {
                assert_eq!(answer.refusal(), (200, -32602), "{method} {cursor}");
            }
        }
    }
}

#[test]
fn every_entry_has_a_name_a_title_and_a_description() {
    for (method, key) in LISTS {
        let result = Demo::shared().modern(method, json!({})).result();
        for entry in result[key].as_array().expect("a list") {
            for field in ["name", "title", "description"] {
                assert!(entry[field].as_str().is_some_and(|text| !text.is_empty()), "{method}: {entry}");
            }
        }
    }
}

#[test]
fn the_full_endpoint_lists_everything_that_the_core_one_does() {
    let at = |path: &str| -> Vec<Value> {
        let result = Demo::shared().modern_at(path, "tools/list", json!({})).result();
        result["tools"].as_array().expect("tools").clone()
    };
    let (core, full) = (at("/mcp"), at("/mcp/full"));
    assert!(!core.is_empty() && core.iter().all(|tool| full.contains(tool)));
}
