//! What the paths of each known site say: one function a site, given the path's non-empty segments.
//!
//! The host has been recognised by the caller.

use super::super::locator::{DiscogsId, Mbid};
use super::super::refusal::{Found, PageKind};
use super::{ArtistUrl, Parsed, Site, page, refuse};

fn profile(site: Site, canonical: String) -> Parsed {
    Ok(ArtistUrl::Profile { site, canonical })
}

/// The id at the start of `301-Source-Direct`. A number that no artist can have is said to be that.
fn leading_id(segment: &str) -> Result<DiscogsId, Found> {
    DiscogsId::parse(segment.split('-').next().unwrap_or_default()).map_err(|refusal| match refusal.found {
        number @ (Found::OutOfRange | Found::LeadingZeros) => number,
        _ => Found::NoArtistId,
    })
}

pub(super) fn discogs(path: &[&str]) -> Parsed {
    // Locales (`de`, `pt_BR`) and the old `<Artist-Title>/release/<id>` form stand before the kind.
    for (at, segment) in path.iter().take(2).enumerate() {
        let kind = match *segment {
            "artist" | "artists" => {
                let id = path.get(at + 1).map_or(Err(Found::NoArtistId), |segment| leading_id(segment));
                let locale = at == 0 || path.first().is_some_and(|first| is_locale(first));
                return match id {
                    Ok(id) if locale => Ok(ArtistUrl::Discogs(id)),
                    Ok(_) => Err(page(PageKind::Other)),
                    Err(found) => Err(refuse(found)),
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

pub(super) fn musicbrainz(path: &[&str]) -> Parsed {
    let kind = match path.first().copied() {
        Some("artist") => {
            let id = path.get(1).map_or(Err(Found::NoArtistId), |id| {
                Mbid::parse(id).map_err(|refusal| match refusal.found {
                    Found::NilUuid => Found::NilUuid,
                    _ => Found::NoArtistId,
                })
            });
            return id.map(ArtistUrl::MusicBrainz).map_err(refuse);
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

/// What follows `spotify:`, which names one thing and, unlike a web page, has nothing around it.
pub(super) fn spotify_uri(parts: &[&str]) -> Parsed {
    match parts {
        ["artist", _] => spotify(parts),
        ["artist", _, ..] | ["embed", ..] => Err(page(PageKind::Other)),
        [first, ..] if first.starts_with("intl-") => Err(page(PageKind::Other)),
        _ => spotify(parts),
    }
}

pub(super) fn spotify(path: &[&str]) -> Parsed {
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

pub(super) fn bandcamp(name: &str, path: &[&str]) -> Parsed {
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

pub(super) fn soundcloud(path: &[&str]) -> Parsed {
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

pub(super) fn youtube(path: &[&str]) -> Parsed {
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

/// `youtube.com/<name>`, an address of its own that channels could once choose; none if the word is the site's own.
pub(super) fn youtube_custom(name: &str) -> Option<Parsed> {
    const NOT_CHANNELS: &str = "\
        about account account_notifications ads api attribution attribution_link browse c categories \
        channel channels charts clip community contests copyright create_channel creatoracademy creators \
        dashboard dev e embed error explore fashion feed gaming hashtag home howyoutubeworks iframe_api \
        img index intl jobs kids learning library live live_chat live_dashboard login logout movies music \
        my_videos new news oembed oops p paid_memberships playables playlist podcasts post premium press \
        privacy red redirect reporthistory results s settings shop shorts signin sports static store \
        storefront subscription_manager t terms trending upload user v watch";
    let word = name.to_ascii_lowercase();
    let own = NOT_CHANNELS.split(' ').any(|own| own == word) || !is_handle(name, "-_");
    (!own).then(|| profile(Site::YouTube, format!("https://www.youtube.com/{name}")))
}

pub(super) fn instagram(path: &[&str]) -> Parsed {
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
