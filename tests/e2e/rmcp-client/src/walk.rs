//! What every foreign client must see; the same lists as `lib/walk.mjs`, for clients in Rust.

use std::fmt::Debug;

use serde_json::{Value, json};

use crate::Failure;

const ARTIST: &str = "Aphex Twin";
const CALLS: &str = include_str!("../../lib/calls.json");
const RESOURCES: [&str; 4] = [
    "hosaka://capabilities",
    "hosaka://dossier-manifest",
    "hosaka://envelope-schema",
    "hosaka://semantics-dictionary",
];

/// A client of any era, answering plain protocol results.
pub trait Foreign {
    async fn tools(&self) -> Result<Value, Failure>;
    async fn resources(&self) -> Result<Value, Failure>;
    async fn call(&self, name: &str, arguments: Value) -> Result<Value, Failure>;
    async fn read(&self, uri: &str) -> Result<Value, Failure>;
}

/// Counts checks and keeps what the failed ones saw.
#[derive(Default)]
pub struct Report {
    passed: usize,
    failures: Vec<String>,
}

impl Report {
    pub fn check(&mut self, promise: &str, holds: bool, seen: impl Debug) {
        if holds {
            self.passed += 1;
        } else {
            let seen: String = format!("{seen:?}").chars().take(600).collect();
            self.failures.push(format!("{promise}; saw {seen}"));
        }
    }
}

/// Takes `client` through the whole list, prints the counts under `label`, answers whether all held.
pub async fn walk(label: &str, client: &impl Foreign, extra: impl FnOnce(&mut Report)) -> bool {
    let mut report = Report::default();
    let (every_tool_named, walked) = match token() {
        Some(_) => (", every tool", every_tool(&mut report, client).await),
        None => ("", steps(&mut report, client).await),
    };
    if let Err(failure) = walked {
        report.check("the client gets through", false, failure);
    }
    extra(&mut report);
    for failure in &report.failures {
        println!("  FAILED {failure}");
    }
    println!("{label}{every_tool_named}: {} passed, {} failed", report.passed, report.failures.len());
    report.failures.is_empty()
}

/// The bearer token to send, if the caller is to be signed in.
pub fn token() -> Option<String> {
    std::env::var("ONO_TOKEN").ok().filter(|token| !token.is_empty())
}

async fn every_tool(report: &mut Report, client: &impl Foreign) -> Result<(), Failure> {
    let calls: Vec<Value> = serde_json::from_str(CALLS)?;
    let tools = client.tools().await?;
    let tools = tools["tools"].as_array().cloned().unwrap_or_default();
    let sorted = |list: &[Value], field: &str| {
        let mut names: Vec<String> =
            list.iter().filter_map(|row| row[field].as_str().map(str::to_owned)).collect();
        names.sort();
        names
    };
    let (listed, called) = (sorted(&tools, "name"), sorted(&calls, "tool"));
    report.check("every tool is called", listed == called, &listed);
    let schema = read_json(report, client, "hosaka://envelope-schema").await?;
    let schema = jsonschema::draft202012::new(&schema)?;
    for call in &calls {
        let tool = call["tool"].as_str().unwrap_or_default();
        let result = client.call(tool, call["arguments"].clone()).await?;
        let envelope = answer(report, tool, &result, &schema, true);
        let own = tools.iter().find(|row| row["name"] == tool).map(|row| row["outputSchema"].clone());
        let own = jsonschema::draft202012::new(&own.unwrap_or_default())?;
        let faults: Vec<String> = own.iter_errors(&envelope).map(|fault| fault.to_string()).collect();
        let promise = format!("{tool}: structuredContent is valid against its outputSchema");
        report.check(&promise, faults.is_empty(), &faults);
        let meta = &envelope["meta"];
        report.check(&format!("{tool}: answered for the account"), meta["anonymous"] == json!(false), meta);
        let present = envelope["present"] == json!(true);
        report.check(&format!("{tool}: present"), present, &envelope["reason"]);
    }
    Ok(())
}

async fn steps(report: &mut Report, client: &impl Foreign) -> Result<(), Failure> {
    let tools = client.tools().await?;
    let tools = tools["tools"].as_array().cloned().unwrap_or_default();
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    for name in ["resolve_artist", "get_artist"] {
        report.check(&format!("tools/list has {name}"), names.contains(&name), &names);
    }
    for tool in &tools {
        let name = tool["name"].as_str().unwrap_or("?");
        let described = tool["description"].as_str().is_some_and(|text| !text.is_empty());
        report.check(&format!("{name}: described"), described, &tool["description"]);
        let schemas = [&tool["inputSchema"]["type"], &tool["outputSchema"]["type"]];
        report.check(&format!("{name}: both schemas are objects"), schemas == ["object"; 2], schemas);
        let hints =
            ["readOnlyHint", "destructiveHint", "openWorldHint"].map(|hint| &tool["annotations"][hint]);
        report.check(
            &format!("{name}: hints are explicit"),
            hints.iter().all(|hint| hint.is_boolean()),
            hints,
        );
    }

    let resources = client.resources().await?;
    let uris: Vec<&str> =
        resources["resources"].as_array().into_iter().flatten().filter_map(|it| it["uri"].as_str()).collect();
    report.check("resources/list has the four", RESOURCES.iter().all(|uri| uris.contains(uri)), &uris);
    let capabilities = read_json(report, client, "hosaka://capabilities").await?;
    let published = capabilities.to_string();
    for word in names.iter().chain(&["invalid_argument"]) {
        let named = published.contains(&format!("\"{word}\""));
        report.check(&format!("hosaka://capabilities names {word}"), named, &capabilities);
    }
    let schema = read_json(report, client, "hosaka://envelope-schema").await?;
    let schema = jsonschema::draft202012::new(&schema)?;

    let resolved =
        answer(report, "resolve", &client.call("resolve_artist", json!({"q": ARTIST})).await?, &schema, true);
    report.check("resolve: present", resolved["present"] == json!(true), &resolved["present"]);
    report.check(
        "resolve: one verified identity",
        resolved["ambiguity"]["state"] == "none",
        &resolved["ambiguity"],
    );
    report.check(
        "resolve: the name is that of the artist",
        resolved["data"]["name"] == ARTIST,
        &resolved["data"],
    );
    let key = &resolved["data"]["cluster_id"];
    report.check("resolve: a cluster_id", key.as_str().is_some_and(|key| !key.is_empty()), &resolved["data"]);

    let card = answer(report, "card", &client.call("get_artist", json!({"key": key})).await?, &schema, true);
    report.check("card: present", card["present"] == json!(true), &card["present"]);
    let same = card["data"]["name"] == ARTIST && &card["data"]["cluster_id"] == key;
    report.check("card: of the same artist", same, &card["data"]);
    let ids = [&resolved["meta"]["request_id"], &card["meta"]["request_id"]];
    report.check("each answer has a request_id of its own", ids[1].is_string() && ids[0] != ids[1], ids);

    let refused = client.call("resolve_artist", json!({"qq": ARTIST})).await?;
    let refused = answer(report, "bad argument", &refused, &schema, false);
    let (error, detail) = (&refused["error"], &refused["error"]["data"]);
    report.check("bad argument: invalid_argument", error["type"] == "invalid_argument", error);
    let verdict = [&error["recoverable"], &error["retryable"]];
    report.check("bad argument: recoverable, not retryable", verdict == [&json!(true), &json!(false)], error);
    report.check("bad argument: names a parameter", detail["param"].is_string(), detail);
    let meant = &detail["did_you_mean"];
    let says_q = meant == "q" || meant.as_array().is_some_and(|list| list.contains(&json!("q")));
    report.check("bad argument: did_you_mean q", says_q, detail);
    report.check("bad argument: says how to fix it", detail["fix_hint"].is_string(), detail);
    report.check("bad argument: does not repeat the value", !error.to_string().contains(ARTIST), error);
    let corrected = &refused["suggested_tool_calls"][0];
    let applies = corrected["tool"] == "resolve_artist" && corrected["args"]["q"] == ARTIST;
    report.check("bad argument: the corrected call comes with it", applies, corrected);
    let absent = ["data", "present", "ambiguity"].map(|name| refused.get(name));
    let all_null = absent.iter().all(|value| value.is_some_and(Value::is_null));
    report.check("bad argument: data, present and ambiguity are null", all_null, absent);
    Ok(())
}

/// One envelope as a tool result: valid, attributed, and the same verdict in both places.
fn answer(
    report: &mut Report,
    what: &str,
    result: &Value,
    schema: &jsonschema::Validator,
    ok: bool,
) -> Value {
    let envelope = &result["structuredContent"];
    let faults: Vec<String> = schema.iter_errors(envelope).map(|fault| fault.to_string()).collect();
    let promise = format!("{what}: structuredContent is valid against hosaka://envelope-schema");
    report.check(&promise, faults.is_empty(), &faults);
    report.check(
        &format!("{what}: envelope_version is \"1\""),
        envelope["envelope_version"] == "1",
        envelope,
    );
    report.check(&format!("{what}: ok is {ok}"), envelope["ok"] == json!(ok), &envelope["error"]);
    let is_error = result["isError"].as_bool().unwrap_or(false);
    report.check(&format!("{what}: isError agrees with ok"), is_error != ok, &result["isError"]);
    let line = envelope["attribution"]["line"].as_str().unwrap_or_default();
    report.check(&format!("{what}: attribution.line is there"), !line.is_empty(), &envelope["attribution"]);
    let first = &result["content"][0];
    // An error presents no data, so its text names the error instead of the sources.
    let said = if ok { line } else { envelope["error"]["type"].as_str().unwrap_or("an error type") };
    let says = first["type"] == "text" && first["text"].as_str().is_some_and(|text| text.contains(said));
    report.check(&format!("{what}: the first content block is text and says {said}"), says, first);
    let fixture_mode = &envelope["meta"]["fixture_mode"];
    report.check(
        &format!("{what}: meta.fixture_mode is true"),
        fixture_mode == &json!(true),
        &envelope["meta"],
    );
    envelope.clone()
}

async fn read_json(report: &mut Report, client: &impl Foreign, uri: &str) -> Result<Value, Failure> {
    let result = client.read(uri).await?;
    let contents = &result["contents"];
    let one = contents.as_array().is_some_and(|list| list.len() == 1) && contents[0]["uri"] == uri;
    report.check(&format!("{uri}: one content, of that uri"), one, contents);
    Ok(serde_json::from_str(contents[0]["text"].as_str().unwrap_or_default())?)
}
