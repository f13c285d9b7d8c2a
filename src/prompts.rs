//! A few prompts that people can pick, each a question that this server answers honestly.
//!
//! Decides their texts and arguments. They only ask; what they lead to is decided by the tools.

use serde_json::{Map, Value, json};

use crate::envelope::meta::View;
use crate::identity::{Argument as Named, ArtistName};
use crate::protocol::rpc_error::RpcError;

/// The prompts. Closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptName {
    /// Who is this artist, honestly.
    WhoIsThisArtist,
    /// Is the name unique.
    SameNameCheck,
    /// What is on record, and what is not.
    KnownAndUnknown,
}

struct Argument {
    name: &'static str,
    description: &'static str,
    required: bool,
}

const ARTIST: Argument = Argument { name: "artist", description: "Name of the artist", required: true };
const VIEW: Argument = Argument { name: "view", description: "How much to show", required: false };

impl PromptName {
    /// Every prompt, in the order of the list.
    pub const ALL: [Self; 3] = [Self::WhoIsThisArtist, Self::SameNameCheck, Self::KnownAndUnknown];

    /// The name on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WhoIsThisArtist => "who_is_this_artist",
            Self::SameNameCheck => "same_name_check",
            Self::KnownAndUnknown => "known_and_unknown",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::WhoIsThisArtist => "Who is this artist, honestly",
            Self::SameNameCheck => "Is this name unique",
            Self::KnownAndUnknown => "What is on record, and what is not",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::WhoIsThisArtist => "A short portrait from verified facts only, with sources",
            Self::SameNameCheck => "Lists everyone who carries the name and how to tell them apart",
            Self::KnownAndUnknown => "The card of an artist with every gap named",
        }
    }

    fn arguments(self) -> &'static [Argument] {
        match self {
            Self::WhoIsThisArtist | Self::SameNameCheck => &[ARTIST],
            Self::KnownAndUnknown => &[ARTIST, VIEW],
        }
    }

    fn text(self, artist: &str, view: View) -> String {
        let find = format!("Call resolve_artist with q set to {}.", json!(artist));
        match self {
            Self::WhoIsThisArtist => format!(
                "{find} If ambiguity.state is none, call get_artist with the cluster_id and describe the artist in \
                 three sentences from its data alone. Otherwise ask me which artist I mean and show the candidates. \
                 Say which facts are not present and why. Close with attribution.line."
            ),
            Self::SameNameCheck => format!(
                "{find} Tell me whether one artist or several carry this name, list every candidate with its hint, \
                 and explain ambiguity.state and its reasons in plain words. Do not choose for me. Close with \
                 attribution.line."
            ),
            Self::KnownAndUnknown => format!(
                "{find} If ambiguity.state is not none, say so and ask me which artist I mean before going on. Then call \
                 get_artist with the cluster_id and view set to {}. Make two lists: what hosaka \
                 holds, and what it does not hold with the reason of each gap. Add nothing from memory. Close with \
                 attribution.line.",
                view.as_str()
            ),
        }
    }
}

/// The result of `prompts/list`.
#[must_use]
pub fn list() -> Value {
    json!({"prompts": PromptName::ALL.map(|prompt| json!({
        "name": prompt.as_str(),
        "title": prompt.title(),
        "description": prompt.description(),
        "arguments": prompt.arguments().iter().map(|argument| json!({
            "name": argument.name, "description": argument.description, "required": argument.required,
        })).collect::<Vec<_>>(),
    }))})
}

/// The result of `prompts/get`.
///
/// # Errors
/// An unknown prompt, or values that do not fit.
pub fn get(name: &str, values: &Map<String, Value>) -> Result<Value, RpcError> {
    let prompt = find(name).ok_or_else(|| {
        let names = PromptName::ALL.map(PromptName::as_str).join(", ");
        RpcError::invalid_params(format!("there is no such prompt; there are: {names}"))
    })?;
    let value = |name: &str| {
        values.get(name).and_then(Value::as_str).map(str::trim).filter(|value| !value.is_empty())
    };
    let artist =
        value("artist").ok_or_else(|| RpcError::invalid_params("the argument artist is needed, as text"))?;
    // What a reader cannot see must not reach the model either, and what no tool would take is not worth asking.
    let artist = ArtistName::parse(Named::Q, artist).map_err(|refusal| {
        RpcError::invalid_params(format!(
            "the argument artist must be {}; found {}",
            Named::Q.accepts(),
            refusal.found
        ))
    })?;
    let view = match value("view") {
        None => View::Summary,
        Some(word) => View::ALL.into_iter().find(|view| view.as_str() == word).ok_or_else(|| {
            RpcError::invalid_params(format!(
                "view must be one of {}",
                View::ALL.map(View::as_str).join(", ")
            ))
        })?,
    };
    Ok(json!({
        "description": prompt.description(),
        "messages": [{"role": "user", "content": {"type": "text", "text": prompt.text(artist.as_str(), view)}}],
    }))
}

/// The result of `completion/complete`: nothing for what is not known.
#[must_use]
pub fn complete(prompt: Option<&str>, argument: &str, typed: &str) -> Value {
    let has_view = prompt
        .and_then(find)
        .is_some_and(|prompt| prompt.arguments().iter().any(|own| own.name == VIEW.name));
    let values: Vec<&str> = if has_view && argument == VIEW.name {
        View::ALL.map(View::as_str).into_iter().filter(|word| word.starts_with(typed)).collect()
    } else {
        Vec::new()
    };
    json!({"completion": {"total": values.len(), "hasMore": false, "values": values}})
}

fn find(name: &str) -> Option<PromptName> {
    PromptName::ALL.into_iter().find(|prompt| prompt.as_str() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_prompt_can_be_filled_in() {
        let values = Map::from_iter([("artist".to_owned(), json!("Four \"Tet\""))]);
        for prompt in PromptName::ALL {
            let got = get(prompt.as_str(), &values).unwrap();
            let text = got.pointer("/messages/0/content/text").and_then(Value::as_str).unwrap();
            assert!(text.contains(r#""Four \"Tet\"""#), "{text}");
        }
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let code = |name: &str, values: Value| {
            get(name, values.as_object().unwrap()).err().map(|error| error.code().number())
        };
        assert_eq!(code("nope", json!({})), Some(-32602));
        assert_eq!(code("same_name_check", json!({})), Some(-32602));
        assert_eq!(code("same_name_check", json!({"artist": 5})), Some(-32602));
        assert_eq!(code("known_and_unknown", json!({"artist": "x", "view": "huge"})), Some(-32602));
        assert_eq!(code("same_name_check", json!({"artist": "x".repeat(201)})), Some(-32602));
    }

    #[test]
    fn what_a_reader_cannot_see_is_not_filled_in() {
        let text = |artist: &str| {
            let values = Map::from_iter([("artist".to_owned(), json!(artist))]);
            get("same_name_check", &values).map(|got| {
                got.pointer("/messages/0/content/text").and_then(Value::as_str).unwrap().to_owned()
            })
        };
        let hidden = "\u{FEFF}Bo\u{200B}ar\u{202E}ds\u{2066} of\u{0} Ca\u{200D}nada\u{E0041}";
        assert!(text(hidden).unwrap().contains(r#"q set to "Boards of Canada"."#), "{:?}", text(hidden));
        for refused in [
            "\u{200B}\u{202E}",
            "{{artist}}",
            "https://www.discogs.com/artist/45",
            "f22942a1-6f70-4f48-866e-238cb2308fbd",
            &"ab".repeat(32),
        ] {
            let error = text(refused).unwrap_err();
            assert_eq!(error.code().number(), -32602, "{refused}");
            let message = error.to_json(None)["error"]["message"].as_str().unwrap().to_owned();
            assert!(
                message
                    .starts_with("the argument artist must be an artist name of 1 to 200 characters; found")
            );
            assert!(!message.contains(refused), "{message}");
        }
    }

    #[test]
    fn completions_are_offered_for_closed_words_and_empty_otherwise() {
        let values = |prompt, argument, typed| {
            complete(prompt, argument, typed).pointer("/completion/values").cloned()
        };
        assert_eq!(values(Some("known_and_unknown"), "view", "s"), Some(json!(["summary", "standard"])));
        assert_eq!(values(Some("known_and_unknown"), "artist", "s"), Some(json!([])));
        assert_eq!(values(Some("unknown"), "view", ""), Some(json!([])));
        assert_eq!(values(None, "view", ""), Some(json!([])));
    }
}
