//! Whole answers that are kept and compared word for word.

use std::fmt::Write as _;
use std::path::Path;

use super::Envelope;

/// Holds an answer against `tests/it/golden/NAME.txt`: the text as it is read, then the JSON without `meta`.
///
/// With `ONO_GOLDEN=write` in the environment it is written instead, for a person to look at before it is kept.
pub fn hold_golden(name: &str, envelope: &Envelope) {
    let mut json = envelope.json.clone();
    json.as_object_mut().expect("an object").remove("meta");
    let mut answer = format!("{}\n\n", envelope.text);
    let _ = writeln!(answer, "{}", serde_json::to_string_pretty(&json).expect("JSON"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/it/golden/{name}.txt"));
    if std::env::var("ONO_GOLDEN").is_ok_and(|word| word == "write") {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        return std::fs::write(&path, answer).expect("a golden answer");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!(kept, answer, "{name}");
}
