//! From an identifier to an identity: `/api/v2/resolve`.
//!
//! Decides which identifier of a request counts and what its answer says about how it was found.

use serde_json::{Map, Value, json};

use super::answer::{Answered, Problem, json_answer};
use super::artists::{Artist, Artists, cluster_form};
use super::params::Params;
use super::tracks::Tracks;
use super::web_link::{self, WebLink};

/// How many names are suggested where none matches.
const CANDIDATES: usize = 5;
/// The longest name or link that is looked at, in bytes.
const LONGEST_BYTES: usize = 2_048;

/// Which way an artist was asked for.
#[derive(Clone, Copy)]
enum From {
    Url,
    Name,
    Locator,
}

impl From {
    fn word(self) -> &'static str {
        match self {
            Self::Url => "url",
            Self::Name => "name",
            Self::Locator => "locator",
        }
    }
}

/// Answers a request; an identifier that means nobody is an answer of nulls.
///
/// Of several identifiers the most precise counts: a recording before a name.
pub(super) fn answer(artists: &Artists, tracks: &Tracks, params: &Params<'_>) -> Answered {
    if let Some(isrc) = params.get("isrc") {
        return by_isrc(isrc);
    }
    match (params.get("artist"), params.get("track")) {
        (Some(name), Some(title)) => return Ok(by_recording(artists, tracks, name, title)),
        (Some(_), None) => {
            return Err(Problem::new("missing_locator", "artist needs track beside it").param("track"));
        }
        (None, Some(_)) => {
            return Err(Problem::new("missing_locator", "track needs artist beside it").param("artist"));
        }
        (None, None) => {}
    }
    if let Some(text) = params.get("cluster") {
        let cluster = cluster_form(text).ok_or_else(|| {
            Problem::new("invalid_locator", "cluster must be 64 hex digits").param("cluster")
        })?;
        return Ok(match artists.by_cluster(&cluster) {
            Some(artist) => observed(artists, artist),
            None => nobody(From::Locator, Some("no such cluster")),
        });
    }
    if let Some(text) = params.get("discogs") {
        return by_discogs(artists, text);
    }
    if let Some(text) = params.get("mbid") {
        if text.len() != 36 || uuid::Uuid::try_parse(text).is_err() {
            return Err(Problem::new("invalid_locator", "mbid must be a UUID").param("mbid"));
        }
        let artist = artists.by_mbid(&text.to_lowercase());
        return Ok(found_or_nobody(artists, artist, From::Locator, "no artist has this MusicBrainz id here"));
    }
    if let Some(text) = params.get("url") {
        return by_url(artists, text);
    }
    if let Some(name) = params.get("q") {
        if name.len() > LONGEST_BYTES {
            return Err(Problem::new("invalid_locator", "q is too long").param("q"));
        }
        return Ok(by_name(artists, name));
    }
    Err(Problem::new("missing_locator", "there is nothing to resolve")
        .hint("send one of q, url, cluster, discogs, mbid, isrc, or artist with track"))
}

fn by_isrc(text: &str) -> Answered {
    let code: String = text.chars().filter(|c| !matches!(c, '-' | ' ')).collect();
    if code.len() != 12 || !code.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(Problem::new("invalid_locator", "isrc must have 12 letters and digits").param("isrc"));
    }
    Ok(nobody(From::Locator, Some("this catalogue holds no recording codes")))
}

fn by_recording(artists: &Artists, tracks: &Tracks, name: &str, title: &str) -> super::CatalogueAnswer {
    let artist = tracks.performer(name, title).and_then(|performer| artists.by_credit(performer));
    found_or_nobody(artists, artist, From::Locator, "no recording of this title by this artist is held here")
}

fn by_discogs(artists: &Artists, text: &str) -> Answered {
    if text.contains(':') {
        return Ok(nobody(From::Locator, Some("discogs takes the bare number of an artist")));
    }
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let id = text.parse().ok().filter(|_| digits);
    let id: u64 = id.ok_or_else(|| {
        Problem::new("invalid_locator", "discogs must be the number of an artist").param("discogs")
    })?;
    let Some(artist) = artists.by_discogs(id) else {
        return Ok(nobody(From::Locator, Some("no artist has this Discogs id here")));
    };
    let other = artist.main_discogs() != Some(id);
    let note = other.then_some("a second Discogs entry of the same MusicBrainz artist");
    Ok(found(artists, artist, From::Locator, note))
}

fn by_url(artists: &Artists, text: &str) -> Answered {
    let link = Some(text).filter(|text| text.len() <= LONGEST_BYTES).and_then(web_link::read);
    let link = link.ok_or_else(|| Problem::new("invalid_locator", "url is no web address").param("url"))?;
    Ok(match link {
        WebLink::Discogs(id) => found_or_nobody(artists, artists.by_discogs(id), From::Url, "not held here"),
        WebLink::MusicBrainz(mbid) => {
            found_or_nobody(artists, artists.by_mbid(&mbid), From::Url, "not held here")
        }
        WebLink::Page(page) => {
            found_or_nobody(artists, artists.by_link(&page), From::Url, "no artist is known by this page")
        }
        WebLink::Elsewhere { page, handle } => match artists.by_link(&page) {
            Some(artist) => found(artists, artist, From::Url, None),
            None => match artists.by_name(&handle) {
                Some(artist) => {
                    found(artists, artist, From::Name, Some("the link's handle was read as a name"))
                }
                None => nobody(From::Url, Some("neither the page nor the handle in it is known")),
            },
        },
    })
}

fn by_name(artists: &Artists, name: &str) -> super::CatalogueAnswer {
    let artist = artists.by_name(name);
    let mut body = match artist {
        Some(artist) => resolution(artists, artist, From::Name, None),
        None => nothing(From::Name, None),
    };
    if let Some(siblings) = artist.and_then(|artist| artists.siblings(artist)) {
        body.insert("same_name_clusters".to_owned(), siblings);
    }
    if artist.and_then(|artist| artist.cluster_id).is_none() {
        let candidates: Vec<Value> = artists
            .by_prefix(name, CANDIDATES)
            .into_iter()
            .map(|(cluster, name)| json!({ "cluster_id": cluster, "name": name, "tier": "cluster" }))
            .collect();
        body.insert("candidates".to_owned(), Value::Array(candidates));
    }
    json_answer(&body)
}

/// A cluster id is never bound back to a Discogs artist: whoever it is, it is only observed.
fn observed(artists: &Artists, artist: &Artist<'_>) -> super::CatalogueAnswer {
    let mut body = resolution(artists, artist, From::Locator, None);
    body.insert("resolved_via".to_owned(), json!("cluster"));
    if let Some(Value::Object(locators)) = body.get_mut("locators") {
        locators.insert("discogs".to_owned(), Value::Null);
        locators.insert("mbid".to_owned(), Value::Null);
    }
    json_answer(&body)
}

fn found_or_nobody(
    artists: &Artists,
    artist: Option<&Artist<'_>>,
    from: From,
    otherwise: &str,
) -> super::CatalogueAnswer {
    match artist {
        Some(artist) => found(artists, artist, from, None),
        None => nobody(from, Some(otherwise)),
    }
}

fn found(artists: &Artists, artist: &Artist<'_>, from: From, note: Option<&str>) -> super::CatalogueAnswer {
    json_answer(&resolution(artists, artist, from, note))
}

fn nobody(from: From, note: Option<&str>) -> super::CatalogueAnswer {
    json_answer(&nothing(from, note))
}

fn resolution(artists: &Artists, artist: &Artist<'_>, from: From, note: Option<&str>) -> Map<String, Value> {
    let mut body = artists.resolution(artist);
    body.insert("resolved_from".to_owned(), json!(from.word()));
    if let Some(note) = note {
        body.insert("note".to_owned(), json!(note));
    }
    body
}

fn nothing(from: From, note: Option<&str>) -> Map<String, Value> {
    let mut body = Map::new();
    for key in ["cluster_id", "slug", "display", "resolved_via"] {
        body.insert(key.to_owned(), Value::Null);
    }
    let locators = json!({
        "discogs": null, "mbid": null, "bandcamp": [], "soundcloud": [], "instagram": [], "spotify": [],
        "youtube": [], "website": [],
    });
    body.insert("locators".to_owned(), locators);
    body.insert("resolved_from".to_owned(), json!(from.word()));
    if let Some(note) = note {
        body.insert("note".to_owned(), json!(note));
    }
    body
}
