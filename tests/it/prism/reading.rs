//! What a value of the service reads as in an answer, and where it is found.

use ono_sendai::identity::display_name;
use ono_sendai::model::text::CleanName;
use ono_sendai::tools::provenance::Reading;
use serde_json::{Value, json};

/// Every value at a place, or at one of several: `a/{b,c}` is `a/b` and `a/c`.
pub fn found<'v>(body: &'v Value, place: &str) -> Vec<&'v Value> {
    let parts = place.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
    match parts {
        Some((before, (choices, after))) => {
            choices.split(',').flat_map(|choice| values(body, &format!("{before}{choice}{after}"))).collect()
        }
        None => values(body, place),
    }
}

/// Every value at a place.
pub fn values<'v>(body: &'v Value, place: &str) -> Vec<&'v Value> {
    place.split('/').skip(1).fold(vec![body], |found, step| {
        let below = |value: &'v Value| -> Vec<&'v Value> {
            match value {
                Value::Object(map) if step == "*" => map.values().collect(),
                Value::Array(list) if step == "*" => list.iter().collect(),
                value => value.get(step).into_iter().collect(),
            }
        };
        found.into_iter().flat_map(below).collect()
    })
}

/// Whether what was said is shown as `value`.
pub fn reads_as(said: &Value, reading: Reading, value: &Value) -> bool {
    let text = said.as_str();
    let clean = |text: &str| CleanName::new(text).is_some_and(|name| json!(name) == *value);
    match reading {
        Reading::Same | Reading::Keyed | Reading::Joined => is_same(said, value),
        Reading::Name | Reading::NameOfKeyed => text.is_some_and(clean),
        Reading::ShownName | Reading::JoinedName => text.is_some_and(|text| clean(display_name(text))),
        Reading::IfVerified => text.is_some_and(|text| json!(text.to_lowercase()) == *value),
        Reading::Year => text
            .and_then(|text| text.get(..4)?.parse::<u64>().ok())
            .is_some_and(|year| value.as_u64() == Some(year)),
        Reading::Day => text.zip(value.as_str()).is_some_and(|(said, shown)| said.starts_with(shown)),
        Reading::Listed => text.zip(value.as_str()).is_some_and(|(said, shown)| {
            !said.is_empty() && (shown.contains(said) || said.contains(shown) || same_page(said, shown))
        }),
        Reading::Lowered => said == value || value == "cluster",
    }
}

/// Whether two values are one: a number is the same number however it is written.
fn is_same(said: &Value, shown: &Value) -> bool {
    said == shown || (said.is_f64() || shown.is_f64()) && said.as_f64() == shown.as_f64()
}

/// Whether two addresses differ only in how they are written.
fn same_page(said: &str, shown: &str) -> bool {
    let read = |text: &str| url::Url::parse(text).ok().map(|url| url.to_string());
    read(said).is_some_and(|said| read(shown).is_some_and(|shown| said == shown))
}
