//! Brings text into the forms by which it is compared.
//!
//! Decides when two names or titles are the same to the catalogue. Knows nothing of where they come from.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Words that say nothing in a search.
const EMPTY_WORDS: [&str; 2] = ["the", "and"];

/// Lower case, as exact matching of names goes: equal but for case.
pub(super) fn lower(text: &str) -> String {
    text.trim().to_lowercase()
}

/// Words of letters and digits, lower case, without accents, without words that say nothing.
pub(super) fn words(text: &str) -> Vec<String> {
    let plain: String = text.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect();
    plain
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty() && !EMPTY_WORDS.contains(word))
        .map(str::to_owned)
        .collect()
}

/// A name without the number by which Discogs tells homonyms apart: `Wings (2)` becomes `Wings`.
pub(super) fn without_suffix(name: &str) -> &str {
    let Some((front, number)) = name.strip_suffix(')').and_then(|cut| cut.rsplit_once(" (")) else {
        return name;
    };
    if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) { front } else { name }
}

/// The form in which the service compares titles: ASCII letters and digits, all else taken out.
pub(super) fn alphanumeric(title: &str) -> String {
    title.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lose_case_accents_and_signs() {
        assert_eq!(words("The Håkan & Lidbo's (2)"), ["hakan", "lidbo", "s", "2"]);
        assert_eq!(words("Скрипичные Концерты"), ["скрипичные", "концерты"]);
        assert!(words("?!?").is_empty());
    }

    #[test]
    fn only_a_number_in_brackets_at_the_end_is_a_suffix() {
        assert_eq!(without_suffix("Wings (2)"), "Wings");
        assert_eq!(without_suffix("Wings (two)"), "Wings (two)");
        assert_eq!(without_suffix("(2)"), "(2)");
        assert_eq!(without_suffix("Wings ()"), "Wings ()");
    }

    #[test]
    fn titles_are_compared_as_the_service_does_without_their_accented_letters() {
        assert_eq!(alphanumeric("Östermalm!"), "stermalm");
        assert_ne!(alphanumeric("Beyoncé"), alphanumeric("Beyonce"));
    }
}
