//! Arguments as real clients send them.

use serde_json::{Value, json};

use super::{call, card, resolve};
use crate::harness::Demo;

const FOUR_TET: &str = "3bcff06f-675a-451f-9075-99e8657047e8";

/// Asserts that two calls find the same.
fn assert_same(tool: &str, one: Value, other: Value) {
    let (a, b) = (call(tool, one.clone()), call(tool, other.clone()));
    for key in ["data", "ambiguity", "present"] {
        assert_eq!(a.json[key], b.json[key], "{one} and {other}");
    }
    assert!(a.data()["name"].is_string(), "{one} finds nobody");
}

#[test]
fn a_value_of_another_json_type_is_taken_where_it_is_unambiguous() {
    assert_same("resolve_artist", json!({"discogs_id": 3543}), json!({"discogs_id": "3543"}));
    assert_same(
        "get_artist",
        json!({"key": "four-tet", "view": "Summary"}),
        json!({"key": "four-tet", "view": "summary"}),
    );
    assert_same("resolve_artist", json!({"q": "Four Tet"}), json!(r#"{"q": "Four Tet"}"#));
    for (tool, arguments, name) in [
        ("resolve_artist", json!({"q": true}), "q"),
        ("resolve_artist", json!({"q": ["Four Tet"]}), "q"),
        ("resolve_artist", json!({"q": {"name": "Four Tet"}}), "q"),
        ("resolve_artist", json!({"q": 1.5}), "q"),
        ("resolve_artist", json!({"discogs_id": 35.43}), "discogs_id"),
        ("resolve_artist", json!({"discogs_id": [3543]}), "discogs_id"),
        ("resolve_artist", json!({"mbid": 5}), "mbid"),
        ("get_artist", json!({"key": ["four-tet"]}), "key"),
        ("get_artist", json!({"key": "four-tet", "view": 1}), "view"),
        ("get_artist", json!({"key": "four-tet", "view": ["full"]}), "view"),
    ] {
        let envelope = call(tool, arguments.clone());
        assert_eq!(envelope.error_type(), "invalid_argument", "{arguments}");
        assert_eq!(envelope.json["error"]["data"]["param"], name, "{arguments}");
        assert!(envelope.text.contains(name), "{arguments}: {}", envelope.text);
    }
}

#[test]
fn text_that_looks_like_something_else_stays_text() {
    for q in ["5", "[]", "true", "null", "{}", "311", "[\"a\"]"] {
        let envelope = resolve(json!({"q": q}));
        assert!(!envelope.is_error, "{q}: {}", envelope.json);
    }
}

#[test]
fn absent_null_and_empty_arguments_are_the_same() {
    let demo = Demo::shared();
    for params in [
        json!({"name": "resolve_artist"}),
        json!({"name": "resolve_artist", "arguments": null}),
        json!({"name": "resolve_artist", "arguments": {}}),
        json!({"name": "resolve_artist", "arguments": "{}"}),
        json!({"name": "resolve_artist", "arguments": {"q": null}}),
        json!({"name": "resolve_artist", "arguments": {"q": "", "url": " ", "mbid": null}}),
    ] {
        for answer in [demo.modern("tools/call", params.clone()), demo.legacy("tools/call", params.clone())] {
            let envelope = answer.envelope();
            assert_eq!(envelope.error_type(), "one_of_required", "{params}");
            for name in ["q", "url", "cluster_id", "discogs_id", "mbid"] {
                assert!(envelope.text.contains(name), "{name} is not in {}", envelope.text);
            }
        }
    }
    for arguments in [json!({}), json!({"key": null}), json!({"key": ""}), json!({"key": "  ", "view": null})]
    {
        let envelope = card(arguments.clone());
        assert_eq!(
            (envelope.error_type(), &envelope.json["error"]["data"]["param"]),
            ("invalid_argument", &json!("key"))
        );
        assert!(envelope.text.contains("key"), "{arguments}: {}", envelope.text);
    }
    assert_same(
        "resolve_artist",
        json!({"q": "Four Tet", "url": null, "mbid": "", "artist": " "}),
        json!({"q": "Four Tet"}),
    );
    assert_same("get_artist", json!({"key": "four-tet", "view": null}), json!({"key": "four-tet"}));
}

#[test]
fn arguments_that_are_no_object_are_an_error_of_the_tool() {
    for arguments in
        [json!([]), json!(5), json!(true), json!("[]"), json!("nonsense"), json!("5"), json!([{"q": "x"}])]
    {
        for tool in ["resolve_artist", "get_artist"] {
            let envelope = call(tool, arguments.clone());
            let error = &envelope.json["error"];
            assert_eq!(
                (envelope.error_type(), &error["data"]["param"]),
                ("invalid_argument", &json!("arguments")),
                "{arguments}"
            );
        }
    }
}

#[test]
fn an_unknown_argument_is_refused_with_the_name_that_was_meant_and_costs_nothing() {
    for (tool, arguments, meant) in [
        ("resolve_artist", json!({"Q": "Four Tet"}), Some("q")),
        ("resolve_artist", json!({"discogsId": 3543}), Some("discogs_id")),
        ("resolve_artist", json!({"mbld": FOUR_TET}), Some("mbid")),
        ("resolve_artist", json!({"q": "Four Tet", "limit": 5}), None),
        ("resolve_artist", json!({"q": "Four Tet", "__proto__": {}}), None),
        ("get_artist", json!({"keys": "four-tet"}), Some("key")),
        ("get_artist", json!({"key": "four-tet", "veiw": "full"}), Some("view")),
        ("get_artist", json!({"key": "four-tet", "includes": "gigs"}), Some("include")),
    ] {
        let envelope = call(tool, arguments.clone());
        let data = &envelope.json["error"]["data"];
        assert_eq!(envelope.error_type(), "invalid_argument", "{arguments}");
        assert_eq!(data.get("did_you_mean").and_then(Value::as_str), meant, "{arguments}");
        assert!(
            data["fix_hint"].as_str().is_some_and(|hint| hint.contains("takes: ")),
            "{arguments}: {data}"
        );
        assert_eq!(
            (&envelope.json["meta"]["units"], &envelope.json["meta"]["upstream_2xx"]),
            (&json!(0), &json!(0))
        );
    }
}

#[test]
fn names_that_frameworks_add_are_dropped_and_nothing_else_is() {
    let framework = json!({"q": "Four Tet", "toolCallId": "1", "sessionId": "2", "action": "x", "chatInput": "y", "tool": "z"});
    assert_same("resolve_artist", framework, json!({"q": "Four Tet"}));
    for near in ["toolCallID", "session_id", "Action", "chatinput", "tools", "metadata"] {
        let envelope = resolve(json!({"q": "Four Tet", near: "1"}));
        assert_eq!(envelope.error_type(), "invalid_argument", "{near}");
    }
}

#[test]
fn only_one_identifier_is_taken_and_an_error_names_all_that_came() {
    let ways = [
        ("q", json!("Four Tet")),
        ("url", json!("https://www.discogs.com/artist/3543-Four-Tet")),
        ("cluster_id", json!("0000000053f2fdaf0acd3e4531659a23132e969b76d0850c685a496a175fc756")),
        ("discogs_id", json!("3543")),
        ("mbid", json!(FOUR_TET)),
        ("isrc", json!("GBAYE0601498")),
        ("artist", json!("Four Tet")),
    ];
    for (at, (one, value)) in ways.iter().enumerate() {
        for (other, second) in ways.iter().skip(at + 1) {
            let envelope = resolve(json!({*one: value, *other: second}));
            assert_eq!(envelope.error_type(), "invalid_argument", "{one} and {other}");
            let message = envelope.json["error"]["message"].as_str().expect("a message");
            assert!(message.contains(one) && message.contains(other), "{message}");
            assert_eq!(envelope.json["meta"]["units"], 0);
        }
    }
}

#[test]
fn every_way_to_name_an_artist_finds_the_same_one() {
    let id = resolve(json!({"q": "Four Tet"})).data()["cluster_id"].clone();
    assert_eq!(id, "0000000053f2fdaf0acd3e4531659a23132e969b76d0850c685a496a175fc756");
    for arguments in [
        json!({"url": "https://www.discogs.com/artist/3543-Four-Tet"}),
        json!({"url": format!("https://musicbrainz.org/artist/{FOUR_TET}")}),
        json!({"url": "https://fourtet.bandcamp.com/"}),
        json!({"url": "https://open.spotify.com/intl-de/artist/7Eu1txygG6nJttLHbZdQOh?si=x"}),
        json!({"cluster_id": id}),
        json!({"discogs_id": "3543"}),
        json!({"mbid": FOUR_TET}),
        json!({"mbid": FOUR_TET.to_uppercase()}),
        json!({"q": "four tet"}),
        json!({"q": " Four  Tet "}),
    ] {
        assert_eq!(resolve(arguments.clone()).data()["cluster_id"], id, "{arguments}");
    }
}

#[test]
fn a_wider_view_without_an_account_is_the_summary_and_says_so() {
    for view in ["standard", "full"] {
        let envelope = card(json!({"key": "four-tet", "view": view}));
        assert_eq!(
            (&envelope.json["meta"]["view"], &envelope.json["meta"]["view_coerced"]),
            (&json!("summary"), &json!(true))
        );
    }
    let envelope = card(json!({"key": "four-tet", "view": "summary"}));
    assert_eq!(
        (&envelope.json["meta"]["view"], &envelope.json["meta"]["view_coerced"]),
        (&json!("summary"), &json!(false))
    );
}
