//! Names and titles that are safe to show.
//!
//! Decides which characters of a third party's name reach a reader, and how many. It must never
//! change who is meant: a cleaned name is for showing, never for matching.

use serde::Serialize;
use unicode_normalization::UnicodeNormalization;

use crate::identity::invisible::is_invisible;

/// The most characters of a name or a title that are shown; the rest is cut with `…`.
pub const NAME_MAX_CHARS: usize = 200;

/// A name or a title without control, bidirectional-override or zero-width characters, on one line,
/// at most [`NAME_MAX_CHARS`] long and never empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct CleanName(String);

impl CleanName {
    /// Cleans `raw`; `None` when nothing that can be read is left.
    #[must_use]
    pub fn new(raw: &str) -> Option<Self> {
        clean(raw, NAME_MAX_CHARS).map(Self)
    }

    /// The cleaned text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for CleanName {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.0)
    }
}

/// Cleans text of a third party and cuts it to `max_chars`; `None` when nothing readable is left.
pub(crate) fn clean(raw: &str, max_chars: usize) -> Option<String> {
    // As nearly every name: then there is nothing to do, which is far sooner found out than done.
    if is_clean(raw, max_chars) {
        return Some(raw.to_owned());
    }
    // A megabyte of combining marks is not worth normalising: what is shown is far shorter.
    let bounded: String =
        raw.chars().filter(|c| !is_invisible(*c)).take(max_chars.saturating_mul(8)).collect();
    let mut shown = String::new();
    let mut pending_space = false;
    let mut count = 0;
    let mut cut = bounded.chars().count() >= max_chars.saturating_mul(8);
    for c in bounded.nfc() {
        if c.is_whitespace() || c.is_control() {
            pending_space = count > 0;
            continue;
        }
        let needed = 1 + usize::from(pending_space);
        if count + needed > max_chars {
            cut = true;
            break;
        }
        if pending_space {
            shown.push(' ');
        }
        pending_space = false;
        shown.push(c);
        count += needed;
    }
    if cut {
        while shown.chars().count() + 1 > max_chars {
            shown.pop();
        }
        shown.push('…');
    }
    (!shown.is_empty()).then_some(shown)
}

/// Whether a text consists of visible ASCII and single spaces between, and fits.
fn is_clean(raw: &str, max_chars: usize) -> bool {
    let mut before = b' ';
    let is_plain = raw.len() <= max_chars
        && raw.bytes().all(|byte| {
            let is_plain = byte.is_ascii_graphic() || byte == b' ' && before != b' ';
            before = byte;
            is_plain
        });
    is_plain && before != b' '
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(raw: &str) -> Option<String> {
        CleanName::new(raw).map(|name| name.as_str().to_owned())
    }

    #[test]
    fn names_come_out_without_hidden_characters_and_on_one_line() {
        assert_eq!(shown("Four\u{200B} Tet\u{202E}\u{0}").as_deref(), Some("Four Tet"));
        assert_eq!(shown("  a \r\n\t b  ").as_deref(), Some("a b"));
        assert_eq!(shown("\u{FEFF}\u{2066}\u{E0041}"), None);
        assert_eq!(shown("Bjo\u{0308}rk").as_deref(), Some("Björk"));
        assert_eq!(shown("!!!").as_deref(), Some("!!!"));
    }

    #[test]
    fn a_long_name_is_cut_and_says_so() {
        let name = shown(&"é".repeat(1_000_000)).unwrap_or_default();
        assert_eq!(name.chars().count(), NAME_MAX_CHARS);
        assert!(name.ends_with('…'));
        let exact = "x".repeat(NAME_MAX_CHARS);
        assert_eq!(shown(&exact), Some(exact));
    }

    #[test]
    fn what_is_taken_as_it_is_would_have_come_out_as_it_is() {
        let fits = |text: &str| is_clean(text, 8);
        assert!(["a", "a b", "!!!", "AC/DC", "\"\\~", "12345678"].into_iter().all(fits));
        assert!(
            !["", " ", "a ", " a", "a  b", "a\tb", "a\n", "\u{7f}", "é", "123456789"].into_iter().any(fits)
        );
    }

    proptest::proptest! {
        #[test]
        fn a_text_of_any_kind_is_cleaned_alike(raw in "[ -~]{0,12}[é\u{200B}\t]?") {
            // The mark that is added at the end keeps the text from being taken as it is, and goes away.
            proptest::prop_assert_eq!(clean(&raw, 200), clean(&format!("{raw}\u{200B}"), 200));
        }

        #[test]
        fn no_input_breaks_the_promise(raw in ".*") {
            if let Some(name) = CleanName::new(&raw) {
                proptest::prop_assert!(name.as_str().chars().count() <= NAME_MAX_CHARS);
                proptest::prop_assert!(!name.as_str().chars().any(|c| is_invisible(c) || c.is_control()));
                let again = CleanName::new(name.as_str());
                proptest::prop_assert_eq!(again.as_ref(), Some(&name));
            }
        }
    }
}
