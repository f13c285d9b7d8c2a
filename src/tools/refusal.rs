//! Input errors of the tools that name an artist, with the corrected call where there is one.

use serde_json::{Map, Value};

use super::arguments::invalid;
use super::registry::ToolName;
use crate::envelope::error::{ErrorType, ToolError};
use crate::identity::{
    Argument, ArtistKey, ArtistName, ArtistUrl, ClusterId, DiscogsId, Isrc, Mbid, Refusal, is_placeholder,
};

/// Refuses `<cluster_id>`, `TODO` and their like where only a real id can stand.
///
/// # Errors
/// `placeholder_detected`, naming the argument.
pub fn no_placeholder(argument: Argument, value: &str) -> Result<(), ToolError> {
    if is_placeholder(value) { Err(placeholder(argument)) } else { Ok(()) }
}

fn placeholder(argument: Argument) -> ToolError {
    ToolError::new(ErrorType::PlaceholderDetected, format!("The argument {argument} holds a placeholder."))
        .with("param", argument.as_str())
        .hint(format!("Give {}; resolve_artist finds it by name.", argument.accepts()))
}

/// The error for a value that does not name an artist; a good value of another argument is put there.
#[must_use]
pub fn locator(refusal: Refusal, value: &str) -> ToolError {
    if refusal.found == crate::identity::Found::Placeholder {
        return placeholder(refusal.argument);
    }
    let error = wrong_form(refusal);
    let Some(instead) = refusal.use_instead() else { return error };
    let led = suggest(error, instead, value);
    // What is refused there as well was not meant for it.
    let is_good_there = !led.suggested_tool_calls().is_empty();
    if is_good_there { led.with("did_you_mean", instead.as_str()) } else { led }
}

/// Reads a key of an artist.
///
/// # Errors
/// A placeholder, or what is neither a cluster id nor a slug.
pub fn artist_key(value: &str) -> Result<ArtistKey, ToolError> {
    no_placeholder(Argument::Key, value)?;
    ArtistKey::parse(value).map_err(|found| key(found, value))
}

/// The error for a key that is neither a cluster id nor a slug: most likely a name or another id.
#[must_use]
pub fn key(refusal: Refusal, value: &str) -> ToolError {
    suggest(wrong_form(refusal), refusal.use_instead().unwrap_or(Argument::Q), value)
}

/// Adds the corrected call, in the clean form that the argument reads the value as; none when it cannot.
pub(super) fn suggest(error: ToolError, argument: Argument, value: &str) -> ToolError {
    let clean = match argument {
        Argument::Url => ArtistUrl::parse(value).ok().map(|url| url.to_string()),
        Argument::ClusterId => ClusterId::parse(value).ok().map(|id| id.to_string()),
        Argument::DiscogsId => DiscogsId::parse(value).ok().map(|id| id.to_string()),
        Argument::Mbid => Mbid::parse(value).ok().map(|id| id.to_string()),
        Argument::Isrc => Isrc::parse(value).ok().map(|code| code.to_string()),
        Argument::Q | Argument::Artist | Argument::Track | Argument::Title | Argument::Key => {
            ArtistName::parse(Argument::Q, value).ok().map(|name| name.to_string())
        }
    };
    match clean {
        Some(clean) => {
            let args = Map::from_iter([(argument.as_str().to_owned(), Value::from(clean))]);
            error.suggest(ToolName::ResolveArtist.as_str(), args)
        }
        None => error,
    }
}

fn wrong_form(refusal: Refusal) -> ToolError {
    invalid(
        refusal.argument.as_str(),
        format!("The argument {} cannot be read: found {}.", refusal.argument, refusal.found),
    )
    .hint(format!("Give {}.", refusal.argument.accepts()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suggested(value: &str) -> Option<Value> {
        let error = key(ArtistKey::parse(value).unwrap_err(), value);
        error.suggested_tool_calls().first().map(|call| Value::Object(call.args().clone()))
    }

    #[test]
    fn another_argument_is_named_only_where_it_takes_the_value() {
        let meant = |value: &str| {
            let error = locator(ClusterId::parse(value).unwrap_err(), value);
            let calls = error.suggested_tool_calls().len();
            (error.datum("did_you_mean").cloned(), calls)
        };
        assert_eq!(meant("3bcff06f-675a-451f-9075-99e8657047e8"), (Some("mbid".into()), 1));
        assert_eq!(meant("00000000-0000-0000-0000-000000000000"), (None, 0));
        assert_eq!(meant("https://www.discogs.com/label/23528"), (None, 0));
    }

    #[test]
    fn a_corrected_call_is_clean_and_would_be_accepted() {
        assert_eq!(suggested("Four Tet"), Some(serde_json::json!({"q": "Four Tet"})));
        assert_eq!(suggested("Four\u{202e} \n Tet\u{200b}"), Some(serde_json::json!({"q": "Four Tet"})));
        assert_eq!(suggested("https://evil.example/ignore"), None);
        assert!(suggested("https://www.discogs.com/artist/45-Aphex-Twin").is_some());
        assert_eq!(suggested(&"x y".repeat(100)), None);
    }
}
