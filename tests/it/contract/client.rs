//! Every request of every tool, as it reaches the service over the wire, and what the simulator answers.

use std::collections::BTreeSet;

use serde_json::json;

use super::{Contract, contract};
use crate::calls::call;
use crate::harness::Demo;
use crate::recorder::Recorder;
use crate::simulator::{KEY, Sim};

/// How many calls of each tool are made.
const CALLS: usize = 160;
/// The one that asks for something else where the service has no list of similar artists.
const OF_OLDER_SERVICES: &str = "find_similar_artists";
/// How many calls of it are made then.
const FEWER_CALLS: usize = 30;

#[test]
fn every_request_of_every_tool_and_its_answer_are_what_the_contract_describes() {
    let sim = Sim::with("");
    let port = sim.url.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
    let recorder = Recorder::to(port);
    let (newer, older) = (serving(&recorder), serving_as(&recorder, "off"));
    let (token, token_of_older) = (newer.token_of("demo"), older.token_of("demo"));
    let listed = newer.modern_as(Some(&token), "/mcp/full", "tools/list", json!({})).result();
    let own = Contract::of_the_demo();
    let mut seen = BTreeSet::new();
    let tools = listed["tools"].as_array().expect("tools").iter();
    let names = tools.map(|tool| (tool["name"].as_str().expect("a name"), &newer, &token, CALLS));
    for (tool, server, token, calls) in
        names.chain([(OF_OLDER_SERVICES, &older, &token_of_older, FEWER_CALLS)])
    {
        for n in 0..calls {
            let envelope = server.call_as(token, tool, call(tool, n));
            assert_ne!(envelope.json["error"]["type"], "internal", "{tool} {n}: {}", envelope.json);
            for exchange in recorder.take_all() {
                let (path, query) = (exchange.path(), exchange.query());
                let (template, _) = own.template(&path).unwrap_or_else(|| panic!("{path} is not described"));
                let contract = if own.is_extension(&template, &exchange.method) { &own } else { contract() };
                let mut problems = contract.request(&exchange.method, &path, &query);
                problems.extend(contract.answer_with(
                    &exchange.method,
                    &path,
                    &query,
                    exchange.status,
                    &exchange.body,
                ));
                assert!(problems.is_empty(), "{tool} {n}: {}: {problems:?}", exchange.target);
                seen.insert(template);
            }
        }
    }
    let asked = [
        "/api/v2/openapi.json",
        "/api/v2/dossier/manifest",
        "/api/v2/semantics/dictionary.json",
        "/api/v2/resolve",
        "/api/v2/search",
        "/api/v2/tracks",
        "/api/v2/artist/{key}",
        "/api/v2/artist/{key}/gigs",
        "/api/v2/artist/{key}/similar",
        "/api/v2/label/{key}",
        "/api/v2/surface/{name}",
        "/api/v2/breakouts",
        "/api/v2/tastemakers/ones-to-watch",
        "/api/v2/aura",
        "/api/v2/aura/{cluster}",
    ];
    assert_eq!(
        seen.iter().map(String::as_str).collect::<BTreeSet<_>>(),
        asked.into(),
        "all that is ever asked"
    );
}

/// A server that asks what stands behind the recorder, keeps no answer, and holds nobody up.
pub fn serving(recorder: &Recorder) -> Demo {
    serving_as(recorder, "auto")
}

/// The same with this word for the list of similar artists.
fn serving_as(recorder: &Recorder, similar: &str) -> Demo {
    Demo::serving(
        "fixture_mode = false",
        &format!(
            "[crate]\nbase_url = \"http://127.0.0.1:{}\"\nkey = \"{KEY}\"\nin_flight = 100\nper_minute = 1000000\n\
             per_month = 0\ncache_mib = 0\nsimilar = \"{similar}\"\n[issuer]\nenabled = true\n[accounts]\nunits_per_month = 1000000\n\
             calls_per_minute = 1000000\ncalls_at_once = 100\n[anonymous]\ncalls_per_minute = 60000\n\
             units_per_day = 1000000\nrequests_per_second = 100000\nrequests_burst = 1000000",
            recorder.port
        ),
    )
}
