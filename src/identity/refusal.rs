//! Why something a caller typed cannot name an artist, in kinds only.
//!
//! A refusal never holds or repeats the value. It says which argument, what was found there, what is accepted
//! and, where the value is a good value of another kind, which argument takes it. How that becomes an error on
//! the wire is decided elsewhere.

use std::fmt;

/// An argument that says who is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Argument {
    /// A name as free text.
    Q,
    /// A link to an artist's page.
    Url,
    /// hosaka's own id.
    ClusterId,
    /// The number of a Discogs artist.
    DiscogsId,
    /// The MusicBrainz id of an artist.
    Mbid,
    /// The code of a recording.
    Isrc,
    /// The performing artist's name, beside a track.
    Artist,
    /// The title of a track, beside its artist.
    Track,
    /// The title of a track alone.
    Title,
    /// The key of a card: a cluster id or a slug.
    Key,
}

impl Argument {
    /// Every argument.
    pub const ALL: [Self; 10] = [
        Self::Q,
        Self::Url,
        Self::ClusterId,
        Self::DiscogsId,
        Self::Mbid,
        Self::Isrc,
        Self::Artist,
        Self::Track,
        Self::Title,
        Self::Key,
    ];

    /// The name as callers write it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Q => "q",
            Self::Url => "url",
            Self::ClusterId => "cluster_id",
            Self::DiscogsId => "discogs_id",
            Self::Mbid => "mbid",
            Self::Isrc => "isrc",
            Self::Artist => "artist",
            Self::Track => "track",
            Self::Title => "title",
            Self::Key => "key",
        }
    }

    /// What the argument accepts, as the end of "… must be".
    #[must_use]
    pub fn accepts(self) -> &'static str {
        match self {
            Self::Q => "an artist name of 1 to 200 characters",
            Self::Url => {
                "a link to an artist's page on Discogs, MusicBrainz, Bandcamp, Spotify, SoundCloud, YouTube or Instagram"
            }
            Self::ClusterId => "the 64 hexadecimal digits that an earlier answer gave as cluster_id",
            Self::DiscogsId => {
                "a Discogs artist number from 1 to 4294967295, plain digits without leading zeros"
            }
            Self::Mbid => "a MusicBrainz artist id: a UUID with hyphens, not all zeros",
            Self::Isrc => {
                "an ISRC: two letters, three letters or digits, seven digits; hyphens and spaces are ignored"
            }
            Self::Artist => "an artist name of 1 to 200 characters, together with track",
            Self::Track => "a track title of 1 to 200 characters, together with artist",
            Self::Title => "a track title of 1 to 200 characters",
            Self::Key => "a cluster_id (64 hexadecimal digits) or a slug from an earlier answer",
        }
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a page of a known site is about, when it is not an artist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PageKind {
    /// A release, an album or a single.
    Release,
    /// A master or a release group.
    Master,
    /// A track, a recording or a video.
    Track,
    /// A label.
    Label,
    /// A work.
    Work,
    /// A playlist, a set or a show.
    Playlist,
    /// A short link whose target is only known to the site.
    ShortLink,
    /// Anything else: a home page, a search, a post.
    Other,
}

impl PageKind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Release,
        Self::Master,
        Self::Track,
        Self::Label,
        Self::Work,
        Self::Playlist,
        Self::ShortLink,
        Self::Other,
    ];

    /// The kind in words, with its article.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Release => "a release page",
            Self::Master => "a master or release-group page",
            Self::Track => "a track or video page",
            Self::Label => "a label page",
            Self::Work => "a work page",
            Self::Playlist => "a playlist page",
            Self::ShortLink => "a short link, which is never followed",
            Self::Other => "a page that is no artist's",
        }
    }
}

/// What was found in place of an accepted value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Found {
    /// Nothing, or only white space and invisible characters.
    Nothing,
    /// A placeholder of a template or an example.
    Placeholder,
    /// More characters than any accepted value has.
    TooLong,
    /// The right characters, but not as many as it takes.
    WrongLength,
    /// Characters that no accepted value has.
    WrongCharacters,
    /// A number with leading zeros.
    LeadingZeros,
    /// A number outside the accepted range (zero, negative or too large).
    OutOfRange,
    /// A UUID of zeros.
    NilUuid,
    /// A good value of another argument.
    ValueOf(Argument),
    /// A link to a site that is not known.
    UnknownSite,
    /// A link with a user name, a port, a scheme other than http or https, or broken in another way.
    UnsafeLink,
    /// An artist's link that lacks the id.
    NoArtistId,
    /// A page of a known site that is not an artist's.
    Page(PageKind),
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nothing => "nothing",
            Self::Placeholder => "a placeholder",
            Self::TooLong => "a longer text",
            Self::WrongLength => "a value of another length",
            Self::WrongCharacters => "a value with other characters",
            Self::LeadingZeros => "a number with leading zeros",
            Self::OutOfRange => "a number outside the range",
            Self::NilUuid => "the nil UUID",
            Self::UnknownSite => "a link to a site that is not known",
            Self::UnsafeLink => "a link that is not a plain http or https link",
            Self::NoArtistId => "an artist link without an id",
            Self::ValueOf(argument) => return write!(f, "a value in the form of {argument}"),
            Self::Page(kind) => return write!(f, "a link to {}", kind.as_str()),
        })
    }
}

/// A value that does not name an artist. Displays as one sentence without the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Refusal {
    /// Where the value stood.
    pub argument: Argument,
    /// What was found there.
    pub found: Found,
}

impl Refusal {
    /// The refusal of what `argument` holds.
    #[must_use]
    pub fn new(argument: Argument, found: Found) -> Self {
        Self { argument, found }
    }

    /// The argument that takes the value as it is, if there is one.
    #[must_use]
    pub fn use_instead(&self) -> Option<Argument> {
        match self.found {
            Found::ValueOf(argument) => Some(argument),
            _ => None,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} must be {}; found {}", self.argument, self.argument.accepts(), self.found)?;
        match self.use_instead() {
            Some(argument) => write!(f, ": pass it as {argument}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::{Argument, Found, PageKind, Refusal};

    #[test]
    fn a_refusal_names_argument_acceptance_and_finding() {
        let text = Refusal::new(Argument::Mbid, Found::ValueOf(Argument::DiscogsId)).to_string();
        assert!(text.starts_with("mbid must be a MusicBrainz artist id"), "{text}");
        assert!(text.ends_with("found a value in the form of discogs_id: pass it as discogs_id"), "{text}");
        let text = Refusal::new(Argument::Url, Found::Page(PageKind::Track)).to_string();
        assert!(text.ends_with("found a link to a track or video page"), "{text}");
    }

    #[test]
    fn only_a_good_value_of_another_kind_names_another_argument() {
        for argument in Argument::ALL {
            assert_eq!(Refusal::new(Argument::Q, Found::ValueOf(argument)).use_instead(), Some(argument));
        }
        for kind in PageKind::ALL {
            assert_eq!(Refusal::new(Argument::Url, Found::Page(kind)).use_instead(), None);
        }
    }
}
