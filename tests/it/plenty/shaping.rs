//! What becomes of answers that are too large: whatever the service says, and whatever is asked.

use ono_sendai::shape::{HARD_ESTIMATE, INCLUDE_ROWS_MIN, SOFT_TOKENS, tokens};
use ono_sendai::tools::registry::ToolName;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::shapes::{Shape, shapes};
use super::{Full, KEY, Words, tools};
use crate::answers::validator;
use crate::harness::Envelope;

/// How many answers are looked at, unless `ONO_SHAPING_CASES` names another number.
const CASES: u32 = 48;

fn cases() -> u32 {
    std::env::var("ONO_SHAPING_CASES").map_or(CASES, |cases| cases.parse().expect("a number"))
}

/// What says how much of a list is there, and so changes with it.
const OF_THE_CUT: [&str; 7] =
    ["shown", "truncated", "more", "next_cursor", "walk_ended_early", "artists", "releases_shown"];

/// The lists that give up rows to keep the usual size, with the tool that has all of them.
const INCLUDES: [(&str, &str, &str); 2] = [
    ("/similar/similar", "data.similar.similar", "find_similar_artists"),
    ("/gigs/gigs", "data.gigs.gigs", "get_upcoming_gigs"),
];

fn size(answer: &Envelope) -> u32 {
    tokens(&answer.text) + tokens(&answer.raw)
}

/// Goes through the lists of an answer before and after: what is left of each is its beginning, and everything else
/// is as it was. Gives the places of those that lost rows.
fn shortened(at: &str, whole: &Value, left: &Value, found: &mut Vec<String>) -> Result<(), String> {
    match (whole, left) {
        (Value::Array(all), Value::Array(rows)) => {
            if !all.starts_with(rows) {
                return Err(format!("{at} is no beginning of what it was"));
            }
            if rows.len() < all.len() {
                found.push(at.to_owned());
            }
            Ok(())
        }
        (Value::Object(fields), Value::Object(others)) if fields.len() == others.len() => fields
            .iter()
            .filter(|(key, _)| !OF_THE_CUT.contains(&key.as_str()))
            .try_for_each(|(key, value)| shortened(&format!("{at}/{key}"), value, &left[key], found)),
        _ if whole == left => Ok(()),
        _ => Err(format!("{at} was {whole} and is {left}")),
    }
}

/// What is wrong with an answer, given what it would have been without a limit to its size.
fn problem(tool: &str, asked: &Value, whole: &Envelope, kept: &Envelope) -> Result<(), String> {
    if let Some(fault) = validator().iter_errors(&kept.json).next() {
        return Err(format!("{fault} at {}", fault.instance_path()));
    }
    let (before, after) = (size(whole), size(kept));
    let estimate =
        u32::try_from(kept.json["meta"]["tokens_estimate"].as_u64().expect("a number")).expect("small");
    if estimate > HARD_ESTIMATE || estimate.abs_diff(after) > 2 {
        return Err(format!("{after} tokens, called {estimate}"));
    }
    if whole.is_error || kept.is_error {
        let is_too_large = kept.json["error"]["data"]["reason"] == "too_large" && before > HARD_ESTIMATE;
        return if whole.is_error || is_too_large { Ok(()) } else { Err("an error of its size".to_owned()) };
    }
    let mut cut = Vec::new();
    for part in ["data", "untrusted_text", "ambiguity"] {
        shortened(&format!("/{part}"), &whole.json[part], &kept.json[part], &mut cut)?;
    }
    let (meta, none) = (&kept.json["meta"], Vec::new());
    let trimmed = meta["trimmed"].as_array().unwrap_or(&none);
    if before <= SOFT_TOKENS && (!cut.is_empty() || !trimmed.is_empty()) {
        return Err(format!("{before} tokens were touched"));
    }
    for (at, path, own) in INCLUDES {
        let rows =
            |answer: &Envelope| answer.data().pointer(at).and_then(Value::as_array).map_or(0, Vec::len);
        let (all, left) = (rows(whole), rows(kept));
        let said: Vec<&Value> = trimmed.iter().filter(|said| said["path"] == path).collect();
        if all == left || tool != "get_artist" {
            if !said.is_empty() {
                return Err(format!("{path} was not trimmed"));
            }
            continue;
        }
        if said != [&json!({"path": path, "kept": left, "total": all})] || left < all.min(INCLUDE_ROWS_MIN) {
            return Err(format!("{path}: {left} of {all}, said: {said:?}"));
        }
        let ways = kept.json["next_actions"].as_array().expect("actions").iter();
        if ways.filter(|next| next["tool"] == own && next["args"]["key"] == asked["key"]).count() != 1 {
            return Err(format!("{path} was trimmed, and {own} is not named once"));
        }
    }
    let is_include = |at: &String| {
        tool == "get_artist" && INCLUDES.iter().any(|(include, ..)| *at == format!("/data{include}"))
    };
    // A list that is asked for is never cut to nothing: that would read as if there was nothing.
    let is_list = !["get_artist", "resolve_artist", "get_label"].contains(&tool);
    if let Some(at) = cut
        .iter()
        .filter(|at| is_list && at.starts_with("/data/"))
        .find(|at| kept.json.pointer(at) == Some(&json!([])))
    {
        return Err(format!("nothing is left of {at}"));
    }
    let main_is_cut = cut.iter().any(|at| !is_include(at));
    // More candidates than are ever told are cut before anything is measured.
    let is_told = main_is_cut || whole.json["meta"]["truncated"] == true;
    if is_told != (meta["truncated"] == true) || main_is_cut && before <= HARD_ESTIMATE {
        return Err(format!("{cut:?} of {before} tokens, truncated: {}", meta["truncated"]));
    }
    if !main_is_cut && !trimmed.is_empty() && after > SOFT_TOKENS + 2 && before <= HARD_ESTIMATE {
        return Err(format!("trimmed to {after} tokens, which reaches nothing"));
    }
    Ok(())
}

/// Texts that cost a lot: long ones of many scripts.
fn costly() -> impl Strategy<Value = String> {
    prop_oneof![
        "[A-Z][a-z ]{1,40}",
        "[A-Za-z0-9 <>\"'&\\\\]{100,300}",
        "[\u{4e00}-\u{9fff}]{20,250}",
        "[\u{1F300}-\u{1F5FF}]{20,250}",
        "[\u{0400}-\u{04FF} ]{50,250}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_asked_and_said_the_answer_is_valid_fits_and_tells_what_it_lacks(
        titles in prop::collection::vec(costly(), 1..8),
        names in prop::collection::vec(costly(), 1..8),
        full in prop_oneof![0_usize..8, 0_usize..400],
        tool in prop::sample::select(ToolName::ALL.to_vec()),
        pick in any::<prop::sample::Index>(),
    ) {
        let words = Words { titles, names };
        let service = tools(&words, Full(full));
        let shapes = shapes(tool, &words);
        let Shape { tool, arguments, .. } = &shapes[pick.index(shapes.len())];
        let (whole, kept) = service.both(tool, arguments);
        let fault = problem(tool, arguments, &whole, &kept);
        prop_assert!(fault.is_ok(), "{tool} {arguments}: {}", fault.unwrap_err());
    }
}

#[test]
fn every_shape_over_full_lists_of_endless_names_is_valid_fits_and_tells_what_it_lacks() {
    let words = Words::endless();
    let service = tools(&words, Full(600));
    let mut cut = 0;
    for Shape { tool, arguments, .. } in ToolName::ALL.into_iter().flat_map(|tool| shapes(tool, &words)) {
        let (whole, kept) = service.both(tool, &arguments);
        problem(tool, &arguments, &whole, &kept)
            .unwrap_or_else(|fault| panic!("{tool} {arguments}: {fault}"));
        cut += usize::from(kept.json["meta"]["truncated"] == true);
    }
    assert!(cut >= 10, "only {cut} answers were cut");
}

#[test]
fn an_answer_that_is_measured_again_says_once_what_was_trimmed() {
    let mut further = 0;
    for round in 0..12 {
        let service = tools(&Words::usual(round), Full(100));
        let arguments = json!({"key": KEY, "view": "summary", "include": ["similar"]});
        let (once, twice) =
            (service.call("get_artist", &arguments), service.measured_twice("get_artist", &arguments));
        let trimmed =
            |answer: &Envelope| answer.json["meta"]["trimmed"].as_array().cloned().unwrap_or_default();
        let paths: Vec<Value> = trimmed(&twice).iter().map(|said| said["path"].clone()).collect();
        let mut each = paths.clone();
        each.dedup();
        assert_eq!(paths, each, "{round}");
        assert!(trimmed(&twice).iter().all(|said| said["total"] == 10), "{round}: {:?}", trimmed(&twice));
        further += usize::from(trimmed(&once) != trimmed(&twice));
        let actions = twice.json["next_actions"].as_array().expect("actions");
        for (at, action) in actions.iter().enumerate() {
            assert!(!actions[..at].contains(action), "{round}: {action} twice");
        }
    }
    assert!(further > 0, "no answer was trimmed further");
}
