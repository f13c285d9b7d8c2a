//! What answers cost their reader, with the real tokenizer as the judge.

use serde_json::{Value, json};

use super::{assert_valid, call, listed};
use crate::figures::{Costs, HARD, SOFT, hold, hold_each, is_near, tokens, tokens_of};
use crate::harness::{Demo, Direct, artists};
use crate::tables::root;

/// A call, and whether it has the default shape.
struct Shape {
    tool: String,
    arguments: Value,
    is_default: bool,
}

/// The field of every record of a file of the demo catalogue.
fn field(file: &str, key: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join("fixtures").join(file)).expect("a file");
    let value = |line: &str| {
        let record: Value = serde_json::from_str(line).expect("a record");
        let value = if record[key].is_array() { &record[key][0] } else { &record[key] };
        value.as_str().map(str::to_owned)
    };
    text.lines().filter_map(value).collect()
}

/// What a tool is asked about: every record of the catalogue that it can be asked about.
fn questions(tool: &str) -> Vec<Value> {
    let of = |argument: &str, values: Vec<String>| {
        values.into_iter().map(|value| json!({argument: value})).collect()
    };
    match tool {
        "resolve_artist" => {
            let mut calls = Vec::new();
            for artist in artists() {
                calls.push(json!({"q": artist.name}));
                calls.extend(artist.discogs.first().map(|id| json!({"discogs_id": id})));
                calls.extend(artist.mbid.iter().map(|id| json!({"mbid": id})));
            }
            // Errors have a price too.
            calls.extend([
                json!({}),
                json!({"Q": "x"}),
                json!({"mbid": "301"}),
                json!({"q": "x", "mbid": "y"}),
            ]);
            calls.push(json!({"q": "No Such Band 77"}));
            calls
        }
        "get_artist" | "find_similar_artists" | "get_upcoming_gigs" => {
            let mut calls: Vec<Value> =
                of("key", artists().iter().map(|artist| artist.slug.clone()).collect());
            calls.extend(
                artists().iter().filter_map(|artist| Some(json!({"key": artist.cluster_id.as_ref()?}))),
            );
            calls.push(json!({"key": "nobody-77"}));
            calls
        }
        "search_catalog" => of("q", artists().iter().map(|artist| artist.name.clone()).collect()),
        "find_tracks" => of("title", field("tracks/tracks.jsonl", "title")),
        "get_label" => of("key", field("labels/index.jsonl", "slugs")),
        _ => vec![json!({})],
    }
}

/// Every question in its default shape and in every wider one that the published schema allows.
fn shapes() -> Vec<Shape> {
    let mut shapes = Vec::new();
    for tool in listed() {
        let name = tool["name"].as_str().expect("a name").to_owned();
        let properties = tool["inputSchema"]["properties"].as_object().expect("properties").clone();
        for arguments in questions(&name) {
            shapes.push(Shape { tool: name.clone(), arguments: arguments.clone(), is_default: true });
            let mut wide = Vec::new();
            if let Some(most) = properties.get("limit").map(|limit| limit["maximum"].clone()) {
                wide.push(json!({"limit": most}));
            }
            for view in properties.get("view").and_then(|view| view["enum"].as_array()).into_iter().flatten()
            {
                let include = properties.get("include").map(|include| include["items"]["enum"].clone());
                wide.extend(include.map(|include| json!({"view": view, "include": include})));
                wide.push(json!({"view": view}));
            }
            for more in wide {
                let mut arguments = arguments.clone();
                arguments
                    .as_object_mut()
                    .expect("arguments")
                    .extend(more.as_object().expect("an object").clone());
                shapes.push(Shape { tool: name.clone(), arguments, is_default: false });
            }
        }
    }
    shapes
}

#[test]
fn the_estimate_is_within_a_tenth_of_the_tokenizer_and_every_answer_fits_the_budget() {
    let mut outside = Vec::new();
    let mut costs = Costs::default();
    // Without a server, whose accounts are limited: the price of a refusal is not that of the answer.
    let demo = Direct::demo();
    for Shape { tool, arguments, is_default } in shapes() {
        let envelope = demo.call(&tool, &arguments);
        let what = format!("{tool} {arguments}");
        let is_input_error = envelope.is_error && tool == "resolve_artist";
        assert!(!envelope.is_error || is_input_error, "{what}: {}", envelope.text);
        assert_valid(&envelope, &what);
        let counted = tokens(&envelope);
        if !is_near(&envelope, counted) {
            outside.push(format!("{what}: {} for {counted}", envelope.json["meta"]["tokens_estimate"]));
        }
        assert!(counted <= HARD, "{what}: {counted} tokens");
        assert_eq!(envelope.json["meta"]["truncated"], false, "{what}");
        costs.add(&tool, counted, is_default);
    }
    for (tool, cost) in costs.of_each() {
        assert!(cost.usual() <= SOFT, "{tool}: {} tokens", cost.usual());
    }
    assert!(outside.is_empty(), "{} outside a tenth: {outside:#?}", outside.len());
    hold("The demo catalogue", &costs).unwrap_or_else(|right| panic!("{right}"));
}

#[test]
fn a_tool_in_the_list_costs_at_most_600_tokens_and_the_whole_list_6_000() {
    let mut counted = Vec::new();
    for tool in listed() {
        let cost = tokens_of(&tool.to_string());
        counted.push((format!("`{}`", tool["name"].as_str().expect("a name")), cost));
        assert!(cost <= 600, "{}: {cost}", tool["name"]);
    }
    let list = Demo::shared().modern_at("/mcp/full", "tools/list", json!({}));
    let whole = tokens_of(&list.result()["tools"].to_string());
    counted.push(("the list of `/mcp/full`".to_owned(), whole));
    assert!(whole <= 6_000, "{whole} tokens");
    hold_each("The list of tools", &counted).unwrap_or_else(|right| panic!("{right}"));
    assert!(list.body.len() <= 40_000, "{} bytes", list.body.len());
}

#[test]
fn a_long_list_is_cut_and_says_what_is_left() {
    let mut cut = 0;
    for artist in artists() {
        let envelope = call("get_artist", json!({"key": artist.slug}));
        let rows = |part: &Value, key: &str| part[key].as_array().map_or(0, Vec::len) as u64;
        let (releases, aliases) = (&envelope.data()["discography"], &envelope.data()["aliases"]);
        for (part, key) in [(releases, "releases"), (aliases, "names")] {
            if part["present"] != true {
                continue;
            }
            let (total, shown) = (part["total"].as_u64().expect("a number"), rows(part, key));
            if shown < total {
                assert!(
                    envelope.text.contains(&format!("({shown} of {total} on record)")),
                    "{}",
                    envelope.text
                );
                cut += 1;
            }
        }
        if releases["present"] == true {
            assert_eq!(releases["shown"], rows(releases, "releases"), "{}", artist.slug);
            assert_eq!(
                releases["truncated"],
                releases["shown"].as_u64() < releases["total"].as_u64(),
                "{}",
                artist.slug
            );
        }
    }
    assert!(cut > 0, "no artist of the catalogue has a long list");
}
