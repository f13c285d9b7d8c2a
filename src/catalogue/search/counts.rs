//! How many masters have which genre, style and country: `/api/v2/facets`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Filter, Masters, Query};
use crate::catalogue::answer::{Answered, json_answer};
use crate::catalogue::params::Params;

const COUNTED: [Filter; 3] = [Filter::Genre, Filter::Style, Filter::Country];

impl Masters {
    pub(in crate::catalogue) fn facets(&self, params: &Params<'_>) -> Answered {
        let filters = Query::filters(params, &COUNTED)?;
        let (year_from, year_to) = Query::years(params)?;
        let query = Query { filters, year_from, year_to, ..Query::default() };
        let mut counts: BTreeMap<&str, BTreeMap<&str, u32>> = BTreeMap::new();
        for filter in COUNTED {
            counts.insert(filter.names().0, BTreeMap::new());
        }
        for master in self.all.iter().filter(|master| query.passes(master)) {
            for filter in COUNTED {
                let of_filter = counts.entry(filter.names().0).or_default();
                for value in master.values(filter) {
                    *of_filter.entry(value).or_default() += 1;
                }
            }
        }
        let rows = |values: BTreeMap<&str, u32>| -> Vec<Value> {
            values.into_iter().map(|(value, count)| json!({ "value": value, "count": count })).collect()
        };
        let body: BTreeMap<&str, Vec<Value>> =
            counts.into_iter().map(|(name, values)| (name, rows(values))).collect();
        Ok(json_answer(&body))
    }

    /// The genres of every master of a cluster, one after another.
    pub(in crate::catalogue) fn genres_of(&self, cluster: &str) -> Vec<String> {
        self.values_of(cluster, Filter::Genre)
    }

    /// The styles of every master of a cluster, one after another.
    pub(in crate::catalogue) fn styles_of(&self, cluster: &str) -> Vec<String> {
        self.values_of(cluster, Filter::Style)
    }

    fn values_of(&self, cluster: &str, filter: Filter) -> Vec<String> {
        let own = self.all.iter().filter(|master| master.row.artist_cluster_id == Some(cluster));
        own.flat_map(|master| master.values(filter)).map(|value| value.to_string()).collect()
    }
}
