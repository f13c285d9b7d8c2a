//! All that is held about one artist: `/api/v2/artist/{key}`.
//!
//! Decides what a key means and what of a dossier is given. A slug is answered at the artist's own tier; a cluster id
//! always as only observed, without what hangs on the Discogs identity.

use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use lru::LruCache;
use serde_json::{Map, Value, json};

use super::CatalogueAnswer;
use super::answer::{Answered, Problem, json_answer};
use super::artists::{Artist, Artists, cluster_form};
use super::params::Params;

/// The longest key, in characters.
const LONGEST_KEY: usize = 200;

/// What a dossier always says about itself.
const HEAD: [&str; 8] =
    ["contract_version", "grain", "slug", "display", "id", "cluster_id", "resolved_via", "generated_at"];

/// What `fields` may name.
const FACETS: [&str; 41] = [
    "identity",
    "behavioral",
    "editorial",
    "across_the_web",
    "journalism",
    "connections",
    "emergence",
    "breakout",
    "compositions",
    "tier_presence",
    "early_demand",
    "bandcamp_emergence",
    "artwork",
    "dated_appearance",
    "network_position",
    "airplay_breadth",
    "brokerage",
    "lead_time",
    "bandcamp_tastemaker",
    "live_demand",
    "editorial_attention",
    "web_presence",
    "editorial_canon",
    "discography",
    "provenance",
    "bandcamp_releases",
    "rights",
    "marketplace",
    "debut",
    "facts",
    "visibility",
    "lineage",
    "authorship",
    "listen_flow",
    "arrival",
    "aura",
    "dj_champion",
    "radio_play",
    "credits",
    "placements",
    "geography",
];

/// Dossiers that were put together before: each is made of several records, and never changes.
#[derive(Debug)]
pub(super) struct Ready(Mutex<LruCache<Made, Bytes>>);

/// Which artist's dossier, whether as one that is only observed, and which parts of it.
type Made = (usize, bool, Option<Box<str>>);

/// Both forms of every artist of the demo, with the parts that two views have.
const READY: NonZeroUsize = NonZeroUsize::new(512).expect("not zero");

/// Longer lists of parts are not worth keeping.
const LONGEST_FIELDS: usize = 500;

impl Default for Ready {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(READY)))
    }
}

impl Ready {
    fn lock(&self) -> MutexGuard<'_, LruCache<Made, Bytes>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn answer(artists: &Artists, ready: &Ready, key: &str, params: &Params<'_>) -> Answered {
    let fields = params.get("fields");
    let made =
        found(artists, key).map(|(artist, is_observed)| (artist.at(), is_observed, fields.map(Box::from)));
    if let Some(body) = made.as_ref().and_then(|made| ready.lock().get(made).cloned()) {
        return Ok(CatalogueAnswer { status: 200, body });
    }
    let wanted = wanted_fields(params)?;
    let mut dossier = dossier(artists, key)?;
    if let Some(wanted) = wanted {
        dossier.retain(|name, _| HEAD.contains(&name.as_str()) || wanted.contains(&name.as_str()));
    }
    let answer = json_answer(&dossier);
    if let Some(made) = made.filter(|_| fields.is_none_or(|fields| fields.len() <= LONGEST_FIELDS)) {
        ready.lock().put(made, answer.body.clone());
    }
    Ok(answer)
}

/// Whom a key means, and whether only as observed.
fn found<'a>(artists: &'a Artists, key: &str) -> Option<(&'a Artist<'static>, bool)> {
    match cluster_form(key) {
        Some(cluster) => artists.by_cluster(&cluster).map(|artist| (artist, true)),
        None => artists.by_slug(key).map(|artist| (artist, false)),
    }
}

fn dossier(artists: &Artists, key: &str) -> Result<Map<String, Value>, Problem> {
    checked_key(key)?;
    Ok(match found(artists, key) {
        Some((artist, false)) => artists.dossier(artist),
        Some((artist, true)) => only_observed(artists.dossier(artist)),
        None => absent(artists, key),
    })
}

/// Refuses keys that can be neither a cluster id nor a slug.
pub(super) fn checked_key(key: &str) -> Result<(), Problem> {
    for (prefix, param) in [("discogs:", "discogs"), ("mbid:", "mbid")] {
        if let Some(id) = key.strip_prefix(prefix) {
            let id: String = id.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
            return Err(Problem::new("use_resolve_for_locator", "a dossier has no such address")
                .param("key")
                .hint("resolve the identifier first")
                .with("next", json!(format!("/api/v2/resolve?{param}={id}"))));
        }
    }
    let length = key.trim().chars().count();
    if length == 0 || length > LONGEST_KEY || key.contains(|c: char| c.is_control() || matches!(c, ':' | '/'))
    {
        return Err(Problem::new("invalid_artist_key", "the key is neither a cluster id nor a slug")
            .param("key")
            .hint("resolve the artist by name first"));
    }
    Ok(())
}

fn absent(artists: &Artists, key: &str) -> Map<String, Value> {
    let mut dossier = artists.absent.object(0);
    dossier.insert("slug".to_owned(), json!(key));
    dossier.insert("display".to_owned(), json!(key));
    dossier
}

fn only_observed(mut dossier: Map<String, Value>) -> Map<String, Value> {
    let gap = json!({ "state": "honest_gap", "signals": null });
    dossier.insert("id".to_owned(), Value::Null);
    dossier.insert("resolved_via".to_owned(), json!("cluster"));
    dossier.insert("debut".to_owned(), gap.clone());
    dossier.insert("facts".to_owned(), gap);
    if let Some(Value::Object(identity)) = dossier.get_mut("identity") {
        identity.insert("resolvedVia".to_owned(), json!("cluster"));
        for name in ["discogsArtistId", "realname", "profile"] {
            identity.insert(name.to_owned(), Value::Null);
        }
        for name in ["urls", "aliases"] {
            identity.insert(name.to_owned(), json!([]));
        }
    }
    for name in ["spotifyUrl", "youtubeUrl", "lastfmUrl"] {
        if let Some(link) = dossier.get_mut("web_presence").and_then(|facet| facet.pointer_mut("/signals"))
            && let Some(link) = link.get_mut(name)
        {
            *link = Value::Null;
        }
    }
    if let Some(Value::Array(rows)) = dossier.get_mut("provenance") {
        rows.iter_mut().for_each(|row| row["tier"] = json!("cluster"));
    }
    dossier
}

fn wanted_fields<'a>(params: &Params<'a>) -> Result<Option<Vec<&'a str>>, Problem> {
    let Some(list) = params.get("fields") else {
        return Ok(None);
    };
    let names: Vec<&str> = list.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    if names.iter().all(|name| FACETS.contains(name) || HEAD.contains(name)) {
        return Ok(Some(names));
    }
    Err(Problem::new("invalid_fields", "fields names something that a dossier does not have")
        .param("fields")
        .with("valid", json!(FACETS.as_slice()))
        .with("example", json!("fields=identity,discography")))
}

/// The cluster that a key means, and whether anyone is there.
pub(super) fn cluster_of(artists: &Artists, key: &str) -> Result<Option<&'static str>, Problem> {
    checked_key(key)?;
    Ok(found(artists, key).and_then(|(artist, _)| artist.cluster_id))
}
