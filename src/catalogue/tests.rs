//! What the catalogue promises whoever asks it.

use std::sync::LazyLock;

use serde_json::Value;
use time::macros::date;

use super::*;

mod identities;
mod lists;
mod requests;

pub(super) fn get(catalogue: &Catalogue, path: &str, query: &[(&str, &str)]) -> (u16, Value) {
    let query: Vec<_> = query.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let answer = catalogue.answer(&CatalogueRequest { path, query: &query, today: date!(2026 - 11 - 30) });
    (answer.status, serde_json::from_slice(&answer.body).unwrap())
}

pub(super) fn demo() -> &'static Catalogue {
    static DEMO: LazyLock<Catalogue> = LazyLock::new(|| Catalogue::embedded().unwrap());
    &DEMO
}

pub(super) fn resolved(query: &[(&str, &str)]) -> Value {
    let (status, body) = get(demo(), "/api/v2/resolve", query);
    assert_eq!(status, 200, "{body}");
    body
}

pub(super) fn cluster_of(query: &[(&str, &str)]) -> String {
    resolved(query)["cluster_id"].as_str().unwrap().to_owned()
}

/// Artist and cluster of every row found for `q`.
pub(super) fn rows(q: &str) -> Vec<(String, Option<String>)> {
    let (status, body) = get(demo(), "/api/v2/search", &[("q", q), ("limit", "100")]);
    assert_eq!(status, 200, "{body}");
    let row = |row: &Value| {
        (row["artist"].as_str().unwrap().to_owned(), row["artist_cluster_id"].as_str().map(str::to_owned))
    };
    body["results"].as_array().unwrap().iter().map(row).collect()
}

/// Rows whose artist is exactly `name`, but for case.
pub(super) fn exact(name: &str) -> Vec<Option<String>> {
    let same = |(artist, _): &(String, _)| artist.to_lowercase() == name.to_lowercase();
    rows(name).into_iter().filter(same).map(|(_, cluster)| cluster).collect()
}
