//! docs/storage.md says what the code does.

use ono_sendai::store::Class;
use ono_sendai::store::class::WhenFull;

use crate::layers::source_text;
use crate::tables::{code, hold, page, table};

#[test]
fn the_table_of_classes_is_the_one_of_the_code() {
    let written = table(&page("docs/storage.md"), "The records");
    let keys: std::collections::BTreeMap<String, String> =
        written.iter().map(|row| (code(&row[0]), row[2].clone())).collect();
    let rows: Vec<Vec<String>> = Class::ALL
        .into_iter()
        .map(|class| {
            vec![
                format!("`{}`", class.name()),
                format!("`{}`", char::from(class.byte())),
                keys.get(class.name()).cloned().unwrap_or_default(),
                class.version().to_string(),
                class.lifetime().map_or_else(|| "ever".to_owned(), |time| format!("{} s", time.as_secs())),
                format!("{} records, {} MiB", class.rows_max(), class.bytes_max() / (1024 * 1024)),
                match class.when_full() {
                    WhenFull::ForgetOldest => "forgets the oldest",
                    WhenFull::Refuse => "refuses",
                }
                .to_owned(),
            ]
        })
        .collect();
    hold("docs/storage.md", "The records", &rows);
}

#[test]
fn every_class_says_what_it_holds_and_what_a_crash_costs() {
    let rows = table(&page("docs/storage.md"), "What each record holds");
    let written: Vec<String> = rows.iter().map(|row| code(&row[0])).collect();
    let classes: Vec<&str> = Class::ALL.into_iter().map(Class::name).collect();
    assert_eq!(written, classes);
}

#[test]
fn the_operators_commands_are_those_of_the_program() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_ono-sendai"))
        .args(["admin", "--help"])
        .output()
        .unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let commands = help.split_once("Commands:\n").unwrap().1.split("\n\n").next().unwrap();
    let there: Vec<&str> = commands
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty() && *name != "help")
        .collect();
    let rows = table(&page("docs/storage.md"), "The operator's commands");
    let written: Vec<String> = rows
        .iter()
        .map(|row| row[0].trim_start_matches('`').split([' ', '`']).next().unwrap().to_owned())
        .collect();
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    assert_eq!(sorted(written), sorted(there.into_iter().map(str::to_owned).collect()));
}

#[test]
fn nothing_ever_calls_the_flush_that_deadlocks_and_sled_stays_in_its_file() {
    for (name, code) in source_text() {
        assert!(!code.contains("flush_async"), "{name}");
        let names_sled = code.contains("sled::");
        assert!(!names_sled || name == "src/store/sled_engine.rs", "{name} names a type of sled");
        let is_unsafe =
            code.contains("unsafe {") || code.contains("unsafe extern") || code.contains("unsafe fn");
        assert!(!is_unsafe || name == "src/durability.rs", "{name} holds unsafe code");
    }
}
