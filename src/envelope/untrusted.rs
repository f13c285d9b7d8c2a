//! Quotations of third parties, to be shown and never to be followed.

use serde::Serialize;

use crate::model::prose::Prose;

/// The most quotations in one answer.
pub const UNTRUSTED_TEXTS_MAX: usize = 3;

/// One quotation. Only [`Prose`] can become one, and nothing else can hold [`Prose`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UntrustedText {
    field: &'static str,
    text: String,
    source: &'static str,
    licence: &'static str,
    handling: Handling,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Handling {
    DisplayOnly,
}

impl From<Prose> for UntrustedText {
    fn from(prose: Prose) -> Self {
        let (field, text, source) = prose.into_parts();
        Self {
            field,
            text,
            source: source.name(),
            licence: source.licence(),
            handling: Handling::DisplayOnly,
        }
    }
}
