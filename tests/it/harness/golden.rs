//! Whole answers that are kept and compared word for word.

use std::fmt::Write as _;
use std::path::Path;

use super::Envelope;

/// What of `meta` says how large the answer is and what was left out of it; the rest differs from call to call.
const OF_ITS_SIZE: [&str; 5] = ["view", "view_coerced", "units", "truncated", "trimmed"];

/// Holds an answer against `tests/it/golden/NAME.txt`: the text as it is read, then the JSON with what of `meta`
/// says how large the answer is.
///
/// With `ONO_GOLDEN=write` in the environment it is written instead, for a person to look at before it is kept.
pub fn hold_golden(name: &str, envelope: &Envelope) {
    let mut json = envelope.json.clone();
    json["meta"].as_object_mut().expect("an object").retain(|key, _| OF_ITS_SIZE.contains(&key.as_str()));
    if let Some(cursor) = json.pointer_mut("/data/pagination/next_cursor").filter(|cursor| cursor.is_string())
    {
        // Every walk has another one.
        *cursor = "CURSOR".into();
    }
    let mut answer = format!("{}\n\n", envelope.text);
    let _ = writeln!(answer, "{}", serde_json::to_string_pretty(&json).expect("JSON"));
    let answer = without_port(&answer);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/it/golden/{name}.txt"));
    if std::env::var("ONO_GOLDEN").is_ok_and(|word| word == "write") {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        return std::fs::write(&path, answer).expect("a golden answer");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!(kept, answer, "{name}");
}

/// A server of a test has another port every time.
fn without_port(answer: &str) -> String {
    let mut parts = answer.split("https://localhost:");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        kept.push_str("https://localhost:PORT");
        kept.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    kept
}
