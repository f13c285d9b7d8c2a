//! docs/failures.md names a test that is there, or a reason, for each failure, and docs/reliability.md for each promise.

use super::security::missing;
use crate::tables::{codes, page, table};

/// The sections, and how many failures each has.
const SECTIONS: [(&str, usize); 6] = [
    ("Signing in", 18),
    ("Over HTTP", 17),
    ("Tools and their arguments", 10),
    ("Units, pace and answers that are given again", 9),
    ("Disk, certificates, supervision, logs", 10),
    ("Artists", 11),
];

#[test]
fn every_failure_of_the_page_has_a_test_that_is_there() {
    let text = page("docs/failures.md");
    let gone: Vec<String> = codes(&text).iter().filter_map(|word| missing(word)).collect();
    assert!(gone.is_empty(), "{gone:#?}");
    for (heading, failures) in SECTIONS {
        let rows = table(&text, heading);
        assert_eq!(rows.len(), failures, "{heading}");
        for row in rows {
            let [failure, shown] = row.as_slice() else { panic!("{heading}: {row:?}") };
            let is_shown = codes(shown).iter().any(|word| word.contains("::"));
            // Where there is no test, the reason is a sentence.
            let has_its_reason = shown.starts_with("Not here: ") && shown.ends_with('.');
            assert!(failure.ends_with('.') && (is_shown || has_its_reason), "{heading}: {row:?}");
        }
    }
}

#[test]
fn every_test_that_the_page_on_reliability_names_is_there() {
    let text = page("docs/reliability.md").replace("```", "");
    // What has spaces is a command.
    let words: Vec<String> = codes(&text).into_iter().filter(|word| !word.contains(' ')).collect();
    let gone: Vec<String> = words.iter().filter_map(|word| missing(word)).collect();
    assert!(gone.is_empty(), "{gone:#?}");
    assert!(words.iter().filter(|word| word.contains("::")).count() >= 9);
}
