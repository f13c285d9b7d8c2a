//! Input errors of the tools that name an artist, with the corrected call where there is one.

use serde_json::{Map, Value};

use super::arguments::invalid;
use super::registry::ToolName;
use crate::envelope::error::{ErrorType, ToolError};
use crate::identity::{Argument, ArtistName, Refusal, is_placeholder};

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
    match refusal.use_instead() {
        Some(instead) => error
            .with("did_you_mean", instead.as_str())
            .suggest(ToolName::ResolveArtist.as_str(), one(instead, value)),
        None => error,
    }
}

/// The error for a key that is neither a cluster id nor a slug: most likely a name or another id.
#[must_use]
pub fn key(refusal: Refusal, value: &str) -> ToolError {
    let instead = refusal
        .use_instead()
        .or_else(|| ArtistName::parse(Argument::Q, value).is_ok().then_some(Argument::Q));
    let error = wrong_form(refusal);
    match instead {
        Some(instead) => error.suggest(ToolName::ResolveArtist.as_str(), one(instead, value)),
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

fn one(argument: Argument, value: &str) -> Map<String, Value> {
    Map::from_iter([(argument.as_str().to_owned(), Value::from(value.trim()))])
}
