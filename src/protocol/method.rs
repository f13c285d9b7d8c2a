//! The methods that are served, each with its parameters as types.

use serde_json::{Map, Value, json};

use super::era::{Era, LegacyVersion};
use super::rpc_error::{RpcCode, RpcError};
use super::strict_json;

/// A method with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Method {
    /// The handshake, with the revision it agrees on.
    Initialize(LegacyVersion),
    /// Are you there.
    Ping,
    /// What the server speaks and offers.
    Discover,
    /// The tools.
    ToolsList,
    /// One call of a tool; the arguments as they came.
    ToolsCall {
        /// The tool's name.
        name: String,
        /// What stood under `arguments`; an empty object when nothing did.
        arguments: Value,
    },
    /// The resources.
    ResourcesList,
    /// The resource templates.
    ResourceTemplatesList,
    /// The content of one resource.
    ResourcesRead {
        /// Its address.
        uri: String,
    },
    /// The prompts.
    PromptsList,
    /// One prompt, filled in.
    PromptsGet {
        /// Its name.
        name: String,
        /// The values to fill in.
        arguments: Map<String, Value>,
    },
    /// Suggestions for the value of an argument.
    Complete {
        /// The prompt whose argument it is; `None` for any other reference.
        prompt: Option<String>,
        /// The argument's name.
        argument: String,
        /// What was typed so far.
        typed: String,
    },
}

impl Method {
    /// The name of every method that is served.
    pub const NAMES: [&str; 11] = [
        "initialize",
        "ping",
        "server/discover",
        "tools/list",
        "tools/call",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "prompts/list",
        "prompts/get",
        "completion/complete",
    ];

    /// Its name on the wire, one of [`Self::NAMES`].
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Initialize(_) => "initialize",
            Self::Ping => "ping",
            Self::Discover => "server/discover",
            Self::ToolsList => "tools/list",
            Self::ToolsCall { .. } => "tools/call",
            Self::ResourcesList => "resources/list",
            Self::ResourceTemplatesList => "resources/templates/list",
            Self::ResourcesRead { .. } => "resources/read",
            Self::PromptsList => "prompts/list",
            Self::PromptsGet { .. } => "prompts/get",
            Self::Complete { .. } => "completion/complete",
        }
    }

    /// Reads the parameters of `name` as `era` has them.
    ///
    /// # Errors
    /// An unknown method, or parameters that do not fit.
    pub fn parse(era: Era, name: &str, params: Value) -> Result<Self, RpcError> {
        let mut params = match params {
            Value::Object(params) => params,
            _ => Map::new(),
        };
        match (name, era) {
            ("initialize", Era::Legacy(_)) => {
                let asked = text(&mut params, "protocolVersion")?;
                Ok(Self::Initialize(LegacyVersion::negotiate(&asked)))
            }
            ("ping", Era::Legacy(_)) => Ok(Self::Ping),
            ("server/discover", Era::Modern) => Ok(Self::Discover),
            ("tools/list", _) => only_page(&params).map(|()| Self::ToolsList),
            ("resources/list", _) => only_page(&params).map(|()| Self::ResourcesList),
            ("resources/templates/list", _) => only_page(&params).map(|()| Self::ResourceTemplatesList),
            ("prompts/list", _) => only_page(&params).map(|()| Self::PromptsList),
            ("tools/call", _) => Ok(Self::ToolsCall {
                name: text(&mut params, "name")?,
                arguments: match params.remove("arguments") {
                    None | Some(Value::Null) => json!({}),
                    Some(Value::String(text)) => unpacked(text)?,
                    Some(arguments) => arguments,
                },
            }),
            ("resources/read", _) => Ok(Self::ResourcesRead { uri: text(&mut params, "uri")? }),
            ("prompts/get", _) => Ok(Self::PromptsGet {
                name: text(&mut params, "name")?,
                arguments: match params.remove("arguments") {
                    None | Some(Value::Null) => Map::new(),
                    Some(Value::Object(arguments)) => arguments,
                    Some(_) => return Err(RpcError::invalid_params("params.arguments must be an object")),
                },
            }),
            ("completion/complete", _) => completion(&mut params),
            _ => Err(RpcError::new(
                RpcCode::MethodNotFound,
                "this method is not served in this protocol version",
            )),
        }
    }
}

/// The lists are short and come on one page, so no cursor was ever issued: every one is refused.
fn only_page(params: &Map<String, Value>) -> Result<(), RpcError> {
    match params.get("cursor") {
        None | Some(Value::Null) => Ok(()),
        Some(_) => Err(RpcError::invalid_params("this list has one page; leave cursor out")),
    }
}

fn text(params: &mut Map<String, Value>, key: &str) -> Result<String, RpcError> {
    match params.remove(key) {
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(RpcError::invalid_params(format!("params.{key} must be a string"))),
        None => Err(RpcError::invalid_params(format!("params.{key} is missing"))),
    }
}

/// Some clients send the arguments as text; an object that such a text spells is taken as that object.
fn unpacked(text: String) -> Result<Value, RpcError> {
    match strict_json::parse(text.as_bytes()) {
        Ok(found) if found.repeats_a_key => Err(RpcError::invalid_params("the arguments name a key twice")),
        Ok(found) if found.value.is_object() => Ok(found.value),
        _ => Ok(Value::String(text)),
    }
}

fn completion(params: &mut Map<String, Value>) -> Result<Method, RpcError> {
    let reference = params.get("ref").and_then(Value::as_object);
    let kind = reference.and_then(|reference| reference.get("type")).and_then(Value::as_str);
    let Some(kind) = kind else {
        return Err(RpcError::invalid_params("params.ref.type is missing"));
    };
    let prompt = (kind == "ref/prompt")
        .then(|| {
            reference.and_then(|reference| reference.get("name")).and_then(Value::as_str).map(str::to_owned)
        })
        .flatten();
    let Some(Value::Object(mut argument)) = params.remove("argument") else {
        return Err(RpcError::invalid_params("params.argument must be an object with name and value"));
    };
    let missing = |_| RpcError::invalid_params("params.argument must be an object with name and value");
    Ok(Method::Complete {
        prompt,
        argument: text(&mut argument, "name").map_err(missing)?,
        typed: text(&mut argument, "value").map_err(missing)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(era: Era, name: &str, params: Value) -> Option<i32> {
        Method::parse(era, name, params).err().map(|error| error.code().number())
    }

    #[test]
    fn each_era_serves_its_own_methods() {
        for (name, params) in [("initialize", json!({"protocolVersion": "2025-11-25"})), ("ping", json!({}))]
        {
            assert_eq!(code(Era::LATEST_LEGACY, name, params.clone()), None);
            assert_eq!(code(Era::Modern, name, params), Some(-32601));
        }
        assert_eq!(code(Era::Modern, "server/discover", json!({})), None);
        assert_eq!(code(Era::LATEST_LEGACY, "server/discover", json!({})), Some(-32601));
        for name in ["foo/bar", "logging/setLevel", "resources/subscribe", "subscriptions/listen", "", "Ping"]
        {
            assert_eq!(code(Era::LATEST_LEGACY, name, json!({})), Some(-32601), "{name}");
            assert_eq!(code(Era::Modern, name, json!({})), Some(-32601), "{name}");
        }
    }

    #[test]
    fn the_names_are_those_of_the_methods_that_are_served() {
        let params = json!({
            "protocolVersion": "2025-11-25", "name": "n", "uri": "u",
            "ref": {"type": "ref/prompt", "name": "n"}, "argument": {"name": "a", "value": "v"},
        });
        for name in Method::NAMES {
            let parsed =
                [Era::Modern, Era::LATEST_LEGACY].map(|era| Method::parse(era, name, params.clone()));
            assert!(parsed.into_iter().flatten().any(|method| method.name() == name), "{name}");
        }
    }

    #[test]
    fn no_cursor_is_accepted_where_none_was_issued() {
        for list in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
            assert_eq!(code(Era::Modern, list, json!({})), None);
            for cursor in [json!(""), json!("abc"), json!(5)] {
                assert_eq!(code(Era::Modern, list, json!({"cursor": cursor})), Some(-32602), "{list}");
            }
        }
    }

    #[test]
    fn a_call_without_arguments_has_empty_ones() {
        for params in [
            json!({"name": "x"}),
            json!({"name": "x", "arguments": null}),
            json!({"name": "x", "arguments": {}}),
        ] {
            let call = Method::parse(Era::Modern, "tools/call", params).unwrap();
            assert_eq!(call, Method::ToolsCall { name: "x".to_owned(), arguments: json!({}) });
        }
        let as_text =
            Method::parse(Era::Modern, "tools/call", json!({"name": "x", "arguments": "{\"a\":1}"}));
        assert_eq!(as_text, Ok(Method::ToolsCall { name: "x".to_owned(), arguments: json!({"a": 1}) }));
        let twice = json!({"name": "x", "arguments": "{\"a\":1,\"a\":2}"});
        assert_eq!(code(Era::Modern, "tools/call", twice), Some(-32602));
        assert_eq!(code(Era::Modern, "tools/call", json!({})), Some(-32602));
        assert_eq!(code(Era::Modern, "tools/call", json!({"name": 5})), Some(-32602));
    }

    #[test]
    fn a_completion_needs_its_argument() {
        let ok = json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}});
        assert_eq!(code(Era::Modern, "completion/complete", ok), None);
        assert_eq!(code(Era::Modern, "completion/complete", json!({})), Some(-32602));
        let bad = json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": 5});
        assert_eq!(code(Era::Modern, "completion/complete", bad), Some(-32602));
    }
}
