//! The ids that say who is meant, as types that cannot be wrong.
//!
//! Each is parsed once, at the edge, from what a caller typed. Surrounding white space is ignored; nothing else
//! is guessed: a value in the form of another kind is refused with the name of the argument that takes it.
//! Knows forms only, never whether a record exists.

use std::fmt;
use std::num::NonZeroU32;

use uuid::Uuid;

use super::invisible::is_invisible;
use super::placeholder::is_placeholder;
use super::refusal::{Argument, Found, Refusal};
use super::url::looks_like_url;

/// The most characters a slug has.
pub const SLUG_CHARS_MAX: usize = 200;

/// hosaka's opaque id of an artist: 64 lower-case hexadecimal digits. Upper case is accepted and lowered.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClusterId(String);

impl ClusterId {
    /// Reads a cluster id.
    ///
    /// # Errors
    /// Anything but 64 hexadecimal digits; another id's form is named.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let text = text.trim();
        if is_cluster_id(text) {
            return Ok(Self(text.to_ascii_lowercase()));
        }
        let only_hex = text.bytes().all(|b| b.is_ascii_hexdigit());
        let otherwise = if only_hex { Found::WrongLength } else { Found::WrongCharacters };
        Err(refuse(Argument::ClusterId, text, otherwise))
    }

    /// The 64 digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The number of a Discogs artist, 1 to 4294967295. Plain ASCII digits: `0301`, `-1`, `+1`, `1e9` and digits of
/// other scripts are refused, ` 301 ` is 301.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DiscogsId(NonZeroU32);

impl DiscogsId {
    /// Reads a Discogs artist number.
    ///
    /// # Errors
    /// Anything but plain digits in range; another id's form is named.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let text = text.trim();
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(refuse(Argument::DiscogsId, text, Found::WrongCharacters));
        }
        if digits.len() > 1 && digits.starts_with('0') {
            return Err(Refusal::new(Argument::DiscogsId, Found::LeadingZeros));
        }
        let number = text.parse().ok().and_then(Self::from_number);
        number.ok_or(Refusal::new(Argument::DiscogsId, Found::OutOfRange))
    }

    /// The id with this number, unless it is 0 (Discogs' mark for "no artist page") or too large.
    #[must_use]
    pub fn from_number(number: u64) -> Option<Self> {
        u32::try_from(number).ok().and_then(NonZeroU32::new).map(Self)
    }

    /// The number.
    #[must_use]
    pub fn get(self) -> u32 {
        self.0.get()
    }
}

/// The MusicBrainz id of an artist: a hyphenated UUID, shown in lower case, never nil.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mbid(Uuid);

impl Mbid {
    /// Reads a MusicBrainz id.
    ///
    /// # Errors
    /// Anything but a hyphenated UUID, and the nil UUID; another id's form is named.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let text = text.trim();
        match hyphenated_uuid(text) {
            Some(uuid) if uuid.is_nil() => Err(Refusal::new(Argument::Mbid, Found::NilUuid)),
            Some(uuid) => Ok(Self(uuid)),
            None => {
                let right = text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
                Err(refuse(
                    Argument::Mbid,
                    text,
                    if right { Found::WrongLength } else { Found::WrongCharacters },
                ))
            }
        }
    }
}

/// The code of a recording: 12 characters, upper case, without the hyphens and spaces it may be written with.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Isrc(String);

impl Isrc {
    /// Reads an ISRC.
    ///
    /// # Errors
    /// Anything but two letters, three letters or digits and seven digits; another id's form is named.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let text = text.trim();
        let code: String =
            text.chars().filter(|c| !matches!(c, '-' | ' ')).collect::<String>().to_ascii_uppercase();
        if is_isrc(&code) {
            return Ok(Self(code));
        }
        let right = code.bytes().all(|b| b.is_ascii_alphanumeric()) && code.len() != 12;
        Err(refuse(Argument::Isrc, text, if right { Found::WrongLength } else { Found::WrongCharacters }))
    }

    /// The 12 characters.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A readable key that the data service gave an artist: 1 to 200 letters and digits of any script, marks,
/// `-`, `_`, `.` and `~`. Lowered. A number is a slug too (`311`).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slug(String);

impl Slug {
    /// Reads a slug.
    ///
    /// # Errors
    /// Other characters, nothing, too much; the form of an id or link is named.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let text = text.trim();
        if let Some(argument) = id_form(text) {
            return Err(Refusal::new(Argument::Key, Found::ValueOf(argument)));
        }
        if text.chars().nth(SLUG_CHARS_MAX).is_some() {
            return Err(Refusal::new(Argument::Key, Found::TooLong));
        }
        let holds_letter = text.chars().any(char::is_alphanumeric);
        if is_placeholder(text) || !holds_letter || !text.chars().all(is_slug_char) {
            return Err(refuse(Argument::Key, text, Found::WrongCharacters));
        }
        Ok(Self(text.to_lowercase()))
    }

    /// The slug.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What a card is asked by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ArtistKey {
    /// hosaka's own id.
    Cluster(ClusterId),
    /// The readable key.
    Slug(Slug),
}

impl ArtistKey {
    /// Reads a key: 64 hexadecimal digits are a cluster id, everything else must be a slug.
    ///
    /// # Errors
    /// As for [`Slug::parse`]; ids and links that other arguments take are named.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        // What else it might be only matters where it is refused.
        if is_cluster_id(text.trim()) {
            ClusterId::parse(text).map(Self::Cluster)
        } else {
            Slug::parse(text).map(Self::Slug)
        }
    }

    /// The key as it is sent.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Cluster(id) => id.as_str(),
            Self::Slug(slug) => slug.as_str(),
        }
    }
}

macro_rules! displayed {
    ($($kind:ident => $show:expr),* $(,)?) => {$(
        impl fmt::Display for $kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&$show(self), f)
            }
        }
    )*};
}

displayed! {
    ClusterId => |id: &ClusterId| id.0.clone(),
    DiscogsId => |id: &DiscogsId| id.0,
    Mbid => |id: &Mbid| id.0.as_hyphenated().to_string(),
    Isrc => |id: &Isrc| id.0.clone(),
    Slug => |id: &Slug| id.0.clone(),
}

/// The argument whose id form `text` has: cluster id, MusicBrainz id or link. Numbers and ISRCs are not told
/// here, because names and slugs look like them.
pub(super) fn id_form(text: &str) -> Option<Argument> {
    if is_cluster_id(text) {
        Some(Argument::ClusterId)
    } else if hyphenated_uuid(text).is_some() {
        Some(Argument::Mbid)
    } else if looks_like_url(text) {
        Some(Argument::Url)
    } else {
        None
    }
}

fn refuse(argument: Argument, text: &str, otherwise: Found) -> Refusal {
    let number = || text.len() <= 10 && !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let found = if text.is_empty() {
        Found::Nothing
    } else if let Some(form) = id_form(text).filter(|form| *form != argument) {
        Found::ValueOf(form)
    } else if argument != Argument::Isrc && is_isrc(&text.replace(['-', ' '], "").to_ascii_uppercase()) {
        Found::ValueOf(Argument::Isrc)
    } else if argument != Argument::DiscogsId && number() {
        Found::ValueOf(Argument::DiscogsId)
    } else if is_placeholder(text) {
        Found::Placeholder
    } else {
        otherwise
    };
    Refusal::new(argument, found)
}

fn is_cluster_id(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Only the hyphenated form: the `uuid` crate also reads braces, URNs and bare digits, which differ in length.
fn hyphenated_uuid(text: &str) -> Option<Uuid> {
    if text.len() == 36 { Uuid::try_parse(text).ok() } else { None }
}

fn is_isrc(code: &str) -> bool {
    code.len() == 12
        && code.bytes().enumerate().all(|(at, b)| match at {
            0 | 1 => b.is_ascii_uppercase(),
            2..=4 => b.is_ascii_uppercase() || b.is_ascii_digit(),
            _ => b.is_ascii_digit(),
        })
}

fn is_slug_char(c: char) -> bool {
    c.is_alphanumeric()
        // Some marks are invisible, and no slug has one.
        || unicode_normalization::char::is_combining_mark(c) && !is_invisible(c)
        || matches!(c, '-' | '_' | '.' | '~')
}

#[cfg(test)]
mod tests {
    use super::{ArtistKey, ClusterId, DiscogsId, Isrc, Mbid, Slug};
    use crate::identity::refusal::{Argument, Found, Refusal};

    const HEX: &str = "a3f9c1e84b2d70f6a3f9c1e84b2d70f6a3f9c1e84b2d70f6a3f9c1e84b2d70f6";
    const MBID: &str = "f22942a1-6f70-4f48-866e-238cb2308fbd";

    fn found<T: std::fmt::Debug>(result: Result<T, Refusal>) -> Found {
        result.unwrap_err().found
    }

    #[test]
    fn a_cluster_id_is_64_hex_digits_in_either_case() {
        assert_eq!(ClusterId::parse(HEX).unwrap().as_str(), HEX);
        assert_eq!(ClusterId::parse(&format!(" {} ", HEX.to_uppercase())).unwrap().to_string(), HEX);
        assert_eq!(found(ClusterId::parse(&HEX[1..])), Found::WrongLength);
        assert_eq!(found(ClusterId::parse("four-tet")), Found::WrongCharacters);
        assert_eq!(found(ClusterId::parse("  ")), Found::Nothing);
        assert_eq!(found(ClusterId::parse("<cluster_id>")), Found::Placeholder);
        assert_eq!(found(ClusterId::parse(MBID)), Found::ValueOf(Argument::Mbid));
        assert_eq!(found(ClusterId::parse("301")), Found::ValueOf(Argument::DiscogsId));
        assert_eq!(
            found(ClusterId::parse("https://musicbrainz.org/artist/x")),
            Found::ValueOf(Argument::Url)
        );
    }

    #[test]
    fn f14_a_discogs_id_is_plain_digits_by_the_stated_rule() {
        assert_eq!(DiscogsId::parse("301").unwrap().get(), 301);
        assert_eq!(DiscogsId::parse(" 301 ").unwrap().to_string(), "301");
        assert_eq!(DiscogsId::parse("4294967295").unwrap().get(), u32::MAX);
        assert_eq!(found(DiscogsId::parse("0301")), Found::LeadingZeros);
        for number in ["0", "-1", "-0", "4294967296", "99999999999999999999999999"] {
            assert_eq!(found(DiscogsId::parse(number)), Found::OutOfRange, "{number}");
        }
        for text in ["1e9", "+1", "٣", "3 01", "artist:301", "-", "0x1f", "301.0", "[a301]"] {
            assert_eq!(found(DiscogsId::parse(text)), Found::WrongCharacters, "{text}");
        }
        assert_eq!(DiscogsId::from_number(0), None);
    }

    #[test]
    fn f14_a_value_of_another_kind_names_its_argument() {
        assert_eq!(found(DiscogsId::parse(MBID)), Found::ValueOf(Argument::Mbid));
        assert_eq!(found(DiscogsId::parse(HEX)), Found::ValueOf(Argument::ClusterId));
        assert_eq!(found(DiscogsId::parse("US-AKS-05-00539")), Found::ValueOf(Argument::Isrc));
        assert_eq!(found(Mbid::parse("301")), Found::ValueOf(Argument::DiscogsId));
        assert_eq!(found(Mbid::parse(HEX)), Found::ValueOf(Argument::ClusterId));
        assert_eq!(found(Isrc::parse(MBID)), Found::ValueOf(Argument::Mbid));
        assert_eq!(found(ArtistKey::parse(MBID)), Found::ValueOf(Argument::Mbid));
        assert_eq!(found(ArtistKey::parse("discogs.com/artist/301")), Found::ValueOf(Argument::Url));
    }

    #[test]
    fn f14_an_mbid_is_a_hyphenated_uuid_and_never_nil() {
        assert_eq!(Mbid::parse(&MBID.to_uppercase()).unwrap().to_string(), MBID);
        assert_eq!(found(Mbid::parse("00000000-0000-0000-0000-000000000000")), Found::NilUuid);
        assert_eq!(found(Mbid::parse(&MBID.replace('-', ""))), Found::WrongLength);
        assert_eq!(found(Mbid::parse(&format!("{{{MBID}}}"))), Found::WrongCharacters);
        assert_eq!(found(Mbid::parse("your_id_here")), Found::Placeholder);
        assert_eq!(found(Mbid::parse("")), Found::Nothing);
    }

    #[test]
    fn an_isrc_is_read_with_and_without_hyphens() {
        for text in ["US-AKS-05-00539", "usaks0500539", " US AKS 05 00539 "] {
            assert_eq!(Isrc::parse(text).unwrap().as_str(), "USAKS0500539");
        }
        assert_eq!(found(Isrc::parse("USAKS050053")), Found::WrongLength);
        assert_eq!(found(Isrc::parse("1SAKS0500539")), Found::WrongCharacters);
        assert_eq!(found(Isrc::parse("301")), Found::ValueOf(Argument::DiscogsId));
    }

    #[test]
    fn a_key_is_a_cluster_id_or_a_slug() {
        assert_eq!(ArtistKey::parse(HEX).unwrap(), ArtistKey::Cluster(ClusterId::parse(HEX).unwrap()));
        for slug in ["four-tet", "311", "björk", "アポリア", "boney-m.", "a"] {
            assert_eq!(ArtistKey::parse(slug).unwrap().as_str(), slug);
        }
        assert_eq!(Slug::parse("Four-Tet").unwrap().as_str(), "four-tet");
        for text in ["four tet", "../x", "a/b", "a?b", "a%2fb", "---", "a\0b", "a\u{202E}b", "a\u{34F}b"] {
            assert_eq!(found(ArtistKey::parse(text)), Found::WrongCharacters, "{text}");
        }
        assert_eq!(found(ArtistKey::parse("<cluster_id>")), Found::Placeholder);
        assert_eq!(found(ArtistKey::parse("undefined")), Found::Placeholder);
        assert_eq!(found(ArtistKey::parse("...")), Found::Placeholder);
        assert_eq!(found(ArtistKey::parse("")), Found::Nothing);
        assert_eq!(found(ArtistKey::parse(&"a".repeat(201))), Found::TooLong);
    }

    #[test]
    fn a_refusal_never_repeats_the_value() {
        for text in ["secretvalue!", "0404404", "99999999999", "zzzzzzzz-zzzz"] {
            for refusal in [
                ClusterId::parse(text).map(|_| ()).unwrap_err(),
                DiscogsId::parse(text).map(|_| ()).unwrap_err(),
                Mbid::parse(text).map(|_| ()).unwrap_err(),
                Isrc::parse(text).map(|_| ()).unwrap_err(),
            ] {
                assert!(!refusal.to_string().contains(text), "{refusal}");
            }
        }
    }
}
