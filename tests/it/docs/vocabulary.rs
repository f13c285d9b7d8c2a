//! The tables of words, held to the enums they describe.

use std::collections::BTreeSet;

use ono_sendai::envelope::degraded::{Degraded, FallbackTier};
use ono_sendai::envelope::error::{Cause, ErrorType};
use ono_sendai::envelope::schema;
use ono_sendai::identity::{AmbiguityState, Reason};
use ono_sendai::model::gap::GapReason;
use ono_sendai::prompts;
use ono_sendai::protocol::era::Era;
use ono_sendai::protocol::rpc_error::RpcCode;
use ono_sendai::site;
use ono_sendai::tools::argument::Kind;
use ono_sendai::tools::arguments::IGNORED;
use ono_sendai::tools::registry::ToolName;
use ono_sendai::transport::LegalPage;
use serde_json::Value;

use crate::harness::Demo;
use crate::tables::{code, codes, hold, page, section, table};

fn tick(word: &str) -> String {
    format!("`{word}`")
}

fn column(page_name: &str, heading: &str) -> Vec<String> {
    table(&page(page_name), heading).iter().map(|row| code(&row[0])).collect()
}

#[test]
fn the_error_types_are_those_of_the_code() {
    let code: Vec<Vec<String>> = ErrorType::ALL
        .iter()
        .map(|kind| {
            let meaning = kind.meaning().to_owned();
            vec![
                tick(kind.as_str()),
                kind.recoverable().as_str().to_owned(),
                kind.retryable().as_str().to_owned(),
                meaning,
            ]
        })
        .collect();
    hold("docs/errors.md", "Error types", &code);
    let causes: Vec<&str> = Cause::ALL.iter().map(|cause| cause.as_str()).collect();
    assert_eq!(column("docs/errors.md", "Causes"), causes);
}

#[test]
fn the_words_of_the_envelope_are_those_of_the_code() {
    let envelope = page("docs/envelope.md");
    let gaps: Vec<Vec<String>> = GapReason::ALL
        .iter()
        .map(|reason| vec![tick(reason.as_str()), reason.meaning().to_owned()])
        .collect();
    hold("docs/envelope.md", "Gap reasons", &gaps);
    let states: Vec<Vec<String>> = AmbiguityState::ALL
        .iter()
        .map(|state| vec![tick(state.as_str()), state.meaning().to_owned()])
        .collect();
    hold("docs/envelope.md", "Ambiguity states", &states);
    let order = section(&envelope, "Ambiguity states").join(" ");
    let order = order.split("names the first of:").nth(1).expect("the order");
    let order: Vec<String> = codes(order.split('|').next().expect("text before the table"));
    assert_eq!(order, AmbiguityState::PRECEDENCE.map(|state| state.as_str()));
    let reasons: Vec<Vec<String>> =
        Reason::TABLE.iter().map(|(pattern, meaning)| vec![tick(pattern), (*meaning).to_owned()]).collect();
    hold("docs/envelope.md", "Ambiguity reasons", &reasons);
    let tiers: Vec<Vec<String>> = FallbackTier::ALL
        .iter()
        .map(|tier| {
            let sentence = Degraded::at(*tier).sentence().to_owned();
            vec![tick(tier.as_str()), tick(tier.action().as_str()), sentence]
        })
        .collect();
    hold("docs/envelope.md", "Degraded tiers", &tiers);
}

#[test]
fn the_keys_of_the_envelope_are_those_of_its_schema() {
    let schema = schema::envelope();
    let keys = |of: &Value| -> BTreeSet<String> {
        of["properties"].as_object().expect("properties").keys().cloned().collect()
    };
    let written = |heading| column("docs/envelope.md", heading);
    let set = |words: Vec<String>| words.into_iter().collect::<BTreeSet<_>>();
    assert_eq!(set(written("Keys")), keys(&schema));
    assert_eq!(set(written("Meta")), keys(&schema["properties"]["meta"]));
}

fn ticked(words: &[&str]) -> String {
    words.iter().map(|word| tick(word)).collect::<Vec<_>>().join(", ")
}

#[test]
fn the_tools_are_those_of_the_registry() {
    let tools = page("docs/tools.md");
    let specs: Vec<Vec<String>> = ToolName::ALL
        .iter()
        .map(|tool| {
            let spec = tool.spec();
            let families: Vec<String> = spec.families.iter().map(|family| tick(family.as_str())).collect();
            vec![
                tick(tool.as_str()),
                spec.title.to_owned(),
                spec.profile.as_str().to_owned(),
                spec.access.as_str().to_owned(),
                spec.cost.to_owned(),
                families.join(", "),
            ]
        })
        .collect();
    hold("docs/tools.md", "Tools", &specs);
    for tool in ToolName::ALL {
        let arguments: Vec<Vec<String>> = tool
            .spec()
            .arguments
            .iter()
            .map(|argument| {
                let kind = match argument.kind {
                    Kind::Text { max_chars } => format!("text, at most {max_chars} characters"),
                    Kind::Integer { min, max } => format!("{min} to {max}"),
                    Kind::Choice(words) => format!("one of {}", ticked(words)),
                    Kind::Choices(words) => format!("any of {}", ticked(words)),
                    Kind::Texts { max_items, max_chars } => {
                        format!("at most {max_items} texts of at most {max_chars} characters")
                    }
                    Kind::Flag => "`true` or `false`".to_owned(),
                };
                let needed = if argument.required { "yes" } else { "no" };
                vec![tick(argument.name), kind, needed.to_owned(), argument.description.to_owned()]
            })
            .collect();
        if arguments.is_empty() {
            assert!(section(&tools, tool.as_str()).join(" ").contains("Takes no arguments."), "{tool:?}");
        } else {
            hold("docs/tools.md", tool.as_str(), &arguments);
        }
    }
    let dropped = section(&tools, "Tools").join(" ");
    let dropped = dropped.split("without a word:").nth(1).expect("the dropped names");
    assert_eq!(codes(dropped), IGNORED);
}

#[test]
fn resources_and_prompts_are_those_that_are_served() {
    let resources = Demo::shared().modern("resources/list", serde_json::json!({})).result();
    let rows = |list: &Value, name: &str| -> Vec<Vec<String>> {
        let text = |entry: &Value, key: &str| entry[key].as_str().expect("text").to_owned();
        let list = list.as_array().expect("a list");
        list.iter().map(|entry| vec![tick(&text(entry, name)), text(entry, "description")]).collect()
    };
    hold("docs/tools.md", "Resources", &rows(&resources["resources"], "uri"));
    hold("docs/tools.md", "Prompts", &rows(&prompts::list()["prompts"], "name"));
}

#[test]
fn the_protocol_page_names_every_revision_code_and_page() {
    let protocol = page("docs/protocol.md");
    assert_eq!(column("docs/protocol.md", "Revisions"), Era::ALL.map(Era::version));
    let written: Vec<Vec<String>> = table(&protocol, "JSON-RPC errors")
        .into_iter()
        .map(|row| vec![row[0].clone(), row[2].clone(), row[3].clone()])
        .collect();
    let served: Vec<Vec<String>> = RpcCode::ALL
        .iter()
        .map(|code| {
            let status = |era| code.status(era).as_u16().to_string();
            vec![code.number().to_string(), status(Era::LATEST_LEGACY), status(Era::Modern)]
        })
        .collect();
    assert_eq!(written, served);
    let pages = LegalPage::ALL.map(LegalPage::path);
    let documents = site::documents(&site::Facts {
        base: "https://mcp.example.org",
        has_sign_in: true,
        is_demo: true,
        openai_apps_challenge: Some("token"),
    });
    let fixed = documents.iter().map(|document| {
        let path = document.path.as_str();
        ["/assets/", "/docs/agents/"].into_iter().find(|folder| path.starts_with(folder)).unwrap_or(path)
    });
    let mut paths: Vec<&str> = ["/healthz", "/readyz"].into_iter().chain(pages).chain(fixed).collect();
    paths.dedup();
    assert_eq!(column("docs/protocol.md", "Other paths"), paths);
}

#[test]
fn every_method_that_is_written_is_served_in_its_era_and_not_in_the_other() {
    let demo = Demo::shared();
    for row in table(&page("docs/protocol.md"), "Methods") {
        let (method, revisions) = (code(&row[0]), row[1].as_str());
        let unknown = |answer: crate::harness::Answer| answer.json()["error"]["code"] == -32601;
        let served_2025 = !unknown(demo.legacy(&method, serde_json::json!({})));
        let served_2026 = !unknown(demo.modern(&method, serde_json::json!({})));
        let (wanted_2025, wanted_2026) = match revisions {
            "all" => (true, true),
            "2025" => (true, false),
            "2026" => (false, true),
            other => panic!("{other}"),
        };
        assert_eq!((served_2025, served_2026), (wanted_2025, wanted_2026), "{method}");
    }
}
