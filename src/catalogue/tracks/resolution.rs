//! Whether titles are held, one or up to fifty at once: `/api/v2/track` and `/api/v2/tracks/resolve`.
//!
//! Decides how sure a match is. No source here has durations, so a match has none.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Track, Tracks};
use crate::catalogue::answer::{Answered, Problem, json_answer};
use crate::catalogue::folding::{alphanumeric, without_suffix};
use crate::catalogue::params::Params;

const MOST_TRACKS: usize = 50;
const LONGEST_TITLE: usize = 300;
const WANTS: [&str; 2] = ["duration", "fingerprint"];

#[derive(Debug, Deserialize)]
struct Batch {
    #[serde(default)]
    want: Vec<String>,
    tracks: Vec<Asked>,
}

#[derive(Debug, Deserialize)]
struct Asked {
    #[serde(default)]
    artist: Option<String>,
    title: String,
}

impl Tracks {
    /// One title, asked for in a query.
    pub(in crate::catalogue) fn one(&self, params: &Params<'_>) -> Answered {
        let title = params.get("title").ok_or_else(|| Problem::invalid_query("title", "must be given"))?;
        let wants: Vec<&str> = params
            .get("want")
            .unwrap_or_default()
            .split(',')
            .map(str::trim)
            .filter(|w| !w.is_empty())
            .collect();
        let unsupported = unsupported(&wants)?;
        let asked = Asked { artist: params.get("artist").map(str::to_owned), title: title.to_owned() };
        let result = self.resolved(0, &asked);
        Ok(json_answer(&json!({ "state": "ok", "result": result, "unsupported": unsupported })))
    }

    /// A batch of titles, asked for in a JSON body.
    pub(in crate::catalogue) fn batch(&self, body: &[u8]) -> Answered {
        let batch: Batch = serde_json::from_slice(body)
            .map_err(|_| Problem::invalid_query("tracks", "must be a list of objects with a title"))?;
        if batch.tracks.is_empty() || batch.tracks.len() > MOST_TRACKS {
            return Err(Problem::invalid_query("tracks", format!("must have 1 to {MOST_TRACKS} entries")));
        }
        if batch.tracks.iter().any(|track| track.title.chars().count() > LONGEST_TITLE) {
            return Err(Problem::invalid_query(
                "tracks",
                format!("a title has at most {LONGEST_TITLE} characters"),
            ));
        }
        let wants: Vec<&str> = batch.want.iter().map(String::as_str).collect();
        let unsupported = unsupported(&wants)?;
        let results: Vec<Value> =
            batch.tracks.iter().enumerate().map(|(at, asked)| self.resolved(at, asked)).collect();
        Ok(json_answer(&json!({ "state": "ok", "results": results, "unsupported": unsupported })))
    }

    fn resolved(&self, at: usize, asked: &Asked) -> Value {
        let found = self.matched(asked);
        let artist = found.map_or(asked.artist.as_deref(), |(track, _)| Some(&*track.artist_credit));
        json!({
            "query_index": at, "matched": found.is_some(), "confidence": found.map_or(0.0, |(_, sure)| sure),
            "artist": artist, "title": asked.title, "release_title": null, "bandcamp_item_id": null,
            "track_url": null, "duration_s": null, "source": null, "fingerprint": null,
        })
    }

    /// The track that is meant, and how sure that is: by artist and title, by the artist's name without its number,
    /// or by title alone.
    fn matched(&self, asked: &Asked) -> Option<(&Track<'static>, f64)> {
        let title = alphanumeric(&asked.title);
        let titled =
            || self.0.iter().filter(|track| !title.is_empty() && alphanumeric(&track.title) == title);
        let Some(artist) = asked.artist.as_deref().map(str::trim).filter(|name| !name.is_empty()) else {
            return titled().next().map(|track| (track, 0.5));
        };
        let name = alphanumeric(artist);
        let exact = titled().find(|track| alphanumeric(&track.artist_credit) == name);
        exact.map(|track| (track, 1.0)).or_else(|| {
            let plain = |track: &&Track<'_>| alphanumeric(without_suffix(&track.artist_credit)) == name;
            titled().find(plain).map(|track| (track, 0.8))
        })
    }
}

/// What is wanted and nobody has; a refusal if it is no known word.
fn unsupported(wants: &[&str]) -> Result<Vec<Value>, Problem> {
    if wants.iter().any(|want| !WANTS.contains(want)) {
        return Err(Problem::invalid_query("want", format!("must be of: {}", WANTS.join(", "))));
    }
    let lacking = wants.iter().filter(|want| **want == "fingerprint");
    Ok(lacking.map(|want| json!({ "want": want, "reason": "there are no fingerprints" })).collect())
}
