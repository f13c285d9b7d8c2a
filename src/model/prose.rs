//! Prose written by third parties: biographies, notes, link descriptions.
//!
//! Decides that such text is shown as a quotation or not at all. [`Prose`] deliberately has no
//! `Serialize`: a fact cannot hold it, only `untrusted_text` of the envelope can take it apart.

use crate::model::source::Source;
use crate::model::text::clean;

/// The most characters of one quoted text; longer ones are cut with `…`.
pub const PROSE_MAX_CHARS: usize = 400;

/// A text of a third party, cleaned and cut, with the field it came from and whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prose {
    field: &'static str,
    text: String,
    source: Source,
}

impl Prose {
    /// Takes a text for quoting; `None` when nothing readable is left of it.
    #[must_use]
    pub fn new(field: &'static str, raw: &str, source: Source) -> Option<Self> {
        clean(raw, PROSE_MAX_CHARS).map(|text| Self { field, text, source })
    }

    /// The field it came from, the quotation and whose it is.
    #[must_use]
    pub fn into_parts(self) -> (&'static str, String, Source) {
        (self.field, self.text, self.source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotation_is_cut_at_its_limit() {
        let prose = Prose::new("profile", &"word ".repeat(500), Source::Discogs);
        let (field, text, source) = prose.map(Prose::into_parts).unwrap();
        assert_eq!((field, source), ("profile", Source::Discogs));
        assert!(text.chars().count() <= PROSE_MAX_CHARS && text.ends_with('…'));
    }
}
