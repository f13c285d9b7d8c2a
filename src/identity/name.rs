//! A name or title as a caller typed it, made safe to send on.
//!
//! Invisible characters (NUL, other controls, zero-width, byte order mark, bidirectional marks) are removed, runs
//! of white space become one space, the ends are trimmed, and the text is composed (NFC), so that one name typed
//! two ways is one request. Spelling and case are left alone: only the data service decides what exists.
//! Knows nothing of what the name is compared with.

use std::fmt;

use unicode_normalization::UnicodeNormalization;

use super::invisible::is_invisible;
use super::locator::id_form;
use super::placeholder::is_template;
use super::refusal::{Argument, Found, Refusal};

/// The most characters (Unicode scalar values, after cleaning) of a name or title.
pub const NAME_CHARS_MAX: usize = 200;
/// The most bytes that are looked at before cleaning.
const RAW_BYTES_MAX: usize = 8 * 1024;

/// An artist's name: 1 to 200 visible characters, composed, single-spaced.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArtistName(String);

impl ArtistName {
    /// Reads a name from `argument` (`q` or `artist`).
    ///
    /// # Errors
    /// Nothing visible, more than 200 characters, a template's placeholder, or the form of a cluster id, a
    /// MusicBrainz id or a link, which have arguments of their own. A number is a name (`311`).
    pub fn parse(argument: Argument, text: &str) -> Result<Self, Refusal> {
        let name = cleaned(argument, text)?;
        match id_form(&name) {
            Some(form) => Err(Refusal::new(argument, Found::ValueOf(form))),
            None => Ok(Self(name)),
        }
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The title of a track: 1 to 200 visible characters, composed, single-spaced.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TrackTitle(String);

impl TrackTitle {
    /// Reads a title from `argument`.
    ///
    /// # Errors
    /// Nothing visible, more than 200 characters, or a template's placeholder.
    pub fn parse(argument: Argument, text: &str) -> Result<Self, Refusal> {
        cleaned(argument, text).map(Self)
    }

    /// The title.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ArtistName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for TrackTitle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn cleaned(argument: Argument, text: &str) -> Result<String, Refusal> {
    if text.len() > RAW_BYTES_MAX {
        return Err(Refusal::new(argument, Found::TooLong));
    }
    let visible: String = text.chars().filter(|c| !is_invisible(*c)).nfc().collect();
    let words: Vec<&str> = visible.split_whitespace().collect();
    let name = words.join(" ");
    if name.is_empty() {
        return Err(Refusal::new(argument, Found::Nothing));
    }
    if name.chars().nth(NAME_CHARS_MAX).is_some() {
        return Err(Refusal::new(argument, Found::TooLong));
    }
    if is_template(&name) {
        return Err(Refusal::new(argument, Found::Placeholder));
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::{ArtistName, TrackTitle};
    use crate::identity::refusal::{Argument, Found};

    fn name(text: &str) -> String {
        ArtistName::parse(Argument::Q, text).unwrap().as_str().to_owned()
    }

    fn found(text: &str) -> Found {
        ArtistName::parse(Argument::Q, text).unwrap_err().found
    }

    #[test]
    fn f07_a_name_typed_two_ways_is_one_request() {
        assert_eq!(name("Bjo\u{308}rk"), "Björk");
        assert_eq!(name("アホ\u{309A}リア"), "アポリア");
        assert_eq!(name("  Four\t \n Tet\u{3000}"), "Four Tet");
    }

    #[test]
    fn f07_invisible_characters_are_never_sent_on() {
        assert_eq!(name("\u{FEFF}Bo\0r\u{200B}i\u{202E}s\u{200D}\u{7}"), "Boris");
        assert_eq!(found("\u{200B}\0\u{FEFF}"), Found::Nothing);
        assert_eq!(found(" "), Found::Nothing);
    }

    #[test]
    fn spelling_and_case_are_left_alone() {
        for text in [
            "!!!",
            "Ke$ha",
            "ＢＯＲＩＳ",
            "311",
            "Null",
            "Placeholder",
            "AC/DC",
            "&TEAM",
            "<PIG>",
            "[spunge]",
            "Rob Brown (3)",
        ] {
            assert_eq!(name(text), text);
        }
    }

    #[test]
    fn a_name_has_at_most_200_characters() {
        assert_eq!(name(&"ガ".repeat(200)).chars().count(), 200);
        assert_eq!(found(&"ガ".repeat(201)), Found::TooLong);
        assert_eq!(found(&"\0".repeat(9_000)), Found::TooLong);
    }

    #[test]
    fn an_id_or_link_in_place_of_a_name_names_its_argument() {
        assert_eq!(found(&"ab".repeat(32)), Found::ValueOf(Argument::ClusterId));
        assert_eq!(found("F22942A1-6F70-4F48-866E-238CB2308FBD"), Found::ValueOf(Argument::Mbid));
        assert_eq!(found("https://aphextwin.bandcamp.com/"), Found::ValueOf(Argument::Url));
        assert_eq!(found("{{artist}}"), Found::Placeholder);
        assert_eq!(TrackTitle::parse(Argument::Track, &"ab".repeat(32)).unwrap().as_str(), "ab".repeat(32));
    }
}
