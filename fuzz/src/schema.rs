//! Whether a value has the form of a schema, for as much of JSON Schema as the published one is written in.

use serde_json::Value;
use time::Date;
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;

/// What is wrong with a value: the first fault, with its place. A word of the schema that is not known here is a panic.
pub fn fault(root: &Value, schema: &Value, value: &Value) -> Option<String> {
    let words = schema.as_object().expect("a schema");
    words.iter().find_map(|(word, rule)| broken(root, schema, word, rule, value))
}

fn broken(root: &Value, schema: &Value, word: &str, rule: &Value, value: &Value) -> Option<String> {
    let holds = |is_so: bool| if is_so { None } else { Some(format!(": {value} breaks {word} {rule}")) };
    let number = || rule.as_u64().expect("a number");
    let chars = |text: &str| text.chars().count() as u64;
    let length = |list: &Vec<Value>| list.len() as u64;
    let fits = |schema: &Value| fault(root, schema, value).is_none();
    match word {
        "$schema" | "$id" | "$defs" | "title" | "description" => None,
        "type" => match rule {
            Value::String(kind) => holds(is_of(kind, value)),
            kinds => {
                holds(kinds.as_array()?.iter().any(|kind| is_of(kind.as_str().unwrap_or_default(), value)))
            }
        },
        "const" => holds(rule == value),
        "enum" => holds(rule.as_array()?.contains(value)),
        "anyOf" => holds(rule.as_array()?.iter().any(fits)),
        "oneOf" => holds(rule.as_array()?.iter().filter(|schema| fits(schema)).count() == 1),
        "not" => holds(!fits(rule)),
        "$ref" => {
            let path = rule.as_str()?.strip_prefix('#').expect("a place in the schema");
            fault(root, root.pointer(path).expect("a definition"), value)
        }
        "properties" => {
            let map = value.as_object()?;
            rule.as_object()?.iter().find_map(|(key, schema)| {
                fault(root, schema, map.get(key)?).map(|fault| format!("/{key}{fault}"))
            })
        }
        "required" => {
            let map = value.as_object()?;
            holds(rule.as_array()?.iter().filter_map(Value::as_str).all(|key| map.contains_key(key)))
        }
        "additionalProperties" => {
            let known = schema["properties"].as_object();
            let others = value
                .as_object()?
                .iter()
                .filter(|(key, _)| known.is_none_or(|known| !known.contains_key(*key)));
            match rule {
                Value::Bool(true) => None,
                Value::Bool(false) => holds(others.count() == 0),
                schema => others.into_iter().find_map(|(key, value)| {
                    fault(root, schema, value).map(|fault| format!("/{key}{fault}"))
                }),
            }
        }
        "propertyNames" => {
            value.as_object()?.keys().find_map(|key| fault(root, rule, &Value::from(key.as_str())))
        }
        "minProperties" => holds(value.as_object()?.len() as u64 >= number()),
        "items" => {
            let from = schema["prefixItems"].as_array().map_or(0, Vec::len);
            let items = value.as_array()?.iter().enumerate().skip(from);
            match rule {
                Value::Bool(any) => holds(*any || items.count() == 0),
                schema => items
                    .into_iter()
                    .find_map(|(at, item)| fault(root, schema, item).map(|fault| format!("/{at}{fault}"))),
            }
        }
        "prefixItems" => {
            let items = value.as_array()?.iter().zip(rule.as_array()?).enumerate();
            items.into_iter().find_map(|(at, (item, schema))| {
                fault(root, schema, item).map(|fault| format!("/{at}{fault}"))
            })
        }
        "minItems" => value.as_array().and_then(|list| holds(length(list) >= number())),
        "maxItems" => value.as_array().and_then(|list| holds(length(list) <= number())),
        "minLength" => value.as_str().and_then(|text| holds(chars(text) >= number())),
        "maxLength" => value.as_str().and_then(|text| holds(chars(text) <= number())),
        "minimum" => value.as_f64().and_then(|number| holds(number >= rule.as_f64().expect("a number"))),
        "maximum" => value.as_f64().and_then(|number| holds(number <= rule.as_f64().expect("a number"))),
        "pattern" => value.as_str().and_then(|text| holds(matches(rule.as_str().expect("a pattern"), text))),
        "format" => value.as_str().and_then(|text| holds(has_format(rule.as_str().expect("a format"), text))),
        other => panic!("the schema says {other}, which is not known here"),
    }
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the schema names the type {other}"),
    }
}

/// The patterns of the schema, one by one: so few that no reader of patterns is worth its time.
fn matches(pattern: &str, text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match pattern {
        "^[0-9a-f]{64}$" => {
            text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        }
        "^a[0-9]+$" => text.strip_prefix('a').is_some_and(digits),
        "^[0-9]{4}(-[0-9]{2}){0,2}$" => {
            let mut parts = text.split('-');
            let lengths = [4, 2, 2];
            text.len() <= 10
                && parts.clone().count() <= 3
                && parts.by_ref().zip(lengths).all(|(part, length)| part.len() == length && digits(part))
        }
        "^[a-z0-9][a-z0-9_@/.-]*$" => {
            let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
            text.bytes().next().is_some_and(plain)
                && text.bytes().all(|byte| plain(byte) || b"_@/.-".contains(&byte))
        }
        other => panic!("the schema has the pattern {other}"),
    }
}

fn has_format(format: &str, text: &str) -> bool {
    match format {
        "date" => Date::parse(text, format_description!("[year]-[month]-[day]")).is_ok(),
        "date-time" => time::OffsetDateTime::parse(text, &Rfc3339).is_ok(),
        "uuid" => {
            let lengths = text.split('-').map(str::len);
            lengths.eq([8, 4, 4, 4, 12]) && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
        }
        other => panic!("the schema has the format {other}"),
    }
}
