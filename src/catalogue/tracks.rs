//! Who performs a title: `/api/v2/tracks`.
//!
//! Decides which titles are the same, and merges what one artist has of a title into one row.

mod resolution;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::json;

use super::CatalogueError;
use super::answer::{Answered, Problem, json_answer};
use super::files::Files;
use super::folding::{alphanumeric, lower};
use super::params::Params;

/// A part of a title shorter than this finds nothing.
const SHORTEST_PART: usize = 3;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Track<'a> {
    title: Box<str>,
    cluster_id: &'a str,
    artist_credit: Box<str>,
    releases: u32,
    recordings: u32,
}

/// Who performs a title. Homonyms may share the cluster; the credit says which of them it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Performer<'a> {
    pub(super) cluster_id: &'static str,
    /// The artist's own name, its number included.
    pub(super) credit: &'a str,
}

/// Every title with its performer.
#[derive(Debug)]
pub(super) struct Tracks(Vec<Track<'static>>);

impl Tracks {
    pub(super) fn load(files: &Files) -> Result<Self, CatalogueError> {
        files.tracks.parse().map(Self)
    }

    /// Who is credited under this name with a recording of this title.
    pub(super) fn performer(&self, name: &str, title: &str) -> Option<Performer<'_>> {
        let (name, title) = (alphanumeric(name), alphanumeric(title));
        let known = self.0.iter().find(|track| {
            !title.is_empty()
                && !name.is_empty()
                && alphanumeric(&track.title) == title
                && alphanumeric(&track.artist_credit) == name
        });
        known.map(|track| Performer { cluster_id: track.cluster_id, credit: &track.artist_credit })
    }

    #[cfg(test)]
    pub(super) fn credits(&self) -> impl Iterator<Item = (&str, Performer<'_>)> {
        self.0.iter().map(|track| {
            (&*track.title, Performer { cluster_id: track.cluster_id, credit: &track.artist_credit })
        })
    }

    pub(super) fn answer(&self, params: &Params<'_>) -> Answered {
        let title = params.get("title").ok_or_else(|| Problem::invalid_query("title", "must be given"))?;
        let fuzzy = params.choice("fuzzy", &["true", "false"])? == Some("true");
        let source = params.choice("source", &["mb", "bandcamp", "all"])?.unwrap_or("mb");
        let limit = params.number("limit", 1..=50)?.unwrap_or(20);

        let normalized = if fuzzy { lower(title) } else { alphanumeric(title) };
        let enough = if fuzzy { normalized.chars().count() >= SHORTEST_PART } else { !normalized.is_empty() };
        let matches = |track: &&Track<'_>| {
            if fuzzy {
                lower(&track.title).contains(&normalized)
            } else {
                alphanumeric(&track.title) == normalized
            }
        };
        let mut by_cluster: BTreeMap<&str, (&str, u32, u32)> = BTreeMap::new();
        if enough && source != "bandcamp" {
            for track in self.0.iter().filter(matches) {
                let row = by_cluster.entry(track.cluster_id).or_insert((&track.artist_credit, 0, 0));
                row.1 += track.releases;
                row.2 += track.recordings;
            }
        }
        let mut rows: Vec<_> = by_cluster.into_iter().collect();
        rows.sort_by(|(_, a), (_, b)| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let truncated = rows.len() > limit;
        rows.truncate(limit);
        let results: Vec<_> = rows
            .into_iter()
            .map(|(cluster, (credit, releases, recordings))| {
                json!({
                    "artistCredit": credit, "clusterId": cluster, "releases": releases, "recordings": recordings,
                    "sources": ["mb"],
                    "_links": {
                        "artist": format!("/api/v2/artist/{cluster}"),
                        "artist_dossier": format!("/api/v2/dossier/artist/{cluster}"),
                    },
                })
            })
            .collect();
        Ok(json_answer(&json!({
            "state": "ok", "source": source, "mode": if fuzzy { "fuzzy" } else { "exact" }, "titleQuery": title,
            "normalized": normalized, "truncated": truncated, "count": results.len(), "results": results,
        })))
    }
}
