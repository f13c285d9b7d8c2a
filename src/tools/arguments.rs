//! The arguments of one call, held against what the tool publishes.

use serde_json::{Map, Value};

use super::argument::{ArgumentValue, Kind};
use super::spec::ToolSpec;
use crate::envelope::error::{ErrorType, ToolError};
use crate::model::text::clean;
use crate::nearest::nearest;

/// The longest value that is repeated in a corrected call.
const SUGGESTED_MAX_CHARS: usize = 200;

/// Names that client frameworks add to arguments; they are dropped, never guessed at.
pub const IGNORED: [&str; 5] = ["toolCallId", "sessionId", "action", "chatInput", "tool"];

/// The arguments that were given, each of the kind that its tool publishes.
#[derive(Clone, Debug, PartialEq)]
pub struct Arguments {
    tool: &'static ToolSpec,
    given: Vec<(&'static str, ArgumentValue)>,
}

impl Arguments {
    /// Reads what a client sent.
    ///
    /// # Errors
    /// A value of the wrong kind, an unknown name, a missing argument; the first one found.
    pub fn parse(tool: &'static ToolSpec, sent: &Value) -> Result<Self, ToolError> {
        let Value::Object(sent) = sent else {
            return Err(invalid("arguments", "The arguments must be a JSON object.").hint(accepted(tool)));
        };
        if let Some(unknown) = sent.keys().find(|name| !is_known(tool, name)) {
            return Err(unknown_name(tool, unknown, sent));
        }
        let mut given = Vec::with_capacity(sent.len());
        for spec in tool.arguments {
            let Some(value) = sent.get(spec.name) else { continue };
            let value = spec.kind.read(value).map_err(|accepted| {
                invalid(spec.name, format!("The argument {} has the wrong form.", spec.name))
                    .hint(format!("Give {accepted} for {}.", spec.name))
                    .with("expected", spec.kind.type_name())
            })?;
            let Some(value) = value else { continue };
            if let (Kind::Integer { min, max }, ArgumentValue::Integer(number)) = (spec.kind, &value) {
                check_range(tool, spec.name, *number, (min, max), sent)?;
            }
            given.push((spec.name, value));
        }
        let arguments = Self { tool, given };
        match tool.arguments.iter().find(|spec| spec.required && !arguments.has(spec.name)) {
            Some(missing) => Err(invalid(missing.name, format!("The argument {} is missing.", missing.name))
                .hint(format!("Give {}: {}", missing.name, missing.description))),
            None => Ok(arguments),
        }
    }

    /// Whether the argument was given.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.given.iter().any(|(given, _)| *given == name)
    }

    /// The text given for `name`.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.given.iter().find_map(|(given, value)| match value {
            ArgumentValue::Text(text) if *given == name => Some(text.as_str()),
            ArgumentValue::Choice(word) if *given == name => Some(*word),
            _ => None,
        })
    }

    /// The number given for `name`.
    #[must_use]
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.given.iter().find_map(|(given, value)| match value {
            ArgumentValue::Integer(number) if *given == name => Some(*number),
            _ => None,
        })
    }

    /// The words given for `name`; none when it was left out.
    #[must_use]
    pub fn choices(&self, name: &str) -> &[&'static str] {
        let found = self.given.iter().find_map(|(given, value)| match value {
            ArgumentValue::Choices(words) if *given == name => Some(words.as_slice()),
            _ => None,
        });
        found.unwrap_or_default()
    }

    /// The texts given for `name`; none when it was left out.
    #[must_use]
    pub fn texts(&self, name: &str) -> &[String] {
        let found = self.given.iter().find_map(|(given, value)| match value {
            ArgumentValue::Texts(texts) if *given == name => Some(texts.as_slice()),
            _ => None,
        });
        found.unwrap_or_default()
    }

    /// The answer given for `name`.
    #[must_use]
    pub fn flag(&self, name: &str) -> Option<bool> {
        self.given.iter().find_map(|(given, value)| match value {
            ArgumentValue::Flag(flag) if *given == name => Some(*flag),
            _ => None,
        })
    }

    /// The names that were given, in the tool's order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.given.iter().map(|(name, _)| *name)
    }

    /// The tool they are for.
    #[must_use]
    pub fn tool(&self) -> &'static ToolSpec {
        self.tool
    }
}

/// An error about one argument.
#[must_use]
pub fn invalid(parameter: &str, message: impl Into<String>) -> ToolError {
    ToolError::new(ErrorType::InvalidArgument, message).with("param", parameter)
}

fn is_known(tool: &ToolSpec, name: &str) -> bool {
    tool.arguments.iter().any(|spec| spec.name == name) || IGNORED.contains(&name)
}

fn accepted(tool: &ToolSpec) -> String {
    let names: Vec<&str> = tool.arguments.iter().map(|spec| spec.name).collect();
    match names.as_slice() {
        [] => format!("{} takes no arguments.", tool.name.as_str()),
        names => format!("{} takes: {}.", tool.name.as_str(), names.join(", ")),
    }
}

fn unknown_name(tool: &'static ToolSpec, unknown: &str, sent: &Map<String, Value>) -> ToolError {
    let nearest = nearest(unknown, tool.arguments.iter().map(|spec| spec.name));
    // An unknown name is the caller's text: only a name of our own list is repeated.
    let error =
        invalid("arguments", format!("{} got an argument that it does not have.", tool.name.as_str()))
            .hint(accepted(tool));
    let Some(meant) = nearest else { return error };
    let mut corrected = known(tool, sent);
    let error = error.with("did_you_mean", meant);
    if corrected.contains_key(meant) || !is_short(sent.get(unknown)) {
        return error;
    }
    corrected.insert(meant.to_owned(), sent.get(unknown).cloned().unwrap_or_default());
    suggested(error, tool, corrected)
}

/// What was sent under the names that the tool has.
fn known(tool: &ToolSpec, sent: &Map<String, Value>) -> Map<String, Value> {
    let is_own = |name: &str| is_known(tool, name) && !IGNORED.contains(&name);
    sent.iter().filter(|(name, _)| is_own(name)).map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Adds the corrected call, unless it would be refused again: that were no help.
fn suggested(error: ToolError, tool: &'static ToolSpec, mut corrected: Map<String, Value>) -> ToolError {
    corrected.values_mut().for_each(make_readable);
    let corrected = Value::Object(corrected);
    match (super::Call::parse(tool.name, &corrected), corrected) {
        (Ok(_), Value::Object(corrected)) => error.suggest(tool.name.as_str(), corrected),
        _ => error,
    }
}

/// Takes out of a value what cannot be seen, also of the texts of a list.
fn make_readable(value: &mut Value) {
    match value {
        Value::String(text) => *text = clean(text, SUGGESTED_MAX_CHARS).unwrap_or_default(),
        Value::Array(values) => {
            values.iter_mut().for_each(make_readable);
            values.retain(|value| *value != "");
        }
        _ => {}
    }
}

/// Whether a value can be repeated in a corrected call without growing the answer.
fn is_short(value: Option<&Value>) -> bool {
    match value {
        Some(Value::String(text)) => text.len() <= SUGGESTED_MAX_CHARS,
        Some(Value::Number(_) | Value::Bool(_)) => true,
        _ => false,
    }
}

fn check_range(
    tool: &'static ToolSpec,
    name: &str,
    number: i64,
    (min, max): (i64, i64),
    sent: &Map<String, Value>,
) -> Result<(), ToolError> {
    if number > max {
        let error =
            ToolError::new(ErrorType::RangeTooLarge, format!("The argument {name} is above its maximum."))
                .with("param", name)
                .with("maximum", max)
                .hint(format!("Give at most {max} for {name}."));
        let mut corrected = known(tool, sent);
        corrected.insert(name.to_owned(), Value::from(max));
        return Err(suggested(error, tool, corrected));
    }
    if number < min {
        return Err(invalid(name, format!("The argument {name} is below its minimum."))
            .with("minimum", min)
            .hint(format!("Give at least {min} for {name}.")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::tools::Call;
    use crate::tools::registry::ToolName;

    #[test]
    fn nothing_that_cannot_be_seen_is_repeated_in_a_corrected_call() {
        let sent =
            json!({"limi": 5, "q": "A\u{202e}B", "genre": ["House\u{200b}", "\u{200b}", "Te\u{202e}chno"]});
        let error = Call::parse(ToolName::SearchCatalog, &sent).unwrap_err();
        let calls: Vec<Value> =
            error.suggested_tool_calls().iter().map(|call| Value::Object(call.args().clone())).collect();
        assert_eq!(calls, [json!({"limit": 5, "q": "AB", "genre": ["House", "Techno"]})]);
    }
}
