//! The running server over a service that others wrote: prism answers everything at random, as the service's own
//! description allows. Whatever it says, nothing breaks, and nothing is in an answer that it did not say.
//!
//! `ONO_PRISM` names the address of a prism, such as http://127.0.0.1:4010; `tests/e2e/run prism` starts one.
//! `ONO_PRISM_CALLS` says how many calls are made. A failure leaves what was said in a file of the test's folder;
//! `ONO_PRISM_REPLAY` names such a file, and plays it again without a prism.

pub mod places;
mod reading;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::calls::call;
use crate::contract::client::serving;
use crate::harness::{Demo, Envelope};
use crate::recorder::{Exchange, Recorder};

/// How many calls are made unless it is said otherwise.
const CALLS: usize = 300;
/// How many accounts make them: too few to close a family of data that often fails.
const ACCOUNTS: usize = 2;
/// What is made of the account alone, and asks the service nothing.
const OF_THE_ACCOUNT: [&str; 2] = ["get_profile", "get_usage"];
/// What is part of newer services only, so that this one is asked nothing either.
const OF_NEWER_SERVICES: [&str; 1] = ["get_upcoming_gigs"];

/// One call with everything that was said.
#[derive(Debug, Serialize, Deserialize)]
struct Case {
    tool: String,
    arguments: Value,
    said: Vec<Exchange>,
    envelope: Value,
}

/// A server over `recorder`, with a token for it and what its answers must be.
struct Rig {
    server: Demo,
    token: String,
    schema: jsonschema::Validator,
}

impl Rig {
    fn over(recorder: &Recorder) -> Self {
        let server = serving(recorder);
        let token = server.token_of("demo");
        let schema = server.resource("hosaka://envelope-schema");
        let schema = jsonschema::draft202012::new(&schema).expect("a schema");
        Self { server, token, schema }
    }

    fn tools(&self) -> Vec<String> {
        let result = self.server.modern_as(Some(&self.token), "/mcp/full", "tools/list", json!({})).result();
        let names = result["tools"].as_array().expect("tools").iter();
        names.map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
    }

    /// What is wrong with an answer, given all that the service said for it.
    fn problems(&self, tool: &str, envelope: &Envelope, said: &[Exchange]) -> Vec<String> {
        let json = &envelope.json;
        let mut problems: Vec<String> = self
            .schema
            .iter_errors(json)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        if json["error"]["type"] == "internal" {
            problems.push("internal".to_owned());
        }
        if !OF_THE_ACCOUNT.contains(&tool) {
            problems.extend(places::strangers(tool, &json["data"], said));
        }
        problems
    }
}

/// Half of what prism says is null; where that is the whole answer there is little to look at.
fn holds_something(target: &str, body: &Value) -> bool {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let has_rows = |name: &str| body[name].as_array().is_some_and(|rows| !rows.is_empty());
    let is_present = |facet: &str| body[facet]["state"] == "present";
    match path.strip_prefix("/api/v2/").unwrap_or_default() {
        // No random answer has the id or the name that was asked for: one without it is about nobody else.
        "resolve" => {
            let is_anothers =
                [("discogs", "/locators/discogs"), ("mbid", "/locators/mbid"), ("cluster", "/cluster_id")]
                    .iter()
                    .any(|(asked, told)| {
                        query.contains(&format!("{asked}="))
                            && body.pointer(told).is_some_and(|id| !id.is_null())
                    });
            // A binding to a number that no artist can have is not a verified one, and nothing else is there to find.
            let discogs = &body["locators"]["discogs"];
            let is_bound = discogs.is_null() || discogs.as_u64().is_some();
            body["display"].is_string() && body["resolved_via"] == "discogs" && is_bound && !is_anothers
        }
        path if path.starts_with("artist/") => {
            let key = path.trim_start_matches("artist/").split('/').next();
            let is_anothers =
                body["slug"].as_str().is_some_and(|slug| !slug.contains(' ') && Some(slug) != key);
            body["identity"].is_object()
                && !is_anothers
                && !body["discography"]["signals"]["overMerge"].is_object()
                && (is_present("connections") || is_present("credits"))
        }
        path if path.starts_with("label/") => body["identity"].is_object(),
        path if path.starts_with("surface/") || path.starts_with("aura/") => body["present"] == true,
        "openapi.json" | "dossier/manifest" | "semantics/dictionary.json" => true,
        "breakouts" | "aura" => body["state"] == "present" && has_rows("items"),
        "tastemakers/ones-to-watch" => body["state"] == "present" && has_rows("onesToWatch"),
        _ => body["state"] != "degraded" && has_rows("results"),
    }
}

/// Calls of every tool, in turn; those that ask the service nothing only a few times.
fn wanted(tools: &[String], calls: usize) -> Vec<(String, Value)> {
    let is_asking = |tool: &str| !OF_THE_ACCOUNT.contains(&tool) && !OF_NEWER_SERVICES.contains(&tool);
    let (asking, silent): (Vec<&String>, Vec<&String>) = tools.iter().partition(|tool| is_asking(tool));
    let few = silent.into_iter().map(|tool| (tool.clone(), call(tool, 0)));
    let many = (0..calls).map(|n| {
        let tool = asking[n % asking.len()];
        (tool.clone(), call(tool, n / asking.len()))
    });
    few.chain(many).collect()
}

#[test]
fn whatever_the_service_says_nothing_breaks_and_nothing_is_invented() {
    let Some(prism) = std::env::var_os("ONO_PRISM") else {
        println!("SKIPPED: no prism: tests/e2e/run prism brings one (ONO_PRISM names its address)");
        return;
    };
    let prism = url::Url::parse(prism.to_str().expect("text")).expect("an address");
    let calls = std::env::var("ONO_PRISM_CALLS").map_or(CALLS, |text| text.parse().expect("a number"));
    let recorder = Recorder::liking(prism.port().expect("a port"), holds_something);
    let rig = Rig::over(&recorder);
    let mut first_said: HashMap<(String, String), Vec<Exchange>> = HashMap::new();
    let mut present: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut reasons: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    let (mut failed, mut replays) = (Vec::new(), 0);
    let mut token = rig.token.clone();
    let began = std::time::Instant::now();
    for (n, (tool, arguments)) in wanted(&rig.tools(), calls).into_iter().enumerate() {
        // Another account is answered anew.
        if n % (calls / ACCOUNTS + 1) == 0 {
            token = rig.server.token_of(&format!("prism-{n}"));
            first_said.clear();
        }
        let envelope = rig.server.call_as(&token, &tool, arguments.clone());
        let mut said = recorder.take();
        // The same call of the same account is answered from what is kept of the first one.
        let same = (tool.clone(), arguments.to_string());
        if envelope.json["meta"]["replay"] == true {
            replays += 1;
            said = first_said.get(&same).cloned().unwrap_or_default();
        } else {
            first_said.insert(same, said.clone());
        }
        let problems = rig.problems(&tool, &envelope, &said);
        if !problems.is_empty() {
            let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("prism-case-{n}.json"));
            let case = Case { tool: tool.clone(), arguments, said, envelope: envelope.json.clone() };
            std::fs::write(&file, serde_json::to_vec_pretty(&case).expect("JSON")).expect("a file");
            failed.push(format!("{tool}, see {}: {problems:?}", file.display()));
        }
        let why =
            [&envelope.json["reason"], &envelope.json["error"]["type"]].into_iter().find_map(Value::as_str);
        if let Some(why) = why {
            *reasons.entry(tool.clone()).or_default().entry(why.to_owned()).or_default() += 1;
        }
        let counted = present.entry(tool).or_default();
        counted.0 += usize::from(envelope.json["present"] == true);
        counted.1 += 1;
    }
    for (tool, (there, all)) in &present {
        let reasons = reasons.get(tool).into_iter().flatten();
        let reasons: Vec<String> = reasons.map(|(why, count)| format!("{count} {why}")).collect();
        println!("{tool}: {there} of {all} present; {}", reasons.join(", "));
    }
    let log = rig.server.log();
    assert!(!log.contains("a fault in this program") && !log.contains("panicked"), "{log}");
    let shown = failed.iter().take(10).cloned().collect::<Vec<_>>().join("\n");
    assert!(failed.is_empty(), "{} calls failed:\n{shown}", failed.len());
    let (there, all) =
        present.values().fold((0, 0), |(there, all), counted| (there + counted.0, all + counted.1));
    println!(
        "{there} of {all} present, {replays} answered before, in {:.0} s",
        began.elapsed().as_secs_f64()
    );
    assert!(replays * 4 <= all, "{replays} of {all} calls asked the service nothing");
    assert!(all >= calls && there * 2 >= all, "only {there} of {all} answers hold anything");
}

#[test]
fn a_case_that_was_kept_is_as_it_was() {
    let Some(file) = std::env::var_os("ONO_PRISM_REPLAY") else {
        println!("SKIPPED: ONO_PRISM_REPLAY names no case");
        return;
    };
    let case: Case = serde_json::from_slice(&std::fs::read(&file).expect("a file")).expect("a case");
    let recorder = Recorder::again(case.said);
    let rig = Rig::over(&recorder);
    let envelope = rig.server.call_as(&rig.token, &case.tool, case.arguments);
    let problems = rig.problems(&case.tool, &envelope, &recorder.take());
    assert_eq!(problems, [""; 0], "{}", envelope.json);
    assert_eq!(envelope.json["data"], case.envelope["data"]);
}
