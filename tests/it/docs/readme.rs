//! The front page: its commands exist, its answer is a real one.

use std::process::Command;

use serde_json::{Value, json};

use crate::harness::Demo;
use crate::tables::{blocks, code, hold, page, table};

fn help() -> String {
    let output =
        Command::new(env!("CARGO_BIN_EXE_ono-sendai")).arg("--help").env_clear().output().expect("it runs");
    String::from_utf8(output.stdout).expect("text")
}

/// The words that begin a line of a section of the help.
fn listed(section: &str) -> Vec<String> {
    let help = help();
    let lines = help.lines().skip_while(|line| *line != section).skip(1);
    lines
        .take_while(|line| line.starts_with("  "))
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .collect()
}

#[test]
fn the_table_of_commands_has_each_one() {
    let readme = page("README.md");
    let written: Vec<String> = table(&readme, "Commands")
        .iter()
        .map(|row| code(&row[0]).split_whitespace().nth(1).expect("a command").to_owned())
        .collect();
    let mut known = listed("Commands:");
    known.retain(|command| command != "help");
    let sorted = |mut words: Vec<String>| {
        words.sort();
        words
    };
    assert_eq!(sorted(written), sorted(known.clone()));
}

#[test]
fn the_exit_codes_are_those_of_the_program() {
    let help = help();
    let served: Vec<Vec<String>> = help
        .lines()
        .skip_while(|line| *line != "Exit codes:")
        .skip(1)
        .filter_map(|line| line.trim().split_once("  "))
        .map(|(number, meaning)| vec![number.to_owned(), meaning.to_owned()])
        .collect();
    hold("README.md", "Exit codes", &served);
}

#[test]
fn the_answer_that_is_shown_is_the_one_that_is_given() {
    let readme = page("README.md");
    let answer = Demo::shared().call("resolve_artist", json!({"q": "Nirvana"}));
    let written = blocks(&readme, "An answer", "text");
    assert!(written == [answer.text.as_str()], "the program says\n\n{}\n", answer.text);
    let shown = blocks(&readme, "An answer", "json");
    let [shown] = shown.as_slice() else { panic!("one envelope is shown") };
    let shown: Value = serde_json::from_str(shown).expect("JSON");
    is_part("", &shown, &answer.json);
}

/// Everything that is shown is in the answer; a list may be cut at its end.
pub(super) fn is_part(at: &str, shown: &Value, real: &Value) {
    match (shown, real) {
        (Value::Object(shown), Value::Object(real)) => {
            for (key, value) in shown {
                is_part(&format!("{at}/{key}"), value, real.get(key).unwrap_or(&Value::Null));
            }
        }
        (Value::Array(shown), Value::Array(real)) => {
            assert!(shown.len() <= real.len(), "{at}");
            for (number, (shown, real)) in shown.iter().zip(real).enumerate() {
                is_part(&format!("{at}/{number}"), shown, real);
            }
        }
        _ => assert_eq!(shown, real, "{at}"),
    }
}

#[test]
fn no_figure_stands_in_the_readme_that_nobody_measures() {
    let readme = page("README.md");
    let words: Vec<&str> = readme.split_whitespace().collect();
    for pair in words.windows(2) {
        let number = pair[0].trim_matches(|c: char| !c.is_ascii_digit());
        let unit = pair[1].trim_matches(|c: char| !c.is_alphanumeric() && c != '/' && c != '%');
        let measured = ["ms", "s", "MiB", "MB", "kB", "requests/s", "%"].contains(&unit);
        assert!(number.is_empty() || !measured, "{} {}", pair[0], pair[1]);
    }
}
