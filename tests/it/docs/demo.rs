//! docs/demo.md, run: every call gives the written answer, and no word of the vocabularies is left out.

use std::collections::BTreeSet;
use std::process::Command;

use ono_sendai::config::Config;
use ono_sendai::identity::{AmbiguityState, LocatorKind, Mbid, Reason};
use ono_sendai::model::gap::GapReason;
use serde_json::{Value, json};

use crate::harness::{Demo, Kept as _};
use crate::simulator::{KEY, Sim};
use crate::tables::{code, codes, hold, page, root, table};

const STATES: &str = "States and reasons";
const GAPS: &str = "Gaps";
const FAULTS: &str = "What needs a fault";
const NEVER: &str = "What is never sent";

/// The words of a call as a shell would read them; only double quotes are used.
fn words(call: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for (part, text) in call.split('"').enumerate() {
        for (number, piece) in text.split(' ').enumerate() {
            match (part % 2, number) {
                (0, 1..) => words.push(piece.to_owned()),
                (1, 1..) => *words.last_mut().expect("a word") += &format!(" {piece}"),
                _ => *words.last_mut().expect("a word") += piece,
            }
        }
    }
    words
}

/// The envelope that the written call brings, through the program's own client.
fn run(demo: &Demo, call: &str) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_ono-sendai"))
        .arg("call")
        .args(words(call))
        .args(["--url", &demo.url("/mcp"), "--ca"])
        .arg(&demo.certificate)
        .env_clear()
        .kept_output()
        .expect("it runs");
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{call}: {complaint}"))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// A row of the first table as the answer would write it.
fn row_of(call: &str, envelope: &Value) -> Vec<String> {
    let ambiguity = &envelope["ambiguity"];
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let reasons: Vec<String> =
        list(&ambiguity["reasons"]).iter().map(|reason| format!("`{}`", text(reason))).collect();
    let present = match envelope["reason"].as_str() {
        None => format!("`{}`", envelope["present"]),
        Some(reason) => format!("`{}`: `{reason}`", envelope["present"]),
    };
    vec![
        format!("`{call}`"),
        format!("`{}`", text(&ambiguity["state"])),
        reasons.join(", "),
        present,
        list(&ambiguity["candidates"]).len().to_string(),
    ]
}

#[test]
fn every_written_call_gives_the_written_answer() {
    let demo = Demo::start();
    let pages = page("docs/demo.md");
    let states = table(&pages, STATES);
    let answers: Vec<Vec<String>> = states
        .iter()
        .map(|row| code(&row[0]))
        .map(|call| {
            let envelope = run(&demo, &call);
            row_of(&call, &envelope)
        })
        .collect();
    hold("docs/demo.md", STATES, &answers);
    for row in table(&pages, GAPS) {
        let (call, reason) = (code(&row[0]), code(&row[2]));
        let envelope = run(&demo, &call);
        let part = match row[1].as_str() {
            "the whole" => &envelope,
            facet => &envelope["data"][code(facet)],
        };
        assert_eq!((&part["present"], text(&part["reason"])), (&Value::Bool(false), reason), "{call}");
    }
}

#[test]
fn every_fault_that_is_written_brings_its_word() {
    let faults = std::fs::read_to_string(root().join("config/faults.toml")).expect("a scenario");
    let sim = Sim::with(&faults);
    let server = Demo::serving(
        "fixture_mode = false",
        &format!(
            "[crate]\nbase_url = \"{}\"\nkey = \"{KEY}\"\nin_flight = 100\nper_minute = 100000",
            sim.url
        ),
    );
    let rows = table(&page("docs/demo.md"), FAULTS);
    for row in &rows {
        let (call, part, word) = (code(&row[0]), code(&row[1]), code(&row[2]));
        let envelope = run(&server, &call);
        let found = match part.as_str() {
            "ambiguity" => {
                envelope["ambiguity"]["reasons"].as_array().is_some_and(|all| all.contains(&json!(word)))
            }
            facet => envelope["data"][facet] == json!({"present": false, "reason": word}),
        };
        assert!(found, "{call}: {envelope}");
    }
    let rules = faults.lines().filter(|line| *line == "[[rule]]").count();
    assert_eq!(rules, rows.len(), "a rule for each row, and a row for each rule");
}

#[test]
fn the_server_over_the_simulator_asks_where_that_listens() {
    let file = root().join("config/over-crate-sim.toml");
    let config = Config::load(&file).expect("a configuration");
    let help = Command::new(env!("CARGO_BIN_EXE_ono-sendai"))
        .args(["crate-sim", "--help"])
        .kept_output()
        .expect("it runs");
    let help = String::from_utf8(help.stdout).expect("text");
    let text = std::fs::read_to_string(&file).expect("a file");
    let address =
        help.split("[default: ").find_map(|rest| rest.strip_prefix("127.0.0.1:")?.split(']').next());
    let port = address.expect("the default address");
    assert!(text.contains(&format!("base_url = \"http://127.0.0.1:{port}\"")) && text.contains(KEY));
    assert!(!config.server.fixture_mode);
}

/// The word with its numbers and kinds in angle brackets, as the vocabulary has it.
fn pattern(reason: &str) -> &'static str {
    let fits = |pattern: &str| match (pattern.find('<'), pattern.rfind('>')) {
        (Some(open), Some(close)) => {
            let middle = reason
                .strip_prefix(&pattern[..open])
                .and_then(|rest| rest.strip_suffix(&pattern[close + 1..]))
                .unwrap_or_default();
            let kinds = LocatorKind::ALL.map(|kind| kind.as_str());
            let is_number = middle.parse::<u32>().is_ok();
            match &pattern[open..=close] {
                "<kind>" => kinds.contains(&middle),
                "<id>" => is_number || Mbid::parse(middle).is_ok(),
                _ => is_number,
            }
        }
        _ => pattern == reason,
    };
    let found: Vec<&'static str> =
        Reason::TABLE.iter().map(|(pattern, _)| *pattern).filter(|pattern| fits(pattern)).collect();
    match found.as_slice() {
        [one] => one,
        _ => panic!("{reason} is not a word of the vocabulary, or several: {found:?}"),
    }
}

#[test]
fn every_state_and_every_reason_has_a_call_or_needs_a_fault() {
    let pages = page("docs/demo.md");
    let rows = table(&pages, STATES);
    let faults: BTreeSet<String> = table(&pages, FAULTS)
        .iter()
        .map(|row| {
            let word = code(&row[2]);
            if code(&row[1]) == "ambiguity" { pattern(&word).to_owned() } else { word }
        })
        .chain(table(&pages, NEVER).iter().map(|row| code(&row[0])))
        .collect();

    let states: BTreeSet<String> = rows.iter().map(|row| code(&row[1])).collect();
    assert_eq!(states, AmbiguityState::ALL.iter().map(|state| state.as_str().to_owned()).collect());

    let reasons: Vec<String> = rows.iter().flat_map(|row| codes(&row[2])).collect();
    let shown: BTreeSet<&str> = reasons.iter().map(|reason| pattern(reason)).collect();
    let kinds: BTreeSet<&str> = reasons.iter().filter_map(|reason| reason.strip_prefix("locator:")).collect();
    assert_eq!(kinds, LocatorKind::ALL.iter().map(|kind| kind.as_str()).collect());

    let gaps: BTreeSet<String> = table(&pages, GAPS).iter().map(|row| code(&row[2])).collect();
    let all: BTreeSet<&str> = Reason::TABLE
        .iter()
        .map(|(pattern, _)| *pattern)
        .chain(GapReason::ALL.iter().map(|reason| reason.as_str()))
        .collect();
    let covered: BTreeSet<&str> = shown.into_iter().chain(gaps.iter().map(String::as_str)).collect();
    let without: BTreeSet<&str> = all.difference(&covered).copied().collect();
    assert_eq!(without, faults.iter().map(String::as_str).collect(), "what has no call must say why");
    assert!(covered.is_subset(&all));
}

#[test]
fn a_call_is_read_as_a_shell_reads_it() {
    assert_eq!(words("resolve_artist q=\"Four Tet\" x=y"), ["resolve_artist", "q=Four Tet", "x=y"]);
    assert_eq!(words("t artist=\"A B\" track=\"C  D\""), ["t", "artist=A B", "track=C  D"]);
}
