//! Nothing invented: each value is the service's at its declared place, or one of the few that the server makes.

use std::sync::Arc;

use ono_sendai::crate_client::Extension;
use ono_sendai::identity::display_name;
use ono_sendai::model::text::CleanName;
use ono_sendai::tools::provenance::{Given, Provenance, Reading, TABLES};
use ono_sendai::tools::registry::ToolName;
use serde_json::{Value, json};

use super::cases::{Case, Part, cases};
use super::{scalars, set};
use crate::calls::call;
use crate::harness::{Direct, Scripted};
use crate::prism::places::strangers;

impl Case {
    /// The rows that declare `place`, with what the stars stand for, and the part each belongs to.
    fn rows<'a>(&'a self, place: &str) -> Vec<(&'static Provenance, Vec<String>, &'a Part)> {
        let of_part = |part: &'a Part| {
            let within = place.strip_prefix(part.at)?;
            let rows = part.table.rows.iter();
            Some(
                rows.filter_map(move |row| Some((row, matched(row.data, within)?, part))).collect::<Vec<_>>(),
            )
        };
        self.parts.iter().filter_map(of_part).flatten().collect()
    }

    /// What `data` must hold at `place`; `None` when the server makes it.
    fn declared(&self, bodies: &[(&'static str, Value)], data: &Value, place: &str) -> Option<Value> {
        // A gap stands in the place of the value.
        let place = ["/present", "/reason"]
            .iter()
            .find_map(|end| place.strip_suffix(end).filter(|rest| !self.rows(rest).is_empty()))
            .unwrap_or(place);
        let rows = self.rows(place);
        assert!(!rows.is_empty(), "{}: nobody declares {place}", self.name());
        let mut given = rows.iter().filter_map(|(row, stars, part)| match row.from {
            Given::Upstream(path, reading) => Some((path, reading, stars, part)),
            Given::Made(_) => None,
        });
        let first = given.clone().next();
        first?;
        let value = given.find_map(|(path, reading, stars, part)| {
            let body = &bodies[part.body].1;
            let found = match reading {
                Reading::Joined | Reading::JoinedName => {
                    let list = place.strip_prefix(part.at).unwrap_or_default();
                    let row: Vec<&str> = list.split('/').take(3).collect();
                    let row = data.pointer(&format!("{}{}", part.at, row.join("/")))?;
                    joined(body, path, row)
                }
                _ => at(body, path, stars),
            };
            found.filter(|value| !value.is_null()).map(|value| read(value, reading))
        });
        Some(value.unwrap_or(Value::Null))
    }
}

/// The keys under which rows of the service say whom they are about, and the one in the answer.
const IDS: [(&str, &[&str]); 3] = [
    ("cluster_id", &["clusterId", "djClusterId", "co_cluster_id_hex", "cluster_id"]),
    ("discogs_id", &["discogsArtistId", "co_resolved_discogs_artist_id", "discogs_id"]),
    ("mbid", &["mbid", "co_resolved_mbid"]),
];

/// The value of the row of the service's list that is about the same artist as the shown one.
fn joined(body: &Value, path: &str, shown: &Value) -> Option<Value> {
    let (list, field) = path.split_once("/*/")?;
    let is_same = |row: &Value| {
        IDS.iter().any(|(key, names)| {
            let id = &shown[*key];
            !id.is_null() && names.iter().any(|name| row[*name] == *id)
        })
    };
    body.pointer(list)?.as_array()?.iter().find(|row| is_same(row))?.pointer(&format!("/{field}")).cloned()
}

/// Values that say how others are to be read: to change them changes more than one place.
const FRAMES: [&str; 18] = [
    "/state",
    // Another artist's aura is no answer, and who has not broken has no day of it.
    "/aura/cluster_id",
    "/has_break_event",
    // What stands twice in an answer, or follows from what stands beside it, cannot change alone.
    "/convergence_dim_count",
    "/velocity",
    "/discogsLabelId",
    "/discogs_label_id",
    "/id",
    "/resolved_via",
    "/resolved_from",
    "/resolvedVia",
    "/over_merge",
    "/overMerge",
    "/discogsArtistIdCount",
    "/folded",
    "/candidates",
    "/total_results",
    "/present",
];

/// Ids by which rows of several answers are brought together, and ids of the one who is asked about.
const JOINING: [&str; 9] = [
    "/clusterId",
    "/djClusterId",
    "/co_cluster_id_hex",
    "/cluster_id_hex",
    "/discogsArtistId",
    "/discogs_id",
    "/co_resolved_discogs_artist_id",
    "/mbid",
    "/cluster_id",
];

/// The indices that `*` stands for when `pattern` is `pointer`.
fn matched(pattern: &str, pointer: &str) -> Option<Vec<String>> {
    let (pattern, pointer): (Vec<&str>, Vec<&str>) =
        (pattern.split('/').collect(), pointer.split('/').collect());
    let mut stars = Vec::new();
    let fits = pattern.len() == pointer.len()
        && pattern.iter().zip(&pointer).all(|(pattern, part)| {
            if *pattern == "*" {
                stars.push((*part).to_owned());
            }
            *pattern == "*" || pattern == part
        });
    fits.then_some(stars)
}

/// `a/{b,c}/d` as `a/b/d` and `a/c/d`.
fn spread(path: &str) -> Vec<String> {
    match (path.split_once('{'), path.split_once('}')) {
        (Some((before, _)), Some((inner, after))) => {
            let choices = inner.split_once('{').expect("a brace").1;
            choices.split(',').map(|choice| format!("{before}{choice}{after}")).collect()
        }
        _ => vec![path.to_owned()],
    }
}

/// The value at a declared place. Lists in one order are counted through.
fn at(body: &Value, path: &str, stars: &[String]) -> Option<Value> {
    let places = spread(path);
    if places.len() > 1 {
        let wanted: usize = stars.first()?.parse().ok()?;
        let lists = places.iter().map(|place| place.trim_end_matches("/*"));
        return lists
            .flat_map(|list| body.pointer(list).and_then(Value::as_array).cloned().unwrap_or_default())
            .nth(wanted);
    }
    // `a1` is the artist of row 0 where every row has an artist of its own.
    let stars: Vec<String> = stars
        .iter()
        .map(|star| match star.strip_prefix('a').and_then(|number| number.parse::<usize>().ok()) {
            Some(number) => (number - 1).to_string(),
            None => star.clone(),
        })
        .collect();
    let mut stars = stars.iter();
    let pointer: Vec<&str> = path
        .split('/')
        .map(|part| if part == "*" { stars.next().map_or("*", String::as_str) } else { part })
        .collect();
    body.pointer(&pointer.join("/")).cloned()
}

/// What a value reads as in an answer.
fn read(value: Value, reading: Reading) -> Value {
    let Some(text) = value.as_str() else { return value };
    let clean = |text: &str| CleanName::new(text).map_or(Value::Null, |name| json!(name));
    match reading {
        Reading::Same
        | Reading::IfVerified
        | Reading::Lowered
        | Reading::Listed
        | Reading::Keyed
        | Reading::Joined => value,
        Reading::Name | Reading::NameOfKeyed => clean(text),
        Reading::ShownName | Reading::JoinedName => clean(display_name(text)),
        Reading::Year => json!(text[..4].parse::<u16>().expect("a year")),
        Reading::Day => json!(text[..10]),
    }
}

#[test]
fn every_value_is_the_services_own_at_its_declared_place() {
    for case in cases() {
        let answer = case.answer(&case.bodies);
        let shown = scalars(answer.data());
        assert!(shown.len() >= 10, "{}: {}", case.name(), answer.json);
        for (place, value) in shown {
            if let Some(declared) = case.declared(&case.bodies, answer.data(), &place) {
                assert_eq!(value, declared, "{} {place}", case.name());
            }
        }
    }
}

#[test]
fn every_declared_place_of_every_table_is_filled_by_a_full_answer() {
    let mut filled = Vec::new();
    for case in cases() {
        let answer = case.answer(&case.bodies);
        for (place, _) in scalars(answer.data()).into_iter().filter(|(_, value)| !value.is_null()) {
            filled.extend(case.rows(&place).into_iter().map(|(row, ..)| std::ptr::from_ref(row)));
        }
    }
    for table in TABLES {
        for row in table.rows {
            if let Given::Upstream(path, _) = row.from {
                let is_filled = filled.contains(&std::ptr::from_ref(row));
                assert!(is_filled, "{} {} from {path} is never filled", table.endpoint, row.data);
            }
        }
    }
}

/// Another value of the same kind.
fn other(pointer: &str, value: &Value) -> Value {
    match value {
        Value::Bool(flag) => json!(!flag),
        Value::Number(number) => match number.as_u64() {
            Some(number) => json!(number + 7),
            None => json!(number.as_f64().expect("a number") / 2.0),
        },
        Value::String(text) => json!(match text.as_str() {
            "exact" if pointer.ends_with("/total_results_mode") => "lower_bound".to_owned(),
            "exact" => "fuzzy".to_owned(),
            "mb" => "all".to_owned(),
            text if text.len() == 64 => text.replace('0', "1"),
            text if text.starts_with("http") => format!("{text}/changed"),
            text if text.len() == 36 => text.replace('f', "0"),
            text if text.starts_with("20") || text.starts_with("19") => text.replacen("1", "0", 1),
            text => format!("changed{}", text.to_lowercase().replace(' ', "")),
        }),
        other => panic!("no other {other}"),
    }
}

/// How a value reads in a text.
fn written(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Words of the server that stand for a value: the value itself is not in the text.
fn is_told_in_words(place: &str, value: &Value) -> bool {
    value.is_boolean() || ["/mode", "/corpus", "/total_results_mode"].iter().any(|end| place.ends_with(end))
}

/// Holds a text to a change: nothing in it changes but the values that changed.
fn assert_text_follows(before: &str, after: &str, changes: &[(&str, &Value, &Value)], what: &str) {
    if changes.iter().any(|(place, was, _)| is_told_in_words(place, was)) {
        return;
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    assert_eq!(old.len(), new.len(), "{what}: {after}");
    for (old, new) in old.into_iter().zip(new).filter(|(old, new)| old != new) {
        let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
        let least = old.len().min(new.len());
        let start = (0..least).take_while(|n| old[*n] == new[*n]).count();
        let end = (0..least - start).take_while(|n| old[old.len() - 1 - n] == new[new.len() - 1 - n]).count();
        let middle = |line: &[char]| line[start..line.len() - end].iter().collect::<String>();
        let (was, is) = (middle(&old), middle(&new));
        let follows =
            changes.iter().any(|(_, old, new)| written(old).contains(&was) && written(new).contains(&is));
        assert!(follows, "{what}: {was:?} became {is:?} in the text, but {changes:?}");
    }
}

#[test]
fn a_changed_value_changes_the_answer_and_its_text_at_exactly_its_place() {
    for case in cases() {
        let before = case.answer(&case.bodies);
        let old = scalars(before.data());
        let mut mapped = 0;
        for (number, (path, body)) in case.bodies.iter().enumerate() {
            for (pointer, value) in scalars(body) {
                // A record of another key or name than the one that was asked for is no answer, nor is a facet of
                // another artist.
                let is_key = !matches!(case.tool, ToolName::ResolveArtist | ToolName::FindTracks)
                    && pointer == "/slug";
                let is_name = case.tool == ToolName::FindTracks && pointer == "/display";
                let is_bind = pointer.ends_with("/signals/mbid") || pointer.ends_with("/signals/artistMbid");
                let is_anothers = is_key || is_name || is_bind;
                let is_frame = FRAMES
                    .iter()
                    .any(|frame| pointer.ends_with(frame) || pointer.contains(&format!("{frame}/")));
                let joins = case.parts.iter().any(|part| {
                    part.table.tool == ToolName::FindSimilarArtists
                        || part.table.tool == ToolName::GetUpcomingGigs
                });
                let joins = joins && JOINING.iter().any(|id| pointer.ends_with(id));
                if value.is_null() || is_anothers || is_frame || joins {
                    continue;
                }
                let mut changed = case.bodies.clone();
                set(&mut changed[number].1, &pointer, other(&pointer, &value));
                let after = case.answer(&changed);
                let what = format!("{} {path} {pointer}", case.name());
                let new = scalars(after.data());
                assert_eq!(old.len(), new.len(), "{what}: {}", after.json);
                let mut changes = Vec::new();
                for ((place, was), (_, is)) in old.iter().zip(&new) {
                    let Some(wanted) = case.declared(&changed, after.data(), place) else {
                        assert_eq!(was, is, "{what} changed {place}, which the server makes");
                        continue;
                    };
                    assert_eq!(*is, wanted, "{what}: {place}");
                    if was != is {
                        changes.push((place.as_str(), was, is));
                    }
                }
                mapped += changes.len();
                assert_text_follows(&before.text, &after.text, &changes, &what);
            }
        }
        let rows: usize = case.parts.iter().map(|part| part.table.rows.len()).sum();
        assert!(mapped >= rows / 3, "{}: only {mapped} places changed", case.name());
    }
}

/// The numbers of three digits and more that stand in a text, but not in a line that counts what stands elsewhere.
fn numbers(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter(|line| !line.ends_with(" in the JSON."))
        .flat_map(|line| line.split(|c: char| !c.is_ascii_digit()))
        .filter(|digits| digits.len() >= 3)
}

/// Numbers that are part of the server's own words.
const OF_THE_WORDS: [&str; 1] = ["365"];

#[test]
fn over_the_demo_every_tool_says_only_what_the_service_said() {
    for tool in ToolName::ALL {
        let service = Arc::new(Scripted::catalogue());
        let demo = Direct::over(Arc::clone(&service), &[Extension::Gigs]);
        let mut present = 0;
        for n in 0..90 {
            let arguments = call(tool.as_str(), n);
            let answer = demo.call(tool.as_str(), &arguments);
            let said = service.take();
            let what = format!("{} {arguments}", tool.as_str());
            present += usize::from(answer.json["present"] == true);
            if ![ToolName::GetProfile, ToolName::GetUsage].contains(&tool) && !answer.is_error {
                let strangers = strangers(tool.as_str(), answer.data(), &said);
                assert_eq!(strangers, [""; 0], "{what}");
            }
            let json = answer.json.to_string();
            for number in numbers(&answer.text).filter(|number| !OF_THE_WORDS.contains(number)) {
                assert!(json.contains(number), "{what}: {number} in {}", answer.text);
            }
        }
        assert!(present >= 5, "{}: only {present} answers hold anything", tool.as_str());
    }
}
