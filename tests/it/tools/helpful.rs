//! What every tool does for a caller who is wrong, unsure or asks for what is not there; over all that are listed, so
//! that none is forgotten.

use serde_json::{Map, Value, json};

use super::{assert_valid, listed};
use crate::harness::{Demo, Envelope};
use crate::simulator::{KEY, Sim};
use crate::tables::{page, table};

/// A good call of every tool; clients that others wrote make the same ones.
const CALLS: &str = include_str!("../../e2e/lib/calls.json");

fn good_call(tool: &str) -> Map<String, Value> {
    let calls: Value = serde_json::from_str(CALLS).expect("JSON");
    let call = calls.as_array().expect("calls").iter().find(|call| call["tool"] == tool);
    call.unwrap_or_else(|| panic!("no call of {tool}"))["arguments"].as_object().expect("arguments").clone()
}

fn ask(tool: &str, arguments: &Map<String, Value>) -> Envelope {
    let envelope = Demo::shared().call_signed_in(tool, Value::Object(arguments.clone()));
    assert_valid(&envelope, tool);
    envelope
}

/// Name and input schema of each tool.
fn schemas() -> Vec<(String, Map<String, Value>)> {
    let tools = listed();
    assert_eq!(tools.len(), 12);
    let schema = |tool: &Value| tool["inputSchema"]["properties"].as_object().expect("properties").clone();
    tools.iter().map(|tool| (tool["name"].as_str().expect("a name").to_owned(), schema(tool))).collect()
}

/// Makes the corrected call of a refusal.
fn corrected(refused: &Envelope) -> Option<(Value, Envelope)> {
    let suggested = refused.json["suggested_tool_calls"].get(0)?.clone();
    let tool = suggested["tool"].as_str().expect("a tool");
    let answer = ask(tool, suggested["args"].as_object().expect("arguments"));
    Some((suggested["args"].clone(), answer))
}

#[test]
fn every_number_above_its_maximum_is_refused_by_name_with_the_call_that_is_allowed() {
    let capabilities = Demo::shared().resource("hosaka://capabilities");
    let published = capabilities["tools"].as_array().expect("tools");
    let mut seen = 0;
    for (tool, arguments) in schemas() {
        for (name, schema) in arguments.iter().filter(|(_, schema)| schema["type"] == "integer") {
            let maximum = schema["maximum"].as_i64().expect("a maximum");
            let row = published.iter().find(|row| row["name"] == tool).expect("a row");
            assert!(name != "limit" || row["limit_max"] == maximum, "{row}");
            let mut call = good_call(&tool);
            call.insert(name.clone(), json!(maximum + 1));
            let refused = ask(&tool, &call);
            let data = &refused.json["error"]["data"];
            let what = format!("{tool} {name}");
            assert_eq!(
                (refused.error_type(), &data["param"], &data["maximum"]),
                ("range_too_large", &json!(name), &json!(maximum)),
                "{what}"
            );
            let (arguments, answer) =
                corrected(&refused).unwrap_or_else(|| panic!("{what} has no corrected call"));
            call.insert(name.clone(), json!(maximum));
            assert_eq!(arguments, Value::Object(call), "{what}");
            assert!(!answer.is_error, "{what}: {}", answer.json);
            seen += 1;
        }
    }
    assert!(seen >= 8, "{seen} numbers");
}

#[test]
fn the_longest_page_of_a_search_is_the_same_in_code_capabilities_and_pages() {
    let code = ono_sendai::tools::registry::ToolName::SearchCatalog.spec().arguments;
    let limit = code.iter().find(|argument| argument.name == "limit").expect("a limit");
    assert!(format!("{:?}", limit.kind).contains("max: 30"), "{:?}", limit.kind);
    let capabilities = Demo::shared().resource("hosaka://capabilities");
    let tools = capabilities["tools"].as_array().expect("tools");
    let published = tools.iter().find(|row| row["name"] == "search_catalog").expect("a row");
    assert_eq!(published["limit_max"], 30);
    let row = table(&page("docs/tools.md"), "search_catalog").into_iter().find(|row| row[0] == "`limit`");
    assert_eq!(row.expect("a row")[1], "1 to 30");
    let listed = schemas().into_iter().find(|(tool, _)| tool == "search_catalog").expect("it is listed").1;
    assert_eq!(listed["limit"]["maximum"], 30);
}

#[test]
fn every_mistyped_argument_is_answered_with_the_one_that_was_meant() {
    let mut repaired = 0;
    for (tool, arguments) in schemas() {
        let good = good_call(&tool);
        for name in arguments.keys().filter(|name| name.len() > 3) {
            let mut call = good.clone();
            let (had, value) = (call.contains_key(name), call.remove(name).unwrap_or_else(|| json!(1)));
            let slip = format!("{}{}", &name[..name.len() - 2], &name[name.len() - 1..]);
            call.insert(slip.clone(), value);
            let refused = ask(&tool, &call);
            let data = &refused.json["error"]["data"];
            let what = format!("{tool} {slip}");
            assert_eq!(
                (refused.error_type(), &data["did_you_mean"]),
                ("invalid_argument", &json!(name)),
                "{what}: {data}"
            );
            assert!(
                data["fix_hint"].as_str().is_some_and(|hint| hint.contains(name.as_str())),
                "{what}: {data}"
            );
            // A value that was made up here may be refused itself, whatever its name.
            if let Some((_, answer)) = corrected(&refused).filter(|_| had) {
                assert!(!answer.is_error, "{what}: {}", answer.json);
                repaired += 1;
            }
        }
    }
    assert!(repaired >= 6, "{repaired} corrected calls");
}

#[test]
fn every_tool_that_takes_an_id_tells_a_placeholder_from_one() {
    let mut seen = 0;
    for (tool, arguments) in schemas() {
        for name in ["key", "cluster_id", "discogs_id", "mbid", "isrc", "cursor"] {
            if !arguments.contains_key(name) {
                continue;
            }
            for placeholder in [
                format!("<{name}>"),
                format!("{{{{{name}}}}}"),
                format!("your_{name}_here"),
                "TODO".to_owned(),
                "string".to_owned(),
            ] {
                // A cursor may be any word; only what is bracketed cannot be one.
                if name == "cursor" && !placeholder.starts_with(['<', '{']) {
                    continue;
                }
                let mut call = good_call(&tool);
                if tool == "resolve_artist" {
                    call.clear();
                }
                call.insert(name.to_owned(), json!(placeholder));
                let refused = ask(&tool, &call);
                let data = &refused.json["error"]["data"];
                assert_eq!(
                    (refused.error_type(), &data["param"]),
                    ("placeholder_detected", &json!(name)),
                    "{tool} {placeholder}: {data}"
                );
                seen += 1;
            }
        }
    }
    assert!(seen >= 40, "{seen} placeholders");
}

#[test]
fn every_tool_with_a_choice_of_arguments_names_them_when_it_gets_none() {
    for (tool, arguments) in schemas() {
        let refused = ask(&tool, &Map::new());
        let data = &refused.json["error"]["data"];
        match tool.as_str() {
            "resolve_artist" | "find_tracks" | "search_catalog" => {
                assert_eq!(refused.error_type(), "one_of_required", "{tool}");
                let names = data["one_of"].as_array().expect("names");
                assert!(names.len() >= 2, "{tool}: {data}");
                assert!(
                    names.iter().all(|name| arguments.contains_key(name.as_str().expect("a name"))),
                    "{tool}: {data}"
                );
            }
            _ if !refused.is_error => {}
            _ => assert_eq!(
                (refused.error_type(), &data["param"]),
                ("invalid_argument", &json!("key")),
                "{tool}"
            ),
        }
    }
}

/// Calls about artists who are not certain, one for each tool that names an artist.
fn unsure() -> Vec<(&'static str, Value)> {
    vec![
        // First, before anything has resolved that id.
        (
            "get_aura",
            json!({"cluster_id": "00000000d9a7e30d33182e5d331fe00c74c9ab0a3d8f7426f9fda45a151a8c71"}),
        ),
        ("resolve_artist", json!({"q": "Nirvana"})),
        ("get_artist", json!({"key": "alice-cooper"})),
        ("find_similar_artists", json!({"key": "alice-cooper"})),
        ("get_upcoming_gigs", json!({"key": "burial"})),
        ("get_label", json!({"key": "columbia"})),
    ]
}

#[test]
fn every_tool_that_names_an_artist_says_how_sure_it_is_and_how_to_be_surer() {
    let demo = Demo::start();
    for (tool, arguments) in unsure() {
        let answer = demo.call_signed_in(tool, arguments);
        let ambiguity = &answer.json["ambiguity"];
        assert_ne!(ambiguity["state"], "none", "{tool}: {}", answer.json);
        assert!(!ambiguity["reasons"].as_array().expect("reasons").is_empty(), "{tool}");
        let actions = answer.json["next_actions"].as_array().expect("follow-ups");
        assert!(tool == "get_label" || !actions.is_empty(), "{tool}: {}", answer.json);
        for action in actions {
            let follow =
                demo.call_signed_in(action["tool"].as_str().expect("a tool"), action["args"].clone());
            assert!(!follow.is_error, "{tool}: {action} led to {}", follow.json);
        }
    }
    // Lists name many, and say of each row how it is bound; accounts name nobody.
    for (tool, _) in schemas().iter().filter(|(tool, _)| !unsure().iter().any(|(of, _)| of == tool)) {
        let state = &ask(tool, &good_call(tool)).json["ambiguity"]["state"];
        assert!(state.is_null() || state == "none", "{tool}: {state}");
    }
}

#[test]
fn every_key_that_nobody_has_leads_back_to_the_name() {
    let nobody = "f".repeat(64);
    for tool in ["get_artist", "find_similar_artists", "get_upcoming_gigs", "get_label"] {
        for key in ["no-such-artist", nobody.as_str()] {
            let answer = ask(tool, json!({"key": key}).as_object().expect("an object"));
            assert_eq!(
                (&answer.json["present"], &answer.json["reason"]),
                (&json!(false), &json!("not_found_upstream")),
                "{tool}"
            );
            let action = &answer.json["next_actions"][0];
            if key != nobody {
                assert_eq!(
                    (&action["tool"], &action["args"]),
                    (&json!("resolve_artist"), &json!({"q": "no such artist"})),
                    "{tool}"
                );
            }
            let follow = ask(
                action["tool"].as_str().expect("a follow-up"),
                action["args"].as_object().expect("arguments"),
            );
            assert!(!follow.is_error, "{tool}: {action}");
            assert!(!answer.text.contains("no-such"), "{tool}: the text repeats the caller: {}", answer.text);
        }
    }
    let aura = ask("get_aura", json!({"cluster_id": nobody}).as_object().expect("an object"));
    let action = &aura.json["next_actions"][0];
    assert_eq!(
        (&action["tool"], &action["args"]),
        (&json!("resolve_artist"), &json!({"cluster_id": nobody}))
    );
}

#[test]
fn what_was_trimmed_leads_to_the_tool_that_has_it_all() {
    let related: Vec<String> = (1..=24)
        .map(|n| {
            format!(
                "{{ clusterId = \"{n:064x}\", name = \"The {n}th Artist With a Name That Takes Some Room\", \
                 coEventCount = {}, coVenueCount = 3 }}",
                60 - n
            )
        })
        .collect();
    let scenario = format!(
        "[[rule]]\npath = \"/api/v2/artist/autechre\"\nset = {{ \"/connections\" = {{ state = \"present\", \
         signals = {{ count = 24, related = [{}] }} }} }}",
        related.join(", ")
    );
    let sim = Sim::with(&scenario);
    let server = Demo::serving(
        "fixture_mode = false",
        &format!(
            "[crate]\nbase_url = \"{}\"\nkey = \"{KEY}\"\nper_minute = 1000\n[issuer]\nenabled = true",
            sim.url
        ),
    );
    let token = server.token_of("trimmed");
    let ask = |tool: &str, arguments: Value| server.call_as(&token, tool, arguments);
    let card = ask("get_artist", json!({"key": "autechre", "view": "standard", "include": ["similar"]}));
    assert_valid(&card, "a trimmed card");
    let trimmed = &card.json["meta"]["trimmed"];
    let shown = card.data()["similar"]["similar"].as_array().expect("rows").len();
    assert_eq!(
        trimmed,
        &json!([{"path": "data.similar.similar", "kept": shown, "total": 10}]),
        "{}",
        card.json
    );
    assert!((2..10).contains(&shown));
    let actions = card.json["next_actions"].as_array().expect("follow-ups");
    let action =
        actions.iter().find(|action| action["tool"] == "find_similar_artists").expect("the dedicated tool");
    assert_eq!(action["args"], json!({"key": "autechre"}), "the key that was asked for");
    let whole = ask("find_similar_artists", json!({"key": "autechre", "limit": 25}));
    // The service may have a list of its own for this, so what it holds is not what the dossier held.
    let rows = whole.data()["similar"].as_array().expect("rows").len();
    assert!(rows > 10, "{rows} rows: {}", whole.json);
}
