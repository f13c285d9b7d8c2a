//! Nothing invented: each value is the service's at its declared place, or one of the few that the server makes.

use ono_sendai::identity::display_name;
use ono_sendai::model::text::CleanName;
use ono_sendai::tools::get_artist;
use ono_sendai::tools::provenance::{Given, Provenance, Reading, TABLES, Table};
use ono_sendai::tools::registry::ToolName;
use ono_sendai::tools::search_catalog::COMPACT_PROVENANCE;
use serde_json::{Value, json};

use super::{Service, scalars, set};
use crate::answers::samples;

/// A full answer of the service for a table, and the call that asks for it.
fn case(table: &Table) -> (Value, Value) {
    match (table.tool, table.endpoint) {
        (ToolName::ResolveArtist, _) => {
            (samples::resolution(), json!({"url": "https://somebody.bandcamp.com"}))
        }
        (ToolName::GetArtist, _) if is_wide(table) => {
            (samples::dossier(), json!({"key": "somebody", "view": "full"}))
        }
        (ToolName::GetArtist, _) => (samples::dossier(), json!({"key": "somebody", "view": "summary"})),
        (ToolName::SearchCatalog, _) if std::ptr::eq(table, &COMPACT_PROVENANCE) => {
            (samples::search(), json!({"q": "record", "limit": 11}))
        }
        (ToolName::SearchCatalog, _) => (samples::search(), json!({"q": "record"})),
        (ToolName::FindTracks, "/api/v2/tracks") => (samples::tracks(), json!({"title": "Echo"})),
        (ToolName::FindTracks, _) => (samples::resolution(), json!({"artist": "Somebody", "track": "Echo"})),
        (ToolName::GetLabel, _) => (samples::label(), json!({"key": "some-label"})),
        (ToolName::GetUpcomingGigs, _) => (samples::gigs(), json!({"key": "somebody"})),
        (ToolName::GetAura, AURA_OF_ONE) => (samples::aura(), json!({"cluster_id": samples::cluster(7)})),
        (tool, endpoint) => panic!("give this test an answer for {} of {endpoint}", tool.as_str()),
    }
}

const AURA_OF_ONE: &str = "/api/v2/aura/{key}";

/// Whether a table holds what the wider views have beside the card.
fn is_wide(table: &Table) -> bool {
    std::ptr::eq(table, &get_artist::WIDE_PROVENANCE)
}

/// The rows for the values of the answer that [`case`] asks for.
fn rows(table: &Table) -> impl Iterator<Item = &'static Provenance> + use<> {
    let own = TABLES.iter().find(|known| std::ptr::eq(**known, table)).expect("a table");
    let card: &[Provenance] = if is_wide(table) { get_artist::PROVENANCE.rows } else { &[] };
    own.rows.iter().chain(card)
}

/// The tables of the tools whose answer is made of one answer of the service; those of the lists are held where the
/// lists are tested, and what is brought together of several answers where the service answers at random.
fn tables() -> impl Iterator<Item = &'static Table> {
    const HERE: [ToolName; 6] = [
        ToolName::ResolveArtist,
        ToolName::GetArtist,
        ToolName::SearchCatalog,
        ToolName::FindTracks,
        ToolName::GetLabel,
        ToolName::GetUpcomingGigs,
    ];
    TABLES.iter().copied().filter(|table| HERE.contains(&table.tool) || table.endpoint == AURA_OF_ONE)
}

/// Values that say how others are to be read: to change them changes more than one place.
const FRAMES: [&str; 13] = [
    "/state",
    // Another artist's aura is no answer, and who has not broken has no day of it.
    "/aura/cluster_id",
    "/aura/has_break_event",
    "/resolved_via",
    "/resolved_from",
    "/identity/resolvedVia",
    "/over_merge",
    "/overMerge",
    "/discogsArtistIdCount",
    "/folded",
    "/candidates",
    "/total_results",
    "/present",
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

/// Whether a value is declared at `pointer`, so that below it there can only be a gap.
fn is_cell(table: &Table, pointer: &str) -> bool {
    rows(table).any(|row| matched(row.data, pointer).is_some())
}

/// What `data` must hold at `pointer`; `None` when the server makes it.
fn declared(table: &Table, body: &Value, pointer: &str) -> Option<Value> {
    // A gap stands in the place of the value.
    let pointer = ["/present", "/reason"]
        .iter()
        .find_map(|end| pointer.strip_suffix(end).filter(|rest| is_cell(table, rest)))
        .unwrap_or(pointer);
    let rows: Vec<_> =
        rows(table).filter_map(|row| matched(row.data, pointer).map(|stars| (row, stars))).collect();
    assert!(!rows.is_empty(), "{} {}: nobody declares {pointer}", table.tool.as_str(), table.endpoint);
    if rows.iter().any(|(row, _)| matches!(row.from, Given::Made(_))) {
        return None;
    }
    let given = rows.iter().filter_map(|(row, stars)| match row.from {
        Given::Upstream(path, reading) => {
            at(body, path, stars).filter(|value| !value.is_null()).map(|value| read(value, reading))
        }
        Given::Made(_) => None,
    });
    Some(given.into_iter().next().unwrap_or(Value::Null))
}

fn answer(table: &Table, body: &Value, arguments: &Value) -> Value {
    let told = Service::saying(body).call(table.tool, arguments.clone());
    told.data().clone()
}

#[test]
fn every_value_is_the_services_own_at_its_declared_place() {
    for table in tables() {
        let (body, arguments) = case(table);
        let data = answer(table, &body, &arguments);
        let shown = scalars(&data);
        assert!(shown.len() >= 10, "{}: {data}", table.endpoint);
        for (pointer, value) in shown {
            if let Some(declared) = declared(table, &body, &pointer) {
                assert_eq!(value, declared, "{} {pointer}", table.endpoint);
            }
        }
    }
}

#[test]
fn every_declared_place_is_filled_by_a_full_answer() {
    for table in tables() {
        let (body, arguments) = case(table);
        let shown = scalars(&answer(table, &body, &arguments));
        for row in table.rows {
            if let Given::Upstream(path, _) = row.from {
                let filled = shown
                    .iter()
                    .any(|(pointer, value)| !value.is_null() && matched(row.data, pointer).is_some());
                assert!(filled, "{} {} from {path} is never filled", table.endpoint, row.data);
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

#[test]
fn a_changed_value_changes_the_answer_at_exactly_its_place() {
    for table in tables() {
        let (body, arguments) = case(table);
        let before = answer(table, &body, &arguments);
        let mut mapped = 0;
        for (pointer, value) in scalars(&body) {
            // Another label than the one that was asked for is no answer.
            let is_anothers = table.tool == ToolName::GetLabel && pointer == "/slug";
            if value.is_null()
                || is_anothers
                || FRAMES
                    .iter()
                    .any(|frame| pointer.ends_with(frame) || pointer.contains(&format!("{frame}/")))
            {
                continue;
            }
            let mut changed = body.clone();
            set(&mut changed, &pointer, other(&pointer, &value));
            let after = answer(table, &changed, &arguments);
            let what = format!("{} {pointer}", table.endpoint);
            let (old, new) = (scalars(&before), scalars(&after));
            assert_eq!(old.len(), new.len(), "{what}: {after}");
            for ((place, was), (_, is)) in old.iter().zip(&new) {
                let Some(wanted) = declared(table, &changed, place) else {
                    assert_eq!(was, is, "{what} changed {place}, which the server makes");
                    continue;
                };
                assert_eq!(*is, wanted, "{what}: {place}");
                mapped += usize::from(was != is);
            }
        }
        assert!(mapped >= table.rows.len() / 2, "{}: only {mapped} places changed", table.endpoint);
    }
}
