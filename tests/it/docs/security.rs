//! docs/security.md and docs/non-goals.md name tests and files that are there.

use crate::tables::{codes, page, root, table};

/// The sections of docs/security.md that name an attack, what stops it, and what shows that.
const SHOWN: [&str; 6] = [
    "From the network",
    "Accounts and tokens",
    "What others write into answers",
    "Secrets",
    "On this machine",
    "Time, power and the disk",
];

/// Why what stands between backticks is not there; `None` for what names neither a test nor a file.
pub(super) fn missing(word: &str) -> Option<String> {
    if word.contains("::") {
        return (!is_test(word)).then(|| format!("there is no test {word}"));
    }
    let is_file =
        ["src/", "tests/", "docs/", "config/", "systemd/"].iter().any(|begin| word.starts_with(begin));
    (is_file && !root().join(word).exists()).then(|| format!("there is no {word}"))
}

/// Whether the test of this path is there; for `src::` also a module that has tests.
fn is_test(path: &str) -> bool {
    let parts: Vec<&str> = path.split("::").collect();
    let (place, of_code) = match parts.split_first() {
        Some((&"src", rest)) => (rest, true),
        _ => (parts.as_slice(), false),
    };
    let read = |name: String| std::fs::read_to_string(root().join(name)).unwrap_or_default();
    let texts = |module: &[&str]| {
        let module = module.join("/");
        if of_code {
            read(format!("src/{module}.rs")) + &read(format!("src/{module}/tests.rs"))
        } else {
            read(format!("tests/it/{module}.rs"))
        }
    };
    if of_code && texts(place).contains("#[test]") {
        return true;
    }
    let Some((name, module)) = place.split_last() else { return false };
    let text = texts(module);
    // A function, or a line of a table from which tests are made.
    [format!("fn {name}()"), format!("    {name}: ")].iter().any(|written| text.contains(written))
}

#[test]
fn every_test_and_file_that_the_pages_on_security_and_non_goals_name_is_there() {
    for (name, least) in [("docs/security.md", 70), ("docs/non-goals.md", 8)] {
        let text = page(name);
        let words = codes(&text.replace("```", ""));
        let gone: Vec<String> = words.iter().filter_map(|word| missing(word)).collect();
        assert!(gone.is_empty(), "{name}: {gone:#?}");
        let tests = words.iter().filter(|word| word.contains("::")).count();
        assert!(tests >= least, "{name} names {tests} tests");
    }
}

#[test]
fn every_attack_of_the_page_on_security_has_something_that_stops_it_and_a_test_that_shows_that() {
    let text = page("docs/security.md");
    for heading in SHOWN {
        for row in table(&text, heading) {
            let [attack, stops, shown] = row.as_slice() else { panic!("{heading}: {row:?}") };
            let named =
                codes(shown).iter().filter(|word| word.contains("::") || word.starts_with("tests/")).count();
            assert!(!attack.is_empty() && !stops.is_empty() && named > 0, "{heading}: {row:?}");
        }
    }
}

#[test]
fn a_test_or_file_that_is_not_there_is_noticed() {
    for there in ["signin::attacks::an_empty_field_is_401", "src::store::backup", "src/store.rs", "a word"] {
        assert_eq!(missing(there), None, "{there}");
    }
    for gone in [
        "signin::attacks::an_empty",
        "src::store::nothing",
        "src::store::backup::no_such",
        "tests/none",
        "src/x.rs",
    ] {
        assert!(missing(gone).is_some(), "{gone}");
    }
}
