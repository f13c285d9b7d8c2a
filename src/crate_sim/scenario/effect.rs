//! What a rule does to an answer.
//!
//! Decides what can be written, not how it is done to the bytes.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderName, HeaderValue};
use serde_json::{Value, json};
use toml::de::DeValue;

use super::reader::RuleKeys;

const LONGEST_MS: u64 = 600_000;
const MOST_BYTES: u64 = 1 << 30;
/// What can be done, for the message about a rule that does nothing.
const DEEDS: [&str; 16] = [
    "latency_ms",
    "hang",
    "status",
    "headers",
    "body",
    "answer",
    "state",
    "set",
    "null",
    "remove",
    "pad_bytes",
    "truncate_bytes",
    "reset",
    "slow_header_ms",
    "slow_body_ms",
    "slow_body_bytes",
];

/// Everything that a rule does; what is not written stays as it is.
#[derive(Debug, Default, PartialEq)]
pub(in crate::crate_sim) struct Effect {
    /// Before anything is answered.
    pub(in crate::crate_sim) latency: Duration,
    /// Nothing is ever answered.
    pub(in crate::crate_sim) hang: bool,
    /// Another status.
    pub(in crate::crate_sim) status: Option<u16>,
    /// Headers that are added, or take the place of others.
    pub(in crate::crate_sim) headers: Vec<(HeaderName, HeaderValue)>,
    /// Another body.
    pub(in crate::crate_sim) body: Option<Bytes>,
    /// A body that is not what it should be.
    pub(in crate::crate_sim) wrong: Option<Wrong>,
    /// Fields that are given another value, by JSON pointer.
    pub(in crate::crate_sim) set: Vec<(String, Value)>,
    /// Fields that are taken out.
    pub(in crate::crate_sim) remove: Vec<String>,
    /// The body is filled up to this size with spaces.
    pub(in crate::crate_sim) pad_bytes: Option<u64>,
    /// The connection ends after so many bytes of the body, though more were announced.
    pub(in crate::crate_sim) truncate_bytes: Option<u64>,
    /// The connection is reset.
    pub(in crate::crate_sim) reset: Option<Reset>,
    /// Between two bytes of the header.
    pub(in crate::crate_sim) slow_header: Option<Duration>,
    /// Between two pieces of the body.
    pub(in crate::crate_sim) slow_body: Option<Duration>,
    /// How large a piece of a slow body is.
    pub(in crate::crate_sim) slow_body_bytes: u64,
}

/// What stands in the place of the right body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::crate_sim) enum Wrong {
    /// A page for people.
    Html,
    /// Words that are no JSON.
    Text,
    /// JSON of another form.
    Json,
    /// The first half of the right JSON, as if it were whole.
    HalfJson,
    /// Nothing.
    Empty,
}

/// Where a connection is reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::crate_sim) enum Reset {
    /// Before the first byte of an answer.
    Before,
    /// Halfway through the body.
    Body,
}

impl Effect {
    pub(super) fn read(keys: &mut RuleKeys<'_>) -> Self {
        let mut millis = |key| keys.whole(key, 0..=LONGEST_MS, "milliseconds").map(Duration::from_millis);
        let (latency, slow_header, slow_body) =
            (millis("latency_ms"), millis("slow_header_ms"), millis("slow_body_ms"));
        let slow_body_bytes = keys.whole("slow_body_bytes", 1..=MOST_BYTES, "bytes").unwrap_or(1);
        let hang = keys.flag("hang");
        let status =
            keys.whole("status", 200..=599, "an HTTP status").and_then(|code| u16::try_from(code).ok());
        let headers =
            keys.pairs("headers", "header fields, such as { \"Retry-After\" = \"1\" }", |name, value| {
                let DeValue::String(value) = value else { return None };
                Some((HeaderName::try_from(name).ok()?, HeaderValue::try_from(value.as_ref()).ok()?))
            });
        let body = keys.text("body", "text", |text| Some(Bytes::copy_from_slice(text.as_bytes())));
        let wrong = keys.choice(
            "answer",
            &[
                ("html", Wrong::Html),
                ("text", Wrong::Text),
                ("wrong_json", Wrong::Json),
                ("half_json", Wrong::HalfJson),
                ("empty", Wrong::Empty),
            ],
        );
        let pointer = |text: &str| text.starts_with('/').then(|| text.to_owned());
        let accepted = "places and values, such as { \"/identity/name\" = 5 }";
        let mut set = keys.pairs("set", accepted, |name, value| Some((pointer(name)?, json_of(value)?)));
        let state = keys.text("state", "a state such as \"degraded\"", |text| Some(json!(text)));
        set.extend(state.map(|state| ("/state".to_owned(), state)));
        let places = "a place or a list of places, such as \"/identity\"";
        set.extend(keys.list("null", places, pointer).into_iter().map(|place| (place, Value::Null)));
        let remove = keys.list("remove", places, pointer);
        let pad_bytes = keys.whole("pad_bytes", 1..=MOST_BYTES, "bytes");
        let truncate_bytes = keys.whole("truncate_bytes", 0..=MOST_BYTES, "bytes");
        let reset = keys.choice("reset", &[("before", Reset::Before), ("body", Reset::Body)]);
        if body.is_some() && wrong.is_some() {
            keys.refuse("answer", "either body or answer");
        }
        if !keys.has_any(&DEEDS) {
            keys.refuse_rule("nothing that it does", &format!("one or more of {}", DEEDS.join(", ")));
        }
        Self {
            latency: latency.unwrap_or_default(),
            hang,
            status,
            headers,
            body,
            wrong,
            set,
            remove,
            pad_bytes,
            truncate_bytes,
            reset,
            slow_header,
            slow_body,
            slow_body_bytes,
        }
    }
}

/// A TOML value as JSON; none for a date.
fn json_of(value: &DeValue<'_>) -> Option<Value> {
    Some(match value {
        DeValue::String(text) => json!(text),
        DeValue::Integer(number) => json!(i64::from_str_radix(number.as_str(), number.radix()).ok()?),
        DeValue::Float(number) => json!(number.as_str().parse::<f64>().ok()?),
        DeValue::Boolean(flag) => json!(flag),
        DeValue::Array(list) => {
            Value::Array(list.iter().map(|v| json_of(v.get_ref())).collect::<Option<_>>()?)
        }
        DeValue::Table(table) => {
            let pair =
                |(key, value): (&toml::Spanned<toml::de::DeString<'_>>, &toml::Spanned<DeValue<'_>>)| {
                    Some((key.get_ref().to_string(), json_of(value.get_ref())?))
                };
            Value::Object(table.iter().map(pair).collect::<Option<_>>()?)
        }
        DeValue::Datetime(_) => return None,
    })
}
