//! Walks of ten thousand rows through a catalogue that changes between any two pages.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use ono_sendai::crate_client::transport::{Answer, Request, Sending, Transport};
use ono_sendai::envelope::attribution::Origin;
use ono_sendai::tools::registry::ToolName;
use serde_json::{Value, json};

use super::Service;

/// Records that are there all the time, as far apart as the masters of a search are.
const STEADY: u64 = 10_600;
const APART: u64 = 350;
/// Records that come or go between two pages.
const CHANGES: u64 = 12;

/// A catalogue in the order of its numbers, of which some come and go with every request.
#[derive(Debug)]
struct Living {
    has_cursors: bool,
    rows: Mutex<(BTreeSet<u64>, u64)>,
}

impl Living {
    fn new(has_cursors: bool) -> Self {
        let rows = (1..=STEADY).map(|n| n * APART).chain((1..=STEADY / 4).map(|n| n * APART * 4 + 1));
        Self { has_cursors, rows: Mutex::new((rows.collect(), 0x9E37_79B9_7F4A_7C15)) }
    }

    fn page(&self, query: &[(&str, String)]) -> Value {
        let told = |name: &str| query.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_str());
        let limit: usize = told("limit").unwrap().parse().unwrap();
        let mut guard = self.rows.lock().unwrap();
        let (rows, chance) = &mut *guard;
        let found: Vec<u64> = match (told("cursor"), told("offset")) {
            (Some(cursor), _) => {
                let after: u64 = cursor.strip_prefix("after-").unwrap().parse().unwrap();
                rows.range(after + 1..).take(limit).copied().collect()
            }
            (None, offset) => rows
                .iter()
                .skip(offset.map_or(0, |rows| rows.parse().unwrap()))
                .take(limit)
                .copied()
                .collect(),
        };
        let total = rows.len();
        for _ in 0..CHANGES {
            *chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let changing = (*chance >> 33) % STEADY * APART + 1 + (*chance >> 60);
            if !rows.remove(&changing) {
                rows.insert(changing);
            }
        }
        let next = found.last().filter(|_| found.len() == limit).map(|last| format!("after-{last}"));
        let mut pagination = json!({"total_results": total, "total_results_mode": "lower_bound"});
        if self.has_cursors {
            pagination["next_cursor"] = json!(next);
        }
        let row = |id: u64| json!({"master_id": id, "title": "Record", "artist": "X", "year": null, "artist_cluster_id": null});
        json!({"pagination": pagination, "results": found.into_iter().map(row).collect::<Vec<_>>()})
    }
}

impl Transport for Living {
    fn send<'a>(&'a self, request: Request<'a>) -> Sending<'a> {
        let query: Vec<(&str, String)> =
            request.query.iter().map(|(name, value)| (*name, value.clone())).collect();
        let body = self.page(&query).to_string();
        Box::pin(async move { Ok(Answer::new(200, body.into())) })
    }
}

/// Every row of a walk in its order, and the last page.
fn walk(has_cursors: bool) -> (Vec<u64>, Value) {
    let service = Service::over(Arc::new(Living::new(has_cursors)), Origin::Service, None);
    let mut seen = Vec::new();
    let mut arguments = json!({"q": "record", "limit": 30});
    loop {
        let told = service.call(ToolName::SearchCatalog, arguments);
        let data = told.data();
        let rows = data["results"].as_array().unwrap();
        seen.extend(rows.iter().map(|row| row["master_id"].as_u64().unwrap()));
        match data["pagination"]["next_cursor"].as_str() {
            Some(next) => {
                assert!(next.len() <= 1_024, "{} characters", next.len());
                arguments = json!({"q": "record", "limit": 30, "cursor": next});
            }
            None => return (seen, data["pagination"].clone()),
        }
    }
}

/// Records that were there all the time, within what the walk passed, and were not shown.
fn skipped(seen: &[u64]) -> usize {
    let (shown, last) = (seen.iter().collect::<BTreeSet<_>>(), seen.iter().max().copied().unwrap());
    (1..=STEADY).map(|n| n * APART).filter(|id| *id <= last && !shown.contains(id)).count()
}

fn repeated(seen: &[u64]) -> usize {
    seen.len() - seen.iter().collect::<BTreeSet<_>>().len()
}

#[test]
fn a_walk_by_the_services_cursors_neither_skips_nor_repeats() {
    let (seen, last) = walk(true);
    assert_eq!((seen.len(), repeated(&seen), skipped(&seen)), (10_000, 0, 0));
    assert_eq!((&last["mode"], &last["walk_ended_early"]), (&json!("keyset"), &json!(null)));
}

#[test]
fn a_walk_that_counts_rows_off_repeats_none_and_says_that_some_may_be_missing() {
    let (seen, last) = walk(false);
    println!("{} rows shown, {} of those that were there all the time skipped", seen.len(), skipped(&seen));
    assert_eq!(repeated(&seen), 0);
    assert_eq!((&last["mode"], &last["walk_ended_early"]), (&json!("offset_walk"), &json!(null)), "{last}");
    // It passed ten thousand rows; what was pushed down had been shown.
    assert!((8_000..=10_000).contains(&seen.len()), "{} rows", seen.len());
    assert!(skipped(&seen) < 500, "{} skipped", skipped(&seen));
}
