//! The shape of the source: who may import whom, how long a file may be, what no file may hold.
//!
//! Who may import whom is written in docs/architecture.md, under "The one-way rule"; nothing else is
//! allowed, and there is no list of exceptions.

mod imports;
mod source;

use std::collections::{BTreeMap, BTreeSet};

use self::source::{File, bare, files, texts, without_tests};
use crate::tables::{code, codes, page, table};

/// Every file of the program with its code, comments and strings blanked out.
pub fn source_text() -> Vec<(String, String)> {
    files("src").into_iter().map(|file| (file.name.clone(), bare(&file.text))).collect()
}

/// What each module may import: paths from the root, each with everything below it.
struct Rule(BTreeMap<Vec<String>, Vec<Vec<String>>>);

impl Rule {
    fn written() -> Self {
        let path = |text: &str| text.split("::").map(str::to_owned).collect::<Vec<_>>();
        let rows = table(&page("docs/architecture.md"), "The one-way rule");
        let count = rows.len();
        let rule: BTreeMap<_, _> = rows
            .iter()
            .map(|row| (path(&code(&row[0])), codes(&row[1]).iter().map(|import| path(import)).collect()))
            .collect();
        assert_eq!(rule.len(), count, "a module has two rows");
        Self(rule)
    }

    /// The row of the module or of the nearest one around it.
    fn of(&self, module: &[String]) -> Option<&Vec<Vec<String>>> {
        (1..=module.len()).rev().find_map(|length| self.0.get(&module[..length]))
    }

    /// Whether `module` may name `path`.
    fn allows(&self, module: &[String], path: &[String]) -> bool {
        path.first() == module.first()
            || self.of(module).is_some_and(|allowed| allowed.iter().any(|import| path.starts_with(import)))
    }

    /// One line for each import that the rule does not allow.
    fn violations(&self, file: &File) -> Vec<String> {
        imports::paths(&file.module, &bare(&file.text))
            .into_iter()
            .filter(|(_, path)| !self.allows(&file.module, path))
            .map(|(line, path)| format!("{}:{line} names crate::{}", file.name, path.join("::")))
            .collect()
    }
}

fn words(path: &str) -> Vec<String> {
    path.split("::").map(str::to_owned).collect()
}

#[test]
fn no_module_imports_another_that_the_rule_does_not_name() {
    let rule = Rule::written();
    let violations: Vec<String> = files("src").iter().flat_map(|file| rule.violations(file)).collect();
    assert!(violations.is_empty(), "\n{}", violations.join("\n"));
}

#[test]
fn the_rule_has_a_row_for_every_module_and_names_no_other() {
    let here: BTreeSet<String> =
        files("src").into_iter().filter_map(|file| file.module.first().cloned()).collect();
    let rule = Rule::written();
    let with_row: BTreeSet<String> =
        rule.0.keys().filter(|path| path.len() == 1).map(|path| path[0].clone()).collect();
    assert_eq!(with_row, here);
    let named: BTreeSet<String> = rule
        .0
        .iter()
        .flat_map(|(of, imports)| imports.iter().chain([of]).map(|path| path[0].clone()))
        .collect();
    assert!(named.is_subset(&here), "{named:?}");
}

#[test]
fn the_rule_goes_one_way() {
    let rule = Rule::written();
    let mut open: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (module, imports) in &rule.0 {
        let of = open.entry(&module[0]).or_default();
        of.extend(imports.iter().map(|path| path[0].as_str()).filter(|import| *import != module[0]));
    }
    // Whatever imports nothing that is left is taken away, until nothing is left or all that is left is a circle.
    while let Some(lowest) = open.iter().find(|(_, imports)| imports.is_empty()).map(|(module, _)| *module) {
        open.remove(lowest);
        for imports in open.values_mut() {
            imports.remove(lowest);
        }
    }
    assert!(open.is_empty(), "a circle among {:?}", open.keys());
}

#[test]
fn a_forbidden_import_is_seen_in_every_spelling() {
    let rule = Rule(BTreeMap::from([
        (words("model"), vec![words("identity")]),
        (words("model::wire"), vec![words("catalogue::Row")]),
    ]));
    let seen = |name: &str, text: &str| rule.violations(&File::of(name, text)).len();
    for bad in [
        "use crate::transport;",
        "use crate::{identity::Tier, transport::Limits};",
        "use crate::{\n    identity::{self, Tier},\n    transport,\n};",
        "fn f() -> crate::transport::Limits { todo() }",
        "use super::super::transport;",
        "mod tests {\n    use super::super::super::transport;\n}",
        "pub use crate::transport as other;",
        "use crate::*;",
    ] {
        assert_eq!(seen("src/model/artist.rs", bad), 1, "{bad}");
    }
    for good in [
        "use crate::identity::{Tier, name::{ArtistName, TrackTitle}};",
        "use crate::model::artist::Artist;",
        "use super::gap; use super::gap::{Fact, GapReason};",
        "mod tests {\n    use super::*;\n    use super::super::gap;\n}",
        "// use crate::transport;\n/* crate::transport */",
        "const X: &str = \"crate::transport\";",
        "const Q: char = '\"'; // crate::transport \"",
        "const R: &str = r#\"\"crate::transport\"#;",
    ] {
        assert_eq!(seen("src/model/artist.rs", good), 0, "{good}");
    }
    assert_eq!(seen("src/model/wire.rs", "use crate::catalogue::Row;"), 0);
    assert_eq!(seen("src/model/wire.rs", "use crate::catalogue::Rows;"), 1);
    assert_eq!(seen("src/model/wire.rs", "use crate::identity::Tier;"), 1, "the nearer row counts");
    assert_eq!(seen("src/model.rs", "use super::transport;"), 1);
    assert_eq!(seen("src/main.rs", "use ono_sendai::model;"), 1);
}

#[test]
fn every_file_says_first_what_it_is() {
    for file in files("src").iter().chain(&files("tests/it")) {
        assert!(file.text.starts_with("//! "), "{} does not begin with a module doc", file.name);
    }
}

#[test]
fn files_are_short_and_most_are_very_short() {
    for (folder, extensions) in
        [("src", &["rs", "js", "mjs"][..]), ("tests", &["rs", "js", "mjs", "py"]), ("fuzz", &["rs", "py"])]
    {
        let mut lengths: Vec<usize> = Vec::new();
        for (name, text) in texts(folder, extensions) {
            let lines = text.lines().count();
            assert!(lines <= 600, "{name} has {lines} lines");
            lengths.push(lines);
        }
        lengths.sort_unstable();
        let median = lengths[lengths.len() / 2];
        println!("{folder}: {} files, median {median} lines", lengths.len());
        assert!(folder != "src" || median <= 150, "the median file has {median} lines");
    }
}

#[test]
fn the_check_of_lengths_sees_every_language_that_we_write_in() {
    let sees = |folder: &str, name: &str, extension: &str| {
        texts(folder, &[extension]).iter().any(|(file, _)| file == name)
    };
    for (folder, name, extension) in [
        ("src", "src/operator/static/page.js", "js"),
        ("tests", "tests/e2e/clients/operator-page.mjs", "mjs"),
        ("fuzz", "fuzz/seeds.rs", "rs"),
    ] {
        assert!(sees(folder, name, extension), "{name}");
    }
    // What others wrote and what is built is not ours to shorten.
    assert!(texts("src", &["js"]).iter().all(|(name, _)| !name.contains("uplot")));
    assert!(texts("tests", &["js", "mjs"]).iter().all(|(name, _)| !name.contains("node_modules")));
}

#[test]
fn no_test_is_switched_off_and_nothing_is_left_to_do() {
    for file in files("src").iter().chain(&files("tests/it")) {
        let code = bare(&file.text);
        for word in ["#[ignore", "todo!(", "unimplemented!(", "dbg!("] {
            assert!(!code.contains(word), "{} holds {word}", file.name);
        }
    }
}

#[test]
fn tests_stand_at_the_end_of_their_file() {
    for file in files("src") {
        let code = bare(&file.text);
        let mut lines = code.lines().skip_while(|line| !line.starts_with("mod tests")).peekable();
        if lines.peek().is_some_and(|line| line.ends_with('{')) {
            lines.by_ref().find(|line| *line == "}");
        } else {
            lines.next();
        }
        let left: Vec<&str> = lines.filter(|line| !line.trim().is_empty()).collect();
        assert!(left.is_empty(), "{} goes on after its tests: {left:?}", file.name);
    }
}

#[test]
fn only_the_clock_and_the_sockets_ask_what_time_it_is() {
    for file in files("src") {
        if matches!(file.module.first().map(String::as_str), Some("clock" | "transport")) {
            continue;
        }
        let code = without_tests(&file);
        for word in
            ["Instant::now", "SystemTime::now", "OffsetDateTime::now", "UtcDateTime::now", "elapsed()"]
        {
            assert!(!code.contains(word), "{} asks for {word}", file.name);
        }
    }
}
