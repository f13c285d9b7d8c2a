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
    /// `www.youtube.com/channel/<id>`, `/@<name>`, `/c/<name>`, `/user/<name>`
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
            return spotify(&path);
        }
        let url = plain_url(text)?;
        let host = url.host_str().unwrap_or_default().trim_end_matches('.').to_owned();
        let path: Vec<&str> = url.path().split('/').filter(|part| !part.is_empty()).collect();
        match host.as_str() {
            "discogs.com" | "www.discogs.com" | "m.discogs.com" | "api.discogs.com" => discogs(&path),
            "musicbrainz.org" | "www.musicbrainz.org" | "beta.musicbrainz.org" | "m.musicbrainz.org" => {
                musicbrainz(&path)
            }
            "open.spotify.com" | "play.spotify.com" => spotify(&path),
            "spotify.link" | "spotify.app.link" | "on.soundcloud.com" => Err(page(PageKind::ShortLink)),
            "soundcloud.com" | "www.soundcloud.com" | "m.soundcloud.com" => soundcloud(&path),
            "youtube.com" | "www.youtube.com" | "m.youtube.com" | "music.youtube.com" => youtube(&path),
            "youtu.be" => Err(page(PageKind::Track)),
            "instagram.com" | "www.instagram.com" | "m.instagram.com" => instagram(&path),
            other => match other.strip_suffix(".bandcamp.com") {
                Some(name) => bandcamp(name, &path),
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

fn profile(site: Site, canonical: String) -> Parsed {
    Ok(ArtistUrl::Profile { site, canonical })
}

/// The id at the start of `301-Source-Direct`.
fn leading_id(segment: &str) -> Option<DiscogsId> {
    DiscogsId::parse(segment.split('-').next()?).ok()
}

fn discogs(path: &[&str]) -> Parsed {
    // Locales (`de`, `pt_BR`) and the old `<Artist-Title>/release/<id>` form stand before the kind.
    for (at, segment) in path.iter().take(2).enumerate() {
        let kind = match *segment {
            "artist" | "artists" => {
                let id = path.get(at + 1).and_then(|segment| leading_id(segment));
                let locale = at == 0 || path.first().is_some_and(|first| is_locale(first));
                return match id {
                    Some(id) if locale => Ok(ArtistUrl::Discogs(id)),
                    Some(_) => Err(page(PageKind::Other)),
                    None => Err(refuse(Found::NoArtistId)),
                };
            }
            "release" | "releases" => PageKind::Release,
            "master" | "masters" => PageKind::Master,
            "label" | "labels" => PageKind::Label,
            _ => continue,
        };
        return Err(page(kind));
    }
    Err(page(PageKind::Other))
}

fn is_locale(segment: &str) -> bool {
    let mut parts = segment.split(['_', '-']);
    let two =
        |part: Option<&str>| part.is_none_or(|p| p.len() == 2 && p.bytes().all(|b| b.is_ascii_alphabetic()));
    two(parts.next()) && two(parts.next()) && parts.next().is_none()
}

fn musicbrainz(path: &[&str]) -> Parsed {
    let kind = match path.first().copied() {
        Some("artist") => {
            let id = path.get(1).and_then(|id| Mbid::parse(id).ok());
            return id.map(ArtistUrl::MusicBrainz).ok_or(refuse(Found::NoArtistId));
        }
        Some("release") => PageKind::Release,
        Some("release-group") => PageKind::Master,
        Some("recording" | "track") => PageKind::Track,
        Some("label") => PageKind::Label,
        Some("work") => PageKind::Work,
        _ => PageKind::Other,
    };
    Err(page(kind))
}

fn spotify(path: &[&str]) -> Parsed {
    let path = match path {
        [intl, rest @ ..] if intl.starts_with("intl-") => rest,
        ["embed", rest @ ..] => rest,
        _ => path,
    };
    let kind = match path.first().copied() {
        Some("artist") => {
            // The URI form may carry a query as well.
            let id = path.get(1).and_then(|id| id.split(['?', '#']).next()).unwrap_or_default();
            let right = id.len() == 22 && id.bytes().all(|b| b.is_ascii_alphanumeric());
            return if right {
                profile(Site::Spotify, format!("https://open.spotify.com/artist/{id}"))
            } else {
                Err(refuse(Found::NoArtistId))
            };
        }
        Some("album") => PageKind::Release,
        Some("track") => PageKind::Track,
        Some("playlist" | "episode" | "show") => PageKind::Playlist,
        _ => PageKind::Other,
    };
    Err(page(kind))
}

fn bandcamp(name: &str, path: &[&str]) -> Parsed {
    const NOT_ARTISTS: [&str; 6] = ["www", "daily", "blog", "get", "help", "f4"];
    let kind = match path.first().copied() {
        Some("album") => PageKind::Release,
        Some("track") => PageKind::Track,
        None | Some("music" | "releases" | "merch" | "community" | "discography")
            if !NOT_ARTISTS.contains(&name) && is_handle(name, "-") =>
        {
            return profile(Site::Bandcamp, format!("https://{name}.bandcamp.com"));
        }
        _ => PageKind::Other,
    };
    Err(page(kind))
}

fn soundcloud(path: &[&str]) -> Parsed {
    const NOT_ARTISTS: [&str; 13] = [
        "discover",
        "stream",
        "search",
        "you",
        "charts",
        "upload",
        "pages",
        "tags",
        "stations",
        "feed",
        "settings",
        "messages",
        "terms-of-use",
    ];
    const SUB_PAGES: [&str; 9] = [
        "tracks",
        "popular-tracks",
        "albums",
        "sets",
        "reposts",
        "likes",
        "followers",
        "following",
        "comments",
    ];
    match path {
        [name, ..] if NOT_ARTISTS.contains(&name.to_ascii_lowercase().as_str()) => Err(page(PageKind::Other)),
        [_, "sets", _, ..] => Err(page(PageKind::Playlist)),
        [_, sub, ..] if !SUB_PAGES.contains(sub) => Err(page(PageKind::Track)),
        [name, ..] if is_handle(name, "-_") => {
            profile(Site::SoundCloud, format!("https://soundcloud.com/{}", name.to_ascii_lowercase()))
        }
        _ => Err(page(PageKind::Other)),
    }
}

fn youtube(path: &[&str]) -> Parsed {
    let canonical = |rest: String| profile(Site::YouTube, format!("https://www.youtube.com/{rest}"));
    match path {
        ["watch" | "shorts" | "live" | "embed" | "v", ..] => Err(page(PageKind::Track)),
        ["playlist", ..] => Err(page(PageKind::Playlist)),
        ["channel", id, ..] if id.len() == 24 && id.starts_with("UC") && is_handle(id, "-_") => {
            canonical(format!("channel/{id}"))
        }
        ["channel" | "c" | "user"] | ["channel", ..] => Err(refuse(Found::NoArtistId)),
        [kind @ ("c" | "user"), name, ..] if is_handle(name, "-_.%") => canonical(format!("{kind}/{name}")),
        [handle, ..] if handle.strip_prefix('@').is_some_and(|name| is_handle(name, "-_.%")) => {
            canonical((*handle).to_owned())
        }
        _ => Err(page(PageKind::Other)),
    }
}

fn instagram(path: &[&str]) -> Parsed {
    const NOT_ARTISTS: [&str; 12] = [
        "p",
        "reel",
        "reels",
        "tv",
        "stories",
        "explore",
        "accounts",
        "direct",
        "about",
        "developer",
        "legal",
        "s",
    ];
    match path {
        [name, ..] if is_handle(name, "._") && !NOT_ARTISTS.contains(&name.to_ascii_lowercase().as_str()) => {
            profile(Site::Instagram, format!("https://www.instagram.com/{}", name.to_ascii_lowercase()))
        }
        _ => Err(page(PageKind::Other)),
    }
}

/// ASCII letters, digits and the given extra characters (`%` for a name that the URL library has encoded).
fn is_handle(name: &str, extra: &str) -> bool {
    !name.is_empty()
        && name.len() <= 255
        && name.chars().all(|c| c.is_ascii_alphanumeric() || extra.contains(c))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{ArtistUrl, Site, looks_like_url};
    use crate::identity::refusal::{Argument, Found, PageKind};

    const MBID: &str = "f22942a1-6f70-4f48-866e-238cb2308fbd";

    fn clean(link: &str) -> String {
        ArtistUrl::parse(link).unwrap_or_else(|refusal| panic!("{link}: {refusal}")).to_string()
    }

    fn found(link: &str) -> Found {
        match ArtistUrl::parse(link) {
            Ok(parsed) => panic!("{link}: {parsed}"),
            Err(refusal) => refusal.found,
        }
    }

    #[test]
    fn f11_every_shape_of_a_spotify_artist_link_is_one_artist() {
        let id = "0SwO7SWeDHJijQ3XNS7xEE";
        for link in [
            "https://open.spotify.com/intl-de/artist/0SwO7SWeDHJijQ3XNS7xEE?si=x",
            "https://open.spotify.com/artist/0SwO7SWeDHJijQ3XNS7xEE",
            "http://open.spotify.com/artist/0SwO7SWeDHJijQ3XNS7xEE/",
            "open.spotify.com/artist/0SwO7SWeDHJijQ3XNS7xEE",
            "  OPEN.Spotify.com/artist/0SwO7SWeDHJijQ3XNS7xEE#a ",
            "spotify:artist:0SwO7SWeDHJijQ3XNS7xEE",
            "spotify:artist:0SwO7SWeDHJijQ3XNS7xEE?si=x",
            "https://open.spotify.com/artist/0SwO7SWeDHJijQ3XNS7xEE/discography/all",
            "https://open.spotify.com/embed/artist/0SwO7SWeDHJijQ3XNS7xEE?utm_source=generator",
        ] {
            assert_eq!(clean(link), format!("https://open.spotify.com/artist/{id}"), "{link}");
        }
    }

    #[test]
    fn f11_a_page_of_another_kind_is_named_not_guessed_at() {
        let id = "0SwO7SWeDHJijQ3XNS7xEE";
        for (link, kind) in [
            (format!("https://open.spotify.com/track/{id}"), PageKind::Track),
            (format!("spotify:track:{id}"), PageKind::Track),
            (format!("https://open.spotify.com/intl-fr/album/{id}"), PageKind::Release),
            (format!("https://open.spotify.com/playlist/{id}"), PageKind::Playlist),
            ("https://open.spotify.com".into(), PageKind::Other),
            ("https://spotify.link/abc".into(), PageKind::ShortLink),
            ("https://aphextwin.bandcamp.com/album/syro".into(), PageKind::Release),
            ("https://aphextwin.bandcamp.com/track/minipops".into(), PageKind::Track),
            ("https://bandcamp.com/discover".into(), PageKind::Other),
            ("https://daily.bandcamp.com".into(), PageKind::Other),
            ("https://soundcloud.com/four-tet/baby".into(), PageKind::Track),
            ("https://soundcloud.com/four-tet/sets/x".into(), PageKind::Playlist),
            ("https://soundcloud.com/discover".into(), PageKind::Other),
            ("https://on.soundcloud.com/abc".into(), PageKind::ShortLink),
            ("https://www.youtube.com/watch?v=abc".into(), PageKind::Track),
            ("https://youtu.be/abc".into(), PageKind::Track),
            ("https://www.youtube.com/playlist?list=PL".into(), PageKind::Playlist),
            ("https://www.instagram.com/p/abc/".into(), PageKind::Other),
            ("https://www.instagram.com/".into(), PageKind::Other),
        ] {
            assert_eq!(found(&link), Found::Page(kind), "{link}");
        }
    }

    #[test]
    fn f11_a_look_alike_host_is_refused() {
        let artist = "artist/0SwO7SWeDHJijQ3XNS7xEE";
        for link in [
            format!("https://open.spotify.com.evil.tld/{artist}"),
            format!("https://evil.tld/open.spotify.com/{artist}"),
            format!("https://evilopen.spotify.com/{artist}"),
            format!("https://evil.tld?https://open.spotify.com/{artist}"),
            format!("https://evil.tld#open.spotify.com/{artist}"),
            "https://notdiscogs.com/artist/301".into(),
            "https://xbandcamp.com".into(),
            "https://www.discоgs.com/artist/301".into(),
            "https://127.0.0.1/artist/301".into(),
            "https://example.org".into(),
        ] {
            assert_eq!(found(&link), Found::UnknownSite, "{link}");
        }
        for link in [
            "https://open.spotify.com@evil.tld/artist/301",
            "https://user:pw@www.discogs.com/artist/301",
            "https://www.discogs.com:8443/artist/301",
            "ftp://www.discogs.com/artist/301",
            "javascript://www.discogs.com/artist/301",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "https://www.discogs.com\\artist\\301",
            "https://www.disco\tgs.com/artist/301",
            "https://",
            "Four Tet",
        ] {
            assert_eq!(found(link), Found::UnsafeLink, "{link}");
        }
    }

    #[test]
    fn f12_every_shape_of_a_discogs_artist_link_gives_its_number() {
        for (link, id) in [
            ("http://www.discogs.com/artist/301-Source-Direct", 301),
            ("https://www.discogs.com/artist/1944002-", 1_944_002),
            ("https://www.discogs.com/artist/997299-Guy-Balbaert?filter_anv=0&type=Credits", 997_299),
            (
                "https://www.discogs.com/artist/535943-Teresa-Teng?filter_anv=1&anv=%E9%84%A7%E9%BA%97%E5%90%9B",
                535_943,
            ),
            ("https://www.discogs.com/de/artist/45-Aphex-Twin", 45),
            ("https://www.discogs.com/pt_BR/artist/45", 45),
            ("m.discogs.com/artist/45/", 45),
            ("discogs.com/artist/45#t", 45),
            ("//www.discogs.com/artist/45", 45),
            ("https://api.discogs.com/artists/45", 45),
            ("https://www.discogs.com./artist/45", 45),
            ("https://www.discogs.com:443/artist/45", 45),
        ] {
            assert_eq!(clean(link), format!("https://www.discogs.com/artist/{id}"), "{link}");
        }
    }

    #[test]
    fn f12_a_link_without_an_id_or_of_another_kind_is_refused() {
        for link in [
            "https://www.discogs.com/artist/Source+Direct",
            "https://www.discogs.com/artist/",
            "https://www.discogs.com/artist/0301-X",
            "https://www.discogs.com/artist/0",
            "https://www.discogs.com/artist/99999999999-X",
            "https://www.discogs.com/artist/50+Cent",
            "https://musicbrainz.org/artist/301",
            "https://musicbrainz.org/artist/00000000-0000-0000-0000-000000000000",
            "https://open.spotify.com/artist/short",
            "https://www.youtube.com/channel/UCshort",
        ] {
            assert_eq!(found(link), Found::NoArtistId, "{link}");
        }
        for (link, kind) in [
            ("http://www.discogs.com/release/12130".to_owned(), PageKind::Release),
            ("http://www.discogs.com/Various-Out-Patients-2/release/5578".to_owned(), PageKind::Release),
            ("http://www.discogs.com/master/view/267989".to_owned(), PageKind::Master),
            ("https://www.discogs.com/de/master/267989-X".to_owned(), PageKind::Master),
            ("https://www.discogs.com/label/23528-Warp".to_owned(), PageKind::Label),
            ("https://www.discogs.com/user/someone".to_owned(), PageKind::Other),
            ("https://www.discogs.com/seller/artist/301".to_owned(), PageKind::Other),
            (format!("https://musicbrainz.org/release/{MBID}"), PageKind::Release),
            (format!("https://musicbrainz.org/release-group/{MBID}"), PageKind::Master),
            (format!("https://musicbrainz.org/recording/{MBID}"), PageKind::Track),
            (format!("https://musicbrainz.org/label/{MBID}"), PageKind::Label),
            (format!("https://musicbrainz.org/work/{MBID}"), PageKind::Work),
        ] {
            assert_eq!(found(&link), Found::Page(kind), "{link}");
        }
    }

    #[test]
    fn f12_every_shape_of_a_musicbrainz_artist_link_gives_its_id() {
        for link in [
            format!("https://musicbrainz.org/artist/{MBID}"),
            format!("https://beta.musicbrainz.org/artist/{MBID}/releases?page=2"),
            format!("http://www.musicbrainz.org/artist/{}/", MBID.to_uppercase()),
            format!("musicbrainz.org/artist/{MBID}#x"),
        ] {
            assert_eq!(clean(&link), format!("https://musicbrainz.org/artist/{MBID}"), "{link}");
        }
    }

    #[test]
    fn profiles_of_every_site_are_cleaned() {
        for (link, site, expected) in [
            ("https://AphexTwin.bandcamp.com/", Site::Bandcamp, "https://aphextwin.bandcamp.com"),
            ("aphextwin.bandcamp.com/music?x=1", Site::Bandcamp, "https://aphextwin.bandcamp.com"),
            ("http://m.soundcloud.com/Four-Tet/tracks", Site::SoundCloud, "https://soundcloud.com/four-tet"),
            ("https://www.youtube.com/@FourTet/videos", Site::YouTube, "https://www.youtube.com/@FourTet"),
            (
                "https://www.youtube.com/@アポリア",
                Site::YouTube,
                "https://www.youtube.com/@%E3%82%A2%E3%83%9D%E3%83%AA%E3%82%A2",
            ),
            (
                "https://music.youtube.com/channel/UC0123456789abcdefghijkl?feature=share",
                Site::YouTube,
                "https://www.youtube.com/channel/UC0123456789abcdefghijkl",
            ),
            (
                "https://www.youtube.com/user/AphexTwin",
                Site::YouTube,
                "https://www.youtube.com/user/AphexTwin",
            ),
            (
                "https://instagram.com/FourTet.kh/?hl=de",
                Site::Instagram,
                "https://www.instagram.com/fourtet.kh",
            ),
        ] {
            let expected = ArtistUrl::Profile { site, canonical: expected.to_owned() };
            assert_eq!(ArtistUrl::parse(link), Ok(expected), "{link}");
        }
    }

    #[test]
    fn an_id_in_place_of_a_link_names_its_argument() {
        assert_eq!(found(MBID), Found::ValueOf(Argument::Mbid));
        assert_eq!(found(&"ab".repeat(32)), Found::ValueOf(Argument::ClusterId));
        assert_eq!(found(" "), Found::Nothing);
        assert_eq!(found("<url>"), Found::Placeholder);
        assert_eq!(found(&format!("https://www.discogs.com/artist/{}", "1".repeat(2_048))), Found::TooLong);
    }

    #[test]
    fn names_with_dots_and_slashes_are_not_taken_for_links() {
        for name in ["AC/DC", "K/DA", "will.i.am", "www.", "Bandcamp.com", "http", "!!!/x", "Discogs/Y"] {
            assert!(!looks_like_url(name), "{name}");
        }
        for link in [
            "http://x",
            "www.discogs.com/artist/1",
            "x.bandcamp.com/",
            "spotify:artist:1",
            "DISCOGS.com/artist/1",
        ] {
            assert!(looks_like_url(link), "{link}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_is_parsed_or_refused_and_a_clean_link_is_stable(
            host in "(https?://)?(www\\.discogs\\.com|x\\.bandcamp\\.com|open\\.spotify\\.com|soundcloud\\.com|youtube\\.com|instagram\\.com|\\PC{0,9})",
            path in "(/|artist|[a-zA-Z0-9@%.-]{0,24}|\\PC{0,4}){0,5}",
        ) {
            if let Ok(parsed) = ArtistUrl::parse(&format!("{host}/{path}")) {
                let clean = parsed.to_string();
                prop_assert!(clean.starts_with("https://") && clean.is_ascii() && !clean.contains(['?', '#']));
                prop_assert_eq!(ArtistUrl::parse(&clean), Ok(parsed));
            }
        }

        #[test]
        fn no_text_panics(text in any::<String>()) {
            let _ = ArtistUrl::parse(&text);
            let _ = super::super::locator::ArtistKey::parse(&text);
            let _ = super::super::suffix::split_suffix(&text);
            let _ = super::super::placeholder::is_placeholder(&text);
        }
    }
}
