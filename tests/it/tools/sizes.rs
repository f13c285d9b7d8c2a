//! What answers cost their reader, with the real tokenizer as the judge.

use serde_json::{Value, json};
use tiktoken_rs::o200k_base_singleton;

use super::{call, listed};
use crate::harness::{Demo, artists};

fn tokens(text: &str) -> usize {
    o200k_base_singleton().encode_ordinary(text).len()
}

/// Every artist by every key that it has.
fn every_call() -> Vec<(&'static str, Value)> {
    let mut calls = Vec::new();
    for artist in artists() {
        calls.push(("resolve_artist", json!({"q": artist.name})));
        calls.extend(artist.discogs.first().map(|id| ("resolve_artist", json!({"discogs_id": id}))));
        calls.extend(artist.mbid.iter().map(|id| ("resolve_artist", json!({"mbid": id}))));
        calls.extend(artist.cluster_id.iter().map(|id| ("get_artist", json!({"key": id}))));
        calls.push(("get_artist", json!({"key": artist.slug})));
    }
    // Errors have a price too.
    for arguments in [json!({}), json!({"Q": "x"}), json!({"mbid": "301"}), json!({"q": "x", "mbid": "y"})] {
        calls.push(("resolve_artist", arguments));
    }
    calls.push(("resolve_artist", json!({"q": "No Such Band 77"})));
    calls.push(("get_artist", json!({"key": "nobody-77"})));
    calls
}

#[test]
fn the_estimate_is_within_a_tenth_of_the_tokenizer_and_every_answer_fits_the_budget() {
    let (mut ratios, mut dearest) = (Vec::new(), (0, String::new()));
    for (tool, arguments) in every_call() {
        let envelope = call(tool, arguments.clone());
        let counted = tokens(&envelope.text) + tokens(&envelope.raw);
        let estimated = envelope.json["meta"]["tokens_estimate"].as_f64().expect("a number");
        #[expect(clippy::cast_precision_loss, reason = "a few thousand at most")]
        ratios.push((estimated / counted as f64, format!("{tool} {arguments}: {estimated} for {counted}")));
        dearest = dearest.max((counted, format!("{tool} {arguments}")));
    }
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    let at = |part: usize| format!("{:.3}", ratios[(ratios.len() - 1) * part / 100].0);
    println!(
        "estimate / tokenizer over {} answers: least {}, 5 % {}, median {}, 95 % {}, most {}",
        ratios.len(),
        at(0),
        at(5),
        at(50),
        at(95),
        at(100)
    );
    println!("the dearest answer: {dearest:?} tokens");
    assert!(dearest.0 <= 1_500, "{dearest:?} tokens");
    let outside: Vec<&String> =
        ratios.iter().filter(|(ratio, _)| !(0.9..=1.1).contains(ratio)).map(|(_, what)| what).collect();
    assert!(outside.is_empty(), "{} of {} outside a tenth: {outside:#?}", outside.len(), ratios.len());
}

#[test]
fn a_tool_in_the_list_costs_at_most_600_tokens() {
    for tool in listed() {
        let cost = tokens(&tool.to_string());
        println!("{}: {cost} tokens", tool["name"]);
        assert!(cost <= 600, "{}: {cost}", tool["name"]);
    }
    let list = Demo::shared().modern_at("/mcp/full", "tools/list", json!({}));
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
