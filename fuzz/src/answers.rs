//! What holds of every answer of every tool, whatever the service said and whatever was asked.

use std::sync::OnceLock;

use ono_sendai::answer::{AccountProfile, AccountUsage, Data, Finding};
use ono_sendai::crate_client::CallLedger;
use ono_sendai::envelope::attribution::{Attribution, Origin};
use ono_sendai::envelope::error::ToolError;
use ono_sendai::envelope::meta::{ClientClass, Idempotency, Meta, Quota, View};
use ono_sendai::envelope::{Envelope, schema};
use ono_sendai::model::source::Sources;
use ono_sendai::pipeline;
use ono_sendai::profile::Profile;
use ono_sendai::render::text;
use ono_sendai::shape::{HARD_ESTIMATE, tokens};
use ono_sendai::tools::account::AccountView;
use ono_sendai::tools::registry::ToolName;
use ono_sendai::tools::{Call, spec::Access};
use serde_json::Value;

use crate::assert_readable;
use crate::prism::places::strangers;
use crate::recorder::Exchange;

/// The longest text and the longest JSON of an answer, in bytes: what fits the estimate has less.
const BYTES_MAX: usize = 64 * 1024;

/// An answer as it is sent: its JSON and its text.
pub struct Sent {
    /// The envelope.
    pub json: Value,
    /// The text.
    pub text: String,
}

/// Puts what a tool found into its envelope, as the pipeline does, and holds it to what every answer keeps to.
pub fn sent(
    found: Result<Finding, ToolError>,
    (view, view_coerced): (Option<View>, bool),
    ledger: &CallLedger,
) -> Sent {
    let origin = Origin::Service;
    let meta = Meta { view, view_coerced, ..meta(ledger) };
    let mut envelope: Envelope<Data> = match found {
        Ok(finding) => Envelope::success(finding, meta),
        Err(error) => Envelope::failure(error, Attribution::of(&Sources::default(), origin), meta),
    };
    pipeline::fit(&mut envelope, origin);
    let sent = Sent { json: serde_json::to_value(&envelope).expect("JSON"), text: text::render(&envelope) };
    assert_sound(&sent.json, &sent.text);
    // The number itself is the only thing that was not yet in the answer when it was measured.
    let size = tokens(&sent.text) + tokens(&serde_json::to_string(&envelope).expect("JSON"));
    assert!(
        envelope.meta.tokens_estimate.abs_diff(size) <= 2,
        "{} for {size}",
        envelope.meta.tokens_estimate
    );
    sent
}

/// Holds an envelope with its text to the published form, the sizes, the characters and the rules between its fields.
pub fn assert_sound(json: &Value, text: &str) {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    let schema = SCHEMA.get_or_init(schema::envelope);
    if let Some(fault) = crate::schema::fault(schema, schema, json) {
        panic!("not of the published form: {fault} {json}");
    }
    let estimate = json["meta"]["tokens_estimate"].as_u64().expect("an estimate");
    assert!(estimate <= u64::from(HARD_ESTIMATE), "{estimate} tokens");
    assert!(
        text.len() + json.to_string().len() <= BYTES_MAX,
        "{} bytes",
        text.len() + json.to_string().len()
    );
    assert_readable(text, "the text");
    every_text(json, &mut |text| assert_readable(text, "a value"));
    let error = &json["error"];
    assert_eq!(json["ok"] == true, error.is_null());
    if error.is_null() {
        assert_eq!(json["present"] == false, json["reason"].is_string(), "{json}");
        assert!(json["suggested_tool_calls"].as_array().is_some_and(Vec::is_empty));
        assert_state(json);
    } else {
        assert!(json["data"].is_null() && json["present"].is_null() && json["reason"].is_null());
        assert!(json["ambiguity"].is_null());
        assert_ne!(error["type"], "internal", "{json}");
        assert!(error["message"].as_str().is_some_and(|message| message.ends_with('.')), "{error}");
    }
    // What is recommended can be called.
    for (list, is_ours) in [("next_actions", true), ("suggested_tool_calls", false)] {
        for call in json[list].as_array().expect("a list") {
            let name = call["tool"].as_str().expect("a name");
            let tool = ToolName::find(name, Profile::Full).unwrap_or_else(|| panic!("no tool {name}"));
            if let Err(error) = Call::parse(tool, &call["args"]) {
                panic!("{list} names a call that is refused, ours {is_ours}: {call} {error:?}");
            }
        }
    }
}

/// No answer is sure of somebody without an id, or of whom the service does not vouch for.
fn assert_state(json: &Value) {
    let (ambiguity, data) = (&json["ambiguity"], &json["data"]);
    let Some(state) = ambiguity["state"].as_str() else { return };
    let reasons = ambiguity["reasons"].as_array().expect("reasons");
    // A track is told with its artist one step below.
    let who = if data["artist"].is_object() { &data["artist"] } else { data };
    if state == "none" {
        let has_id = ["cluster_id", "discogs_id", "mbid"]
            .iter()
            .any(|id| who[*id].is_string() || who[*id].is_number());
        assert!(has_id, "sure of nobody: {json}");
        if let Some(via) = who.get("resolved_via") {
            assert!(via == "discogs", "sure of whom the service does not vouch for: {json}");
            assert!(who["name"].is_string(), "sure of somebody without a name: {json}");
        }
    } else {
        assert!(!reasons.is_empty(), "unsure without a reason: {json}");
    }
}

/// Holds an answer to what the service said: each value under `data` stands where the tables of the tool say, and no
/// id stands anywhere that neither the service nor the caller named.
pub fn assert_said(tool: ToolName, arguments: &Value, json: &Value, said: &[Exchange]) {
    if tool.spec().families.is_empty() {
        return;
    }
    let mut known = Vec::new();
    for source in said.iter().map(|exchange| &exchange.body).chain([arguments]) {
        every_word(source, &mut known);
    }
    let mut strangers = strangers(tool.as_str(), &json["data"], said);
    // Ids are shown in lower case.
    strangers.retain(|stranger| {
        let id = stranger.split_once("/mbid = \"").or_else(|| stranger.split_once("cluster_id = \""));
        let id = id.and_then(|(_, rest)| rest.split('"').next());
        id.is_none_or(|id| !known.iter().any(|word| word == id))
    });
    assert!(strangers.is_empty(), "{}: {strangers:?}", tool.as_str());
    for list in ["ambiguity", "next_actions"] {
        ids(&json[list], &mut |id| {
            assert!(known.contains(&id), "{list} names {id}, which nobody said: {json}")
        });
    }
}

/// The text of every id below a value.
fn ids(value: &Value, see: &mut impl FnMut(String)) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                if matches!(key.as_str(), "cluster_id" | "discogs_id" | "mbid") {
                    match value {
                        Value::String(text) => see(text.to_lowercase()),
                        Value::Number(number) => see(number.to_string()),
                        _ => {}
                    }
                }
                ids(value, see);
            }
        }
        Value::Array(list) => list.iter().for_each(|value| ids(value, see)),
        _ => {}
    }
}

fn every_word(value: &Value, words: &mut Vec<String>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| {
            words.push(key.trim().to_lowercase());
            every_word(value, words);
        }),
        Value::Array(list) => list.iter().for_each(|value| every_word(value, words)),
        Value::String(text) => words.push(text.trim().to_lowercase()),
        Value::Number(number) => words.push(number.to_string()),
        _ => {}
    }
}

fn every_text(value: &Value, see: &mut impl FnMut(&str)) {
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| {
            see(key);
            every_text(value, see);
        }),
        Value::Array(list) => list.iter().for_each(|value| every_text(value, see)),
        Value::String(text) => see(text),
        _ => {}
    }
}

/// The account that calls.
pub fn account() -> AccountView {
    let profile = AccountProfile {
        account_mode: "interim",
        plan: None,
        units_per_month: 1_000,
        calls_per_minute: 30,
        calls_at_once: 4,
    };
    let usage = AccountUsage {
        used: 412,
        allowance: 1_000,
        remaining: 588,
        warning_80: false,
        reset_at: "2027-02-01T00:00:00Z".to_owned(),
    };
    AccountView { profile, usage }
}

/// Whether a tool is open to everybody.
pub fn is_open(tool: ToolName) -> bool {
    tool.spec().access == Access::Anonymous
}

fn meta(ledger: &CallLedger) -> Meta {
    let AccountUsage { used, allowance, warning_80, reset_at, .. } = account().usage;
    Meta {
        request_id: "01890000-0000-7000-8000-000000000000".to_owned(),
        generated_at: "2027-01-31T12:00:00Z".to_owned(),
        anonymous: false,
        account_mode: Some("interim"),
        client_class: ClientClass::LinkedGeneric,
        view: None,
        view_coerced: false,
        units: ledger.units(),
        upstream_2xx: ledger.upstream_2xx(),
        cache_hit: ledger.cache_hit(),
        replay: false,
        tokens_estimate: 0,
        truncated: false,
        trimmed: Vec::new(),
        degraded_limits: false,
        anon_budget_bucket: None,
        idempotency: Idempotency::Ok,
        quota: Some(Quota { used, allowance, warning_80, reset_at }),
        fixture_mode: false,
    }
}
