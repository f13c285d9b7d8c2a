//! Artists to browse: `/api/v2/artists`.
//!
//! Decides which artists a filter leaves, in which order. Genre and styles are those of an artist's masters here;
//! the tiers are invented, as everything about emergence is.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::answer::{Answered, Problem, json_answer};
use super::artists::Artists;
use super::params::Params;
use super::search::Masters;

/// How many rows are given unasked.
const UNASKED: u32 = 30;
/// How far the list can be paged.
const WINDOW: u32 = 500;
/// How many styles a row names.
const STYLES: usize = 3;
const TIERS: [&str; 3] = ["breakout", "rising", "steady"];

/// One artist of the list.
#[derive(Debug)]
struct Entry {
    display: String,
    slug: &'static str,
    discogs: u64,
    cluster: Option<&'static str>,
    genre: Option<String>,
    styles: Vec<String>,
    emergence_tier: Option<String>,
    momentum_tier: Option<String>,
}

/// Every verified artist, those whose tier says most first.
#[derive(Debug)]
pub(super) struct Browse(Vec<Entry>);

impl Browse {
    pub(super) fn of(artists: &Artists, masters: &Masters) -> Self {
        let tiers = artists.emergence();
        let mut all: Vec<Entry> = artists
            .verified()
            .map(|(artist, discogs)| {
                let of_cluster = |pick: fn(&Masters, &str) -> Vec<String>| {
                    artist.cluster_id.map(|id| most_common(pick(masters, id))).unwrap_or_default()
                };
                let tier = artist.cluster_id.and_then(|id| tiers.get(id));
                let word = |name: &str| tier.and_then(|tier| tier.get(name)?.as_str().map(str::to_owned));
                Entry {
                    display: artist.name.to_string(),
                    slug: artist.slug(),
                    discogs,
                    cluster: artist.cluster_id,
                    genre: of_cluster(Masters::genres_of).into_iter().next(),
                    styles: of_cluster(Masters::styles_of).into_iter().take(STYLES).collect(),
                    emergence_tier: word("emergenceTier"),
                    momentum_tier: word("momentumTier"),
                }
            })
            .collect();
        let rank = |entry: &Entry| {
            let tier = entry.emergence_tier.as_deref();
            TIERS.iter().position(|word| Some(*word) == tier).unwrap_or(TIERS.len())
        };
        all.sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| a.display.cmp(&b.display)));
        Self(all)
    }

    pub(super) fn answer(&self, params: &Params<'_>) -> Answered {
        let (genre, style) = (params.get("genre"), params.get("style"));
        let tier = params.choice("tier", &TIERS)?;
        let sort = params.choice("sort", &["discovery", "reach"])?.unwrap_or("discovery");
        let limit = params.number("limit", 1..=100)?.unwrap_or(UNASKED);
        let offset = params.number("offset", 0..=WINDOW)?.unwrap_or(0);
        if offset.saturating_add(limit) > WINDOW {
            return Err(Problem::invalid_query("offset", format!("offset and limit end at {WINDOW}")));
        }
        let mut found: Vec<&Entry> = self
            .0
            .iter()
            .filter(|entry| {
                genre.is_none_or(|genre| entry.genre.as_deref() == Some(genre))
                    && style.is_none_or(|style| entry.styles.iter().any(|own| own == style))
                    && tier.is_none_or(|tier| entry.emergence_tier.as_deref() == Some(tier))
            })
            .collect();
        if sort == "reach" {
            // Nothing here knows how many own what, so nobody is ahead.
            found.sort_by(|a, b| a.display.cmp(&b.display));
        }
        let window = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        let more = found.len() > window(offset.saturating_add(limit));
        let items: Vec<Value> =
            found.into_iter().skip(window(offset)).take(window(limit)).map(Entry::row).collect();

        let mut filters = Map::new();
        for (name, value) in [("genre", genre), ("style", style), ("tier", tier), ("sort", Some(sort))] {
            filters.extend(value.map(|value| (name.to_owned(), json!(value))));
        }
        let mut body = Map::new();
        if items.is_empty() {
            body.insert("note".to_owned(), json!("no artist of the demo fits"));
        }
        if more {
            let next = next_page(&filters, limit, offset.saturating_add(limit));
            body.insert("_links".to_owned(), json!({ "next": next }));
        }
        for (key, value) in [
            ("object", json!("artist.browse")),
            ("state", json!("present")),
            ("returned", json!(items.len())),
            ("filters_applied", Value::Object(filters)),
            ("items", Value::Array(items)),
        ] {
            body.insert(key.to_owned(), value);
        }
        Ok(json_answer(&body))
    }
}

impl Entry {
    fn row(&self) -> Value {
        json!({
            "display": self.display, "slug": self.slug, "discogs_artist_id": self.discogs,
            "cluster_id": self.cluster, "primary_genre": self.genre, "primary_styles": self.styles,
            "emergence_tier": self.emergence_tier, "momentum_tier": self.momentum_tier, "owner_reach": null,
        })
    }
}

fn next_page(filters: &Map<String, Value>, limit: u32, offset: u32) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in filters {
        query.append_pair(name, value.as_str().unwrap_or_default());
    }
    query.append_pair("limit", &limit.to_string()).append_pair("offset", &offset.to_string());
    format!("/api/v2/artists?{}", query.finish())
}

/// The words in the order of how often they stand there.
fn most_common(words: Vec<String>) -> Vec<String> {
    let mut counted: BTreeMap<String, usize> = BTreeMap::new();
    for word in words {
        *counted.entry(word).or_default() += 1;
    }
    let mut counted: Vec<_> = counted.into_iter().collect();
    counted.sort_by_key(|(_, count)| Reverse(*count));
    counted.into_iter().map(|(word, _)| word).collect()
}
