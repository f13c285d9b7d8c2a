//! One master, filed under its artist: `/api/v2/artist/{key}/master/{id}`; and Bandcamp releases, which nobody has
//! here.
//!
//! Decides whether the master belongs to the artist. The header is the search row's; every other section is a gap.

use serde_json::{Value, json};

use super::answer::{Answered, Problem, json_answer};
use super::artists::{Artists, cluster_form};
use super::dossier::checked_key;
use super::params::Params;
use super::search::Masters;

/// The longest number of a master and of a Bandcamp release, in digits.
const MASTER_DIGITS: usize = 9;
const ITEM_DIGITS: usize = 19;
const GAPS: [&str; 3] = ["behavioral", "editorial", "radio"];

pub(super) fn answer(artists: &Artists, masters: &Masters, key: &str, id: &str) -> Answered {
    checked_key(key)?;
    let id = number(id, MASTER_DIGITS, "id")?;
    let (artist, observed) = match cluster_form(key) {
        Some(cluster) => (artists.by_cluster(&cluster), true),
        None => (artists.by_slug(key), false),
    };
    let dossier = artist.map(|artist| artists.dossier(artist));
    let filed = dossier.as_ref().is_some_and(|dossier| {
        let facet = dossier.get("discography");
        let entries = facet.and_then(|facet| facet.pointer("/signals/entries")?.as_array());
        entries.is_some_and(|entries| entries.iter().any(|entry| entry.get("discogsMasterId") == Some(&id)))
    });
    let Some(row) = id.as_u64().and_then(|id| masters.by_id(id)).filter(|_| filed) else {
        let note = "the demo holds no such master of this artist";
        return Ok(json_answer(&json!({ "object": "master.dossier", "present": false, "note": note })));
    };
    let sections = GAPS.map(|field| json!({ "field": field, "state": "honest_gap" }));
    Ok(json_answer(&json!({
        "object": "master.dossier", "present": true, "binding": { "observed": observed },
        "master": {
            "contract_version": "2.47.0", "grain": "master", "id": id,
            "header": {
                "title": row.get("title"), "artist": row.get("artist"), "year": row.get("year"),
                "formats": row.get("formats"),
                "cube_quadrant": { "code": null, "label": null },
            },
            "sections": sections, "artwork": [], "freshness": { "mirror_lag_s": null, "seen_lag_s": null },
            "cache": { "etag": "demo", "maxAge": 0 }, "provenance": [],
            "generated_at": dossier.as_ref().and_then(|dossier| dossier.get("generated_at")),
        },
    })))
}

pub(super) fn bandcamp(key: &str, item: &str) -> Answered {
    checked_key(key)?;
    number(item, ITEM_DIGITS, "item")?;
    let note = "the demo holds no Bandcamp releases";
    Ok(json_answer(&json!({ "object": "bandcamp.release", "present": false, "note": note })))
}

/// The teaser that is shown without a key: the demo has none.
pub(super) fn preview(params: &Params<'_>) -> Answered {
    if params.get("q").is_none() {
        return Err(Problem::invalid_query("q", "is needed"));
    }
    let note = "the demo holds no previews";
    Ok(json_answer(&json!({ "object": "artist.preview", "present": false, "note": note })))
}

/// A festival: there is none, so its identity is a gap.
pub(super) fn festival(slug: &str) -> Answered {
    checked_key(slug)?;
    Ok(json_answer(&json!({
        "contract_version": "2.47.0", "grain": "festival", "slug": slug, "display": slug, "id": null,
        "identity": null, "lineup": null, "provenance": [], "generated_at": "2020-08-06T00:00:00.000Z",
    })))
}

fn number(text: &str, digits: usize, param: &str) -> Result<Value, Problem> {
    let fits = !text.is_empty() && text.len() <= digits && text.bytes().all(|byte| byte.is_ascii_digit());
    let number: Option<u64> = text.parse().ok().filter(|_| fits);
    number
        .map(|number| json!(number))
        .ok_or_else(|| Problem::invalid_query(param, format!("must be a number of at most {digits} digits")))
}
