//! The pages for builders of clients: every example in them is an answer of the program.

use ono_sendai::tools::registry::ToolName;
use serde_json::Value;

use super::readme::is_part;
use crate::harness::{Demo, Envelope};
use crate::tables::{page, root};

/// An example: its page, what it shows, the call, what is written.
struct Example {
    page: String,
    language: String,
    anonymous: bool,
    tool: String,
    arguments: Value,
    written: String,
}

/// Every fenced block that says `LANGUAGE answer [anonymous] TOOL ARGUMENTS`.
fn examples() -> Vec<Example> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root().join("docs/agents")).expect("docs/agents") {
        let name = entry.expect("an entry").file_name().into_string().expect("a name");
        let text = page(&format!("docs/agents/{name}"));
        let mut open: Option<(&str, Vec<&str>)> = None;
        for line in text.lines() {
            match (line.strip_prefix("```"), &mut open) {
                (Some(""), Some(_)) => {
                    let (info, lines) = open.take().expect("a block");
                    found.extend(example(&name, info, lines.join("\n")));
                }
                (Some(info), None) => open = Some((info, Vec::new())),
                (_, Some((_, lines))) => lines.push(line),
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "{name} has an open block");
    }
    found
}

fn example(page: &str, info: &str, written: String) -> Option<Example> {
    let (language, call) = info.split_once(" answer ")?;
    let (anonymous, call) = match call.strip_prefix("anonymous ") {
        Some(call) => (true, call),
        None => (false, call),
    };
    let (tool, arguments) = call.split_once(' ').expect("a tool and its arguments");
    Some(Example {
        page: page.to_owned(),
        language: language.to_owned(),
        anonymous,
        tool: tool.to_owned(),
        arguments: serde_json::from_str(arguments).expect("arguments"),
        written,
    })
}

fn answer(example: &Example) -> Envelope {
    let demo = Demo::shared();
    if example.anonymous {
        demo.call(&example.tool, example.arguments.clone())
    } else {
        demo.call_signed_in(&example.tool, example.arguments.clone())
    }
}

#[test]
fn every_tool_has_an_example_that_is_an_answer() {
    let examples = examples();
    let is_shown = |tool: &ToolName| {
        let of_it =
            |example: &&Example| example.tool == tool.as_str() && !example.written.contains("\"error\"");
        examples.iter().any(|example| of_it(&example))
    };
    let without: Vec<&str> =
        ToolName::ALL.iter().filter(|tool| !is_shown(tool)).map(|tool| tool.as_str()).collect();
    assert_eq!(without, [""; 0]);
}

#[test]
fn every_example_is_what_the_program_answers() {
    let examples = examples();
    assert!(examples.len() >= 5, "{} examples", examples.len());
    for example in examples {
        let answer = answer(&example);
        let what = format!("{}: {} {}", example.page, example.tool, example.arguments);
        match example.language.as_str() {
            "text" => {
                assert!(example.written == answer.text, "{what}: the program says\n\n{}\n", answer.text)
            }
            "json" => is_part(&what, &serde_json::from_str(&example.written).expect("JSON"), &answer.json),
            other => panic!("{what}: {other}"),
        }
    }
}
