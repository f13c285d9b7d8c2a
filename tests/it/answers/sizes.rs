//! What answers cost their reader at their longest, with the real tokenizer as the judge.
//!
//! `longest.jsonl` holds the hundred longest titles with their artists among a thousand masters of the Discogs data
//! dump of 2020-08-06 (CC0).

use ono_sendai::shape::{HARD_TOKENS, SOFT_TOKENS};
use ono_sendai::tools::registry::ToolName;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tiktoken_rs::o200k_base_singleton;

use super::{Service, Told, samples};

fn tokens(told: &Told) -> usize {
    let count = |text: &str| o200k_base_singleton().encode_ordinary(text).len();
    count(&told.text) + count(&told.raw)
}

/// An id with digits as they really come.
fn id(n: usize) -> String {
    Sha256::digest(n.to_string()).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn longest() -> Vec<Value> {
    include_str!("longest.jsonl").lines().map(|line| serde_json::from_str(line).expect("a row")).collect()
}

/// A page of `rows`, each of another artist, of a long walk.
fn page(rows: &[Value]) -> Value {
    let rows: Vec<Value> = rows
        .iter()
        .enumerate()
        .map(|(n, row)| {
            let mut row = row.clone();
            row["artist_cluster_id"] = json!(id(n));
            row
        })
        .collect();
    json!({
        "pagination": {"total_results": 48_211, "total_results_mode": "approximate_50k_sample"},
        "results": rows,
    })
}

fn most(tool: ToolName) -> u64 {
    let schema = tool.spec().input_schema();
    schema["properties"]["limit"]["maximum"].as_u64().expect("a maximum")
}

#[test]
fn a_page_at_the_maximum_of_a_search_fits_with_the_longest_titles_and_as_many_artists() {
    let limit = most(ToolName::SearchCatalog);
    let rows = longest();
    for rows in rows.chunks(usize::try_from(limit).expect("a size")) {
        let told =
            Service::saying(&page(rows)).call(ToolName::SearchCatalog, json!({"q": "x", "limit": limit}));
        let cost = tokens(&told);
        println!("search_catalog, limit {limit}, {} rows: {cost} tokens", rows.len());
        assert!(cost <= usize::try_from(HARD_TOKENS).expect("a size"), "{cost} tokens");
    }
}

#[test]
fn a_page_of_ten_costs_at_most_the_soft_target_for_95_of_100() {
    let mut costs: Vec<usize> = longest()
        .chunks(10)
        .map(|rows| tokens(&Service::saying(&page(rows)).call(ToolName::SearchCatalog, json!({"q": "x"}))))
        .collect();
    println!("search_catalog, limit 10, the longest titles first: {costs:?}");
    let demo = Service::demo();
    let ordinary: Vec<usize> = longest()
        .iter()
        .flat_map(|row| {
            row["artist"].as_str().expect("a name").split(' ').map(str::to_owned).collect::<Vec<_>>()
        })
        .chain(["Electronic", "Rock", "Jazz", "Pop"].map(str::to_owned))
        .filter(|word| word.chars().count() > 1)
        .map(|word| tokens(&demo.call(ToolName::SearchCatalog, json!({"q": word}))))
        .chain(
            ["Electronic", "Rock", "Jazz"]
                .map(|genre| tokens(&demo.call(ToolName::SearchCatalog, json!({"genre": genre})))),
        )
        .collect();
    costs.extend(ordinary);
    costs.sort_unstable();
    let p95 = costs[(costs.len() - 1) * 95 / 100];
    println!("search_catalog, limit 10: p95 {p95}, most {} of {}", costs[costs.len() - 1], costs.len());
    assert!(p95 <= usize::try_from(SOFT_TOKENS).expect("a size"), "{p95} tokens");
}

#[test]
fn the_longest_list_of_tracks_fits_and_the_usual_one_is_small() {
    let names = longest();
    let most = usize::try_from(most(ToolName::FindTracks)).expect("a size");
    let costs = |limit: usize| -> Vec<usize> {
        let rows = names.chunks(limit).filter(|names| names.len() == limit);
        let mut costs: Vec<usize> = rows
            .map(|names| {
                let mut body = samples::tracks();
                let row = |(n, row): (usize, &Value)| {
                    json!({"artistCredit": row["artist"], "clusterId": id(n), "releases": 100 - n, "recordings": 3})
                };
                body["results"] = names.iter().enumerate().map(row).collect();
                tokens(&Service::saying(&body).call(ToolName::FindTracks, json!({"title": "x", "limit": limit})))
            })
            .collect();
        costs.sort_unstable();
        println!("find_tracks, limit {limit}, the longest names: {costs:?} tokens");
        costs
    };
    let usual = costs(10);
    assert!(
        usual[(usual.len() - 1) * 95 / 100] <= usize::try_from(SOFT_TOKENS).expect("a size"),
        "{usual:?}"
    );
    assert!(costs(most).iter().all(|cost| *cost <= usize::try_from(HARD_TOKENS).expect("a size")));
}

#[test]
fn the_longest_card_of_a_label_fits_and_a_usual_one_is_small() {
    let mut body = samples::label();
    let url = |n: usize| {
        format!("https://www.a-rather-long-name-of-a-shop.example/labels/some-label-with-a-name/page-{n}")
    };
    body["identity"]["urls"] = (0..20).map(|n| json!(url(n))).collect();
    body["identity"]["profile"] = json!("A sentence about the label that somebody wrote. ".repeat(20));
    body["travels"]["related"] = (0..20)
        .map(|n| json!({"clusterId": id(n), "labelName": format!("A Label Of A Long Name Number {n}"), "npmi": 0.123_456_789, "support": 12}))
        .collect();
    let told = Service::saying(&body).call(ToolName::GetLabel, json!({"key": "some-label"}));
    let cost = tokens(&told);
    println!("get_label, every facet at its longest: {cost} tokens");
    assert!(cost <= usize::try_from(HARD_TOKENS).expect("a size"), "{cost} tokens");
    let demo = Service::demo();
    for key in ["planet-e", "svek", "no-such-label"] {
        let cost = tokens(&demo.call(ToolName::GetLabel, json!({"key": key})));
        assert!(cost <= usize::try_from(SOFT_TOKENS).expect("a size"), "{key}: {cost} tokens");
    }
}
