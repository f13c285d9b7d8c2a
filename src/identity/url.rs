//! Links to artists' pages, recognised by host and path and never fetched.
//!
//! Decides which site a link belongs to, whether the page is an artist's, and the clean form that is sent on:
//! https, one host a site, no query, no fragment, no language, no sub-page. A link without an id is refused, not
//! guessed at; so is every host that is not exactly a known one (`open.spotify.com.evil.tld`). Knows nothing of
//! whether the artist exists.

use std::fmt;

use url::Url;

use super::locator::{DiscogsId, Mbid};
use super::refusal::{Argument, Found, PageKind, Refusal};

mod sites;

/// The most bytes of a link.
pub const URL_BYTES_MAX: usize = 2_048;

/// A site whose profile links the data service can look up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Site {
    /// `<name>.bandcamp.com`
    Bandcamp,
    /// `open.spotify.com/artist/<id>`
    Spotify,
    /// `soundcloud.com/<name>`
    SoundCloud,
    /// `www.youtube.com/channel/<id>`, `/@<name>`, `/c/<name>`, `/user/<name>`, and `/<name>` from earlier days
    YouTube,
    /// `www.instagram.com/<name>`
    Instagram,
}

impl Site {
    /// Every site.
    pub const ALL: [Self; 5] =
        [Self::Bandcamp, Self::Spotify, Self::SoundCloud, Self::YouTube, Self::Instagram];

    /// The site's name as it writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bandcamp => "Bandcamp",
            Self::Spotify => "Spotify",
            Self::SoundCloud => "SoundCloud",
            Self::YouTube => "YouTube",
            Self::Instagram => "Instagram",
        }
    }
}

/// What an artist link says: an id where the site's number is one that hosaka knows, else the profile.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ArtistUrl {
    /// A Discogs artist page.
    Discogs(DiscogsId),
    /// A MusicBrainz artist page.
    MusicBrainz(Mbid),
    /// A profile on another site.
    Profile {
        /// The site.
        site: Site,
        /// The clean https link.
        canonical: String,
    },
}

impl ArtistUrl {
    /// Reads a link, with or without its scheme, or a `spotify:artist:…` URI.
    ///
    /// # Errors
    /// A link that is broken or carries a user, a port or another scheme, an unknown site, a page that is not an
    /// artist's (its kind is named), an artist link without an id, or an id that belongs in another argument.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let text = text.trim();
        if text.is_empty() {
            return Err(refuse(Found::Nothing));
        }
        if text.len() > URL_BYTES_MAX {
            return Err(refuse(Found::TooLong));
        }
        if let Some(form) = super::locator::id_form(text).filter(|form| *form != Argument::Url) {
            return Err(refuse(Found::ValueOf(form)));
        }
        if super::placeholder::is_placeholder(text) {
            return Err(refuse(Found::Placeholder));
        }
        if let Some(uri) = strip_prefix_caseless(text, "spotify:") {
            let path: Vec<&str> = uri.split(':').collect();
            return sites::spotify_uri(&path);
        }
        let url = plain_url(text)?;
        let host = url.host_str().unwrap_or_default().trim_end_matches('.').to_owned();
        let path: Vec<&str> = url.path().split('/').filter(|part| !part.is_empty()).collect();
        match host.as_str() {
            "discogs.com" | "www.discogs.com" | "m.discogs.com" | "api.discogs.com" => sites::discogs(&path),
            "musicbrainz.org" | "www.musicbrainz.org" | "beta.musicbrainz.org" | "m.musicbrainz.org" => {
                sites::musicbrainz(&path)
            }
            "open.spotify.com" | "play.spotify.com" => sites::spotify(&path),
            "spotify.link" | "spotify.app.link" | "on.soundcloud.com" => Err(page(PageKind::ShortLink)),
            "soundcloud.com" | "www.soundcloud.com" | "m.soundcloud.com" => sites::soundcloud(&path),
            "youtube.com" | "www.youtube.com" | "m.youtube.com" => match path.as_slice() {
                [name] => sites::youtube_custom(name).unwrap_or_else(|| sites::youtube(&path)),
                _ => sites::youtube(&path),
            },
            "music.youtube.com" => sites::youtube(&path),
            "youtu.be" => Err(page(PageKind::Track)),
            "instagram.com" | "www.instagram.com" | "m.instagram.com" => sites::instagram(&path),
            other => match other.strip_suffix(".bandcamp.com") {
                Some(name) => sites::bandcamp(name, &path),
                None if other == "bandcamp.com" => Err(page(PageKind::Other)),
                None => Err(refuse(Found::UnknownSite)),
            },
        }
    }
}

impl fmt::Display for ArtistUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Discogs(id) => write!(f, "https://www.discogs.com/artist/{id}"),
            Self::MusicBrainz(id) => write!(f, "https://musicbrainz.org/artist/{id}"),
            Self::Profile { canonical, .. } => f.write_str(canonical),
        }
    }
}

/// Whether a text can only be meant as a link: it has a web scheme, is a Spotify URI, or begins with the host of
/// a known site and a slash.
#[must_use]
pub(super) fn looks_like_url(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let begins = |prefix: &str| lower.starts_with(prefix);
    begins("http://")
        || begins("https://")
        || begins("spotify:artist:")
        || begins("www.") && lower.contains('/')
        || {
            let host = lower.split('/').next().unwrap_or_default();
            host.len() < lower.len()
                && [
                    "discogs.com",
                    "musicbrainz.org",
                    "bandcamp.com",
                    "spotify.com",
                    "soundcloud.com",
                    "youtube.com",
                    "youtu.be",
                    "instagram.com",
                ]
                .iter()
                .any(|site| host == *site || host.strip_suffix(site).is_some_and(|rest| rest.ends_with('.')))
        }
}

type Parsed = Result<ArtistUrl, Refusal>;

fn refuse(found: Found) -> Refusal {
    Refusal::new(Argument::Url, found)
}

fn page(kind: PageKind) -> Refusal {
    refuse(Found::Page(kind))
}

fn strip_prefix_caseless<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let head = text.get(..prefix.len())?;
    if head.eq_ignore_ascii_case(prefix) { text.get(prefix.len()..) } else { None }
}

/// An http(s) link without user or odd port. The URL library drops tabs and line feeds silently and reads a
/// backslash as a slash; a link holding any of them was not copied from a browser.
fn plain_url(text: &str) -> Result<Url, Refusal> {
    if text.contains(|c: char| c.is_whitespace() || c.is_control() || c == '\\') {
        return Err(refuse(Found::UnsafeLink));
    }
    let schemed =
        if text.contains("://") && !text.split("://").next().unwrap_or_default().contains(['/', '?', '#']) {
            text.to_owned()
        } else {
            format!("https://{}", text.strip_prefix("//").unwrap_or(text))
        };
    let url = Url::parse(&schemed).map_err(|_| refuse(Found::UnsafeLink))?;
    let plain = matches!(url.scheme(), "http" | "https")
        && url.username().is_empty()
        && url.password().is_none()
        && url.port().is_none();
    if !plain {
        return Err(refuse(Found::UnsafeLink));
    }
    Ok(url)
}

#[cfg(test)]
mod tests;
