//! Generic rows about one cluster: `/api/v2/surface` and `/api/v2/surface/{name}`.
//!
//! Decides which page of the rows is given. Every row is invented; the file that is read says so.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::CatalogueError;
use super::answer::{Answered, Problem, json_answer};
use super::artists::cluster_form;
use super::files::{Files, SERVICE_SURFACES};
use super::params::Params;

/// One surface, as the index describes it.
#[derive(Debug, Deserialize)]
struct Surface {
    name: Box<str>,
    key: Key,
    cap: Cap,
    coverage_note: Box<str>,
    liveness: Box<str>,
}

#[derive(Debug, Deserialize)]
struct Key {
    keyspace: Box<str>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
struct Cap {
    default: usize,
    max: u32,
}

#[derive(Debug, Deserialize)]
struct Index {
    surfaces: Vec<Surface>,
}

#[derive(Debug, Deserialize)]
struct Held<'a> {
    surface: &'a str,
    cluster_id: &'a str,
    #[serde(borrow)]
    rows: Vec<&'a RawValue>,
}

/// Every surface with its rows.
#[derive(Debug)]
pub(super) struct Surfaces {
    index: Vec<Surface>,
    held: Vec<Held<'static>>,
}

impl Surfaces {
    pub(super) fn load(files: &Files) -> Result<Self, CatalogueError> {
        let index: Index = serde_json::from_slice(SERVICE_SURFACES).map_err(|source| {
            CatalogueError::Record { path: "service/surfaces.json", line: source.line(), source }
        })?;
        Ok(Self { index: index.surfaces, held: files.invented_surfaces.parse()? })
    }

    /// All rows of one surface about one cluster.
    pub(super) fn rows_of(&self, name: &str, cluster: &str) -> &[&'static RawValue] {
        let held = self.held.iter().find(|held| held.surface == name && held.cluster_id == cluster);
        held.map_or(&[][..], |held| &held.rows)
    }

    pub(super) fn answer(&self, name: &str, params: &Params<'_>) -> Answered {
        let Some((number, surface)) =
            self.index.iter().enumerate().find(|(_, surface)| *surface.name == *name)
        else {
            let valid: Vec<&str> = self.index.iter().map(|surface| &*surface.name).collect();
            return Err(Problem::new("invalid_name", "there is no such surface")
                .param("name")
                .with("valid", json!(valid)));
        };
        let cluster = params.get("cluster").and_then(cluster_form).ok_or_else(|| {
            Problem::new("invalid_locator", "cluster must be 64 hex digits").param("cluster")
        })?;
        let limit = match params.clamped("limit", 1..=surface.cap.max)? {
            Some(limit) => usize::try_from(limit).unwrap_or(usize::MAX),
            None => surface.cap.default,
        };
        let rows = self.rows_of(name, &cluster);
        let start = match params.get("after") {
            None => 0,
            Some(cursor) => {
                read_cursor(cursor, number).filter(|start| *start < rows.len()).ok_or_else(|| {
                    Problem::invalid_query("after", "is not the next_after of a page of this surface")
                        .hint("start again without it")
                })?
            }
        };
        let page: Vec<&RawValue> = rows.iter().copied().skip(start).take(limit).collect();
        let end = start.saturating_add(page.len());
        let next = if end < rows.len() { json!(cursor(number, end)) } else { Value::Null };
        let present = !page.is_empty();
        Ok(json_answer(&json!({
            "object": "surface.rows", "surface": name, "present": present,
            "state": if present { "present" } else { "honest_gap" },
            "keyspace": surface.key.keyspace, "liveness": surface.liveness, "rows": page,
            "next_after": next, "coverage_note": surface.coverage_note, "degraded_reason": null,
            "generated_at": "2020-08-06T00:00:00.000Z",
        })))
    }
}

/// Where the next page of a surface begins, in a form that invites nobody to count.
fn cursor(surface: usize, start: usize) -> String {
    URL_SAFE_NO_PAD.encode(format!("{surface}:{start}"))
}

fn read_cursor(text: &str, surface: usize) -> Option<usize> {
    let plain = String::from_utf8(URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
    let (of, start) = plain.split_once(':')?;
    start.parse().ok().filter(|_| of.parse() == Ok(surface))
}
