//! How many rows of a full list are told, and in which form.

use ono_sendai::tools::registry::ToolName;
use serde_json::{Value, json};

use super::shapes::{Shape, shapes};
use super::{Full, KEY, Words, tools};

/// The most rows of a list in a text.
const OF_A_TEXT: usize = 10;

#[test]
fn a_card_has_five_rows_of_each_include_in_its_full_view_and_ten_in_the_others_before_it_is_trimmed() {
    let service = tools(&Words::usual(0), Full(100));
    for (view, rows) in [("summary", 10), ("standard", 10), ("full", 5)] {
        let asked = json!({"key": KEY, "view": view, "include": ["similar", "gigs"]});
        let (whole, kept) = service.both("get_artist", &asked);
        for list in ["/similar/similar", "/gigs/gigs"] {
            let of = |data: &Value| data.pointer(list).and_then(Value::as_array).map(Vec::len);
            assert_eq!(of(whole.data()), Some(rows), "{view} {list}");
            // The full view is above the usual size anyway, so that there is nothing to trim for.
            assert!(view != "full" || of(kept.data()) == Some(rows), "{view} {list}: {}", kept.text);
        }
    }
}

#[test]
fn similar_artists_come_with_their_counts_up_to_ten_and_with_the_words_alone_above() {
    let service = tools(&Words::real(0), Full(100));
    for limit in [1, 9, 10, 11, 25] {
        let answer = service.call("find_similar_artists", &json!({"key": KEY, "limit": limit}));
        let rows = answer.data()["similar"].as_array().expect("rows");
        assert_eq!(rows.len(), limit);
        let is_full = |row: &Value| row["axes"].is_object();
        assert!(rows.iter().all(|row| is_full(row) == (limit <= 10)), "{limit}: {}", answer.json);
    }
}

#[test]
fn a_text_tells_at_most_ten_rows_of_each_list_and_how_many_more_there_are() {
    let words = Words::real(0);
    let service = tools(&words, Full(100));
    let mut longer = 0;
    for Shape { tool, arguments, .. } in ToolName::ALL.into_iter().flat_map(|tool| shapes(tool, &words)) {
        let answer = service.call(tool, &arguments);
        let is_numbered = |line: &&str| line.split_once(". ").is_some_and(|(at, _)| at.parse::<u8>().is_ok());
        let numbered = answer.text.lines().filter(is_numbered).count();
        let others = answer.text.lines().filter(|line| line.starts_with("- ")).count();
        assert!(numbered <= OF_A_TEXT && others <= OF_A_TEXT, "{tool} {arguments}: {}", answer.text);
        let rows = answer.data()["shown"].as_u64().unwrap_or_default() as usize;
        if let Some(left) = rows.checked_sub(OF_A_TEXT).filter(|left| *left > 0) {
            longer += 1;
            let stand = if left == 1 { "stands" } else { "stand" };
            let told = format!("{left} more {stand} in the JSON.");
            assert!(answer.text.lines().any(|line| line == told), "{tool} {arguments}: {}", answer.text);
        }
    }
    assert!(longer > 10, "only {longer} lists are longer");
}
